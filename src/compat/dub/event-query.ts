import type { Query } from '../../http/input.ts';
import { DEVICES } from '../../visitors/device.ts';
import { type CallQuery, lastValue, omit } from '../peer.ts';

/** Filters whose value can begin with `-`, which excludes the values after it. */
const EXCLUDABLE = [
  'continent',
  'country',
  'city',
  'device',
  'browser',
  'os',
  'types',
  'domain',
  'linkId',
  'folderId',
  'tagId',
] as const;

/**
 * Converts time span and filters of events; `exclude` names the filters that exclude their values.
 * Other filters of Dub are refused as unknown.
 */
export function fromDubQuery(dubQuery: Query): CallQuery {
  const query = toCallQuery(dubQuery);
  const excluding = EXCLUDABLE.filter((name) => lastValue(query, name)?.startsWith('-'));
  if (excluding.length === 0) return query;
  const values = excluding.map((name) => [name, lastValue(query, name)!.slice(1)] as const);
  return { ...query, ...Object.fromEntries(values), exclude: excluding.join(',') };
}

/** Reads the values of a filter, and whether it excludes them; `undefined` if it is not set. */
export function filterOf(
  query: CallQuery,
  name: string,
): { values: string[]; isExcluded: boolean } | undefined {
  if (query[name] === undefined) return undefined;
  const values = [query[name]].flat().flatMap((names) => names.split(','));
  return { values, isExcluded: excludedBy(query).includes(name) };
}

/** Removes a filter. */
export function withoutFilter(query: CallQuery, name: string): CallQuery {
  const excluding = excludedBy(query).filter((one) => one !== name);
  return {
    ...omit(query, [name]),
    exclude: excluding.length === 0 ? undefined : excluding.join(','),
  };
}

const excludedBy = (query: CallQuery): string[] => lastValue(query, 'exclude')?.split(',') ?? [];

function toCallQuery(dubQuery: Query): CallQuery {
  const { trigger, qr, tagIds, device, interval, start, ...rest } = omit(dubQuery, [
    'workspaceId',
    'projectSlug',
    'externalId',
  ]);
  const external = lastValue(dubQuery, 'externalId');
  return {
    ...rest,
    types: trigger,
    type: qr === undefined ? undefined : qr === 'true' ? 'qr' : 'link',
    tagId: tagIds ?? rest['tagId'],
    device: device === undefined ? undefined : [device].flat().map(deviceNames).join(','),
    externalId:
      external === undefined || external.startsWith('ext_') ? external : `ext_${external}`,
    // `start` takes precedence at Dub, `interval` in this API.
    interval: start === undefined ? interval : undefined,
    start,
  };
}

/** Spells names of devices, which Dub accepts in lower case, as this API does. */
const deviceNames = (names: string): string =>
  names.replaceAll(
    /[^,-]+/g,
    (name) => DEVICES.find((device) => device.toLowerCase() === name.toLowerCase()) ?? name,
  );
