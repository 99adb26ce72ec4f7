import { kindsOf } from '../../events/kinds.ts';
import type { Row } from '../../events/query/groups/group.ts';
import { type Numbers, numberNames } from '../../events/query/numbers.ts';
import { readGroup, resolveQuestion } from '../../events/query/question.ts';
import type { EventRecords } from '../../events/records.ts';
import type { Span } from '../../events/span.ts';
import type { MailPeriod } from '../../mail/sending-times.ts';
import type { SharedReport } from '../model.ts';
import { listOf, type ReportList } from '../numbers.ts';
import { questionIn } from '../schema.ts';

/** The numbers of a report in a mail; each equals that of `GET /analytics`. */
export interface MailNumbers {
  span: Span;
  /** Names of the numbers, in the order of the answers of analytics. */
  names: readonly string[];
  totals: Numbers;
  /** Totals of the period before. */
  previous: Numbers;
  lists: readonly ReportList[];
}

/**
 * Reads the numbers of a report for a period. The period takes the place of the one in its question.
 *
 * @throws Refusal when a filter names something that was deleted
 */
export async function mailNumbers(
  { project_id, query, groups }: Pick<SharedReport, 'project_id' | 'query' | 'groups'>,
  { before, start, end }: MailPeriod,
  timezone: string,
  records: EventRecords,
): Promise<MailNumbers> {
  const question = await resolveQuestion(project_id, questionIn(query), records);
  const { event = 'clicks' } = question;
  const span: Span = { start, end, granularity: 'day', timezone };
  const read = <Answer>(name: Parameters<typeof readGroup>[0], of = span) =>
    readGroup(name, { ...question, span: of }, records.names) as Promise<Answer>;
  const totals = await read<Numbers>(event);
  const previous = await read<Numbers>(event, { ...span, start: before, end: start });
  const lists: ReportList[] = [];
  for (const group of groups) lists.push(listOf(group, question, await read<Row[]>(group)));
  return { span, names: numberNames(kindsOf(event)), totals, previous, lists };
}
