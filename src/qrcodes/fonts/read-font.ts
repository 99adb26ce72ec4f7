import { fileURLToPath } from 'node:url';
import { bytesOf } from '../../images/read.ts';
import { refuse } from '../../images/refusals.ts';
import { oneAtATime, runLimited } from '../../images/run-limited.ts';
import { FETCH_RULES } from '../../infra/fetch-refused.ts';
import type { ReadFont } from './outlines-of.ts';

/** Maximum size of a font file, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** The beginnings of WOFF2, WOFF, TrueType and OpenType files. */
const SIGNATURES = ['wOF2', 'wOFF', '\0\u0001\0\0', 'true', 'OTTO'];

const FONT_PROCESS = {
  file: fileURLToPath(new URL('./font-process.js', import.meta.url)),
  maxAnswer: 8 * 1024 * 1024,
  readable: 'a font that can be read',
  // The process writes an error as text; one of fontkit says nothing to people.
  refusalOf: (reason: string) =>
    refuse(/^Error: (must .+)/.exec(reason)?.[1] ?? 'must be a font whose file is not damaged'),
};

/**
 * Fetches a font and reads its outlines in a separate process.
 *
 * @param source an http(s) address, or a `data:` URI
 * @throws Refusal `unprocessable_entity`, whose message completes "<field> …";
 * `service_unavailable` when it cannot be read now
 */
export async function readFont(source: string): Promise<ReadFont> {
  const bytes = await bytesOf(
    source,
    { maxBytes: MAX_BYTES },
    'font/woff2, font/woff, font/ttf, font/otf, */*',
  );
  return readFontBytes(bytes);
}

/** Reads the outlines of a font file. @throws Refusal as {@link readFont} */
export async function readFontBytes(bytes: Buffer): Promise<ReadFont> {
  if (bytes.length > MAX_BYTES) throw refuse(FETCH_RULES.size(MAX_BYTES));
  if (!SIGNATURES.includes(bytes.subarray(0, 4).toString('latin1'))) {
    throw refuse('must be a font (WOFF2, WOFF, TTF or OTF)');
  }
  const answer = await oneAtATime(() => runLimited(FONT_PROCESS, bytes), false);
  return JSON.parse(answer.toString()) as ReadFont;
}
