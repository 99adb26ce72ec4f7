import type { Schema, StringSchema } from 'joi';
import { Refusal } from '../../errors.ts';
import { domainField } from '../../http/domain-name.ts';
import {
  canonicalTimezone,
  dateTime,
  flag,
  id,
  Joi,
  queryList,
  text,
  timezone,
} from '../../http/fields.ts';
import { CONTINENTS, COUNTRY_CODES } from '../../visitors/countries.ts';
import { BROWSERS, DEVICES, SYSTEMS } from '../../visitors/device.ts';
import { UNKNOWN } from '../../visitors/places.ts';
import { pageOf } from '../dimensions.ts';
import { type EventFilter, EXACT_COLUMNS, ROOT_KEY } from '../filter.ts';
import { eventsStore } from '../store/index.ts';
import { UTM_FIELDS, type UtmField } from '../utm.ts';

/** Most names in a message. */
const MOST_NAMED = 300;

/** Filters that events and analytics share, as the query names them. */
export interface FilterQuery {
  domain?: string;
  key?: string;
  linkId?: string;
  qrcodeId?: string;
  pageId?: string;
  externalId?: string;
  tagId?: string[];
  folderId?: string;
  continent?: string[];
  country?: string[];
  city?: string;
  device?: string[];
  browser?: string[];
  os?: string[];
  referer?: string;
  url?: string;
  variant?: string[];
  utm_source?: string;
  utm_medium?: string;
  utm_campaign?: string;
  utm_term?: string;
  utm_content?: string;
  type?: 'link' | 'qr';
  types?: ('link' | 'qr')[];
  root?: boolean;
  excludeRoot?: boolean;
}

/** Filters that name records by their ids, their key, tag or folder. */
export type RecordQuery = Pick<
  FilterQuery,
  'domain' | 'linkId' | 'qrcodeId' | 'externalId' | 'tagId' | 'folderId' | 'pageId'
> & { key?: string | undefined };

/**
 * Resolves to the ids of the links and QR codes that match all of a filter, `undefined` where it names none. Handed in by
 * the caller: links, QR codes, pages, tags and folders are built on events.
 *
 * @throws Refusal `not_found` when the filter names what is not in the workspace
 */
export type ResolveRecords = (
  projectId: string,
  query: RecordQuery,
) => Promise<string[] | undefined>;

const VIA = Joi.string().valid('link', 'qr');
const oneOf = (what: string, known: readonly string[]) =>
  queryList(Joi.string().valid(...known))
    .min(1)
    .description(`One of these ${what}, or several.`);
const examples = (known: readonly string[]): string =>
  ['Chrome', 'Safari', 'Firefox', 'Windows', 'iOS', 'Android']
    .filter((name) => known.includes(name))
    .join(', ');
const part = (what: string) => text(1_000).description(`A part of ${what}; case does not count.`);

const utm = (name: UtmField) =>
  text(1_000)
    .description(`The parameter \`${name}\` of the destination is this text; case counts.`)
    .meta({ extension: true });

export const filterSchemas: Record<keyof FilterQuery, Schema> = {
  domain: domainField().description('Domain of the short link.'),
  key: text(1_000).description('Slug of the short link; needs domain. `_root`: the domain itself.'),
  linkId: id().description('Id of the short link, or the caller’s own after `ext_`.'),
  qrcodeId: id().description('Id of the QR code, or the caller’s own after `ext_`.'),
  pageId: id().description('Id of the page before the destination.'),
  externalId: id().description('The caller’s own id of link or QR code, with the prefix `ext_`.'),
  tagId: queryList(id()).description(
    'Of links and QR codes that have this tag, or one of these, now.',
  ),
  folderId: id()
    .description('Id of a folder: events of links and QR codes that are in it now.')
    .meta({ extension: true }),
  continent: oneOf('continents', CONTINENTS),
  country: queryList(
    Joi.alternatives(
      Joi.string()
        .valid(...COUNTRY_CODES)
        .meta({ name: 'CountryCode' }),
      Joi.string().valid(UNKNOWN),
    ).messages({ 'alternatives.types': '{{#label}} must be one of {{#types}}' }),
  )
    .min(1)
    .description('One of these countries, or several.'),
  city: text(200).description('Name of a city.'),
  device: oneOf('devices', [...DEVICES, UNKNOWN]),
  browser: queryList(text(100))
    .min(1)
    .description(
      `Name of a browser, or several: ${examples(BROWSERS)}, or any that visitors of the workspace came with.`,
    ),
  os: queryList(text(100))
    .min(1)
    .description(
      `Name of an operating system, or several: ${examples(SYSTEMS)}, or any that visitors of the workspace came with.`,
    ),
  referer: part('the host that visitors came from'),
  url: part('the destination, without its query'),
  variant: queryList(text(50))
    .min(1)
    .description(
      'Variant of an A/B test, or several, with their leads and sales. Names are unique within a link or QR code: ' +
        'give `linkId` or `qrcodeId` too.',
    )
    .meta({ extension: true }),
  utm_source: utm('utm_source'),
  utm_medium: utm('utm_medium'),
  utm_campaign: utm('utm_campaign'),
  utm_term: utm('utm_term'),
  utm_content: utm('utm_content'),
  type: VIA.description('How the short link was opened.'),
  types: queryList(VIA as StringSchema).description('How the short link was opened: one, or both.'),
  root: flag().description(
    'true: only visits of a domain’s root, with their leads and sales; false: everything else, sales without a link included.',
  ),
  excludeRoot: flag().description('true: as `root=false`.'),
};

