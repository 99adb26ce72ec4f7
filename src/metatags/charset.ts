import { charsetIn, Head } from './head.ts';

/** As far as the character set is looked for in the page itself (HTML, 13.2.3.2). */
const PRESCAN_BYTES = 1_024;

/**
 * The text of a page. Its character set is that of its byte order mark, else of its Content-Type, else of a `<meta>` in
 * its first 1,024 bytes, as the HTML standard has it (13.2.3). A page that says nothing is UTF-8 where it can be; else
 * what a later `<meta>` says, as in browsers, or windows-1252.
 *
 * @param page may end in the middle of a character
 */
export function decodePage(page: Buffer, contentType: string): string {
  const named =
    charsetOfMark(page) ??
    knownCharset(charsetIn(contentType)) ??
    charsetOfMeta(page.subarray(0, PRESCAN_BYTES));
  if (named !== undefined) return decode(page, named);
  try {
    return decode(page, 'utf-8', { fatal: true });
  } catch {
    return decode(page, charsetOfMeta(page) ?? 'windows-1252');
  }
}

function decode(page: Buffer, charset: string, options: { fatal?: boolean } = {}): string {
  // As a stream: that leaves out half a character at the end; and Node 20 takes a whole windows-1252 for ISO 8859-1.
  return new TextDecoder(charset, options).decode(page, { stream: true });
}

function charsetOfMark(page: Buffer): string | undefined {
  if (page.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf))) return 'utf-8';
  if (page.subarray(0, 2).equals(Buffer.of(0xfe, 0xff))) return 'utf-16be';
  if (page.subarray(0, 2).equals(Buffer.of(0xff, 0xfe))) return 'utf-16le';
  return undefined;
}

function charsetOfMeta(page: Buffer): string | undefined {
  const head = new Head();
  // Tags are ASCII in every character set in which a tag can name it.
  head.write(page.toString('latin1'));
  for (const label of head.charsets) {
    if (label.trim().toLowerCase() === 'x-user-defined') return 'windows-1252';
    const charset = knownCharset(label);
    // A tag that could be read as ASCII cannot be in UTF-16 (HTML, 13.2.3.2).
    if (charset !== undefined) return charset.startsWith('utf-16') ? 'utf-8' : charset;
  }
  return undefined;
}

/** The name of a character set, by any of its labels (Encoding Standard); `undefined` for one that is not known. */
function knownCharset(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
