import type { IncomingMessage } from 'node:http';
import { normalize } from '../../infra/normalize.ts';
import type { FormField } from '../../lookup/entry.ts';
import type { Phrase } from '../../web/phrases/en.ts';

/** Largest body of a form, in bytes. */
const FORM_BYTES = 512 * 1024;
/** Most bytes that are read of a body in order to refuse it. */
const MOST_READ = 8 * 1024 * 1024;
const LONGEST_ANSWER = { textarea: 10_000, other: 2_000 };
/** Of a form that is the owner's own. */
const MOST_ANSWERS = 100;
const LONGEST_NAME = 100;

/** Answers to a form, by the names of the fields. */
export type Answers = Record<string, string | boolean>;

/** A body is no form, or too large. */
export class BadForm extends Error {
  readonly status: 400 | 413;

  constructor(status: 400 | 413) {
    super('not a form');
    this.status = status;
  }
}

/**
 * Reads the body of a request as a browser sends a form.
 *
 * @throws BadForm when it is none, or too large
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') throw new BadForm(400);
  return new URLSearchParams((await readBody(request)).toString());
}

/** Reads to the end even what is too large: who is still sending would not read the answer. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= FORM_BYTES) chunks.push(chunk);
      else if (size > MOST_READ) request.destroy();
    });
    request.on('end', () =>
      size <= FORM_BYTES ? resolve(Buffer.concat(chunks)) : reject(new BadForm(413)),
    );
    // The visitor has gone: that is no fault of ours, and nobody reads the answer.
    request.on('error', () => reject(new BadForm(400)));
    request.on('close', () => reject(new BadForm(413)));
  });
}

/** Checks the answers to the questions of a page. Errors are by the names of the fields. */
export function checkAnswers(
  fields: readonly FormField[],
  form: URLSearchParams,
): { answers: Answers; errors: Map<string, Phrase> } {
  const answers: Answers = {};
  const errors = new Map<string, Phrase>();
  for (const field of fields) {
    const { name, type } = field;
    const given = clean(form.get(name) ?? '');
    const answer = type === 'checkbox' ? given !== '' : given;
    const error = errorOf(field, given);
    if (error !== undefined) errors.set(name, error);
    if (answer !== '') answers[name] = answer;
  }
  return { answers, errors };
}

/** Shapes of answers, and the message for those that have another. */
const SHAPES: Partial<Record<FormField['type'], [shape: RegExp, error: Phrase]>> = {
  email: [/^[^\s@]{1,64}@(?:[^\s@.]+\.)+[^\s@.]{2,}$/, 'Please enter an email address.'],
  phone: [/^\+?[\d\s()./-]{3,40}$/, 'Please enter a phone number.'],
  number: [/^[-+]?\d+([.,]\d+)?$/, 'Please enter a number.'],
};

function errorOf({ type, required, options = [] }: FormField, given: string): Phrase | undefined {
  if (given === '') return required ? 'Please fill in this field.' : undefined;
  const longest = type === 'textarea' ? LONGEST_ANSWER.textarea : LONGEST_ANSWER.other;
  if (given.length > longest) return 'This is too long.';
  if (type === 'select' && !options.includes(given)) return 'Please choose one of these.';
  const [shape, error] = SHAPES[type] ?? [];
  return shape?.test(given) === false ? error : undefined;
}

/**
 * All that a form of the owner's own page sends: several answers of one name are joined.
 *
 * @throws BadForm when there are more, or longer ones, than a lead keeps
 */
export function allAnswers(form: URLSearchParams): Answers {
  const answers: Answers = {};
  const names = [...new Set(form.keys())];
  if (names.length > MOST_ANSWERS) throw new BadForm(413);
  for (const name of names) {
    const answer = form.getAll(name).map(clean).join(', ');
    if (name.length > LONGEST_NAME || answer.length > LONGEST_ANSWER.textarea)
      throw new BadForm(413);
    Object.defineProperty(answers, clean(name), { value: answer, enumerable: true });
  }
  return answers;
}

/** The part of a text that can be stored: well-formed, composed, without control characters other than line breaks. */
function clean(text: string): string {
  const plain = text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '');
  return normalize(plain, 'NFC').trim();
}
