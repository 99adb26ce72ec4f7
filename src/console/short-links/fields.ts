import type { Schemas } from '../api/client.ts';
import { countOf } from '../ui/count-of.ts';
import type { ControlRow } from '../ui/table-field.tsx';
import { fromLocal, toLocal } from '../ui/time.tsx';
import { type RuleDraft, ruleOf, ruleToBody } from './rule.ts';

/*
 * The fields that links and QR codes share, one row each: the form's value, the conversion from a
 * record and to the API, and the control. Fields without a control have their own part of the form.
 */

/** A record that has a short link. */
export type ShortLinkRecord = Schemas['Link'] | Schemas['QrCode'];

/** Titles of the form's sections that are built from the table. */
export const SECTIONS = {
  preview: 'Link preview',
  targets: 'Targets by device and country',
  schedule: 'Schedule and limits',
  access: 'Password and visibility',
  page: 'Page before the destination',
  redirect: 'Redirect and tracking',
  more: 'Comments and IDs',
} as const;

/** The place of a field in the form. */
interface FieldPlace {
  section: keyof typeof SECTIONS;
  /** True for a field that shares its row with another when there is room. */
  isHalf?: true;
  /** True for a field that only new records have. */
  isOnlyNew?: true;
}

/** A field whose control the section provides. */
interface OwnControl extends FieldPlace {
  input: 'own';
}

/** A field whose control follows from its row. */
interface RowControl extends FieldPlace, ControlRow {
  input: NonNullable<ControlRow['input']>;
  /** False for a text that browsers must not autofill. */
  isFilledIn?: false;
  /** Name of the switch in its error message; without it, only the section shows the error. */
  refusal?: string;
}

type FieldControl = OwnControl | RowControl;

interface Field<Value> {
  /** Value in the form of a new record. */
  empty: Value;
  /** Reads the form's value from a record; defaults to the record's field of the same name. */
  read?(record: ShortLinkRecord): Value;
  /**
   * Converts the form's value for a request body; by default an empty text becomes null and other
   * values stay unchanged.
   */
  write?(value: Value): unknown;
  control?: FieldControl & {
    /**
     * Formats the value for the section's summary, such as "expires Dec 24"; an unset value gives
     * an empty text.
     */
    summary?(value: Value): string;
  };
}

type ControlOf<Value> = Field<Value>['control'];

const field = <Value>(row: Field<Value>) => row;
const text = (control?: ControlOf<string>) =>
  field<string>({ empty: '', ...(control && { control }) });
const flag = (control?: ControlOf<boolean>, empty = false) =>
  field<boolean>({ empty, ...(control && { control }) });
/** Creates the row of a time, which the form shows in the browser's time zone. */
const time = (name: 'startsAt' | 'expiresAt' | 'testCompletedAt', control?: ControlOf<string>) =>
  field<string>({
    empty: '',
    read: (record) => toLocal(record[name]),
    write: fromLocal,
    ...(control && { control }),
  });

/** Creates the summary of a switch that is on. */
const whenOn = (words: string) => (value: boolean) => (value ? words : '');
/** Creates the summary of a text that is set. */
const whenSet = (words: string) => (value: string) => (value === '' ? '' : words);

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const dayAndYear = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** Formats the day of a local time, with the year if it is not the current one: "Dec 24". */
function dayOf(local: string): string {
  const at = new Date(local);
  if (Number.isNaN(at.getTime())) return '';
  return (at.getFullYear() === new Date().getFullYear() ? day : dayAndYear).format(at);
}

