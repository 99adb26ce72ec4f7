// Rules for which strings of the console's source are texts that people read.

/** Attributes and properties whose strings are always shown, also if they are one small word. */
const SHOWN = new Set([
  'action',
  'alt',
  'aria-label',
  'description',
  'empty',
  'fault',
  'hint',
  'label',
  'many',
  'message',
  'one',
  'placeholder',
  'reason',
  'refusal',
  'searched',
  'subject',
  'summary',
  'text',
  'title',
  'visit',
  'words',
]);

/** Attributes and properties whose strings are never shown. */
const VALUES = new Set([
  'accept',
  'autoComplete',
  'captionFont',
  'charset',
  'class',
  'className',
  'code',
  'd',
  'family',
  'href',
  'id',
  'ids',
  'idleLook',
  'key',
  'look',
  'method',
  'pattern',
  'queryKey',
  'rel',
  'role',
  'rowClassName',
  'sandbox',
  'skeleton',
  'src',
  'style',
  'tone',
  'to',
  'type',
  'viewBox',
]);

/** Functions whose strings are always shown. */
const SHOWING = new Set(['alert', 'confirm', 'toast', 'whenOn', 'whenSet']);

/** Functions and constructors whose strings are never shown. */
const TECHNICAL =
  /^(?:classes|fetch|matchMedia|querySelector(?:All)?|closest|matches|addEventListener|removeEventListener|dispatchEvent|getItem|setItem|removeItem|getContext|createElement(?:NS)?|setAttribute|getAttribute|startsWith|endsWith|includes|indexOf|has|split|append|exec|test|\w*Error|Event|CustomEvent|URL|RegExp|Blob|File|DateTimeFormat|NumberFormat|DisplayNames|RelativeTimeFormat|Collator|PluralRules|EventSource|Worker|NotSent|Symbol|lazyRouteComponent|useDraft|useState)$/;

/** Property whose pairs are values and labels: `[['301', '301, permanent']]`. */
const OPTIONS = new Set(['options', 'choices']);

/** Tailwind's classes of one word. */
const CLASS_WORDS = new Set(
  'absolute block border bottom container contents fixed flex flow-root grid group grow hidden inline invisible isolate italic outline peer relative resize ring rounded shadow shrink static sticky table top transition truncate underline uppercase visible'.split(
    ' ',
  ),
);

/** Keys of a keyboard, by the names that events have. */
const KEYS =
  /^(?:Arrow\w+|Backspace|Control|Enter|Escape|End|Home|Meta|PageDown|PageUp|Shift|Tab)$/;

const isClass = (token) => CLASS_WORDS.has(token) || /[-:[\]/\d]/.test(token);

/** True for a list of class names: small tokens, most of them with a hyphen, colon or digit. */
function areClasses(text) {
  const tokens = text.trim().split(/\s+/);
  return (
    tokens.every((token) => /^[!a-z0-9@&*[-]/.test(token) && !/[.,…’?”]$/.test(token)) &&
    tokens.filter(isClass).length * 2 > tokens.length
  );
}

/** True for a text that is the same in every language: an address, an abbreviation, a number. */
function isUniversal(text) {
  const words = text.trim();
  return (
    !/\p{L}{2}/u.test(words) ||
    /^[^\p{Ll}\p{Lo}’…]*$/u.test(words) ||
    /^\w+(?::|=|\/)\w+$/.test(words) ||
    /^<[a-z]|\[\w+=/.test(words) ||
    (!/\s/.test(words) && /^[/#.@]|:\/\/|\w@\w|\w\.\w/.test(words))
  );
}

/**
 * True if a string at a place without a rule is a text.
 *
 * @param {string} text
 */
export function looksLikeText(text) {
  const words = text.trim();
  if (isUniversal(words)) return false;
  if (/^[A-Z]\w*-[A-Z]/.test(words) || KEYS.test(words)) return false;
  if (!/\s/.test(words)) {
    return (
      /^[“‘(]?\p{Lu}\p{Ll}(?:’?\p{Ll})*[.…:?”’)]*$/u.test(words) ||
      /^\p{Lu}[\p{Ll}-]+…$/u.test(words)
    );
  }
  if (/^[MmLlHhVvCcZz][\d\s.,-]/.test(words) || /\w\(.*\)$|^\(.*:.*\)$|[{};]\s*$/s.test(words)) {
    return /^\p{Lu}/u.test(words) && /[.?”)]$/.test(words);
  }
  return !areClasses(words);
}

/** Units of measures, which are the same in all languages. */
const UNITS = /^(?:px|mm|ms|dpi|[kMG]i?B)$/;

/**
 * True if the strings of a template are words of a sentence: "{0} created".
 *
 * @param {readonly string[]} strings
 */
export const areWords = (strings) =>
  strings.some((one) => /^\s|\s$/.test(one) && /[a-z]{2}/.test(one)) &&
  strings.every((one) =>
    one
      .trim()
      .split(/\s+/)
      .every(
        (word) =>
          /^(?:[a-z]{2,}[.,:…]?)?$/.test(word) && !CLASS_WORDS.has(word) && !UNITS.test(word),
      ),
  );

/**
 * True if a string at a place that people see is a text.
 *
 * @param {string} text
 */
export const isShownText = (text) => !isUniversal(text);

/** @typedef {'shown' | 'unclear' | 'value'} Place */

/**
 * Tells what the strings of an attribute or a property are.
 *
 * @param {string} name
 * @param {Place} around
 * @returns {Place}
 */
export function placeOfName(name, around) {
  if (VALUES.has(name) || /^data-|^on[A-Z]/.test(name))
    return name.startsWith('on') ? 'unclear' : 'value';
  if (SHOWN.has(name)) return 'shown';
  return around;
}

/** True for a property whose pairs are values and labels. */
export const hasOptions = (name) => OPTIONS.has(name);

/**
 * Tells what the arguments of a function are.
 *
 * @param {string} name
 * @param {Place} around
 * @returns {Place}
 */
export function placeOfArguments(name, around) {
  if (TECHNICAL.test(name)) return 'value';
  if (SHOWING.has(name)) return 'shown';
  return around === 'value' ? 'value' : 'unclear';
}

/** Elements within a sentence. */
const INLINE =
  /^(?:a|abbr|b|bdi|code|em|i|kbd|mark|q|s|small|span|strong|sub|sup|time|u|var|\w*Link)$/;

/** True for an element within a sentence, whose text is a part of it. */
export const isInline = (name) => INLINE.test(name);

/** True for an element whose text is code. */
export const isCode = (name) => /^(?:code|pre|kbd|script|style)$/.test(name);
