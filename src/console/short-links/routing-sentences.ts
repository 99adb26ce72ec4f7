/*
 * Describes in sentences how a link or QR code treats its visitors. This file imports nothing of
 * the console, so that tests of units can import it.
 */

/** Conditions of a rule, as in a record. */
export interface RuleConditions {
  country?: readonly string[];
  city?: readonly string[];
  device?: readonly string[];
  os?: readonly string[];
  browser?: readonly string[];
  language?: readonly string[];
  query?: Readonly<Record<string, true | string | readonly string[]>>;
  time?: { from: string; to: string; days?: readonly string[]; timezone?: string };
  from?: string;
  until?: string;
}

/** A rule of a record. */
export interface Rule {
  /** Conditions, or a text that any trait of the visitor equals. */
  value: string | RuleConditions;
  url: string;
}

/** The fields of a record that decide what visitors get. */
export interface Routed {
  startsAt: string | null;
  expiresAt: string | null;
  expiredUrl: string | null;
  maxVisits: number | null;
  hasPassword: boolean;
  rules: readonly Rule[] | null;
  ios: string | null;
  android: string | null;
  geo: Readonly<Record<string, string>> | null;
  testVariants: readonly { name: string; url: string; percentage: number }[] | null;
  testCompletedAt: string | null;
  testWinner: string | null;
  preRedirection: boolean;
  pageUrl: string | null;
  isFormMandatory: boolean;
  proxy: boolean;
  flexible: boolean;
  forwardQuery: boolean;
  queryConflict: string | null;
  rewrite: boolean;
  redirectStatus: number;
  trackConversion: boolean;
  trackEvents: boolean;
  webhookIds: readonly string[] | null;
  publicStats: boolean;
  doIndex: boolean;
  archived: boolean;
}

/** Names of values for people. */
export interface RoutingNames {
  /** ISO 3166-1 alpha-2 code → name. */
  country(code: string): string;
  device(type: string): string;
  /** BCP 47 tag → name. */
  language(tag: string): string;
  /** Title of the page before the destination; `undefined` if it is unknown. */
  page: string | undefined;
  /** Formats a number of visits: "2 clicks", "1 scan". */
  visitsInWords(count: number): string;
  /** Present time in ms since 1970. */
  now: number;
}

const moment = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
});

/** Formats an ISO 8601 time in the browser's time zone: "Dec 24, 2026, 18:00". */
export const formatMoment = (at: string): string => moment.format(new Date(at));

