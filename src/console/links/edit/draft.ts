import type { Schemas } from '../../api/client.ts';
import type { Link } from '../question.ts';
import { fromLocal, toLocal } from '../time.ts';
import { type RuleDraft, ruleOf, ruleToBody } from './rule.ts';

/** A link as the form holds it: texts are never null, times are in the zone of the browser. */
export interface Draft {
  url: string;
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
  video: string;
  ios: string;
  android: string;
  geo: { country: string; url: string }[];
  rules: RuleDraft[];
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

/** A new link. */
export const EMPTY: Draft = {
  url: '',
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
  video: '',
  ios: '',
  android: '',
  geo: [],
  rules: [],
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

/** The form of a link that exists. */
export function draftOf(link: Link): Draft {
  const same = Object.keys(EMPTY).map((name) => [
    name,
    link[name as keyof Link] ?? EMPTY[name as keyof Draft],
  ]);
  return {
    ...(Object.fromEntries(same) as Draft),
    tagIds: (link.tags ?? []).map(({ id }) => id),
    geo: Object.entries(link.geo ?? {}).map(([country, url]) => ({ country, url: String(url) })),
    rules: ((link.rules ?? []) as unknown as Schemas['NewRule'][]).map(ruleOf),
    startsAt: toLocal(link.startsAt),
    expiresAt: toLocal(link.expiresAt),
    maxVisits: link.maxVisits === null ? '' : String(link.maxVisits),
    redirectStatus: String(link.redirectStatus),
  };
}

/** Fields whose value in the API is not the text or boolean of the form. */
const CONVERTED: { [Name in keyof Draft]?: (draft: Draft) => unknown } = {
  geo: ({ geo }) =>
    geo.length === 0 ? null : Object.fromEntries(geo.map(({ country, url }) => [country, url])),
  rules: ({ rules }) => (rules.length === 0 ? null : rules.map(ruleToBody)),
  startsAt: ({ startsAt }) => fromLocal(startsAt),
  expiresAt: ({ expiresAt }) => fromLocal(expiresAt),
  maxVisits: ({ maxVisits }) => (maxVisits === '' ? null : Number(maxVisits)),
  redirectStatus: ({ redirectStatus }) => Number(redirectStatus),
};

/** The fields of the form that differ from those before, as the API takes them. */
export function changesOf(draft: Draft, before: Draft): Partial<Schemas['NewLink']> {
  const names = Object.keys(EMPTY) as (keyof Draft)[];
  const changed = names.filter(
    (name) => JSON.stringify(draft[name]) !== JSON.stringify(before[name]),
  );
  const body = changed.map((name) => {
    const convert = CONVERTED[name];
    const value = convert === undefined ? draft[name] : convert(draft);
    return [name, value === '' ? null : value];
  });
  return Object.fromEntries(body) as Partial<Schemas['NewLink']>;
}
