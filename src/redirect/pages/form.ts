import type { IncomingMessage } from 'node:http';
import { normalize } from '../../infra/normalize.ts';
import type { FormField } from '../../lookup/entry.ts';
import type { Phrase } from '../../web/phrases/en.ts';

/** Maximum size of the body of a form, in bytes. */
const MAX_FORM_BYTES = 512 * 1024;
/** Maximum number of bytes read of a larger body in order to refuse it. */
const MAX_READ_BYTES = 8 * 1024 * 1024;
const MAX_ANSWER_LENGTH = { textarea: 10_000, other: 2_000 };
/** Limits for a form on the owner's own page. */
const MAX_ANSWERS = 100;
const MAX_NAME_LENGTH = 100;

/** Answers to a form, by field name. */
export type Answers = Record<string, string | boolean>;

/** Thrown for a body that is not a form, or is too large. */
export class BadForm extends Error {
  readonly status: 400 | 413;

  constructor(status: 400 | 413) {
    super('not a form');
    this.status = status;
  }
}

/**
 * Parses the body of a request as a browser encodes a form.
 *
 * @throws BadForm if it is not a form, or is too large
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') throw new BadForm(400);
  return new URLSearchParams((await readBody(request)).toString());
}

/**
 * Reads a body to its end even if it is too large: a client that is still sending does not read the
 * answer.
 */
function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_FORM_BYTES) chunks.push(chunk);
      else if (size > MAX_READ_BYTES) request.destroy();
    });
    request.on('end', () =>
      size <= MAX_FORM_BYTES ? resolve(Buffer.concat(chunks)) : reject(new BadForm(413)),
    );
    // The visitor has disconnected, so the error is theirs and goes nowhere.
    request.on('error', () => reject(new BadForm(400)));
    request.on('close', () => reject(new BadForm(413)));
  });
}

/** Validates the answers to the questions of a page. Errors are by field name. */
export function checkAnswers(
  fields: readonly FormField[],
  form: URLSearchParams,
): { answers: Answers; errors: Map<string, Phrase> } {
  const answers: Answers = {};
  const errors = new Map<string, Phrase>();
  for (const field of fields) {
    const { name, type } = field;
    const text = clean(form.get(name) ?? '');
    const answer = type === 'checkbox' ? text !== '' : text;
    const error = errorOf(field, text);
    if (error !== undefined) errors.set(name, error);
    if (answer !== '') answers[name] = answer;
  }
  return { answers, errors };
}

/** Formats of answers, and the message for an answer in another format. */
const SHAPES: Partial<Record<FormField['type'], [shape: RegExp, error: Phrase]>> = {
  email: [/^[^\s@]{1,64}@(?:[^\s@.]+\.)+[^\s@.]{2,}$/, 'Please enter an email address.'],
  phone: [/^\+?[\d\s()./-]{3,40}$/, 'Please enter a phone number.'],
  number: [/^[-+]?\d+([.,]\d+)?$/, 'Please enter a number.'],
};

function errorOf({ type, required, options = [] }: FormField, text: string): Phrase | undefined {
  if (text === '') return required ? 'Please fill in this field.' : undefined;
  const maxLength = type === 'textarea' ? MAX_ANSWER_LENGTH.textarea : MAX_ANSWER_LENGTH.other;
  if (text.length > maxLength) return 'This is too long.';
  if (type === 'select' && !options.includes(text)) return 'Please choose one of these.';
  const [shape, error] = SHAPES[type] ?? [];
  return shape?.test(text) === false ? error : undefined;
}

/**
 * Collects everything that a form on the owner's own page sent; several answers of one name are
 * joined.
 *
 * @throws BadForm if there are more or longer answers than a lead can hold
 */
export function allAnswers(form: URLSearchParams): Answers {
  const answers: Answers = {};
  const names = [...new Set(form.keys())];
  if (names.length > MAX_ANSWERS) throw new BadForm(413);
  for (const name of names) {
    const answer = form.getAll(name).map(clean).join(', ');
    if (name.length > MAX_NAME_LENGTH || answer.length > MAX_ANSWER_LENGTH.textarea)
      throw new BadForm(413);
    Object.defineProperty(answers, clean(name), { value: answer, enumerable: true });
  }
  return answers;
}

/**
 * Makes a text storable: well-formed, composed, without control characters other than line breaks.
 */
function clean(text: string): string {
  const plain = text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '');
  return normalize(plain, 'NFC').trim();
}
