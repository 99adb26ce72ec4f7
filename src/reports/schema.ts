import type { GroupName } from '../events/query/groups/index.ts';
import { type QuestionQuery, questionSchemas } from '../events/query/question.ts';
import {
  canonicalTimezone,
  futureDateTime,
  id,
  Joi,
  nameText,
  oneOf,
  paging,
  text,
  timezone,
} from '../http/fields.ts';
import { check, parseQueryField } from '../http/input.ts';
import { MAX_ORIGINS, originList } from '../keys/origins.ts';
import { MAIL_FREQUENCIES, type MailSchedule } from '../mail/sending-times.ts';
import type { Paging } from '../workspaces/lists.ts';
import { SHOWN_GROUPS } from './groups.ts';

/** The writable fields of a report. An absent field is not changed. */
export interface ReportChanges {
  name?: string;
  query?: string;
  groups?: GroupName[];
  password?: string | null | undefined;
  expiresAt?: string | null;
  embedOrigins?: string[];
  schedule?: MailSchedule | null;
}

export interface NewReport extends ReportChanges {
  name: string;
  query: string;
  groups: GroupName[];
  embedOrigins: string[];
}

const MAX_QUERY_LENGTH = 8_000;
/** Maximum number of groups: each is a query of its own. */
export const MAX_GROUPS = 12;
const MAX_PASSWORD_LENGTH = 200;

const DEFAULT_GROUPS: GroupName[] = ['countries', 'sources', 'devices', 'browsers'];

/** Last days that a schedule can name. */
const LAST_DAYS = { day: 0, week: 7, month: 31 };

/** A schedule before its day is completed. */
type WrittenSchedule = Omit<MailSchedule, 'day'> & { day?: number | null };

const mailSchedule = () =>
  Joi.object<MailSchedule>({
    every: oneOf(MAIL_FREQUENCIES)
      .required()
      .description('Frequency: every day, week or month.')
      .example('week'),
    day: Joi.number()
      .strict()
      .integer()
      .min(1)
      .max(31)
      .allow(null)
      .description(
        'Day of the week, from 1 (Monday, the default) to 7; or of the month, from 1 (the default) to 31: in ' +
          'shorter months it is the last day. Absent or null if the report is sent every day.',
      )
      .example(1),
    hour: Joi.number()
      .strict()
      .integer()
      .min(0)
      .max(23)
      .default(8)
      .description('Hour of the day, from 0 to 23.')
      .example(8),
    timezone: timezone()
      .custom(canonicalTimezone)
      .description('IANA time zone of day and hour, and of the days in the report.')
      .example('Europe/Berlin'),
  })
    .custom(({ day, ...rest }: WrittenSchedule, { error }) => {
      const last = LAST_DAYS[rest.every];
      if (typeof day === 'number' && day > last) {
        return error('rule', {
          rule:
            last === 0
              ? 'must have no day if every is day'
              : 'must have a day from 1 to 7 if every is week',
        });
      }
      return { ...rest, day: last === 0 ? null : (day ?? 1) };
    })
    .allow(null);

const fields = {
  name: nameText(190)
    .description('Name, at most 190 characters; the heading of the report.')
    .example('Spring campaign'),
  query: Joi.string()
    .allow('')
    .max(MAX_QUERY_LENGTH)
    .description(
      'Filters, event and period: the query string of `GET /analytics` without `groupBy`, at most ' +
        '8,000 characters. Periods such as `interval=30d` move with the time; `start` and `end` do not.',
    )
    .example('interval=30d&timezone=Europe/Berlin&country=DE'),
  groups: Joi.array()
    .items(oneOf(SHOWN_GROUPS))
    .unique()
    .max(MAX_GROUPS)
    .description(
      `Lists of the report, in their order: at most ${MAX_GROUPS} values of \`groupBy\`. A reader sees the names that they contain, ` +
        'such as destination URLs with `top_urls`.',
    ),
  password: text(MAX_PASSWORD_LENGTH)
    .allow(null)
    .description(
      'Password that readers enter, at most 200 characters; null: none. Only its hash is stored.',
    )
    .example('correct horse'),
  expiresAt: futureDateTime()
    .allow(null)
    .description('Time at which the report can no longer be opened; null: never.'),
  embedOrigins: originList()
    .min(0)
    .description(
      `Origins whose pages may show the report in a frame, at most ${MAX_ORIGINS}. Without any, no page may.`,
    )
    .example(['https://www.example.com']),
  schedule: mailSchedule().description(
    'Times at which the recipients get the report by email; null: none. Each email has the numbers of the ' +
      'whole days since the previous time, whatever the period in `query`.',
  ),
};

export const newReportBody = Joi.object<NewReport>({
  ...fields,
  name: fields.name.required(),
  query: fields.query.default(''),
  groups: fields.groups.default(DEFAULT_GROUPS),
  embedOrigins: fields.embedOrigins.default([]),
}).meta({ name: 'NewSharedReport' });

export const reportChangesBody = Joi.object<ReportChanges>(fields)
  .min(1)
  .meta({ name: 'SharedReportUpdate' });

export const reportListQuery = Joi.object<Paging>(paging(100));

export const reportParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the report.'),
});

const questionQuery = Joi.object<QuestionQuery>(questionSchemas);

/**
 * Parses the query of a report.
 *
 * @throws Refusal `unprocessable_entity` naming the parameters that analytics do not take
 */
export function questionIn(query: string): QuestionQuery {
  const body = { query: parseQueryField('query', query) };
  return check<{ query: QuestionQuery }>(Joi.object({ query: questionQuery }), body, 'body').query;
}
