import { Joi } from '../../http/fields.ts';
import { db, rows } from '../../infra/db.ts';
import { LEFT_OUT_CLASSES, type LeftOutClass } from '../../visitors/traffic.ts';
import type { Span } from '../span.ts';

/** Maximum number of programs in an answer; the total includes all. */
const MAX_ROWS = 5_000;

/** Number of requests of one program. */
interface LeftOutRow {
  program: string;
  class: LeftOutClass;
  requests: number;
}

/** Requests for links that are not counted as visits. */
export interface LeftOut {
  requests: number;
  programs: LeftOutRow[];
}

export const leftOutSchema = Joi.object({
  requests: Joi.number().integer().required().description('Number of all these requests.'),
  programs: Joi.array()
    .items(
      Joi.object({
        program: Joi.string()
          .required()
          .description(
            'Name of the program from its user agent, or a description. `other`: programs beyond ' +
              'the first 200 of a day.',
          )
          .example('Slackbot-LinkExpanding'),
        class: Joi.string()
          .valid(...LEFT_OUT_CLASSES)
          .required()
          .description(
            '`bot`: programs; `preview`: programs that preview links in chats and feeds; ' +
              '`excluded`: `excludedIps`, and browsers of members who do not count themselves.',
          ),
        requests: Joi.number().integer().required().description('Number of its requests.'),
      }),
    )
    .required()
    .description('Programs, those with most requests first.'),
}).meta({ name: 'LeftOut' });

/** Counts the requests that were left out on all days (UTC) that a span touches. */
export async function readLeftOut(projectId: string, span: Span): Promise<LeftOut> {
  const found = await rows<LeftOutRow & { total: number }>(
    db(),
    `SELECT program, class, sum(requests)::float8 AS requests,
            (sum(sum(requests)) OVER ())::float8 AS total
       FROM left_out
      WHERE project_id = :projectId
        AND day >= coalesce((:start::timestamptz AT TIME ZONE 'UTC')::date, '-infinity')
        AND day <= (:last::timestamptz AT TIME ZONE 'UTC')::date
      GROUP BY program, class ORDER BY sum(requests) DESC, program, class LIMIT ${MAX_ROWS}`,
    {
      projectId,
      // No event is earlier, but a program can be.
      start: span.isFromFirst === true ? null : span.start,
      last: new Date(span.end.getTime() - 1),
    },
  );
  return {
    requests: found[0]?.total ?? 0,
    programs: found.map(({ program, class: kind, requests }) => ({
      program,
      class: kind,
      requests,
    })),
  };
}
