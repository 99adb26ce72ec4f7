import { UTM_FIELDS, writeUtm } from '../links/destination.ts';
import type { Rule } from './routing-rules.ts';

const NO_UTM = Object.fromEntries(UTM_FIELDS.map((name) => [name, null]));

/** What a destination is remembered by as one that may be framed: its UTM parameters change nothing about that. */
export const framingKey = (url: string): string => writeUtm(url, NO_UTM);

/** The fields of a record, or of a change, that say whether and what is shown in a frame. */
export interface Framing {
  rewrite?: boolean;
  url?: string | null;
  ios?: string | null;
  android?: string | null;
  geo?: Record<string, string> | null;
  rules?: Rule[] | null;
  /** What was found out, where it was. */
  frameable?: string[];
}

const FIELDS = ['rewrite', 'url', 'ios', 'android', 'geo', 'rules'] as const;

/** Whether a change can alter what is shown in a frame. */
export const concernsFraming = (changes: Framing): boolean =>
  changes.rewrite !== false && FIELDS.some((field) => changes[field] !== undefined);

/** The web addresses that would be shown in a frame. */
export function framedUrls({ rewrite, url, ios, android, geo, rules }: Framing): string[] {
  if (rewrite !== true) return [];
  const all = [url, ios, android, ...Object.values(geo ?? {}), ...(rules ?? []).map((r) => r.url)];
  const web = all.filter((one) => typeof one === 'string' && /^https?:/i.test(one)) as string[];
  return [...new Set(web.map(framingKey))];
}

/** What is shown in a frame once the changes are made. */
export function framingAfter(before: Framing, changes: Framing): Framing {
  const after = { ...before };
  for (const field of FIELDS) {
    if (changes[field] !== undefined) Object.assign(after, { [field]: changes[field] });
  }
  return after;
}
