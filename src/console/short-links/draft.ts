import type { Schemas } from '../api/client.ts';
import { fromLocal, toLocal } from '../ui/time.tsx';
import { type RuleDraft, ruleOf, ruleToBody } from './rule.ts';

/** A record that has a short link. */
export type ShortLinkRecord = Schemas['Link'] | Schemas['QrCode'];

/** The fields that links and QR codes share as a form holds them: texts are never null, times are in the zone of the browser. */
export interface ShortLinkDraft {
  domain: string;
  key: string;
  prefix: string;
  tagIds: string[];
  folderId: string;
  comments: string;
  externalId: string;
  notificationToken: string;
  archived: boolean;
  proxy: boolean;
  title: string;
  description: string;
  image: string;
  ios: string;
  android: string;
  geo: { country: string; url: string }[];
  rules: RuleDraft[];
  testVariants: { name: string; url: string; percentage: string }[];
  testCompletedAt: string;
  startsAt: string;
  expiresAt: string;
  expiredUrl: string;
  maxVisits: string;
  password: string;
  publicStats: boolean;
  doIndex: boolean;
  preRedirection: boolean;
  pageId: string;
  pageUrl: string;
  isFormMandatory: boolean;
  trackConversion: boolean;
  flexible: boolean;
  forwardQuery: boolean;
  redirectStatus: string;
  rewrite: boolean;
  webhookIds: string[];
}

/** A new record. */
export const EMPTY: ShortLinkDraft = {
  domain: '',
  key: '',
  prefix: '',
  tagIds: [],
  folderId: '',
  comments: '',
  externalId: '',
  notificationToken: '',
  archived: false,
  proxy: false,
  title: '',
  description: '',
  image: '',
  ios: '',
  android: '',
  geo: [],
  rules: [],
  testVariants: [],
  testCompletedAt: '',
  startsAt: '',
  expiresAt: '',
  expiredUrl: '',
  maxVisits: '',
  password: '',
  publicStats: false,
  doIndex: false,
  preRedirection: false,
  pageId: '',
  pageUrl: '',
  isFormMandatory: false,
  trackConversion: false,
  flexible: false,
  forwardQuery: true,
  redirectStatus: '302',
  rewrite: false,
  webhookIds: [],
};

/** The form of a record that exists. */
export function draftOf(record: ShortLinkRecord): ShortLinkDraft {
  const same = Object.keys(EMPTY).map((name) => [
    name,
    record[name as keyof ShortLinkRecord] ?? EMPTY[name as keyof ShortLinkDraft],
  ]);
  return {
    ...(Object.fromEntries(same) as ShortLinkDraft),
    tagIds: (record.tags ?? []).map(({ id }) => id),
    geo: Object.entries(record.geo ?? {}).map(([country, url]) => ({ country, url: String(url) })),
    rules: ((record.rules ?? []) as unknown as Schemas['NewRule'][]).map(ruleOf),
    testVariants: (record.testVariants ?? []).map(({ name, url, percentage }) => ({
      name,
      url,
      percentage: String(percentage),
    })),
    testCompletedAt: toLocal(record.testCompletedAt),
    startsAt: toLocal(record.startsAt),
    expiresAt: toLocal(record.expiresAt),
    maxVisits: record.maxVisits === null ? '' : String(record.maxVisits),
    redirectStatus: String(record.redirectStatus),
  };
}

/** Fields whose value in the API is not the text or boolean of the form. */
const CONVERTED: Partial<Record<string, (draft: ShortLinkDraft) => unknown>> = {
  key: ({ key }) => key.trim(),
  geo: ({ geo }) =>
    geo.length === 0 ? null : Object.fromEntries(geo.map(({ country, url }) => [country, url])),
  rules: ({ rules }) => (rules.length === 0 ? null : rules.map(ruleToBody)),
  testVariants: ({ testVariants }) =>
    testVariants.length === 0
      ? null
      : testVariants.map((variant) => ({ ...variant, percentage: Number(variant.percentage) })),
  testCompletedAt: ({ testCompletedAt }) => fromLocal(testCompletedAt),
  startsAt: ({ startsAt }) => fromLocal(startsAt),
  expiresAt: ({ expiresAt }) => fromLocal(expiresAt),
  maxVisits: ({ maxVisits }) => (maxVisits === '' ? null : Number(maxVisits)),
  redirectStatus: ({ redirectStatus }) => Number(redirectStatus),
};

/**
 * The fields of a form that differ from those before, as the API takes them; an empty text is null.
 *
 * @param draft may have further fields, whose values the API takes as they are
 */
export function changesOf<Draft extends ShortLinkDraft>(
  draft: Draft,
  before: Draft,
): Partial<Record<keyof Draft, unknown>> {
  const names = Object.keys(before) as (keyof Draft & string)[];
  const changed = names.filter(
    (name) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]),
  );
  const body = changed.map((name) => {
    const convert = CONVERTED[name];
    const value = convert === undefined ? draft[name] : convert(draft);
    return [name, value === '' ? null : value];
  });
  return Object.fromEntries(body) as Partial<Record<keyof Draft, unknown>>;
}
