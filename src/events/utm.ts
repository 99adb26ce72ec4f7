/** UTM parameters in the query of a destination. */
export const UTM_FIELDS = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const;
export type UtmField = (typeof UTM_FIELDS)[number];

/**
 * Reads a UTM parameter of a destination for analytics; `undefined` if absent. Must return the same
 * as the database function `utm_texts`: the first of several, percent-decoded if that is valid
 * UTF-8, with each control character replaced by a space.
 */
export function utmText(url: string, name: UtmField): string | undefined {
  const address = url.split('#', 1)[0]!;
  const mark = address.indexOf('?');
  if (mark < 0) return undefined;
  const query = `&${address.slice(mark + 1)}`;
  const start = query.indexOf(`&${name}=`);
  if (start < 0) return undefined;
  const written = query.slice(start + name.length + 2).split('&', 1)[0]!;
  const text = decoded(written.replaceAll('+', ' '));
  // oxlint-disable-next-line no-control-regex -- the pattern must find control characters
  return text.replaceAll(/[\u0001-\u001f\u007f]/g, ' ') || undefined;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(written: string): string {
  if (!written.includes('%')) return written;
  const bytes = written
    .split(/(%[0-9a-f]{2})/i)
    .map((part) =>
      /^%[0-9a-f]{2}$/i.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part),
    );
  try {
    const text = UTF_8.decode(Buffer.concat(bytes));
    return text.includes('\0') ? written : text;
  } catch {
    return written;
  }
}
