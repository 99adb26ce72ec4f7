import { Refusal } from '../../errors.ts';
import type { Query } from '../../http/input.ts';
import { DEVICES } from '../../visitors/device.ts';
import { type CallQuery, lastValue, omit } from '../peer.ts';

/** Filters whose value can begin with `-`, which excludes the values after it. */
export const EXCLUDABLE = [
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

/** The query of events or analytics for this API. */
export interface EventQuery {
  query: CallQuery;
  /** A filter for the events to leave out. */
  excluded?: { filter: (typeof EXCLUDABLE)[number]; values: string };
}

/**
 * Converts time span and filters of events. Other filters of Dub are refused as unknown.
 *
 * @throws Refusal `unprocessable_entity` if more than one filter excludes values
 */
export function fromDubQuery(dubQuery: Query): EventQuery {
  const all = toCallQuery(dubQuery);
  const excluding = EXCLUDABLE.filter((name) => lastValue(all, name)?.startsWith('-'));
  const [filter] = excluding;
  if (filter === undefined) return { query: all };
  if (excluding.length > 1) {
    throw new Refusal(
      'unprocessable_entity',
      `only one filter can exclude values with -; these do: ${excluding.join(', ')}`,
    );
  }
  const excluded = { filter, values: lastValue(all, filter)!.slice(1) };
  return { query: omit(all, [filter]), excluded };
}

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
