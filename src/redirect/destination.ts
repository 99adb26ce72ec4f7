/** Where a visitor is sent, and how the short link was opened. */
export interface FinalUrl {
  url: string;
  /** `qr`: the short link came from its QR code (`?qr=1`). */
  via: 'link' | 'qr';
}

/**
 * Passes the visitor's own query parameters on to the destination. They win over parameters of the same name;
 * both sides keep their bytes, because some destinations sign their query.
 *
 * @param destination an absolute URL; only http and https ones take parameters
 * @param query raw query of the request, without its question mark
 * @param isPassedOn false where the owner does not want the query passed on
 */
export function finalUrl(destination: string, query: string, isPassedOn = true): FinalUrl {
  if (query === '') return { url: destination, via: 'link' };
  const parts = query.split('&');
  const passedOn = parts.filter((part) => part !== 'qr=1');
  const via = passedOn.length === parts.length ? 'link' : 'qr';
  if (!isPassedOn || passedOn.every((part) => part === '') || !isWeb(destination)) {
    return { url: destination, via };
  }
  return { url: merge(destination, passedOn), via };
}

/** The destination with a parameter of ours, which wins over any of the same name; an app's own address stays. */
export function withParameter(destination: string, name: string, value: string): string {
  return isWeb(destination)
    ? merge(destination, [`${name}=${encodeURIComponent(value)}`])
    : destination;
}

function merge(destination: string, passedOn: string[]): string {
  const hash = destination.indexOf('#');
  const [address, fragment] =
    hash < 0 ? [destination, ''] : [destination.slice(0, hash), destination.slice(hash)];
  const added = passedOn.join('&');
  const mark = address.indexOf('?');
  if (mark < 0) return `${address}?${added}${fragment}`;
  const overridden = new Set(passedOn.filter((part) => part !== '').map(nameOf));
  const own = address.slice(mark + 1);
  const kept = own === '' ? [] : own.split('&').filter((part) => !overridden.has(nameOf(part)));
  return `${address.slice(0, mark)}?${[...kept, added].join('&')}${fragment}`;
}

/** Name of a parameter as the destination will read it: `utm%5Fsource` and `utm_source` are the same. */
function nameOf(part: string): string {
  const equals = part.indexOf('=');
  const raw = equals < 0 ? part : part.slice(0, equals);
  if (!/[%+]/.test(raw)) return raw;
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return raw;
  }
}

export const isWeb = (url: string): boolean => /^https?:/i.test(url);
