import { ga4 } from './ga4/send.ts';
import type { DestinationKind } from './kind.ts';
import { matomo } from './matomo/send.ts';
import { plausible } from './plausible/send.ts';
import { redis } from './redis/send.ts';
import { umami } from './umami/send.ts';

/** The kinds of destinations. A new kind is a folder and a line here. */
export const KINDS = { redis, matomo, ga4, plausible, umami } as const satisfies Record<
  string,
  DestinationKind
>;

export type DestinationType = keyof typeof KINDS;

export const DESTINATION_TYPES = Object.keys(KINDS) as readonly DestinationType[];

/** Returns the kind of destinations of a type. */
export const kindOf = (type: DestinationType): DestinationKind => KINDS[type];
