import Negotiator from 'negotiator';
import type { ResolverLink } from '../lookup/display-page.ts';
import type { Facts } from './facts.ts';

/*
 * Which link of a GS1 Digital Link a request gets (GS1-Conformant Resolver Standard 1.2). The query
 * `linkType` names the type, `linkset` and the older `all` the whole list (RFC 9264), as does
 * `Accept: application/linkset+json`. Languages and media types choose among links of one type.
 */

/** Prefixes of link types of GS1's vocabulary, of which the first is the present one. */
const VOCABULARIES = ['https://ref.gs1.org/voc/', 'https://gs1.org/voc/', 'http://gs1.org/voc/'];
/** Number of characters of a header that are parsed. */
const MAX_HEADER_LENGTH = 512;

/** A request to a resolver. */
interface ResolverRequest {
  /** Requested link type, in its short form if it is one of GS1; empty for the default. */
  type: string;
  isForLinkset: boolean;
  /** The list is requested by a browser. */
  isForPeople: boolean;
  /** Raw query without what is meant for the resolver, which the destination receives. */
  query: string;
  accept: string;
  languages: string;
}

/** Returns the URI of a link type. */
export const typeUri = (type: string): string => type.replace(/^gs1:/, VOCABULARIES[0]!);

/** Returns the short form of a link type, `gs1:pip`. */
function shortType(type: string): string {
  const vocabulary = VOCABULARIES.find((one) => type.startsWith(one));
  return vocabulary === undefined ? type : `gs1:${type.slice(vocabulary.length)}`;
}

/** Parameter of the query that names the link type. */
const isLinkType = (part: string): boolean => /^linktype=/i.test(part);

/** Reads what a request asks of a resolver. */
export function readResolverRequest({ query, accept, languages }: Facts): ResolverRequest {
  const parts = query.split('&');
  const sent = new URLSearchParams(parts.findLast(isLinkType) ?? '').values().next().value ?? '';
  const isList = sent === 'linkset' || sent === 'all';
  const type = isList || sent === 'gs1:defaultLink' ? '' : shortType(sent);
  const isForLinkset = isList || /application\/linkset\+json/i.test(accept);
  return {
    type,
    isForLinkset,
    isForPeople: isForLinkset && /text\/html/i.test(accept),
    query: parts.filter((part) => !isLinkType(part)).join('&'),
    accept: accept.slice(0, MAX_HEADER_LENGTH),
    languages: languages.slice(0, MAX_HEADER_LENGTH),
  };
}

/**
 * Chooses the link of the requested type, or the default and its translations, by language and then
 * media type; `undefined` if there is none of the type.
 */
export function chooseLink(
  links: readonly ResolverLink[],
  { type, accept, languages }: Pick<ResolverRequest, 'type' | 'accept' | 'languages'>,
): ResolverLink | undefined {
  const [first] = links;
  const ofType =
    type === ''
      ? links.filter((link) => link === first || (link.type === first?.type && link.language))
      : links.filter((link) => link.type === type);
  if (ofType.length < 2) return ofType[0];
  // A wildcard asks for nothing in particular, which a link without a language or type answers.
  const negotiator = new Negotiator({
    headers: { 'accept-language': named(languages), accept: named(accept) },
  });
  const known = [...new Set(ofType.flatMap(({ language }) => language ?? []))];
  const language = named(languages) === '' ? undefined : negotiator.languages(known)[0];
  const inLanguage = ofType.filter((link) => link.language === language);
  const remaining = inLanguage.length > 0 ? inLanguage : ofType;
  const types = remaining.flatMap(({ mediaType }) => mediaType ?? []);
  const mediaType = named(accept) === '' ? undefined : negotiator.mediaType(types);
  return remaining.find((link) => link.mediaType === mediaType) ?? remaining[0];
}

/** The values of a header without wildcards. */
const named = (header: string): string =>
  header
    .split(',')
    .filter((part) => !part.includes('*'))
    .join(',');
