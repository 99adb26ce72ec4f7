import type { Schema } from 'joi';
import { Refusal } from '../../errors.ts';
import { domainField } from '../../http/domain-name.ts';
import {
  canonicalTimezone,
  flag,
  id,
  Joi,
  queryList,
  text,
  timezone,
  zonedTime,
} from '../../http/fields.ts';
import { BROWSERS, SYSTEMS } from '../../visitors/device.ts';
import { UNKNOWN } from '../../visitors/places.ts';
import { pageOf } from '../dimensions.ts';
import {
  conditionsOf,
  type EventFilter,
  FILTER_NAMES,
  FILTERS,
  type FilterName,
  type FilterValues,
  NOTHING,
  ROOT_KEY,
} from '../filters.ts';
import { TRAFFIC, type Traffic } from '../kinds.ts';
import { eventsStore } from '../store/index.ts';
import { countedTraffic } from './traffic.ts';

/** Maximum number of names in a message. */
const MAX_NAMED = 300;

/** Filters that name records: links, QR codes, pages, tags and folders. */
interface RecordFilters {
  domain?: string;
  key?: string;
  linkId?: string;
  qrcodeId?: string;
  externalId?: string;
  tagId?: string[];
  folderId?: string;
}

/** Filters that events and analytics share, by their names in the query. */
export interface FilterQuery extends RecordFilters, FilterValues {
  type?: 'link' | 'qr';
  excludeRoot?: boolean;
  traffic?: Traffic;
}

/** Filters that select records by id, key, tag or folder. */
export type RecordQuery = Omit<RecordFilters, 'key'> &
  Pick<FilterQuery, 'pageId'> & { key?: string | undefined };

/**
 * Resolves to the ids of the links and QR codes that match all record filters, or to `undefined` if
 * there are none. Passed in by the caller, because links, QR codes, pages, tags and folders depend
 * on events.
 *
 * @throws Refusal `not_found` when a filter names something that is not in the workspace
 */
export type ResolveRecords = (
  projectId: string,
  query: RecordQuery,
) => Promise<string[] | undefined>;

const schemaOf = Object.fromEntries(
  FILTER_NAMES.map((name) => [name, FILTERS[name].schema]),
) as Record<FilterName, Schema>;

const { pageId, types, root, ...otherSchemas } = schemaOf;

export const filterSchemas: Record<keyof FilterQuery, Schema> = {
  domain: domainField().description('Domain of the short link.'),
  key: text(1_000).description('Slug of the short link; needs domain. `_root`: the domain itself.'),
  linkId: id().description('Id of the short link, or its external id after `ext_`.'),
  qrcodeId: id().description('Id of the QR code, or its external id after `ext_`.'),
  pageId,
  externalId: id().description('External id of the link or QR code, with the prefix `ext_`.'),
  tagId: queryList(id()).description(
    'Id of a tag, or several: events of links and QR codes that have one of them now.',
  ),
  folderId: id()
    .description('Id of a folder: events of links and QR codes that are in it now.')
    .meta({ extension: true }),
  ...otherSchemas,
  type: Joi.string().valid('link', 'qr').description('How the short link was opened.'),
  types,
  root,
  excludeRoot: flag().description('true: the same as `root=false`.'),
  traffic: Joi.string()
    .valid(...TRAFFIC)
    .description(
      'Visits of people, visits that may come from programs, or both. Leads, sales and refunds belong ' +
        'to people. Default: `person`, or `all` if the workspace has `countSuspects`.',
    )
    .meta({ extension: true }),
};

export const spanSchemas = {
  start: zonedTime().description(
    'Start of the period, without `interval`. Dates are whole days in `timezone`; times without an ' +
      'offset are in it, the first if clocks show them twice, later if clocks skip them. Default: ' +
      '24 hours before `end`, or the day that `end` is.',
  ),
  end: zonedTime().description(
    'End of the period: a date is included, a time is not. Default: now.',
  ),
  timezone: timezone().custom(canonicalTimezone).description('IANA time zone of days and dates.'),
};

/**
 * Resolves the filter of a request.
 *
 * @throws Refusal `not_found` when it names something that is not in the workspace,
 * `unprocessable_entity` for a key without its domain
 */
export async function resolveFilter(
  projectId: string,
  query: FilterQuery,
  resolveRecords: ResolveRecords,
): Promise<EventFilter> {
  const { domain, type, types, url } = query;
  const [traffic] = await Promise.all([
    query.traffic ?? countedTraffic(projectId),
    refuseUnknown(projectId, 'browser', query.browser, BROWSERS),
    refuseUnknown(projectId, 'os', query.os, SYSTEMS),
  ]);
  const isRootKey = query.key === ROOT_KEY && domain !== undefined;
  const records = await resolveRecords(projectId, isRootKey ? { ...query, key: undefined } : query);
  // The key has already selected the record: all of its events count, including those under an
  // earlier domain.
  const isNamed = records !== undefined && query.key !== undefined && !isRootKey;
  const isRoot = query.root === true || isRootKey;
  const isElse = query.root === false || query.excludeRoot === true;
  const conditions = conditionsOf({
    ...query,
    // Destinations are compared without their query.
    url: url === undefined ? undefined : pageOf(url) || url,
    types: type === undefined ? types : (types ?? [type]).filter((kind) => kind === type),
    root: isRoot || isElse ? isRoot : undefined,
  });
  return {
    records,
    domain: isNamed ? undefined : domain,
    conditions: isRoot && isElse ? [NOTHING] : conditions,
    traffic,
  };
}

/**
 * Rejects misspelled names, which would match no event. User agents may contain names that no list
 * has; those that events of the workspace have are accepted too.
 *
 * @throws Refusal `unprocessable_entity`
 */
async function refuseUnknown(
  projectId: string,
  dimension: 'browser' | 'os',
  requested: readonly string[] | undefined,
  names: readonly string[],
): Promise<void> {
  const unlisted = requested?.filter((name) => name !== UNKNOWN && !names.includes(name)) ?? [];
  if (unlisted.length === 0) return;
  const values = await eventsStore().listValues(projectId, dimension);
  const accepted = new Set([...names, ...values, UNKNOWN]);
  const unknown = unlisted.find((name) => !accepted.has(name));
  if (unknown === undefined) return;
  const list = [...accepted].toSorted((a, b) => (a < b ? -1 : 1)).slice(0, MAX_NAMED);
  throw new Refusal(
    'unprocessable_entity',
    `${dimension} must be one of ${list.join(', ')}; "${unknown}" is none`,
  );
}
