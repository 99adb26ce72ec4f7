/** A parameter, or nothing between two semicolons: token = token or quoted string. */
const PAIR =
  /[ \t]*(?:([\w!#$%&'*+\-.^`|~]+)=([\w!#$%&'*+\-.^`|~]+|"(?:[^"\\]|\\.)*")[ \t]*)?(?:;|$)/y;

/**
 * Returns a parameter of an element of `Forwarded` (RFC 7239, 4), without quotes. Empty if the
 * element lacks it, is malformed or has a parameter twice.
 */
export function forwardedParameter(element: string, name: string): string {
  const parameters = new Map<string, string>();
  PAIR.lastIndex = 0;
  while (PAIR.lastIndex < element.length) {
    const [pair, parameter = '', value = ''] = PAIR.exec(element) ?? [];
    const key = parameter.toLowerCase();
    if (pair === undefined || parameters.has(key)) return '';
    if (key !== '') parameters.set(key, unquoted(value));
  }
  return parameters.get(name) ?? '';
}

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;

/**
 * Returns the index of the comma before the element of `Forwarded` that ends at `end`; -1 for the
 * first element. Read from the end, where the nearest proxy has written: a quote that a client left
 * open cannot swallow what proxies append.
 */
export function commaBeforeElement(header: string, end: number): number {
  let isQuoted = false;
  for (let at = end - 1; at >= 0; at -= 1) {
    const character = header[at];
    if (character === '"') {
      let before = at - 1;
      while (header[before] === '\\') before -= 1;
      // An even number of backslashes before it: the quote is not escaped.
      if ((at - before) % 2 === 1) isQuoted = !isQuoted;
    } else if (character === ',' && !isQuoted) return at;
  }
  return -1;
}