export const spanSchemas = {
  start: dateTime().description(
    'Without `interval`: the first moment that counts; default 24 hours before `end`.',
  ),
  end: dateTime().description('The first moment that counts no more; default now.'),
  timezone: timezone()
    .custom(canonicalTimezone)
    .description('IANA zone to which days and months are aligned.'),
};

/**
 * The filter of a request.
 *
 * @throws Refusal `not_found` when it names what is not in the workspace, `unprocessable_entity` for a key without
 *   its domain
 */
export async function resolveFilter(
  projectId: string,
  query: FilterQuery,
  resolveRecords: ResolveRecords,
): Promise<EventFilter> {
  const { domain, type, types, referer, url, pageId, variant } = query;
  await Promise.all([
    refuseUnknown(projectId, 'browser', query.browser, BROWSERS),
    refuseUnknown(projectId, 'os', query.os, SYSTEMS),
  ]);
  const isRootKey = query.key === ROOT_KEY && domain !== undefined;
  const records = await resolveRecords(projectId, isRootKey ? { ...query, key: undefined } : query);
  // The key has selected the record: all its events count, also those under an earlier domain.
  const isNamed = records !== undefined && query.key !== undefined && !isRootKey;
  const values = EXACT_COLUMNS.flatMap((column) => {
    const asked = query[column];
    return asked === undefined ? [] : [[column, [asked].flat()]];
  });
  const utm = UTM_FIELDS.flatMap((name) => {
    const asked = query[name];
    return asked === undefined ? [] : [[name, asked]];
  });
  const via = types ?? (type === undefined ? undefined : [type]);
  const isRoot = query.root === true || isRootKey;
  const isElse = query.root === false || query.excludeRoot === true;
  return {
    ...(records === undefined ? {} : { records }),
    ...(domain === undefined || isNamed ? {} : { domain }),
    ...(values.length === 0 ? {} : { values: Object.fromEntries(values) }),
    ...(via === undefined
      ? {}
      : { via: type === undefined ? via : via.filter((one) => one === type) }),
    ...(referer === undefined && url === undefined
      ? {}
      : {
          parts: {
            ...(referer === undefined ? {} : { referer }),
            // Destinations are compared without their queries.
            ...(url === undefined ? {} : { url: pageOf(url) || url }),
          },
        }),
    ...(pageId === undefined ? {} : { pageId }),
    ...(variant === undefined ? {} : { variants: variant }),
    ...(utm.length === 0 ? {} : { utm: Object.fromEntries(utm) }),
    ...(isRoot || isElse ? { isRoot } : {}),
    ...(isRoot && isElse ? { isEmpty: true } : {}),
  };
}

/**
 * Refuses misspelt names, which would match no event. User agents may contain names that no list has: those in events of
 * the workspace are accepted too.
 *
 * @throws Refusal `unprocessable_entity`
 */
async function refuseUnknown(
  projectId: string,
  dimension: 'browser' | 'os',
  asked: readonly string[] | undefined,
  names: readonly string[],
): Promise<void> {
  const unlisted = asked?.filter((name) => name !== UNKNOWN && !names.includes(name)) ?? [];
  if (unlisted.length === 0) return;
  const values = await eventsStore.listValues(projectId, dimension);
  if (values === undefined) return;
  const known = new Set([...names, ...values, UNKNOWN]);
  const unknown = unlisted.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const list = [...known].toSorted((a, b) => (a < b ? -1 : 1)).slice(0, MOST_NAMED);
  throw new Refusal(
    'unprocessable_entity',
    `${dimension} must be one of ${list.join(', ')}; "${unknown}" is none`,
  );
}