/** Joins alternatives: "a, b or c". */
export function either(values: readonly string[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

/** Joins requirements: "a, b and c". */
function both(values: readonly string[]): string {
  if (values.length < 2) return values.join('');
  return `${values.slice(0, -1).join(', ')} and ${values.at(-1)}`;
}

/** Names of the days of the week, in order. */
export const DAYS: Readonly<Record<string, string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};

function queryText(query: NonNullable<RuleConditions['query']>): string {
  const parameters = Object.entries(query).map(([name, wanted]) =>
    wanted === true ? name : either([wanted].flat().map((value) => `${name}=${value}`)),
  );
  return `with ${both(parameters)} in the short link`;
}

function timeText({ from, to, days, timezone }: NonNullable<RuleConditions['time']>): string {
  const on = days === undefined ? '' : ` on ${either(days.map((day) => DAYS[day] ?? day))}`;
  return `from ${from} to ${to}${on}${timezone === undefined ? '' : ` (${timezone})`}`;
}

/** Formats the conditions of a rule in the order in which a sentence reads best. */
function conditionsText(value: RuleConditions, names: RoutingNames): string {
  const { country, city, device, os, browser, language, query, time, from, until } = value;
  const parts = [
    city && `in ${either(city)}`,
    country && `in ${either(country.map(names.country))}`,
    device && `on ${either(device.map(names.device))}`,
    os && `on ${either(os)}`,
    browser && `with ${either(browser)}`,
    language && `who prefer ${either(language.map(names.language))}`,
    query && queryText(query),
    time && timeText(time),
    from !== undefined && `from ${formatMoment(from)}`,
    until !== undefined && `until ${formatMoment(until)}`,
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

/** Describes a rule: "Visitors in Austria, on iOS go to https://…". */
export function ruleSentence({ value, url }: Rule, names: RoutingNames): string {
  if (typeof value === 'string') {
    return `Visitors whose country, city, device, system, browser or language is ${value} go to ${url}`;
  }
  return `Visitors ${conditionsText(value, names)} go to ${url}`;
}

/** Describes an A/B test by its variants: "Short 60% (https://…)". */
const variantText = ({
  name,
  url,
  percentage,
}: NonNullable<Routed['testVariants']>[number]): string => `${percentage}% to ${name} (${url})`;

function scheduleSentences(
  record: Routed,
  { visitsInWords, now }: RoutingNames,
): (string | false)[] {
  const { startsAt, expiresAt, expiredUrl, maxVisits } = record;
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now;
  return [
    startsAt !== null &&
      `${Date.parse(startsAt) <= now ? 'Has worked since' : 'Starts to work on'} ${formatMoment(startsAt)}`,
    expiresAt !== null && `${isOver ? 'Expired' : 'Expires'} on ${formatMoment(expiresAt)}`,
    maxVisits !== null && `Expires after ${visitsInWords(maxVisits)}`,
    expiredUrl !== null && `Once it has expired, visitors go to ${expiredUrl}`,
  ];
}

function testSentences(
  { testVariants, testCompletedAt, testWinner }: Routed,
  { now }: RoutingNames,
): (string | false)[] {
  if (testVariants === null) return [];
  if (testWinner !== null) return [`The A/B test is over: ${testWinner} won`];
  const isOver = testCompletedAt !== null && Date.parse(testCompletedAt) <= now;
  if (isOver) return [`The A/B test ended on ${formatMoment(testCompletedAt)} without a winner`];
  return [
    `An A/B test divides the other visitors: ${testVariants.map(variantText).join(', ')}`,
    testCompletedAt !== null && `The A/B test ends on ${formatMoment(testCompletedAt)}`,
  ];
}

function pageSentence(
  { preRedirection, pageUrl, isFormMandatory }: Routed,
  page: string | undefined,
): string | false {
  if (!preRedirection) return false;
  const name = pageUrl ?? (page === undefined ? 'a page' : `the page “${page}”`);
  const form = isFormMandatory ? ', and must fill in its form' : '';
  return `Visitors first see ${name}${form}`;
}

/**
 * Describes each setting of a record that differs from a plain redirect, one sentence each, in the
 * order in which a visitor meets them.
 */
export function routingSentences(record: Routed, names: RoutingNames): string[] {
  const { rules, ios, android, geo, webhookIds, redirectStatus } = record;
  const hooks = webhookIds?.length ?? 0;
  const sentences = [
    ...scheduleSentences(record, names),
    record.hasPassword && 'Visitors must enter a password',
    pageSentence(record, names.page),
    ...(rules ?? []).map((rule) => ruleSentence(rule, names)),
    ios !== null && `Visitors on iOS go to ${ios}`,
    android !== null && `Visitors on Android go to ${android}`,
    ...Object.entries(geo ?? {}).map(
      ([code, url]) => `Visitors in ${names.country(code)} go to ${url}`,
    ),
    ...testSentences(record, names),
    record.flexible && 'A path after the slug is added to the destination',
    !record.forwardQuery && 'Query parameters of the short link are dropped',
    record.queryConflict === 'owner' && 'The destination’s own query parameters take precedence',
    record.rewrite && 'The destination is shown in a frame under the short link',
    redirectStatus !== 302 && `Redirects have the status ${redirectStatus}`,
    record.proxy && 'Messengers and networks show a custom preview',
    record.trackConversion && 'Leads and sales are attributed to visits',
    !record.trackEvents && 'Visits are only counted: analytics has no details of them',
    hooks > 0 &&
      (hooks === 1
        ? 'A webhook is told of each visit'
        : `${hooks} webhooks are told of each visit`),
    record.publicStats && 'Anyone with the link can see its statistics',
    record.doIndex && 'Search engines may index it',
    record.archived && 'It is archived: lists hide it, and it works as before',
  ];
  return sentences.filter((one) => one !== false).map((one) => `${one}.`);
}
