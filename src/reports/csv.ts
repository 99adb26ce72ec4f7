import type { Row } from '../events/query/groups/group.ts';
import { BOM, csvLines } from '../infra/csv.ts';
import { listIn } from './groups.ts';
import type { ReportNumbers } from './numbers.ts';

/** Formats the numbers of a report as CSV, with a row for each number. */
export function reportCsv({ names, totals, times, lists }: ReportNumbers): string {
  const each = (group: string, value: string, row: Row, fields: readonly string[]) =>
    fields.map((field) => [group, value, field, Number(row[field] ?? 0)]);
  const rows = [
    ...each('total', '', totals, names),
    ...times.flatMap((row) => each('time', row.start, row, names)),
    ...lists.flatMap((list) => [
      ...list.rows.flatMap((row) =>
        each(list.group, listIn(list.group).valueOf(row), row, list.names),
      ),
      ...(list.rest > 0 ? [[list.group, '(others)', list.names[0]!, list.rest]] : []),
    ]),
  ];
  return BOM + csvLines([['group', 'value', 'number', 'count'], ...rows]);
}
