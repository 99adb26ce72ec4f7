import { cloudevents } from './cloudevents.ts';
import { discord } from './discord.ts';
import type { Format } from './format.ts';
import { slack } from './slack.ts';
import { standard } from './standard.ts';
import { teams } from './teams.ts';

/** The formats of requests, by the value of `format` that sets them. */
export const FORMATS = { standard, cloudevents, slack, discord, teams } as const satisfies Record<
  string,
  Format
>;

export type FormatName = keyof typeof FORMATS;

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];
