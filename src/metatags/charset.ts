import { charsetIn, Head } from './head.ts';

/** Number of bytes of a page that are searched for its character set (HTML, 13.2.3.2). */
const PRESCAN_BYTES = 1_024;

/**
 * Decodes a page. Its character set is that of its byte order mark, else of its Content-Type, else
 * of a `<meta>` in its first 1,024 bytes, as the HTML standard requires (13.2.3). A page without
 * any of these is UTF-8 if it is valid UTF-8; otherwise that of a later `<meta>`, as in browsers,
 * or windows-1252.
 *
 * @param page may end in the middle of a character
 */
export function decodePage(page: Buffer, contentType: string): string {
  const charset =
    charsetOfMark(page) ??
    knownCharset(charsetIn(contentType)) ??
    charsetOfMeta(page.subarray(0, PRESCAN_BYTES));
  if (charset !== undefined) return decode(page, charset);
  try {
    return decode(page, 'utf-8', { fatal: true });
  } catch {
    return decode(page, charsetOfMeta(page) ?? 'windows-1252');
  }
}

function decode(page: Buffer, charset: string, options: { fatal?: boolean } = {}): string {
  // Streaming omits an incomplete character at the end; and Node 20 decodes a whole windows-1252
  // text as ISO 8859-1.
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
  // Tags are ASCII in every character set that they can name.
  head.write(page.toString('latin1'));
  for (const label of head.charsets) {
    if (label.trim().toLowerCase() === 'x-user-defined') return 'windows-1252';
    const charset = knownCharset(label);
    // A tag that is readable as ASCII cannot be in UTF-16 (HTML, 13.2.3.2).
    if (charset !== undefined) return charset.startsWith('utf-16') ? 'utf-8' : charset;
  }
  return undefined;
}

/**
 * Returns the name of a character set for any of its labels (Encoding Standard); `undefined` for an
 * unknown label.
 */
function knownCharset(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
