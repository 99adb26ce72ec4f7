import type { UtmField } from '../events/utm.ts';
import { domainField } from '../http/domain-name.ts';
import {
  bodyFlag,
  dateTime,
  externalIdText,
  flag,
  futureDateTime,
  id,
  Joi,
  list,
  nameText,
  nullable,
  nullableText,
  nullableTime,
  oneOf,
  requiredText,
  requiredTime,
} from '../http/fields.ts';
import type { QueryConflict } from '../lookup/entry.ts';
import { COUNTRY_CODES } from '../visitors/countries.ts';
import { type BodyOf, type ColumnsOf, type FieldTable, type RecordOf } from './field.ts';
import { keyField } from './key.ts';
import { rulesField } from './routing-rules.ts';
import { testVariantsField, testVariantsRecord } from './test-variants.ts';
import { destination, webAddress } from './url-field.ts';

/** Destinations by country. */
export const geoField = () =>
  Joi.object<Record<string, string>>()
    .pattern(oneOf(COUNTRY_CODES).meta({ name: 'CountryCode' }), destination())
    .allow(null);

/** Maximum number of tags on a record. */
export const MAX_TAGS = 50;

const count = Joi.number().required();

/* Beginnings of rows, by the type of their values. */
const boolean = { in: bodyFlag(), out: flag().required(), default: false } as const;
const text = (max: number) => ({ in: nullableText(max), out: nullable, default: null }) as const;
const url = { in: destination().allow(null), out: nullable, default: null } as const;

const utm = <const Name extends UtmField>(column: Name, csv: number, example: string) =>
  ({
    column,
    out: nullable,
    default: null,
    csv,
    description: `The parameter \`${column}\` of the destination’s query.`,
    example,
  }) as const;

/**
 * The fields that links and QR codes share, in the order of their records. To add one, add its row
 * here and its column in a migration.
 */
