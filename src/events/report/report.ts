import { Joi, requiredTime } from '../../http/fields.ts';
import { dayOf, localTime } from '../../infra/time-zones.ts';
import { scheduleOf, UNIT_OF } from '../../mail/report-times.ts';
import type { ReportChoice } from '../../mail/schema.ts';
import { periodUntil } from '../../mail/sending-times.ts';
import { EVENT_KINDS, kindOf, kindsOf } from '../kinds.ts';
import { GROUPS } from '../query/groups/index.ts';
import { numberNames } from '../query/numbers.ts';
import { countedTraffic } from '../query/traffic.ts';
import type { RecordNames } from '../records.ts';
import { eventsStore } from '../store/index.ts';

/** Names of the numbers in a report, as in analytics. */
const NUMBERS = numberNames(EVENT_KINDS.filter((kind) => kindOf(kind).family !== 'view'));
/** Maximum number of rows in each list. */
const MAX_ROWS = 5;

/** A number, and its value in the week or month before. */
export interface Change {
  value: number;
  previous: number;
}

/** Summary of a week or month of a workspace. */
export interface Report extends ReportChoice {
  start: string;
  end: string;
  totals: Record<string, Change>;
  topLinks: { shortLink: string; clicks: number }[];
  countries: { country: string; clicks: number }[];
  referers: { referer: string; clicks: number }[];
}

/**
 * Returns the bounds of the last whole week or month before `at`, and the start of the one before
 * it, in the calendar of the zone.
 */
const spansOf = ({ every, timezone }: ReportChoice, at: Date) =>
  periodUntil(scheduleOf(every, timezone), dayOf(localTime(at.getTime(), timezone)));

/**
 * Makes the report of the last whole week or month before `at`. Its numbers equal those of
 * `GET /analytics` with the same `start` and `end`.
 */
export async function makeReport(
  projectId: string,
  choice: ReportChoice,
  at: Date,
  names: RecordNames,
): Promise<Report> {
  const { before, start, end } = spansOf(choice, at);
  const { every, timezone } = choice;
  const span = { start, end, granularity: 'day' as const, timezone };
  const filter = { traffic: await countedTraffic(projectId) };
  const query = { projectId, span, filter, events: kindsOf('clicks') };
  const totalsOf = (from: Date, until: Date) =>
    eventsStore().totals({
      ...query,
      span: { ...span, start: from, end: until },
      events: EVENT_KINDS,
    });
  const [totals, previous, topLinks, countries, referers] = await Promise.all([
    totalsOf(start, end),
    totalsOf(before, start),
    GROUPS.top_links.read(query, names),
    GROUPS.countries.read(query, names),
    GROUPS.referers.read(query, names),
  ]);
  return {
    every,
    timezone,
    start: start.toISOString(),
    end: end.toISOString(),
    totals: Object.fromEntries(
      NUMBERS.map((name) => [name, { value: totals[name]!, previous: previous[name]! }]),
    ),
    topLinks: firstOf<Report['topLinks'][number]>(topLinks, 'shortLink'),
    countries: firstOf<Report['countries'][number]>(countries, 'country'),
    referers: firstOf<Report['referers'][number]>(referers, 'referer'),
  };
}

/** Takes the first rows of an answer, with one field and the clicks of each. */
function firstOf<Row>(answer: unknown, field: keyof Row & string): Row[] {
  return (answer as Record<string, unknown>[])
    .slice(0, MAX_ROWS)
    .map((row) => ({ [field]: row[field], clicks: row['clicks'] }) as Row);
}

const text = Joi.string().allow('').required();
const count = Joi.number().required();

const listOf = (field: string, description: string, example: string) =>
  Joi.array()
    .items(
      Joi.object({
        [field]: text.description(description).example(example),
        clicks: count.description('Number of clicks.').example(120),
      }),
    )
    .required()
    .description(`At most ${MAX_ROWS}, most clicks first.`);

const change = (name: string) =>
  Joi.object({
    value: count.description(`\`${name}\` of analytics in the period.`).example(120),
    previous: count.description('Value in the previous week or month.').example(100),
  })
    .required()
    .description(`Total of \`${name}\`.`);

/** Schema of a report, for the reference and for checking answers. */
export const reportRecord = Joi.object({
  every: Joi.string()
    .valid(...Object.keys(UNIT_OF))
    .required()
    .description('Frequency of the report.'),
  timezone: Joi.string()
    .required()
    .description('IANA time zone of the period.')
    .example('Europe/Berlin'),
  start: requiredTime.description('Start of the period.'),
  end: requiredTime.description('End of the period, exclusive.'),
  totals: Joi.object(Object.fromEntries(NUMBERS.map((name) => [name, change(name)])))
    .required()
    .description('Totals, compared with the previous week or month.'),
  topLinks: listOf('shortLink', 'Short link.', 'https://go.example.com/spring'),
  countries: listOf('country', 'Country (ISO 3166-1 alpha-2); empty: unknown.', 'DE'),
  referers: listOf('referer', 'Host that visitors came from.', 'news.example.com'),
}).meta({ name: 'Report' });
