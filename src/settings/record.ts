import { config } from '../config.ts';
import {
  flag,
  Joi,
  nullable,
  oneOf,
  requiredCount,
  requiredText,
  requiredTime,
} from '../http/fields.ts';
import { CLICK_ID_PARAMETERS } from '../lookup/entry.ts';
import { logoUrl } from '../web/brand.ts';
import { IMPORT_ROWS, PLANS, REQUESTS_PER_MINUTE, RETENTION_DAYS } from '../workspaces/plans.ts';
import { MAX_COUNTED, type SettingsRow, type Usage } from './queries.ts';
import { utmRulesRecord } from './utm-rules.ts';

/** Converts a stored limit, in which 0 means none, for the record. */
const limitOf = (value: number): number | null => (value === 0 ? null : value);

/** Builds the public record of a workspace. */
export function toWorkspace(row: SettingsRow) {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    plan: row.plan,
    createdAt: row.created_at.toISOString(),
    clickDedupeSeconds: row.click_dedupe_seconds,
    queryConflict: row.query_conflict,
    clickIdParameter: row.click_id_parameter,
    keepFullIp: row.keep_full_ip,
    excludedIps: row.excluded_ips,
    countSuspects: row.count_suspects,
    trackEvents: row.track_events,
    requireSecondFactor: row.require_second_factor,
    logo: row.logo === null ? null : logoUrl(config().BASE_URL, row.id, row.logo.id),
    brandColor: row.brand_color,
    brandName: row.brand_name,
    utmRules: row.utm_rules,
    defaultDomain: config().DEFAULT_SHORT_DOMAIN,
    limits: {
      requestsPerMinute: limitOf(row.requests_per_minute ?? REQUESTS_PER_MINUTE[row.plan]),
      retentionDays: limitOf(row.retention_days ?? RETENTION_DAYS[row.plan]),
      importRows: IMPORT_ROWS[row.plan],
    },
  };
}

/** A workspace with its usage. */
export type WorkspaceRecord = ReturnType<typeof toWorkspace> & { usage: Usage };

const limit = requiredCount.allow(null);
const upTo = `at most ${MAX_COUNTED.toLocaleString('en')} are counted`;

/** Schema of the record of a workspace, for the reference and for checking answers. */
export const workspaceRecord = Joi.object({
  id: requiredText.description('Id of the workspace.').example('proj_4Jx2vQ0aTq'),
  slug: requiredText.description('Short name, unique in the service.').example('acme'),
  name: requiredText.description('Name.').example('Acme'),
  plan: oneOf(PLANS).required().description('Plan.'),
  createdAt: requiredTime.description('Time of creation.'),
  clickDedupeSeconds: requiredCount
    .description('Seconds in which a visitor counts once; 0: every visit counts.')
    .example(3_600),
  queryConflict: oneOf(['visitor', 'owner'])
    .required()
    .description('Whose parameter stays where a link does not say: see `queryConflict` of links.')
    .meta({ extension: true }),
  clickIdParameter: oneOf(CLICK_ID_PARAMETERS)
    .required()
    .description('Name of the parameter and the cookie with the id of the click.')
    .example('click_id'),
  keepFullIp: flag().required().description('IP addresses of visitors are stored in full.'),
  excludedIps: Joi.array()
    .items(Joi.string())
    .required()
    .description('Networks whose visits are not counted.')
    .example(['203.0.113.0/24']),
  countSuspects: flag()
    .required()
    .description('Visits that may come from programs count like visits of people.'),
  trackEvents: flag().required().description('Visits are stored as events.'),
  requireSecondFactor: flag()
    .required()
    .description('People need to sign in with a second factor.'),
  logo: nullable
    .description('URL of the logo on pages for visitors.')
    .example('https://api.example.com/logos/proj_4Jx2vQ0aTq/8Yt7Kx'),
  brandColor: nullable.description('Color of pages for visitors.').example('#0055ff'),
  brandName: nullable.description('Name on pages for visitors.').example('Northwind'),
  utmRules: utmRulesRecord
    .allow(null)
    .required()
    .description('Rules for the UTM parameters of destinations; null: none.'),
  defaultDomain: Joi.string()
    .required()
    .description(
      'Default short domain of the service, which all workspaces share. Links are created on it while the workspace ' +
        'has no primary domain. The filter `domain` accepts it.',
    )
    .example('acme.link')
    .meta({ extension: true }),
  limits: Joi.object({
    requestsPerMinute: limit.description('Requests per minute; null: no limit.').example(600),
    retentionDays: limit.description('Retention of events in days; null: no limit.').example(365),
    importRows: requiredCount.description('Rows of one import of links.').example(50_000),
  })
    .required()
    .description('Limits, by the plan or set by the operator.'),
  usage: Joi.object({
    links: requiredCount.description(`Number of links; ${upTo}.`).example(1_200),
    qrcodes: requiredCount.description(`Number of QR codes; ${upTo}.`).example(40),
    domains: requiredCount.description('Number of domains.').example(2),
    members: requiredCount.description('Number of people.').example(5),
    tags: requiredCount.description('Number of tags.').example(12),
    eventsThisMonth: requiredCount
      .description('Number of events since the month began (UTC).')
      .example(52_000),
  })
    .required()
    .description('Use.'),
}).meta({ name: 'Workspace' });

/** Schema of the pages on which a person turns the counting of their own visits off or on. */
export const ownVisitPages = Joi.array().items(
  Joi.object({
    domain: requiredText.description('Short domain.').example('go.example.com'),
    url: Joi.string()
      .uri()
      .required()
      .description('Page on this domain, valid for ten minutes.')
      .example('https://go.example.com/_/own-visits?token=proj_4Jx2vQ0aTq.mc1x9z.8Yt7Kx'),
  }).meta({ name: 'OwnVisitPage' }),
);
