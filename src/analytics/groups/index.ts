import { count } from './count.ts';
import { byDimension } from './dimension.ts';
import type { Group } from './group.ts';
import { timeseries } from './timeseries.ts';

const countries = byDimension('country', 'country');

/** Every value of `groupBy`. A plain dimension is a row; others are a file beside this one. */
export const GROUPS = {
  count,
  timeseries,
  countries,
  country: countries,
  devices: byDimension('device', 'device'),
  browsers: byDimension('browser', 'browser'),
  os: byDimension('os', 'os'),
  referers: byDimension('referer', 'referer'),
} satisfies Record<string, Group>;

export type GroupName = keyof typeof GROUPS;
