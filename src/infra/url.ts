/**
 * The URL that a text is (WHATWG URL); `undefined` when it is none.
 *
 * Not `URL.canParse`: once V8 has compiled its caller, that of Node 20 calls every URL with characters beyond ASCII
 * invalid.
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
