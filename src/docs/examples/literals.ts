/** Syntax of literal values in a language. */
export interface Syntax {
  /** Writes a text with its quotes. */
  text: (value: string) => string;
  /** Writes the name of a field. */
  key: (name: string) => string;
  /** Text between the name of a field and its value. */
  assign: string;
  map: readonly [open: string, close: string];
  emptyMap: string;
  words: { true: string; false: string; null: string };
  /** Spaces within the brackets of a map on one line. */
  hasSpaces: boolean;
  /** A comma follows the last item of several lines. */
  hasTrailingComma: boolean;
  /** Spaces of each level of indentation. */
  indent: number;
}

/** Maximum width of a value on one line, with its indentation. */
const WIDTH = 80;

/** Writes a JSON value as a literal, on one line if it fits. @param depth levels of indentation */
export function literal(value: unknown, syntax: Syntax, depth = 0): string {
  const line = inOneLine(value, syntax);
  const isNested = typeof value === 'object' && value !== null;
  if (!isNested || depth * syntax.indent + line.length <= WIDTH) return line;
  const inner = ' '.repeat((depth + 1) * syntax.indent);
  const [open, close] = Array.isArray(value) ? (['[', ']'] as const) : syntax.map;
  const items = itemsOf(value, syntax, (one) => literal(one, syntax, depth + 1));
  const lines = items.map((item) => inner + item).join(',\n');
  const end = syntax.hasTrailingComma ? ',' : '';
  return `${open}\n${lines}${end}\n${' '.repeat(depth * syntax.indent)}${close}`;
}

function inOneLine(value: unknown, syntax: Syntax): string {
  if (value === null) return syntax.words.null;
  if (typeof value === 'boolean') return value ? syntax.words.true : syntax.words.false;
  if (typeof value === 'string') return syntax.text(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  const items = itemsOf(value, syntax, (one) => inOneLine(one, syntax));
  if (Array.isArray(value)) return `[${items.join(', ')}]`;
  if (items.length === 0) return syntax.emptyMap;
  const [open, close] = syntax.map;
  const space = syntax.hasSpaces ? ' ' : '';
  return `${open}${space}${items.join(', ')}${space}${close}`;
}

const itemsOf = (value: object, { key, assign }: Syntax, write: (one: unknown) => string) =>
  Array.isArray(value)
    ? value.map(write)
    : Object.entries(value).map(([name, one]) => `${key(name)}${assign}${write(one)}`);
