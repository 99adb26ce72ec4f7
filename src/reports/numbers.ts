import { LRUCache } from 'lru-cache';
import { kindsOf } from '../events/kinds.ts';
import type { Row } from '../events/query/groups/group.ts';
import type { GroupName } from '../events/query/groups/index.ts';
import { type Numbers, numberNames } from '../events/query/numbers.ts';
import {
  kindsCounted,
  type Question,
  readGroup,
  resolveQuestion,
} from '../events/query/question.ts';
import type { EventRecords } from '../events/records.ts';
import type { Span } from '../events/span.ts';
import { listIn } from './groups.ts';
import type { SharedReport } from './model.ts';
import { questionIn } from './schema.ts';

/** Time for which the numbers of a report are reused, in ms. */
const REUSED_MS = 10_000;
/** Maximum number of reports whose numbers are kept in memory. */
const MAX_KEPT = 100;
/** Maximum number of rows of a list; the rest is summed up. */
const MAX_ROWS = 200;

/** A list of a report. */
export interface ReportList {
  group: GroupName;
  /** Names of the numbers in its rows; the first orders them. */
  names: readonly string[];
  rows: readonly Row[];
  /** Count of the values beyond the rows. */
  rest: number;
}

/** The numbers of a report at a time; each equals that of `GET /analytics`. */
export interface ReportNumbers {
  at: Date;
  span: Span;
  /** Names of the numbers, in the order of the answers of analytics. */
  names: readonly string[];
  totals: Numbers;
  times: readonly (Row & { start: string })[];
  lists: readonly ReportList[];
}

type Report = Pick<SharedReport, 'project_id' | 'id' | 'query' | 'groups'>;

const kept = new LRUCache<string, Promise<ReportNumbers>>({ max: MAX_KEPT });

/**
 * Reads the numbers of a report, or returns those of the last seconds. Concurrent readers share a
 * query, however long it takes.
 *
 * @param run limits how many such queries run at once
 * @throws Refusal when a filter names something that was deleted, or the limit is reached
 */
export function numbersOf(
  report: Report,
  records: EventRecords,
  run: <Result>(act: () => Promise<Result>) => Promise<Result>,
): Promise<ReportNumbers> {
  const { project_id, id, query, groups } = report;
  const key = [project_id, id, query, ...groups].join('\n');
  const present = kept.get(key);
  if (present !== undefined) return present;
  const reading = run(() => readNumbers(report, records));
  kept.set(key, reading);
  const isKept = () => kept.peek(key) === reading;
  reading.then(
    () => isKept() && kept.set(key, reading, { ttl: REUSED_MS }),
    () => isKept() && kept.delete(key),
  );
  return reading;
}

async function readNumbers(
  { project_id, query, groups }: Report,
  records: EventRecords,
): Promise<ReportNumbers> {
  const question = await resolveQuestion(project_id, questionIn(query), records);
  const { event = 'clicks', span } = question;
  const read = <Answer>(name: Parameters<typeof readGroup>[0]) =>
    readGroup(name, question, records.names) as Promise<Answer>;
  const totals = await read<Numbers>(event);
  const times = await read<(Row & { start: string })[]>('timeseries');
  const lists: ReportList[] = [];
  // One after the other, so that a report uses one connection.
  for (const group of groups) lists.push(listOf(group, question, await read<Row[]>(group)));
  return { at: new Date(), span, names: numberNames(kindsOf(event)), totals, times, lists };
}

/** Makes the list of a report from the answer of analytics. */
export function listOf(group: GroupName, { event }: Question, rows: readonly Row[]): ReportList {
  const { measure } = listIn(group);
  const names = measure === undefined ? numberNames(kindsCounted(group, event)) : [measure];
  const rest = rows.slice(MAX_ROWS).reduce((sum, row) => sum + Number(row[names[0]!]), 0);
  return { group, names, rows: rows.slice(0, MAX_ROWS), rest };
}
