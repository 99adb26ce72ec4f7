import type { Schema } from 'joi';
import { Refusal } from '../../errors.ts';
import {
  canonicalTimezone,
  flag,
  id,
  Joi,
  oneOf,
  queryList,
  text,
  timezone,
  zonedTime,
} from '../../http/fields.ts';
import { currentLimits } from '../../infra/limits.ts';
import { BROWSERS, SYSTEMS } from '../../visitors/device.ts';
import { UNKNOWN } from '../../visitors/places.ts';
import { pageOf } from '../dimensions.ts';
import {
  type Condition,
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
  key?: string | undefined;
  linkId?: string[] | undefined;
  qrcodeId?: string[] | undefined;
  externalId?: string | undefined;
  tagId?: string[] | undefined;
  folderId?: string[] | undefined;
}

/** Filters that select records by their ids, or by what contains them. */
const RECORD_FILTERS = ['linkId', 'qrcodeId', 'tagId', 'folderId'] as const;

/** Filters whose values can be excluded: all that take several. */
const EXCLUDABLE = [
  ...RECORD_FILTERS,
  ...FILTER_NAMES.filter((name) => name !== 'root' && name !== 'linkId'),
] as const;

/** Filters that events and analytics share, by their names in the query. */
export interface FilterQuery extends RecordFilters, FilterValues {
  type?: 'link' | 'qr';
  excludeRoot?: boolean;
  traffic?: Traffic;
  exclude?: (typeof EXCLUDABLE)[number][];
}

/** Filters that select records by id, key, tag or folder. */
export type RecordQuery = RecordFilters &
  Pick<FilterQuery, 'pageId'> & { domain?: string | undefined };

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

const { domain, linkId, pageId, types, root, ...otherSchemas } = schemaOf;

export const filterSchemas: Record<keyof FilterQuery, Schema> = {
  domain,
  key: text(1_000).description(
    'Slug of the short link; needs one domain. `_root`: the domain itself.',
  ),
  linkId,
  qrcodeId: queryList(id())
    .min(1)
    .description('Id of the QR code, or its external id after `ext_`; or several.'),
  pageId,
  externalId: id().description('External id of the link or QR code, with the prefix `ext_`.'),
  tagId: queryList(id()).description(
    'Id of a tag, or several: events of links and QR codes that have one of them now.',
  ),
  folderId: queryList(id())
    .min(1)
    .description(
      'Id of a folder, or several: events of links and QR codes that are in one of them now.',
    )
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
  exclude: queryList(oneOf(EXCLUDABLE))
    .min(1)
    .description(
      'Filters of the request whose values are excluded: `country=DE&exclude=country` selects the ' +
        'events of all countries but Germany, `tagId=…&exclude=tagId` also those without a link.',
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
  const { type, types, url, exclude = [] } = query;
  refuseExcluded(query);
  const [traffic] = await Promise.all([
    query.traffic ?? countedTraffic(projectId),
    refuseUnknown(projectId, 'browser', query.browser, BROWSERS),
    refuseUnknown(projectId, 'os', query.os, SYSTEMS),
  ]);
  // Counts are kept by domain, but not for several.
  const [domain] = query.domain?.length === 1 && !exclude.includes('domain') ? query.domain : [];
  const isRootKey = query.key === ROOT_KEY && domain !== undefined;
  const { selected: records, excluded } = await recordsOf(
    projectId,
    { ...query, domain, ...(isRootKey && { key: undefined }) },
    resolveRecords,
  );
  // The key has already selected the record: all of its events count, including those under an
  // earlier domain.
  const isNamed = records !== undefined && query.key !== undefined && !isRootKey;
  const isRoot = query.root === true || isRootKey;
  const isElse = query.root === false || query.excludeRoot === true;
  const conditions = conditionsOf(
    {
      ...query,
      domain: isNamed || domain !== undefined ? undefined : query.domain,
      linkId: undefined,
      // Destinations are compared without their query.
      url: url?.map((part) => pageOf(part) || part),
      types: type === undefined ? types : (types ?? [type]).filter((kind) => kind === type),
      root: isRoot || isElse ? isRoot : undefined,
    },
    exclude,
  );
  return {
    records,
    domain: isNamed ? undefined : domain,
    conditions: isRoot && isElse ? [NOTHING] : [...excluded, ...conditions],
    traffic,
  };
}

/**
 * Rejects a name in `exclude` without a value to exclude, such as `tagId=`, which would select all
 * events.
 *
 * @throws Refusal `unprocessable_entity`
 */
function refuseExcluded({ exclude = [], ...query }: FilterQuery): void {
  const empty = exclude.find((name) => (query[name] ?? []).length === 0);
  if (empty !== undefined) {
    throw new Refusal(
      'unprocessable_entity',
      `exclude must name filters of the request; ${empty} has no value`,
    );
  }
  if (query.type !== undefined && exclude.includes('types')) {
    throw new Refusal('unprocessable_entity', 'exclude must not be types where type is set');
  }
}

/** Resolves the record filters to the selected records and a condition that excludes others. */
async function recordsOf(
  projectId: string,
  query: RecordQuery & Pick<FilterQuery, 'exclude'>,
  resolveRecords: ResolveRecords,
): Promise<{ selected: string[] | undefined; excluded: Condition[] }> {
  const names = RECORD_FILTERS.filter((name) => query.exclude?.includes(name));
  const selecting = Object.fromEntries(names.map((name) => [name, undefined]));
  const [selected, ...excluded] = await Promise.all([
    resolveRecords(projectId, { ...query, ...selecting }),
    ...names.map((name) => resolveRecords(projectId, { [name]: query[name] })),
  ]);
  if (names.length === 0) return { selected, excluded: [] };
  const ids = new Set(excluded.flatMap((one) => one ?? []));
  return selected === undefined
    ? { selected, excluded: [{ filter: 'linkId', not: { oneOf: [...ids] } }] }
    : { selected: selected.filter((id) => !ids.has(id)), excluded: [] };
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
  // Names in events outside of the limits of the caller are not told.
  if (currentLimits() !== undefined) return;
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
