import { hasDotSegment, percentDecoded } from './url.ts';

/*
 * URLs with the placeholders `{path}` and `{query}` of the requested URL, such as
 * `https://example.com/{path}?{query}`. The host never depends on a request, so that no request can
 * choose where it is redirected to.
 */

/** Parts of the requested URL as they were sent, without the leading slash and question mark. */
export interface RequestedParts {
  readonly path: string;
  readonly query: string;
}

/** Programs that complete URLs encode the braces. */
const PLACEHOLDER = /(?:\{|%7[Bb])(path|query)(?:\}|%7[Dd])/g;
/** The whole query of a URL, or its last parameters. */
const ONLY_QUERY = /[?&](?:\{|%7[Bb])query(?:\}|%7[Dd])(?=#|$)/;
/** Characters that a path cannot hold as they are (RFC 3986, 3.3). */
const NOT_IN_PATHS = /[^\w\-.~!$&'()*+,;=:@/%]/g;

/** Encodes the braces of placeholders, so that a template is a URL. */
export const asUrl = (template: string): string => template.replaceAll(PLACEHOLDER, '%7B$1%7D');

/** Reverts {@link asUrl}. */
export const asTemplate = (url: string): string => url.replaceAll(PLACEHOLDER, '{$1}');

/** True for a text with a name in braces that is no placeholder. */
export const hasUnknownName = (text: string): boolean =>
  text.replaceAll(PLACEHOLDER, '').includes('{');

/** True if the host of a URL is the same whatever is filled in. */
export function hasFixedHost(template: string): boolean {
  if (template.search(PLACEHOLDER) < 0) return true;
  const authority = /^https?:\/\/([^/?#]+)/i.exec(template)?.[1];
  return authority !== undefined && authority.search(PLACEHOLDER) < 0;
}

/**
 * Fills in a template. In its path, `{path}` is the path as it was sent. After `?` or `&`,
 * `{query}` is the parameters as they were sent. Anywhere else, each is one percent-encoded value.
 *
 * @returns `undefined` for a path with `..` segments, which would leave the path of the template
 */
export function fillIn(template: string, { path, query }: RequestedParts): string | undefined {
  if (template.search(PLACEHOLDER) < 0) return template;
  if (hasDotSegment(path)) return undefined;
  const whole = query === '' ? template.replace(ONLY_QUERY, '') : template;
  const fragment = positionOf(whole, '#');
  const parameters = Math.min(positionOf(whole, '?'), fragment);
  return whole.replaceAll(PLACEHOLDER, (placeholder, name: string, at: number) => {
    if (name === 'path') {
      return at < parameters ? path.replaceAll(NOT_IN_PATHS, encodeURIComponent) : asValue(path);
    }
    const isList =
      at > parameters &&
      at < fragment &&
      /[?&]/.test(whole[at - 1]!) &&
      /^[&#]?$/.test(whole.slice(at + placeholder.length).slice(0, 1));
    return isList ? query : encodeURIComponent(query);
  });
}

function positionOf(text: string, character: string): number {
  const at = text.indexOf(character);
  return at < 0 ? text.length : at;
}

/** Encodes a path as one value, which the destination decodes to the decoded path. */
const asValue = (path: string): string => encodeURIComponent(percentDecoded(path));
