import type { GroupName } from '../events/query/groups/index.ts';
import { type QuestionQuery, questionSchemas } from '../events/query/question.ts';
import { futureDateTime, id, Joi, nameText, oneOf, paging, text } from '../http/fields.ts';
import { check, parseQueryField } from '../http/input.ts';
import { MAX_ORIGINS, originList } from '../keys/origins.ts';
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