export const fields = {
  id: {
    column: 'id',
    out: requiredText,
    csv: 1,
    description: 'Unique id.',
    example: 'link_0VKAM3TWq8Zr5XnYb2VdLcHs',
  },
  domain: {
    column: 'domain_id',
    in: domainField(),
    out: requiredText,
    read: ({ domain }) => domain,
    isSingular: true,
    isPrinted: true,
    csv: 2,
    description:
      'Domain of the short link. Without one, a new record is on the workspace’s primary domain, ' +
      'or on the default short domain. A QR code’s domain cannot be changed.',
    example: 'go.example.com',
  },
  key: {
    column: 'key',
    in: keyField(),
    out: requiredText,
    isSingular: true,
    isPrinted: true,
    csv: 3,
    description:
      "Slug, up to 190 characters: letters, digits, emoji and `-._~!$&'()*+,;=:@/`, without `+` " +
      'at its end. A new record without one gets 7 random characters. A link’s slug can end in ' +
      '`/*`: it then matches every path below that no other link has. A QR code’s slug cannot be ' +
      'changed.',
    example: 'spring',
  },
  archived: {
    column: 'archived',
    ...boolean,
    csv: 10,
    description:
      'Lists leave the record out unless they include archived ones. Visits continue as before.',
    example: false,
  },
  expiresAt: {
    column: 'expires_at',
    in: futureDateTime().allow(null),
    out: nullableTime,
    default: null,
    isTime: true,
    csv: 11,
    description:
      'Time from which visitors get `expiredUrl` instead of the destination (ISO 8601, UTC without a zone). It must ' +
      'be in the future when it is set.',
    example: '2030-12-31T23:00:00.000Z',
  },
  expiredUrl: {
    column: 'expired_url',
    ...url,
    csv: 12,
    description:
      'URL that visitors are redirected to after `expiresAt` or `maxVisits`. Default: the URL of ' +
      'the domain, or a page that says so.',
    example: 'https://example.com/over',
  },
  trackConversion: {
    column: 'track_conversion',
    ...boolean,
    description:
      'Whether the id of the click is passed to the destination under the name of ' +
      '`clickIdParameter` of the workspace (`click_id`) and stored in a cookie for 90 days, so that leads and sales can be attributed to it.',
    example: true,
  },
  trackEvents: {
    column: 'track_events',
    ...boolean,
    default: true,
    extension: 'both',
    csv: 40,
    description:
      'Whether visits are stored as events. false: visits only add to the count of the record; they are in no ' +
      'analytics, have no visitors, webhooks and `click_id`, and leads cannot be attributed to them.',
    example: true,
  },
  flexible: {
    column: 'flexible',
    ...boolean,
    description:
      'Whether a path after the key is passed on: `/key/more` redirects to the destination with ' +
      '`/more` added.',
    example: false,
  },
  doIndex: {
    column: 'do_index',
    ...boolean,
    description: 'Whether search engines can index the short link.',
    example: false,
  },
  // Sealed by the API, since jobs are plain text in Redis.
  password: {
    column: 'password',
    ...text(200),
    description:
      'Password that visitors must enter, up to 200 characters. Callers without the scope to write the record read null.',
    example: 'open sesame',
  },
  hasPassword: {
    out: flag().required(),
    read: (_, row) => row['password'] !== null,
    extension: 'out',
    description: 'Whether visitors must enter a password.',
    example: true,
  },
  externalId: {
    column: 'external_id',
    in: externalIdText(255).allow(null),
    out: nullable,
    default: null,
    isSingular: true,
    csv: 9,
    description:
      'Id of the record in your system, up to 255 characters: unique among the workspace’s ' +
      'records of the kind, without commas, and not beginning with `ext_`, its prefix in paths ' +
      'and queries.',
    example: '123456',
  },
  proxy: {
    column: 'proxy',
    ...boolean,
    description:
      'Whether crawlers of link previews get a card with `title`, `description` and `image`. If ' +
      '`title` is null, the card has the destination’s metadata.',
    example: true,
  },
  title: {
    column: 'title',
    ...text(1_000),
    csv: 6,
    description: 'Title of the link preview, up to 1,000 characters.',
    example: 'Spring sale',
  },
  description: {
    column: 'description',
    ...text(5_000),
    csv: 7,
    description: 'Text of the link preview, up to 5,000 characters.',
    example: 'Everything for the garden, 20% off',
  },
  image: {
    column: 'image',
    in: webAddress().allow(null),
    out: nullable,
    default: null,
    csv: 8,
    description: 'URL of the image of the link preview (http or https).',
    example: 'https://example.com/spring.png',
  },
  rewrite: {
    column: 'rewrite',
    ...boolean,
    description:
      'Whether the destination is shown in a frame under the short link, if it allows that.',
    example: false,
  },
  ios: {
    column: 'ios',
    ...url,
    csv: 18,
    description: 'Destination URL for visitors with iOS.',
    example: 'https://apps.apple.com/app/id1234567890',
  },
  android: {
    column: 'android',
    ...url,
    csv: 19,
    description: 'Destination URL for visitors with Android.',
    example: 'https://play.google.com/store/apps/details?id=com.example',
  },
  geo: {
    column: 'geo',
    in: geoField(),
    out: Joi.object().unknown().allow(null).required(),
    default: null,
    csv: 20,
    description: 'Destination URLs by country code (ISO 3166-1 alpha-2, or XK).',
    example: { DE: 'https://example.com/de', AT: 'https://example.com/at' },
  },
  publicStats: {
    column: 'public_stats',
    ...boolean,
    description: 'Whether anyone can see the statistics of the short link.',
    example: false,
  },
  tagId: {
    in: id().allow(null),
    out: nullable,
    read: ({ tags }) => tags[0]?.id ?? null,
    default: null,
    description: 'Deprecated: use `tagIds` in bodies and `tags` in records. Id of the first tag.',
    example: 'tag_0VKAM3TWq8Zr5XnYb2VdLcHs',
  },
  tags: {
    out: Joi.array()
      .items(
        Joi.object({
          id: requiredText.description('Id of the tag.'),
          name: requiredText.description('Name of the tag.'),
        }).meta({ name: 'TagReference' }),
      )
      .allow(null)
      .required(),
    read: ({ tags }) => tags,
    csv: 15,
    description: 'Tags, in the order in which they were assigned.',
    example: [{ id: 'tag_0VKAM3TWq8Zr5XnYb2VdLcHs', name: 'spring' }],
  },
  folderId: {
    column: 'folder_id',
    in: id().allow(null),
    out: nullable,
    default: null,
    csv: 16,
    description: 'Id of the folder that the record is in.',
    example: 'fold_0VKAM3TWq8Zr5XnYb2VdLcHs',
  },
  comments: {
    column: 'comments',
    ...text(10_000),
    csv: 17,
    description: 'Notes for your team, up to 10,000 characters; visitors don’t see them.',
    example: 'Printed on the flyers of April',
  },
  notificationToken: {
    column: 'notification_token',
    ...text(1_000),
    extension: 'in',
    description: 'Custom text, up to 1,000 characters, returned unchanged.',
    example: 'team-garden',
  },
  webhookIds: {
    column: 'webhook_ids',
    in: list(id()).max(50).allow(null),
    out: Joi.array().items(Joi.string()).allow(null),
    default: null,
    extension: 'out',
    description: 'Ids of up to 50 webhooks that receive an event for each visit of this record.',
    example: ['wh_0VKAM3TWq8Zr5XnYb2VdLcHs'],
  },
  utm_source: utm('utm_source', 22, 'newsletter'),
  utm_medium: utm('utm_medium', 23, 'email'),
  utm_campaign: utm('utm_campaign', 24, 'spring'),
  utm_term: utm('utm_term', 25, 'garden'),
  utm_content: utm('utm_content', 26, 'footer'),
  userId: {
    column: 'user_id',
    out: requiredText,
    description: 'Id of the user whose key created the record.',
    example: 'user_0VKAM3TWq8Zr5XnYb2VdLcHs',
  },
  projectId: {
    column: 'project_id',
    out: requiredText,
    description: 'Id of the workspace.',
    example: 'proj_0VKAM3TWq8Zr5XnYb2VdLcHs',
  },
  leads: {
    out: count,
    read: ({ counters }) => counters.leads,
    csv: 28,
    description: 'Leads attributed to the record.',
    example: 3,
  },
  sales: {
    out: count,
    read: ({ counters }) => counters.sales,
    csv: 29,
    description: 'Sales attributed to the record.',
    example: 1,
  },
  saleAmount: {
    out: count,
    read: ({ counters }) => counters.saleAmountCents,
    csv: 30,
    description: 'Amount of these sales less refunds, in cents of US dollars.',
    example: 4_900,
  },
  refundAmount: {
    out: count,
    read: ({ counters }) => counters.refundAmountCents,
    csv: 41,
    extension: 'out',
    description: 'Amount of the refunds of these sales, in cents of US dollars.',
    example: 0,
  },
  lastClicked: {
    out: nullableTime,
    read: ({ counters }) => counters.lastVisitAt?.toISOString() ?? null,
    csv: 31,
    description: 'Time of the last visit (ISO 8601, UTC).',
    example: '2026-04-02T09:15:00.000Z',
  },
  createdAt: {
    column: 'created_at',
    out: requiredTime,
    isTime: true,
    csv: 32,
    description: 'Time at which the record was created (ISO 8601, UTC).',
    example: '2026-04-01T08:00:00.000Z',
  },
  updatedAt: {
    column: 'updated_at',
    out: requiredTime,
    isTime: true,
    csv: 33,
    description: 'Time of the last change (ISO 8601, UTC).',
    example: '2026-04-01T08:00:00.000Z',
  },
  preRedirection: {
    column: 'pre_redirection',
    ...boolean,
    description: 'Whether visitors get the page of `pageId` or `pageUrl` before the destination.',
    example: false,
  },
  isFormMandatory: {
    column: 'is_form_mandatory',
    ...boolean,
    description:
      'Whether the page before the destination continues only after its form has been filled in.',
    example: false,
  },
  filled: {
    column: 'filled',
    out: flag().required(),
    default: false,
    description: 'Whether a visitor has filled in the form of the page before the destination.',
    example: false,
  },
  pageId: {
    column: 'page_id',
    in: id().allow(null),
    out: Joi.string().allow(null),
    default: null,
    description: 'Id of the page that is shown before the destination.',
    example: 'page_0VKAM3TWq8Zr5XnYb2VdLcHs',
  },
  pageUrl: {
    column: 'page_url',
    in: webAddress().allow(null),
    out: Joi.string().allow(null),
    default: null,
    description:
      'URL of a custom page before the destination (http or https); it gets the parameter ' +
      '`continue`, a URL that continues to the destination.',
    example: 'https://example.com/before',
  },
  startsAt: {
    column: 'starts_at',
    in: dateTime().allow(null),
    out: nullableTime,
    default: null,
    isTime: true,
    extension: 'both',
    csv: 13,
    description:
      'Time from which visitors are redirected to the destination (ISO 8601, UTC without a zone). It must be before ' +
      '`expiresAt`.',
    example: '2030-03-01T08:00:00.000Z',
  },
  maxVisits: {
    column: 'max_visits',
    in: Joi.number().integer().strict().min(1).max(1_000_000_000).allow(null),
    out: Joi.number().integer().allow(null).required(),
    default: null,
    extension: 'both',
    csv: 14,
    description: 'Number of counted visits after which the record expires.',
    example: 1_000,
  },
  redirectStatus: {
    column: 'redirect_status',
    in: Joi.number<301 | 302 | 307 | 308>().strict().valid(301, 302, 307, 308),
    out: Joi.number().valid(301, 302, 307, 308).required(),
    default: 302,
    extension: 'both',
    description: 'HTTP status of the redirect.',
    example: 302,
  },
  forwardQuery: {
    column: 'forward_query',
    ...boolean,
    default: true,
    extension: 'both',
    description: 'Whether the query of the visited short link is added to the destination.',
    example: true,
  },
  queryConflict: {
    column: 'query_conflict',
    in: Joi.string<QueryConflict>().valid('visitor', 'owner').allow(null),
    out: Joi.string<QueryConflict>().valid('visitor', 'owner').allow(null).required(),
    default: null,
    extension: 'both',
    csv: 39,
    description:
      'Whose parameter stays if the query of the visit and the destination have one of the same ' +
      'name: the `visitor`’s, or the one that the `owner` put into the destination. `null`: the ' +
      'workspace’s setting.',
    example: 'owner',
  },
  rules: {
    column: 'rules',
    in: rulesField(),
    out: Joi.array().items(Joi.object().unknown()).allow(null).required(),
    default: null,
    extension: 'out',
    csv: 21,
    description:
      'Routing rules; the first one that matches the visitor decides the destination. `value` ' +
      'has conditions that must all match, or is a text that equals the visitor’s country, ' +
      'city, device, operating system, browser or language.',
    example: [{ value: { country: ['DE'], device: ['mobile'] }, url: 'https://example.com/de' }],
  },
  testVariants: {
    column: 'test_variants',
    in: testVariantsField(),
    out: testVariantsRecord(),
    default: null,
    extension: 'both',
    csv: 35,
    description:
      'A/B test: 2 to 10 destinations that share visitors by `percentage`. A visitor stays with ' +
      'their variant. `rules`, `ios`, `android` and `geo` come first; while the test runs, ' +
      '`url` gets no visitors. Setting other variants starts a new test.',
    example: [
      { name: 'A', url: 'https://example.com/long', percentage: 50 },
      { name: 'B', url: 'https://example.com/short', percentage: 50 },
    ],
  },
  testStartedAt: {
    column: 'test_started_at',
    out: nullableTime,
    default: null,
    isTime: true,
    extension: 'out',
    csv: 36,
    description: 'Time at which the current `testVariants` were set (ISO 8601, UTC).',
    example: '2026-04-01T08:00:00.000Z',
  },
  testCompletedAt: {
    column: 'test_completed_at',
    in: dateTime().allow(null),
    out: nullableTime,
    default: null,
    isTime: true,
    extension: 'both',
    csv: 37,
    description:
      'Time at which the test ends; all visitors then get `url` (ISO 8601, UTC without a zone). ' +
      'Choosing a winner sets it.',
    example: '2030-05-01T08:00:00.000Z',
  },
  testWinner: {
    column: 'test_winner',
    ...text(50),
    extension: 'both',
    csv: 38,
    description:
      'Name of the winning variant. Setting it ends the test, and sets `url` to the variant’s ' +
      'destination.',
    example: 'B',
  },
  tagIds: {
    in: list(id()).max(MAX_TAGS),
    description: 'Ids of up to 50 tags, which replace the previous ones: an array or `a,b`.',
    example: ['tag_0VKAM3TWq8Zr5XnYb2VdLcHs'],
  },
  tagNames: {
    in: list(nameText(190)).max(MAX_TAGS),
    description: 'Names of up to 50 tags, case-insensitive: an array or `a,b`.',
    example: ['spring'],
  },
} as const satisfies FieldTable;

