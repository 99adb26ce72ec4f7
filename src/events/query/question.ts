import { Joi } from '../../http/fields.ts';
import type { EventFilter } from '../filters.ts';
import { EVENT_PARAMETERS, type EventKind, type EventParameter, kindsOf } from '../kinds.ts';
import type { EventRecords, RecordNames } from '../records.ts';
import { INTERVALS, type Span, type SpanQuery } from '../span.ts';
import { type FilterQuery, filterSchemas, resolveFilter, spanSchemas } from './filters.ts';
import type { Group } from './groups/group.ts';
import { GROUPS, type GroupName } from './groups/index.ts';
import { resolveSpan } from './interval.ts';

/** Parameters of analytics that select events: everything but the dimension. */
export interface QuestionQuery extends FilterQuery, SpanQuery {
  event?: EventParameter;
}

/** Groups with a default event of their own, as the reference lists them. */
const defaultEvents = Object.entries<Group>(GROUPS)
  .flatMap(([name, { defaultEvent }]) =>
    defaultEvent === undefined ? [] : [`, for \`${name}\` ${defaultEvent}`],
  )
  .join('');

/** Schemas of these parameters. */
export const questionSchemas = {
  event: Joi.string()
    .valid(...EVENT_PARAMETERS)
    .description(`Events to count. Default: clicks${defaultEvents}.`),
  interval: Joi.string()
    .valid(...INTERVALS)
    .description('Period; takes precedence over `start` and `end`. Default without them: 24h.'),
  ...filterSchemas,
  ...spanSchemas,
};

/** The selected events of a workspace, which groups count. */
export interface Question {
  projectId: string;
  span: Span;
  filter: EventFilter;
  event: EventParameter | undefined;
}

/**
 * Resolves the parameters of a request.
 *
 * @throws Refusal `not_found` when they name something that is not in the workspace,
 * `unprocessable_entity` for a period or a filter that cannot be
 */
export async function resolveQuestion(
  projectId: string,
  { event, interval, start, end, timezone, ...filters }: QuestionQuery,
  { resolveRecords }: Pick<EventRecords, 'resolveRecords'>,
): Promise<Question> {
  const filter = await resolveFilter(projectId, filters, resolveRecords);
  const span = await resolveSpan(projectId, { timezone, interval, start, end });
  return { projectId, span, filter, event };
}

/** Lists the kinds of events that a group counts. */
export function kindsCounted(name: GroupName, event: EventParameter | undefined): EventKind[] {
  const group: Group = GROUPS[name];
  return kindsOf(event ?? group.defaultEvent ?? 'clicks');
}

/** Answers a question by a dimension, as `GET /analytics` does. */
export function readGroup(
  name: GroupName,
  { projectId, span, filter, event }: Question,
  names: RecordNames,
): Promise<unknown> {
  return GROUPS[name].read({ projectId, span, filter, events: kindsCounted(name, event) }, names);
}
