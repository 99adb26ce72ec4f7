import type { DestinationKind } from './kind.ts';
import { redis } from './redis/send.ts';

/** The kinds of destinations. A new kind is a folder and a line here. */
export const KINDS = { redis } as const satisfies Record<string, DestinationKind>;

export type DestinationType = keyof typeof KINDS;

export const DESTINATION_TYPES = Object.keys(KINDS) as readonly DestinationType[];

/** Returns the kind of destinations of a type. */
export const kindOf = (type: DestinationType): DestinationKind => KINDS[type];
