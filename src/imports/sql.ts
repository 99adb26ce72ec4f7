import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal } from '../errors.ts';
import { MAX_ROW_LENGTH } from './file.ts';

/*
 * Reads the rows of INSERT statements in a dump of MySQL (phpMyAdmin, mysqldump) or SQLite as a
 * stream. Other statements are skipped, except that CREATE TABLE names the columns of statements
 * that do not. Nothing is executed.
 */

/** A row of a table; names of columns as in the dump. */
export interface SqlRow {
  columns: readonly string[];
  values: string[];
}

/** Maximum number of tokens of a statement before its rows, enough for a table of 1,000 columns. */
const MAX_HEAD = 20_000;
/** Maximum number of values of a row; more are left out. */
const MAX_VALUES = 1_000;
/** Number of characters after which other work of the process may run. */
const TURN_LENGTH = 65_536;

const START =
  /^\s*(?:--|\/\*|#|(?:CREATE|DROP|INSERT|REPLACE|SET|START|LOCK|USE|BEGIN|ALTER|PRAGMA)\b)/i;
const STATEMENT =
  /\b(?:INSERT\s+INTO|CREATE\s+(?:TABLE|DATABASE)|SQL\s+Dump|(?:MySQL|MariaDB)\s+dump)\b/i;

/** Returns true for the beginning of a dump. */
export const isDump = (beginning: string): boolean =>
  START.test(beginning) && STATEMENT.test(beginning);

/**
 * Reads the rows of all tables.
 *
 * @throws Refusal `unprocessable_entity` for a text that has no end within {@link MAX_ROW_LENGTH}
 */
export async function* sqlRows(
  texts: AsyncIterable<string>,
): AsyncGenerator<SqlRow, void, undefined> {
  const statements = new Statements();
  let rest = '';
  let needed = 0;
  for await (const text of texts) {
    for (let at = 0; at < text.length; at += TURN_LENGTH) {
      rest += text.slice(at, at + TURN_LENGTH);
      if (rest.length >= needed) {
        const end = statements.read(rest, false);
        rest = rest.slice(end);
        // A long text is read again when it has doubled, so that all attempts take linear time.
        needed = end === 0 ? 2 * rest.length : 0;
      }
      if (rest.length > MAX_ROW_LENGTH) {
        throw new Refusal(
          'unprocessable_entity',
          `The file must not have texts longer than ${MAX_ROW_LENGTH} characters: a quotation mark may not be closed`,
        );
      }
      yield* statements.rows.splice(0);
      await nextTurn();
    }
  }
  if (statements.read(rest, true) < rest.length || statements.isOpen) {
    throw new Refusal('unprocessable_entity', 'The file must be complete: its last row has no end');
  }
  yield* statements.rows;
}

type Token =
  /** A string. */
  | { kind: 'text'; text: string }
  /** A quoted identifier. */
  | { kind: 'name'; text: string }
  /** A keyword, a number or an unquoted name. */
  | { kind: 'word'; text: string }
  | { kind: 'sign'; text: string };

const SPACE = /\s+/y;
const WORD = /[\w$.+\-@:\u0080-\uffff]+/y;
/** Part of a quoted text without quotation marks and escapes, by its mark. */
const UNQUOTED: Readonly<Record<string, RegExp>> = {
  "'": /[^'\\]*/y,
  '"': /[^"\\]*/y,
  '`': /[^`]*/y,
};
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  0: '\0',
  b: '\b',
  Z: '\u001a',
};

/** Groups tokens to statements, and gathers their rows. */
class Statements {
  readonly rows: SqlRow[] = [];
  readonly #columns = new Map<string, string[]>();
  /** Tokens of the statement before its rows. */
  #head: Token[] = [];
  /** Columns of the rows that follow; `undefined` outside of the rows of an INSERT statement. */
  #target: readonly string[] | undefined;
  #depth = 0;
  #values: string[] = [];
  #value: string | undefined;

  /** True in a row that has not ended. */
  get isOpen(): boolean {
    return this.#depth > 0;
  }

  /**
   * Reads all complete tokens.
   *
   * @returns the position after the last one
   */
  read(text: string, isEnd: boolean): number {
    let at = 0;
    for (;;) {
      const next = tokenAt(text, at, isEnd);
      if (next === undefined) return at;
      at = next.end;
      if (next.token !== undefined) this.#take(next.token);
    }
  }

  #take(token: Token): void {
    if (this.#depth > 0) this.#takeValue(token);
    else if (isSign(token, ';')) this.#end();
    else if (this.#target === undefined) this.#takeHead(token);
    else if (isSign(token, '(')) this.#depth = 1;
    // Of ON DUPLICATE KEY UPDATE, no parentheses are rows.
    else if (token.kind === 'word') [this.#head, this.#target] = [[token], undefined];
  }

  #takeHead(token: Token): void {
    // Of other statements, only the end counts.
    if (this.#head.length > 0 && !/^(?:CREATE|INSERT|REPLACE)$/i.test(this.#head[0]!.text)) return;
    if (this.#head.length < MAX_HEAD) this.#head.push(token);
    if (token.kind !== 'word' || !/^VALUES$/i.test(token.text)) return;
    if (/^CREATE$/i.test(this.#head[0]!.text)) return;
    const into = this.#head.findIndex(({ text }) => /^INTO$/i.test(text));
    const { name, after } = tableAt(this.#head, into + 1);
    const own = this.#head.slice(after).filter(({ kind }) => kind !== 'sign');
    this.#target =
      own.length > 1 ? own.slice(0, -1).map(({ text }) => text) : (this.#columns.get(name) ?? []);
  }

  #end(): void {
    const head = this.#head;
    if (/^CREATE$/i.test(head[0]?.text ?? '')) {
      const table = head.findIndex(({ text }) => /^TABLE$/i.test(text));
      const first = head.findIndex((token) => isSign(token, '('));
      if (table !== -1 && first !== -1) {
        this.#columns.set(head[first - 1]!.text, columnsIn(head.slice(first)));
      }
    }
    [this.#head, this.#target] = [[], undefined];
  }

  #takeValue(token: Token): void {
    if (isSign(token, '(')) this.#depth += 1;
    else if (isSign(token, ')')) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#endRow();
    } else if (isSign(token, ',')) {
      if (this.#depth === 1) this.#endValue();
    } else if (token.kind !== 'sign') {
      // Of `_utf8mb4 'text'` and `-1`, the last part is the value.
      this.#value = token.kind === 'word' ? literal(token.text) : token.text;
    }
  }

  #endValue(): void {
    if (this.#values.length < MAX_VALUES) this.#values.push(this.#value ?? '');
    this.#value = undefined;
  }

  #endRow(): void {
    this.#endValue();
    this.rows.push({ columns: this.#target!, values: this.#values });
    this.#values = [];
  }
}

const isSign = ({ kind, text }: Token, sign: string): boolean => kind === 'sign' && text === sign;

/** Returns the text of a number or keyword; MySQL writes binary texts in hexadecimal. */
function literal(word: string): string {
  if (/^NULL$/i.test(word)) return '';
  return /^0x[0-9a-f]+$/i.test(word) ? Buffer.from(word.slice(2), 'hex').toString() : word;
}

/** Returns the name of a table, which may follow that of its database. */
function tableAt(head: readonly Token[], start: number): { name: string; after: number } {
  let at = start;
  while (head[at + 1]?.text.startsWith('.') === true) at += head[at + 1]!.text === '.' ? 2 : 1;
  const { text = '', kind = 'word' } = head[at] ?? {};
  const name = kind === 'word' ? text.slice(text.lastIndexOf('.') + 1) : text;
  return { name, after: at + 1 };
}

const NO_COLUMN =
  /^(?:PRIMARY|KEY|UNIQUE|INDEX|FULLTEXT|SPATIAL|CONSTRAINT|FOREIGN|CHECK|PERIOD)$/i;

/** Returns the names of columns in the definition of a table, which begins with a parenthesis. */
function columnsIn(definition: readonly Token[]): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [at, token] of definition.entries()) {
    if (isSign(token, '(')) depth += 1;
    else if (isSign(token, ')')) depth -= 1;
    const before = definition[at - 1];
    const isFirst = before !== undefined && (at === 1 || isSign(before, ','));
    if (!isFirst || depth !== 1 || token.kind === 'sign') continue;
    if (token.kind === 'name' || !NO_COLUMN.test(token.text)) names.push(token.text);
  }
  return names;
}

/** Returns the end of what a sticky pattern matches at a position. */
function endOfMatch(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

type Read = { end: number; token?: Token } | undefined;

/**
 * Reads the token, comment or space at a position.
 *
 * @param isEnd true if no more text follows
 * @returns `undefined` at the end of the text, or where the token does not end in it
 */
function tokenAt(text: string, at: number, isEnd: boolean): Read {
  const first = text[at];
  const two = text.slice(at, at + 2);
  if (first === undefined || (two.length < 2 && !isEnd)) return undefined;
  const afterSpace = endOfMatch(SPACE, text, at);
  if (afterSpace > at) return { end: afterSpace };
  if (two === '--' || first === '#') return endOf(text, text.indexOf('\n', at), isEnd, 1);
  if (two === '/*') return endOf(text, text.indexOf('*/', at + 2), isEnd, 2);
  if (first in UNQUOTED) return quoted(text, at, isEnd);
  const end = endOfMatch(WORD, text, at);
  if (end === at) return { end: at + 1, token: { kind: 'sign', text: first } };
  if (end === text.length && !isEnd) return undefined;
  return { end, token: { kind: 'word', text: text.slice(at, end) } };
}

const endOf = (text: string, found: number, isEnd: boolean, length: number): Read =>
  found === -1 ? (isEnd ? { end: text.length } : undefined) : { end: found + length };

/** Reads a string or a quoted identifier, in which two quotation marks stand for one. */
function quoted(text: string, at: number, isEnd: boolean): Read {
  const mark = text[at]!;
  let value = '';
  for (let from = at + 1; ; ) {
    const stop = endOfMatch(UNQUOTED[mark]!, text, from);
    const next = text[stop + 1];
    if (text[stop] === undefined || (next === undefined && !isEnd)) return undefined;
    value += text.slice(from, stop);
    if (text[stop] === mark && next !== mark) {
      return { end: stop + 1, token: { kind: mark === "'" ? 'text' : 'name', text: value } };
    }
    value += text[stop] === mark ? mark : (ESCAPES[next ?? ''] ?? next ?? '');
    from = stop + 2;
  }
}