/** All shared fields; the fields of a section are in display order. */
export const FIELDS = {
  domain: text(),
  key: field<string>({ empty: '', write: (key) => key.trim() }),
  tagIds: field<string[]>({ empty: [], read: ({ tags }) => (tags ?? []).map(({ id }) => id) }),
  folderId: text(),
  proxy: flag({
    section: 'preview',
    label: 'Custom preview',
    hint: 'Shown when the link is shared. Off: the destination’s own preview.',
    input: 'switch',
    summary: whenOn('custom'),
  }),
  title: text(),
  description: text({ section: 'preview', label: 'Description', input: 'area', maxLength: 5000 }),
  image: text({ section: 'preview', label: 'Image URL', input: 'url' }),
  ios: text({
    section: 'targets',
    label: 'iOS',
    placeholder: 'https://apps.apple.com/…',
    input: 'url',
    isHalf: true,
    summary: whenSet('iOS'),
  }),
  android: text({
    section: 'targets',
    label: 'Android',
    placeholder: 'https://play.google.com/…',
    input: 'url',
    isHalf: true,
    summary: whenSet('Android'),
  }),
  geo: field<{ country: string; url: string }[]>({
    empty: [],
    read: ({ geo }) =>
      Object.entries(geo ?? {}).map(([country, url]) => ({ country, url: String(url) })),
    write: (rows) =>
      rows.length === 0 ? null : Object.fromEntries(rows.map(({ country, url }) => [country, url])),
    control: {
      section: 'targets',
      input: 'own',
      summary: (rows) => rows.map(({ country }) => country).join(', '),
    },
  }),
  rules: field<RuleDraft[]>({
    empty: [],
    read: ({ rules }) => ((rules ?? []) as unknown as Schemas['NewRule'][]).map(ruleOf),
    write: (rules) => (rules.length === 0 ? null : rules.map(ruleToBody)),
  }),
  testVariants: field<{ name: string; url: string; percentage: string }[]>({
    empty: [],
    read: ({ testVariants }) =>
      (testVariants ?? []).map((one) => ({ ...one, percentage: String(one.percentage) })),
    write: (variants) =>
      variants.length === 0
        ? null
        : variants.map((variant) => ({ ...variant, percentage: Number(variant.percentage) })),
  }),
  testCompletedAt: time('testCompletedAt'),
  startsAt: time('startsAt', {
    section: 'schedule',
    label: 'Starts at',
    input: 'time',
    isHalf: true,
    summary: (value) => (value === '' ? '' : `starts ${dayOf(value)}`),
  }),
  expiresAt: time('expiresAt', {
    section: 'schedule',
    label: 'Expires at',
    input: 'time',
    isHalf: true,
    summary: (value) => (value === '' ? '' : `expires ${dayOf(value)}`),
  }),
  maxVisits: field<string>({
    empty: '',
    read: ({ maxVisits }) => (maxVisits === null ? '' : String(maxVisits)),
    write: (value) => (value === '' ? null : Number(value)),
    control: {
      section: 'schedule',
      label: 'Click limit',
      hint: 'The link expires after this many clicks.',
      input: 'count',
      summary: (value) => (value === '' ? '' : `${value} clicks`),
    },
  }),
  expiredUrl: text({
    section: 'schedule',
    label: 'Destination after it expires',
    hint: 'Leave empty to use the domain’s setting.',
    input: 'url',
    summary: whenSet('then another URL'),
  }),
  password: text({
    section: 'access',
    label: 'Password',
    hint: 'Visitors enter it to reach the destination.',
    input: 'text',
    maxLength: 200,
    isFilledIn: false,
    summary: whenSet('password'),
  }),
  publicStats: flag({
    section: 'access',
    label: 'Public statistics',
    input: 'switch',
    summary: whenOn('public statistics'),
  }),
  doIndex: flag({
    section: 'access',
    label: 'Allow search engines to index the link',
    input: 'switch',
    summary: whenOn('in search engines'),
  }),
  preRedirection: flag({
    section: 'page',
    label: 'Show a page first',
    input: 'switch',
    summary: whenOn('shown first'),
  }),
  pageId: text({ section: 'page', input: 'own' }),
  pageUrl: text({
    section: 'page',
    label: 'URL of a page on your site',
    hint: 'We add the parameter “continue”. Your page sends visitors on to its value.',
    input: 'url',
  }),
  isFormMandatory: flag({ section: 'page', label: 'Require the page’s form', input: 'switch' }),
  trackConversion: flag({
    section: 'redirect',
    label: 'Track conversions',
    hint: 'Adds the ID of the click to the destination URL so you can attribute leads and sales.',
    input: 'switch',
    summary: whenOn('conversions'),
  }),
  trackEvents: flag(
    {
      section: 'redirect',
      label: 'Store visits for analytics',
      hint: 'If this is off, visits are only counted: no locations, devices, sources or visitors are stored.',
      input: 'switch',
      summary: (value) => (value ? '' : 'counts only'),
    },
    true,
  ),
  flexible: flag({
    section: 'redirect',
    label: 'Forward the path',
    hint: '/slug/more goes to the destination with /more added.',
    input: 'switch',
    summary: whenOn('passes the path'),
  }),
  forwardQuery: flag(
    {
      section: 'redirect',
      label: 'Forward query parameters',
      hint: '/slug?a=1 goes to the destination with a=1 added.',
      input: 'switch',
      summary: (value) => (value ? '' : 'drops the query'),
    },
    true,
  ),
  queryConflict: text({
    section: 'redirect',
    label: 'Parameters with the same name',
    hint: 'If the short link is opened with a parameter that the destination has too.',
    input: 'select',
    options: [
      ['', 'As in the workspace’s settings'],
      ['visitor', 'Replace the destination’s'],
      ['owner', 'Keep the destination’s'],
    ],
    summary: (value) => (value === 'owner' ? 'keeps its parameters' : ''),
  }),
  rewrite: flag({
    section: 'redirect',
    label: 'Cloak the destination',
    hint: 'Shows the page in a frame under your short link. Some sites don’t allow it.',
    input: 'switch',
    refusal: 'Cloaking',
    summary: whenOn('in a frame'),
  }),
  redirectStatus: field<string>({
    empty: '302',
    read: ({ redirectStatus }) => String(redirectStatus),
    write: Number,
    control: {
      section: 'redirect',
      label: 'Redirect status',
      input: 'select',
      options: [
        ['301', '301, permanent'],
        ['302', '302, temporary'],
        ['307', '307, temporary, same method'],
        ['308', '308, permanent, same method'],
      ],
      summary: (value) => (value === '302' ? '' : value),
    },
  }),
  webhookIds: field<string[]>({
    empty: [],
    control: {
      section: 'redirect',
      input: 'own',
      summary: ({ length }) => (length === 0 ? '' : countOf(length, 'webhook')),
    },
  }),
  comments: text({
    section: 'more',
    label: 'Comments',
    hint: 'Only your team sees them.',
    input: 'area',
    maxLength: 10_000,
    summary: whenSet('comments'),
  }),
  externalId: text({
    section: 'more',
    label: 'External ID',
    hint: 'The link’s ID in your system.',
    input: 'text',
    maxLength: 255,
    summary: (value) => (value === '' ? '' : `ID ${value}`),
  }),
  notificationToken: text({
    section: 'more',
    label: 'Notification token',
    hint: 'Any text. The API returns it unchanged.',
    input: 'text',
    maxLength: 1000,
    summary: whenSet('notification token'),
  }),
  prefix: text({
    section: 'more',
    label: 'Prefix for a random slug',
    hint: 'Used when you leave the slug empty.',
    input: 'text',
    isOnlyNew: true,
    summary: (value) => (value === '' ? '' : `prefix ${value}`),
  }),
  archived: flag({
    section: 'more',
    label: 'Archived',
    hint: 'Hidden from lists. The link keeps working.',
    input: 'switch',
    summary: whenOn('archived'),
  }),
  // A name that the types do not know: `npm run docs`, then `npm run check`, which write them.
} satisfies Partial<Record<keyof Schemas['NewLink'] & keyof Schemas['NewQrCode'], unknown>>;

/** The shared fields in a form: texts are never null, and times are in the browser's time zone. */
export type ShortLinkDraft = {
  [Name in keyof typeof FIELDS]: (typeof FIELDS)[Name]['empty'];
};

/** A row of the table as seen by code for all fields. */
interface AnyField {
  name: keyof ShortLinkDraft;
  empty: unknown;
  read?(record: ShortLinkRecord): unknown;
  write?(value: unknown): unknown;
  control?: FieldControl & { summary?(value: unknown): string };
}

/** All rows of the table with their names. */
export const ALL_FIELDS = Object.entries(FIELDS).map(([name, row]) => ({
  name,
  ...row,
})) as unknown as readonly AnyField[];
