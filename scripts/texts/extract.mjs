// Finds the texts in a file of the console, and writes the file with look-ups in their places.
import path from 'node:path';
import { parseSync } from 'rolldown/utils';
import {
  areWords,
  hasOptions,
  isCode,
  isInline,
  isShownText,
  looksLikeText,
  placeOfArguments,
  placeOfName,
} from './rules.mjs';
import {
  bare,
  cleaned,
  countOfTest,
  decode,
  decodeIn,
  hasLetters,
  isElement,
  isString,
  isTextBeyondDoubt,
  joinedText,
  lineBreaks,
  nameOf,
} from './syntax.mjs';

/**
 * @typedef {object} Message
 * @property {string} text the English text: `{0}` are values, `<0>…</0>` elements
 * @property {string} [plural] the English text for other counts than one
 * @property {string[]} names expressions of the values, as a hint for translators
 */

/** Comments before a string or a table that say what it is. */
const MARKS = { value: 'value', text: 'shown' };

const CHILDREN_SKIPPED = new Set([
  'type',
  'start',
  'end',
  'typeAnnotation',
  'typeArguments',
  'returnType',
  'typeParameters',
]);

/** Exports of the file of look-ups. */
const LOOKUPS = ['fixedLocale', 'locale', 'plural', 'rich', 't'];

/** Divides a text into the spaces before its words, its words, and the spaces after them. */
function atEdges(text) {
  const words = text.trim();
  const at = text.indexOf(words);
  return [text.slice(0, at), words, text.slice(at + words.length)];
}

/** Finds the texts of one file. */
class File {
  constructor(file, source) {
    this.source = source;
    const { program, comments, errors } = parseSync(file, source);
    if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
    /** Comments `value` and `text` by the position of the string after them. */
    this.marks = new Map();
    for (const { value, end } of comments) {
      const mark = value.trim();
      const place = MARKS[mark];
      if (place === undefined) continue;
      const space = /^\s*/.exec(source.slice(end))[0].length;
      this.marks.set(end + space, place);
    }
    /** @type {Message[]} */
    this.messages = [];
    /** Texts of single strings, which code could compare. */
    this.strings = new Set();
    /** Strings that code compares. @type {Set<string>} */
    this.compared = new Set();
    /** @type {string[]} */
    this.faults = [];
    this.edits = [];
    this.used = new Set();
    this.walk(program, 'unclear');
    this.edits.sort((one, other) => one.start - other.start || other.end - one.end);
  }

  /** Returns a part of the source with its edits. */
  emit(start, end) {
    let code = '';
    let at = start;
    for (const edit of this.edits) {
      if (edit.start < at || edit.end > end) continue;
      const made = edit.code();
      // Lines stay where they are, for stack traces without source maps.
      const lost = lineBreaks(this.source.slice(edit.start, edit.end)) - lineBreaks(made);
      code += this.source.slice(at, edit.start) + made + '\n'.repeat(Math.max(0, lost));
      at = edit.end;
    }
    return code + this.source.slice(at, end);
  }

  add(message) {
    this.messages.push(message);
  }

  edit({ start, end }, code) {
    this.edits.push({ start, end, code });
  }

  use(name) {
    this.used.add(name);
    return `__${name}`;
  }

  visit(node, place) {
    for (const [name, child] of Object.entries(node)) {
      if (CHILDREN_SKIPPED.has(name) || child === null || typeof child !== 'object') continue;
      if (Array.isArray(child)) for (const one of child) this.walk(one, place);
      else if (typeof child.type === 'string') this.walk(child, place);
    }
  }

  /** Reads a node by the method of its type, and others by their children. */
  walk(node, around) {
    if (node === null || node === undefined) return;
    const place = this.marks.get(node.start) ?? around;
    const { type } = node;
    if (this[type] !== undefined) this[type](node, place);
    else if (/^TS(?:As|Satisfies|NonNull)Expression$/.test(type)) this.walk(node.expression, place);
    else if (!type.startsWith('TS')) {
      this.visit(node, /(?:Statement|Declaration)$/.test(type) ? 'unclear' : place);
    }
  }

