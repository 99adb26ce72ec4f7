// Reads the nodes of a syntax tree.
import { looksLikeText } from './rules.mjs';

const ENTITIES = { amp: '&', quot: '"', lt: '<', gt: '>', nbsp: '\u00a0', apos: "'" };
/** Replaces the entities in a text of JSX. */
export const decode = (text) => text.replaceAll(/&(\w+);/g, (all, name) => ENTITIES[name] ?? all);

/** Joins the lines of a text in JSX as React does. */
export function cleaned(raw) {
  const lines = raw.split(/\r?\n/);
  return lines
    .map((line, index) => {
      let text = line.replaceAll('\t', ' ');
      if (index > 0) text = text.replace(/^ +/, '');
      while (index < lines.length - 1 && text.endsWith(' ')) text = text.slice(0, -1);
      return text;
    })
    .filter((line) => line !== '')
    .join(' ');
}

/** True for a string. */
export const isString = (node) => node?.type === 'Literal' && typeof node.value === 'string';
/** True for an element or a fragment of JSX. */
export const isElement = (node) => node?.type === 'JSXElement' || node?.type === 'JSXFragment';
/** True for a text with letters. */
export const hasLetters = (text) => /\p{L}/u.test(text);

/** True for a string, or a choice with one, that is a text by its form. */
export const isTextBeyondDoubt = (node) =>
  (isString(node) && looksLikeText(node.value)) ||
  (node?.type === 'ConditionalExpression' &&
    [node.consequent, node.alternate].some(isTextBeyondDoubt));

/** The text of strings that are written in several lines: `'One ' + 'text'`. */
export function joinedText({ type, operator, left, right, value }) {
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type !== 'BinaryExpression' || operator !== '+') return undefined;
  const [one, other] = [joinedText(left), joinedText(right)];
  return one === undefined || other === undefined ? undefined : one + other;
}

/** An expression without its types. */
export const bare = (node) => (node?.type.startsWith('TS') ? bare(node.expression) : node);

/** Name of an expression's function or constructor. */
export function nameOf(node) {
  if (node.type === 'Identifier' || node.type === 'JSXIdentifier') return node.name;
  if (node.type === 'JSXAttribute') return nameOf(node.name);
  if (node.type === 'MemberExpression' && !node.computed) return node.property.name;
  return '';
}

/** `count` of `count === 1 ? … : …`. */
export function countOfTest({ type, operator, left, right }) {
  const isOne = type === 'BinaryExpression' && operator === '===' && right.value === 1;
  return isOne && right.type === 'Literal' ? left : undefined;
}

/** Number of line breaks. */
export const lineBreaks = (text) => text.split('\n').length - 1;

/** Value of a string: JSX has entities in attributes. */
export const decodeIn = (source, node) =>
  source[node.start - 1] === '=' ? decode(node.value) : node.value;
