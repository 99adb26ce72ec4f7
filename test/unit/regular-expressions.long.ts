import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { type CallExpression, type NewExpression, parseSync, Visitor } from 'oxc-parser';
import { check } from 'recheck';

/** Nonlinear expressions, with the bound of their input. */
const BOUNDED: Record<string, string> = {
  '\\.?0+$': 'reads numbers that were written by toFixed, of at most 43 characters',
  '\\w\\(.*\\)$|^\\(.*:.*\\)$|[{};]\\s*$': 'reads texts of our own source, when it is built',
};

/**
 * Time limit for the analysis of one expression, in ms; attacks are limited by match steps instead,
 * since their time depends on the machine.
 */
const LIMITS = { timeout: 300_000, attackTimeout: null, incubationTimeout: null };

/**
 * Expressions that were found to take linear time, one in a line. Most of them are not analysed again,
 * since all together take minutes: a run analyses those that are not listed, and a share of the others,
 * which changes from day to day. `LIST_EXPRESSIONS=1` writes the list.
 */
const LIST = 'test/unit/linear-expressions.txt';
const isListing = process.env['LIST_EXPRESSIONS'] !== undefined;
const SHARE = 20;

interface Found {
  source: string;
  flags: string;
  /** File and line. */
  at: string;
}

const files = ['src', 'workers', 'scripts'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((name) => /(?<!\.d)\.m?tsx?$|\.mjs$/.test(name)),
);

/** Lists all regular expressions of a file: literals, and calls of RegExp with literals. */
function expressionsOf(file: string): Found[] {
  const text = readFileSync(file, 'utf8');
  const found: Found[] = [];
  const at = (start: number) => `${file}:${text.slice(0, start).split('\n').length}`;
  const { program, errors } = parseSync(file, text);
  expect(errors, file).to.deep.equal([]);
  const construct = ({ callee, start, end }: NewExpression | CallExpression) => {
    if (callee.type !== 'Identifier' || callee.name !== 'RegExp') return;
    // The evaluation throws for an expression with variables, whose text is unknown here.
    const { source, flags } = runInNewContext(text.slice(start, end)) as RegExp;
    found.push({ source, flags, at: at(start) });
  };
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return;
      const { pattern, flags } = node.regex;
      found.push({ source: pattern, flags, at: at(node.start) });
    },
    NewExpression: construct,
    CallExpression: construct,
  }).visit(program);
  return found;
}

describe('regular expressions', function () {
  it('take linear time, or have bounded input', async () => {
    const found = files.flatMap(expressionsOf);
    expect(found.length).to.be.greaterThan(150);
    const faults: string[] = [];
    const unused = new Set(Object.keys(BOUNDED));
    const listed = new Set(readFileSync(LIST, 'utf8').split('\n').filter(Boolean));
    const linear = new Set<string>();
    const today = Math.floor(Date.now() / 86_400_000) % SHARE;
    for (const { source, flags, at } of found) {
      if (source in BOUNDED) {
        unused.delete(source);
        continue;
      }
      const line = `/${source}/${flags}`;
      if (linear.has(line)) continue;
      linear.add(line);
      if (listed.has(line) && linear.size % SHARE !== today) continue;
      const { status, ...result } = await check(source, flags, LIMITS);
      if (status === 'safe') continue;
      const why = 'complexity' in result ? result.complexity?.summary : 'not known';
      faults.push(`${at}: ${line} is ${status}: ${why}`);
    }
    expect(faults, faults.join('\n')).to.deep.equal([]);
    expect([...unused], 'exceptions that nothing needs').to.deep.equal([]);
    const lines = [...linear].toSorted();
    if (isListing) writeFileSync(LIST, `${lines.join('\n')}\n`);
    else expect(lines, 'set LIST_EXPRESSIONS=1 to write the list').to.deep.equal([...listed]);
  });

  it('of both kinds are distinguished by the checker', async () => {
    expect((await check('^(?:a|a)+$', '')).status).to.equal('vulnerable');
    expect((await check('<!DOCTYPE[^[>]*>', 'i')).status).to.equal('vulnerable');
    expect((await check('^[a-z]+$', '')).status).to.equal('safe');
  });
});