/** The shared fields in a request body. */
export type SharedBody = BodyOf<typeof fields>;

/** The shared columns of a row. */
export type SharedColumns = ColumnsOf<typeof fields>;

/** The shared members of a public record. */
export type SharedRecord = RecordOf<typeof fields>;

/** The fields of a request body that name tags. */
export type TagFields = Pick<SharedBody, 'tagId' | 'tagIds' | 'tagNames'>;

/**
 * Tags that a caller chose, in the order sent. They replace the record's tags unless `removed` is
 * set.
 */
export interface TagChoice {
  ids: string[];
  names: string[];
  /** Ids of tags to remove. If set, the tags above are added to the remaining ones. */
  removed?: string[] | undefined;
}

/**
 * The writable fields that links and QR codes share. An absent field is not changed, `null` clears
 * it.
 */
export type SharedChanges = Omit<SharedBody, keyof TagFields> & {
  tags?: TagChoice | undefined;
  /** Set by the API before the write; callers cannot send it. */
  frameable?: string[] | undefined;
};

/** The fields that new links and QR codes share. */
export interface NewShortLink extends SharedChanges {
  id: string;
  /** Prefix of a random key. */
  prefix?: string | undefined;
  /** Creation time at another service (ISO 8601), set by imports only. */
  createdAt?: string | undefined;
}