  ImportDeclaration() {}
  ExportAllDeclaration() {}
  ImportExpression() {}
  TaggedTemplateExpression(node) {
    this.visit(node.quasi, 'value');
  }
  ExportNamedDeclaration({ declaration }) {
    this.walk(declaration, 'unclear');
  }
  ExpressionStatement({ directive, expression }) {
    if (!directive) this.walk(expression, 'unclear');
  }

  Literal(node, place) {
    if (!isString(node)) return;
    const text = decodeIn(this.source, node);
    if (!this.isText(text, place)) return;
    this.string(node, [text], []);
  }

  TemplateLiteral(node, place) {
    const texts = node.quasis.map(({ value }) => value.cooked);
    const isText =
      (place !== 'value' && areWords(texts)) ||
      this.isText(texts.join(' '), place, texts.join('x'));
    if (isText) this.string(node, texts, node.expressions);
    for (const one of node.expressions)
      this.walk(one, isText ? 'unclear' : place === 'value' ? 'value' : 'unclear');
  }

  isText(text, place, joined = text) {
    if (place === 'value') return false;
    if (place === 'shown') return isShownText(text);
    const isWhole = joined === text || looksLikeText(joined) || /\s/.test(joined.trim());
    return isWhole && looksLikeText(text);
  }

  /** Replaces a string or template by a look-up. */
  string(node, texts, values) {
    const text = texts.map((one, index) => (index === 0 ? one : `{${index - 1}}${one}`)).join('');
    const [before, words, after] = atEdges(text);
    this.add({ text: words, names: values.map((one) => this.nameOfValue(one)) });
    if (values.length === 0) this.strings.add(words);
    const isAttribute =
      this.source[node.start - 1] === '=' &&
      /["']/.test(this.source[node.start]) &&
      this.inAttribute === node;
    this.edit(node, () => {
      const parts = [
        JSON.stringify(words),
        ...values.map(({ start, end }) => this.emit(start, end)),
      ];
      const call = `${this.use('t')}(${parts.join(', ')})`;
      const code = [before && JSON.stringify(before), call, after && JSON.stringify(after)]
        .filter(Boolean)
        .join(' + ');
      if (isAttribute) return `{${code}}`;
      return before || after ? `(${code})` : code;
    });
  }

  /** Short name of a value for translators. */
  nameOfValue(node) {
    if (isElement(node)) return `<${node.openingElement ? nameOf(node.openingElement.name) : ''}>`;
    return this.source.slice(node.start, node.end).replaceAll(/\s+/g, ' ').slice(0, 60);
  }

  ConditionalExpression(node, place) {
    this.walk(node.test, 'unclear');
    const counted = countOfTest(node.test);
    if (counted !== undefined && this.plural(node, counted, place)) return;
    // A small word beside a text is a text too: `isLess ? 'less' : 'no change'`.
    const isShown =
      place === 'unclear' && [node.consequent, node.alternate].some(isTextBeyondDoubt);
    this.walk(node.consequent, isShown ? 'shown' : place);
    this.walk(node.alternate, isShown ? 'shown' : place);
  }

  /** Reads tables of texts, such as `LABELS`, whose small words are texts too. */
  VariableDeclarator({ id, init }) {
    const table = bare(init);
    const isTable = /^[A-Z][A-Z_]+$/.test(id.name ?? '') && table?.type === 'ObjectExpression';
    const values = isTable ? table.properties.map(({ value }) => value) : [];
    if (
      values.length > 0 &&
      values.every(isString) &&
      values.some(isTextBeyondDoubt) &&
      this.marks.get(init.start) !== 'value'
    ) {
      for (const value of values) this.walk(value, 'shown');
    } else this.walk(init, 'unclear');
  }

  /** Replaces `count === 1 ? 'link' : 'links'` by a look-up of both forms. */
  plural(node, counted, place) {
    const parts = [node.consequent, node.alternate].map((one) => {
      if (isString(one)) return { texts: [one.value], values: [] };
      if (one.type !== 'TemplateLiteral') return undefined;
      return { texts: one.quasis.map(({ value }) => value.cooked), values: one.expressions };
    });
    if (parts.includes(undefined)) return false;
    if (
      !parts.every(({ texts }) =>
        place === 'shown'
          ? isShownText(texts.join(' '))
          : place === 'unclear' && (looksLikeText(texts.join(' ')) || isShownText(texts.join(' '))),
      )
    )
      return false;
    const values = [];
    const [text, plural] = parts
      .toReversed()
      .map(({ texts, values: own }) => {
        const places = own.map((value) => {
          const code = this.source.slice(value.start, value.end);
          const known = values.findIndex(
            ({ start, end }) => this.source.slice(start, end) === code,
          );
          return known >= 0 ? known : values.push(value) - 1;
        });
        return texts
          .map((one, index) => (index === 0 ? one : `{${places[index - 1]}}${one}`))
          .join('');
      })
      .toReversed();
    const [before, , after] = atEdges(plural);
    this.add({
      text: text.trim(),
      plural: plural.trim(),
      names: values.map((one) => this.nameOfValue(one)),
    });
    for (const value of values) this.walk(value, 'unclear');
    this.edit(node, () => {
      const all = [counted, ...values].map(({ start, end }) => this.emit(start, end));
      const call = `${this.use('plural')}(${all[0]}, ${[JSON.stringify(text.trim()), JSON.stringify(plural.trim()), ...all.slice(1)].join(', ')})`;
      return `(${[before && JSON.stringify(before), call, after && JSON.stringify(after)].filter(Boolean).join(' + ')})`;
    });
    return true;
  }

  LogicalExpression({ operator, left, right }, place) {
    this.walk(left, operator === '&&' ? 'unclear' : place);
    this.walk(right, place);
  }

  BinaryExpression(node, place) {
    const { operator, left, right } = node;
    const whole = joinedText(node);
    if (whole !== undefined) {
      if (this.isText(whole, place)) this.string(node, [whole], []);
      return;
    }
    for (const one of [left, right]) {
      if (operator === '+') this.walk(one, place);
      else {
        this.compare(one);
        this.walk(one, isString(one) ? 'value' : 'unclear');
      }
    }
  }

  /** Notes a string that code compares: a text would be another one in other languages. */
  compare(node) {
    if (isString(node)) this.compared.add(node.value);
  }

  SwitchCase({ test, consequent }) {
    this.compare(test);
    for (const one of consequent) this.walk(one, 'unclear');
  }

  MemberExpression({ object, property, computed }) {
    this.walk(object, 'unclear');
    if (computed) this.walk(property, 'value');
  }

  CallExpression(node, place) {
    const name = nameOf(node.callee);
    this.locale(node, name);
    if (name !== 'split') this.walk(node.callee, 'unclear');
    if (name === 'countOf') return this.counting(node);
    const inner = placeOfArguments(name, place);
    if (name === 'split') this.walk(node.callee.object, 'value');
    if (/^(?:includes|indexOf|has)$/.test(name)) {
      for (const one of node.arguments) this.compare(one);
      const list = node.callee.object;
      if (list?.type === 'ArrayExpression') for (const one of list.elements) this.compare(one);
    }
    for (const [index, one] of node.arguments.entries()) {
      // Further arguments of functions that show a text are options.
      this.walk(one, inner === 'shown' && index > 0 && isString(one) ? 'value' : inner);
    }
  }

  /** Reads a call of `countOf`, which looks up the count with its noun. */
  counting({ start, arguments: [count, noun] }) {
    this.walk(count, 'unclear');
    const nouns =
      noun?.type === 'ConditionalExpression' ? [noun.consequent, noun.alternate] : [noun];
    if (noun !== nouns[0]) this.walk(noun.test, 'unclear');
    for (const one of nouns) {
      // A noun from elsewhere would be translated already, and no catalog has the count with it.
      if (isString(one)) this.counted(one.value);
      else this.fault(start, 'countOf needs its noun as a string');
    }
  }

  fault(start, text) {
    this.faults.push(`line ${lineBreaks(this.source.slice(0, start)) + 1}: ${text}`);
  }

  /** Hands the locale of the page to formats: in place of none, and of English. */
  locale({ callee, arguments: [first, second], end }, name) {
    const isIntl =
      callee.type === 'MemberExpression' &&
      nameOf(callee.object) === 'Intl' &&
      name !== 'supportedValuesOf';
    if (isIntl || /^toLocale\w*String$/.test(name)) {
      if (first === undefined)
        this.edit({ start: end - 1, end: end - 1 }, () => this.use('locale'));
      else if (first.type === 'Identifier' && first.name === 'undefined')
        this.edit(first, () => this.use('locale'));
      else if (first.value === 'en') this.edit(first, () => this.use('fixedLocale'));
    } else if (name === 'localeCompare' && first !== undefined && second === undefined) {
      this.edit({ start: end - 1, end: end - 1 }, () => `, ${this.use('locale')}`);
    }
  }

  NewExpression(node, place) {
    this.CallExpression(node, place);
  }

  /** Adds the message of a count, which `countOf` looks up itself. */
  counted(noun) {
    this.add({ text: `{0} ${noun}`, plural: `{0} ${noun}s`, names: ['count'] });
  }

  Property(node, place) {
    if (node.computed) this.walk(node.key, 'value');
    const name = node.key.name ?? node.key.value;
    if (typeof name === 'string' && !node.computed) this.named(name, node.value, place);
    else this.walk(node.value, place);
  }

  named(name, value, place) {
    if (value === null) return;
    if (hasOptions(name) && value.type === 'ArrayExpression') return this.pairs(value);
    this.walk(value, placeOfName(name, place));
  }

  /** Reads pairs of a value and a label. */
  pairs({ elements }) {
    for (const one of elements) {
      const isPair = one?.type === 'ArrayExpression' && one.elements.length === 2;
      if (!isPair) this.walk(one, 'unclear');
      else {
        this.walk(one.elements[0], 'value');
        this.walk(one.elements[1], 'shown');
      }
    }
  }

  ObjectExpression({ properties, start }, place) {
    const inner = place === 'value' ? 'value' : 'unclear';
    for (const one of properties) this.walk(one, this.marks.get(start) ?? inner);
  }

  ArrayExpression({ elements, start }, place) {
    const inner = place === 'value' ? 'value' : 'unclear';
    // A pair of equal strings is a value and its label.
    const [first, second] = elements;
    const isPair = elements.length === 2 && isString(first) && first.value === second?.value;
    if (isPair) this.walk(first, 'value');
    for (const one of isPair ? [second] : elements) {
      this.walk(one, this.marks.get(start) ?? inner);
    }
  }

  ArrowFunctionExpression({ params, body }, place) {
    for (const one of params) this.walk(one, 'unclear');
    this.body(body, place);
  }

  FunctionExpression(node, place) {
    this.ArrowFunctionExpression(node, place);
  }

  body(body, place) {
    const outer = this.returned;
    this.returned = place;
    this.walk(body, body?.type === 'BlockStatement' ? 'unclear' : place);
    this.returned = outer;
  }

  FunctionDeclaration({ params, body }) {
    for (const one of params) this.walk(one, 'unclear');
    this.body(body, 'unclear');
  }

  ReturnStatement({ argument }) {
    this.walk(argument, this.returned ?? 'unclear');
  }

  ThrowStatement({ argument }) {
    this.walk(argument, 'unclear');
  }

  JSXAttribute(node) {
    const name = node.name.type === 'JSXIdentifier' ? node.name.name : 'xlink';
    const { value } = node;
    if (value === null) return;
    this.inAttribute = value;
    this.named(name, value, 'unclear');
    this.inAttribute = undefined;
  }

  JSXExpressionContainer({ expression }, place) {
    const outer = this.inAttribute;
    this.inAttribute = undefined;
    this.walk(expression, place);
    this.inAttribute = outer;
  }

  JSXElement({ openingElement, children }) {
    this.element(openingElement);
    if (isCode(nameOf(openingElement.name))) {
      for (const one of children) if (one.type !== 'JSXText') this.walk(one, 'value');
    } else this.children({ children });
  }

  element({ name, attributes, selfClosing, start }) {
    if (
      nameOf(name) === 'option' &&
      !selfClosing &&
      !attributes.some((one) => one.type === 'JSXSpreadAttribute' || nameOf(one) === 'value')
    ) {
      this.fault(start, 'an option needs a value: its text is translated');
    }
    for (const one of attributes) this.walk(one, 'unclear');
  }

  JSXFragment(node) {
    this.children(node);
  }

  /** Reads the children of an element: a sentence with its values and inner elements, or others. */
  children({ children }) {
    const isSentence = children.some(
      (one) => one.type === 'JSXText' && hasLetters(cleaned(one.value)),
    );
    if (!isSentence) {
      for (const one of children) if (one.type !== 'JSXText') this.walk(one, 'shown');
      return;
    }
    let first = 0;
    let last = children.length - 1;
    const outside = (index) => this.isOutside(children[index]);
    while (outside(first)) this.walk(children[first++], 'shown');
    while (outside(last)) this.walk(children[last--], 'shown');
    this.sentence(children.slice(first, last + 1));
  }

  /** True for a child at the edge of a sentence that is no part of it, such as an icon. */
  isOutside(node) {
    if (node.type === 'JSXText') return cleaned(node.value) === '';
    if (node.type === 'JSXExpressionContainer') {
      const { type, operator } = node.expression;
      return (type === 'LogicalExpression' && operator === '&&') || type === 'JSXEmptyExpression';
    }
    if (node.type !== 'JSXElement') return false;
    const { name, attributes } = node.openingElement;
    return (
      attributes.some((one) => one.name?.name === 'aria-hidden') ||
      (/^[a-z]/.test(nameOf(name)) && !isInline(nameOf(name)))
    );
  }

  sentence(children) {
    const values = [];
    const elements = [];
    const text = this.inline(children, values, elements);
    const [before, words, after] = atEdges(text);
    this.add({
      text: words,
      names: values.map((one) => this.nameOfValue(one)),
    });
    const range = { start: children[0].start, end: children.at(-1).end };
    this.edit(range, () => {
      const inner = values.map(({ start, end }) => this.emit(start, end));
      const call =
        inner.length + elements.length === 0
          ? `${this.use('t')}(${JSON.stringify(words)})`
          : `${this.use('rich')}(${JSON.stringify(words)}, [${inner.join(', ')}], [${elements.map((open) => `${this.emit(open.start, open.end - 1)} />`).join(', ')}])`;
      return `${before && '{" "}'}{${call}}${after && '{" "}'}`;
    });
  }

  /** Writes the children of a sentence as text with places. */
  inline(children, values, elements) {
    let text = '';
    const value = (node) => {
      this.walk(node, 'shown');
      text += `{${values.push(node) - 1}}`;
    };
    for (const node of children) {
      if (node.type === 'JSXText') text += decode(cleaned(node.value));
      else if (node.type === 'JSXExpressionContainer') {
        const { expression } = node;
        if (isString(expression)) text += expression.value;
        else if (expression.type !== 'JSXEmptyExpression') value(expression);
      } else if (node.type === 'JSXFragment') text += this.inline(node.children, values, elements);
      else {
        const { openingElement: open } = node;
        const isPart =
          isInline(nameOf(open.name)) &&
          node.children.some((one) =>
            one.type === 'JSXText' ? hasLetters(one.value) : one.type === 'JSXElement',
          );
        if (isPart) {
          this.element(open);
          const index = elements.push(open) - 1;
          text += `<${index}>${this.inline(node.children, values, elements)}</${index}>`;
        } else value(node);
      }
    }
    return text;
  }
}

/**
 * Returns the texts of a file.
 *
 * @param {string} file
 * @param {string} source
 * @returns {{ messages: Message[], strings: Set<string>, compared: Set<string>, faults: string[] }}
 */
export const textsOf = (file, source) => new File(file, source);

/**
 * Returns the source with look-ups in place of its texts.
 *
 * @param {string} file
 * @param {string} source
 * @param {string} lookups file of the look-ups
 */
export function withLookups(file, source, lookups) {
  const parsed = new File(file, source);
  const code = parsed.emit(0, source.length);
  if (parsed.used.size === 0) return source;
  const from = path.posix.relative(path.posix.dirname(file), lookups);
  const names = LOOKUPS.filter((name) => parsed.used.has(name)).map(
    (name) => `${name} as __${name}`,
  );
  return `import { ${names.join(', ')} } from '${from.startsWith('.') ? from : `./${from}`}'; ${code}`;
}
