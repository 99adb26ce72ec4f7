import { Joi } from '../../http/fields.ts';
import {
  canonicalUri,
  type ElementSet,
  pathsOf,
  primaryKeyOf,
  readElements,
  setFault,
} from '../../infra/gs1/digital-link.ts';
import { KEY_NAMES } from '../../infra/gs1/identifiers.ts';
import { trimmedEnd } from '../../infra/trim.ts';
import type { ResolverLink } from '../../lookup/display-page.ts';
import { destination } from '../../short-links/url-field.ts';
import type { ContentType } from './content-type.ts';
import { line, webAddress } from './fields.ts';

/** A further link of the thing. */
interface Gs1Link {
  linkType: string;
  url: string;
  title?: string;
  language?: string;
  mediaType?: string;
}

/** The identifiers of a thing and its links. */
export interface Gs1Content {
  data: ElementSet;
  /** Default link; a dynamic code must have it. */
  url?: string;
  linkType: string;
  title?: string;
  links?: Gs1Link[];
  /** URL before the path of a static code. */
  stem?: string;
}

/** The domain of canonical URIs, where GS1 runs a resolver. */
const GS1_DOMAIN = 'https://id.gs1.org';

const linkType = () =>
  Joi.string()
    .max(200)
    .pattern(/^(?:gs1:(?!defaultLink)[a-z]\w*|https:\/\/(?!(?:ref\.)?gs1\.org\/voc\/)\S+)$/)
    .messages({
      'string.pattern.base':
        '{{#label}} must be a link type of GS1 such as gs1:pip, or the https URI of another one',
    });

/** Writes a GTIN of 8, 12 or 13 digits with 14. */
const withLongGtin = (data: ElementSet): ElementSet =>
  /^(?:\d{8}|\d{12,13})$/.test(data['01'] ?? '')
    ? { ...data, '01': data['01']!.padStart(14, '0') }
    : data;

/** The rule that the path of a dynamic code breaks: its key has to be one of short links. */
function pathFault(data: ElementSet): string | undefined {
  const [path] = pathsOf(data);
  const isBroken = path.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (isBroken) return 'must not have a value in the path with //, or / at its end, or only dots';
  return path.endsWith('+') ? 'must not have + at the end of the path' : undefined;
}

/** Title of a thing: its number with the name of the key, and its qualifiers. */
function titleOf(data: ElementSet): { title: string; subtitle: string | undefined } {
  const key = primaryKeyOf(data)!;
  const [path] = pathsOf(data);
  const others = Object.keys(data).filter((name) => name !== key && path.includes(`/${name}/`));
  return {
    title: `${KEY_NAMES[key] ?? `(${key})`} ${data[key]!}`,
    subtitle:
      others.length === 0 ? undefined : others.map((name) => `(${name}) ${data[name]!}`).join(' '),
  };
}

/** All links of a thing, the default first. */
function linksOf({ url, linkType: type, title, data, links = [] }: Gs1Content): ResolverLink[] {
  const name = title ?? titleOf(data).title;
  const first = url === undefined ? [] : [{ type, url, title: name }];
  const others = links.map(({ linkType: ofLink, title: own, ...link }) => ({
    ...link,
    type: ofLink,
    title: own ?? name,
  }));
  return [...first, ...others];
}

/** A thing with GS1 identifiers (GS1 Digital Link Standard, URI Syntax 1.2 and later). */
export const gs1: ContentType<Gs1Content> = {
  name: 'gs1',
  description:
    'A GS1 Digital Link: `{data, url?, linkType?, title?, links?, stem?}`; links are `{linkType, url, title?, ' +
    'language?, mediaType?}`. A dynamic code needs `url`, and has the canonical path as its key.',
  schema: Joi.object({
    data: Joi.alternatives()
      .conditional(Joi.object().unknown(), {
        then: Joi.object().pattern(/^\d{2,4}$/, Joi.string().max(90)),
        otherwise: Joi.string().max(1_000),
      })
      .required()
      .description(
        'Values by application identifier, or a text such as (01)09520123456788(10)ABC. Its primary key, ' +
          'qualifiers and attributes are checked by GS1’s Syntax Dictionary.',
      )
      .example({ '01': '09520123456788', '10': 'ABC' })
      .custom((sent: string | ElementSet, { error }) => {
        const read = typeof sent === 'string' ? readElements(sent) : sent;
        if (read === undefined) {
          return error('rule', {
            rule: 'must have each application identifier once, in brackets before its value',
          });
        }
        const data = withLongGtin(read);
        const rule = setFault(data) ?? pathFault(data);
        return rule === undefined ? data : error('rule', { rule });
      }),
    url: destination()
      .empty('')
      .description('Default link, to which scans are redirected.')
      .example('https://example.com/rice'),
    linkType: linkType().empty('').default('gs1:pip').description('Type of `url`.'),
    title: line(200).empty('').description('Title of `url`. Default: the number.'),
    links: Joi.array()
      .items(
        Joi.object({
          linkType: linkType()
            .required()
            .description('Type of the link, which `?linkType=` asks for.')
            .example('gs1:instructions'),
          url: destination().required().description('URL.').example('https://example.com/cook'),
          title: line(200).empty('').description('Title.'),
          language: Joi.string()
            .pattern(/^[a-z]{2,3}(?:-[A-Za-z\d]{2,8})*$/)
            .messages({ 'string.pattern.base': '{{#label}} must be a language tag such as de' })
            .empty('')
            .description('Language tag (BCP 47).'),
          mediaType: Joi.string()
            .lowercase()
            .max(100)
            .pattern(/^[a-z]+\/[\w.+-]+$/)
            .messages({
              'string.pattern.base': '{{#label}} must be a media type such as text/html',
            })
            .empty('')
            .description('Media type.'),
        }).meta({ name: 'Gs1Link' }),
      )
      .max(50)
      .description(
        'Further links, at most 50; links of the default’s type with a `language` translate it.',
      ),
    stem: webAddress()
      .empty('')
      .custom((value: string, { error }) =>
        /[?#]/.test(value)
          ? error('rule', { rule: 'must have neither query nor fragment' })
          : trimmedEnd(value, /\//),
      )
      .description('Beginning of the URI in a static code. Default https://id.gs1.org.'),
  }).meta({ name: 'Gs1Content', extension: true }),
  encode: ({ data, stem = GS1_DOMAIN }) => stem + canonicalUri(data),
  shortPath: ({ data }) => ({ key: pathsOf(data)[0], target: canonicalUri(data) }),
  onVisit: (content) => {
    const { data, url = '' } = content;
    const [, ...above] = pathsOf(data);
    const [path = ''] = canonicalUri(data).split('?');
    const links = linksOf(content);
    const { title, subtitle } = titleOf(data);
    return {
      open: url,
      page: {
        type: 'gs1',
        title,
        isOwnTitle: true,
        subtitle,
        actions: [],
        rows: [],
        links: links.map((link) => ({ label: link.title, href: link.url })),
        resolver: { path, ...(above.length > 0 && { above }), links },
      },
    };
  },
};
