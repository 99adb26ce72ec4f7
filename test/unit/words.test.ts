import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { type NewExpression, parseSync, Visitor } from 'oxc-parser';
import { sourceFiles } from '../../scripts/source-files.ts';
import { ALLOWANCES, PENDING, type Reader, WORDS } from '../data/words.ts';

/** A text for people, and its first line. */
interface Sentence {
  file: string;
  line: number;
  text: string;
}

interface Fault {
  file: string;
  word: string;
  /** File, line, word and its replacement. */
  message: string;
}

const blank = (code: string): string => code.replaceAll(/[^\n]/g, ' ');

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** Returns false for a name, a path or another text for programs. */
const isSentence = (text: string): boolean => /^[A-Z“]|\S\s+\S/.test(text);

/**
 * Lists all texts of a console file that people read: texts of elements, literals and templates.
 */
function sentencesOfConsole(file: string): Sentence[] {
  const source = readFileSync(file, 'utf8');
  const sentences: Sentence[] = [];
  const add = ({ start }: { start: number }, text: string) =>
    sentences.push({ file, line: lineAt(source, start), text });
  new Visitor({
    JSXText: (node) => void add(node, node.value),
    Literal(node) {
      if (typeof node.value === 'string' && isSentence(node.value)) add(node, node.value);
    },
    TemplateLiteral({ quasis }) {
      if (!quasis.some(({ value }) => isSentence(value.raw))) return;
      for (const quasi of quasis) add(quasi, quasi.value.raw);
    },
  }).visit(parseSync(file, source).program);
  return sentences;
}

/** Lists all messages of refusals and rules of fields in a file of the API. */
function sentencesOfMessages(file: string): Sentence[] {
  const source = readFileSync(file, 'utf8');
  const sentences: Sentence[] = [];
  let refusals = 0;
  const isRefusal = ({ callee }: NewExpression) =>
    callee.type === 'Identifier' && ['Refusal', 'Refused'].includes(callee.name);
  const add = ({ start }: { start: number }, text: string) => {
    if (refusals > 0 || /^ ?must /.test(text))
      sentences.push({ file, line: lineAt(source, start), text });
  };
  new Visitor({
    NewExpression(node) {
      if (isRefusal(node)) refusals += 1;
    },
    'NewExpression:exit'(node) {
      if (isRefusal(node)) refusals -= 1;
    },
    Literal(node) {
      if (typeof node.value === 'string') add(node, node.value);
    },
    TemplateElement: (node) => add(node, node.value.raw),
  }).visit(parseSync(file, source).program);
  return sentences;
}

/**
 * Returns a guide as one text, without code, headings (their ids are parts of URLs), link targets
 * and comments.
 */
function sentencesOfGuide(file: string): Sentence[] {
  const text = readFileSync(file, 'utf8')
    .replaceAll(/^( *)```[^]*?^\1```/gm, blank)
    .replaceAll(/`[^`]+`/g, blank)
    .replaceAll(/^#.*$/gm, blank)
    .replaceAll(/\]\([^)]+\)|<!--[^]*?-->/g, blank);
  return [{ file, line: 1, text }];
}

/** Lists the distinct descriptions and summaries of the API reference, without code. */
function sentencesOfReference(file: string): Sentence[] {
  const sentences = new Map<string, Sentence>();
  for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    for (const [, json] of line.matchAll(/"(?:description|summary)": ("(?:[^"\\]|\\.)*")/g)) {
      const text = String(JSON.parse(json!)).replaceAll(/`[^`]+`/g, blank);
      if (!sentences.has(text)) sentences.set(text, { file, line: index + 1, text });
    }
  }
  return [...sentences.values()];
}

function faultsOf(reader: Reader, sentences: readonly Sentence[]): Fault[] {
  const words = WORDS.filter(({ only }) => only?.includes(reader) ?? true).map(
    ({ pattern: { source, flags }, ...word }) => ({
      ...word,
      pattern: new RegExp(source.replaceAll(' ', String.raw`\s+`), `g${flags}`),
    }),
  );
  return sentences.flatMap(({ file, line, text }) =>
    words.flatMap(({ pattern, better, why }) =>
      [...text.matchAll(pattern)].map(({ 0: match, index }) => {
        const word = match.replaceAll(/\s+/g, ' ');
        const at = `${file}:${line - 1 + lineAt(text, index)}`;
        return { file, word, message: `${at}: “${word}” → ${better} (${why})` };
      }),
    ),
  );
}

describe('words', () => {
  const guides = readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('decisions'))
    .map((name) => path.join('docs', name));
  const all: Readonly<Record<Reader, Fault[]>> = {
    console: faultsOf(
      'console',
      sourceFiles(path.join('src', 'console')).flatMap(sentencesOfConsole),
    ),
    guides: faultsOf('guides', ['README.md', ...guides].flatMap(sentencesOfGuide)),
    messages: faultsOf('messages', sourceFiles('src').flatMap(sentencesOfMessages)),
    reference: faultsOf('reference', sentencesOfReference(path.join('docs', 'openapi.json'))),
  };
  const isAllowed = (fault: Fault) =>
    ALLOWANCES.some(({ file, word }) => file === fault.file && word === fault.word);

  for (const [reader, faults] of Object.entries(all)) {
    it(`of sentences are those of test/data/words.ts: ${reader}`, () => {
      const left = faults.filter((one) => !isAllowed(one) && !PENDING.includes(one.file));
      expect(left.map(({ message }) => message).join('\n')).to.equal('');
    });
  }

  it('are pending or allowed only in files that use them', () => {
    const faults = Object.values(all).flat();
    const left = faults.filter((one) => !isAllowed(one));
    const unneeded = [
      ...PENDING.filter((file) => !left.some((fault) => fault.file === file)),
      ...ALLOWANCES.filter(
        (one) => !faults.some(({ file, word }) => file === one.file && word === one.word),
      ).map(({ file, word }) => `${file}: “${word}”`),
    ];
    expect(unneeded, 'remove them from test/data/words.ts').to.deep.equal([]);
  });
});
