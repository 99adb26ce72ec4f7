import { ChartArea, Table } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { Scroller } from '../ui/scroller.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { browserTimezone } from './days.ts';
import { type EventQuery, nameOfMetric } from './event-query.ts';
import { formatCount, formatMetric, formatShortMetric } from './names.ts';
import { PrintChart } from './print.tsx';
import { measureOf, type Timeline, useTimeline } from './queries.ts';
import { type Point, TimeChart } from './time-chart.tsx';
import { type Step, stepEnd, stepNames } from './timeline.ts';
import { useEventQuery } from './use-event-query.ts';
import { useComparedValue, useComparisonName } from './value-names.ts';

/** Names of the step that is not over. */
const RUNNING_STEPS: Record<Step, string> = {
  minute: 'This minute so far',
  hour: 'This hour so far',
  day: 'Today so far',
  month: 'This month so far',
};

/** Formats the steps of a time series for the chart. */
function pointsOf({ rows, before, step, isRunning }: Timeline, query: EventQuery): Point[] {
  const measure = measureOf(query.event);
  const names = stepNames(step, query.timezone ?? browserTimezone());
  return rows.map((row, index) => ({
    short: names.short(row.start),
    long: `${names.long(row.start)}${isRunning && index === rows.length - 1 ? ', so far' : ''}`,
    value: row[measure] ?? 0,
    visitors: row.visitors,
    ...(before?.[index] && {
      beforeLong: names.long(before[index].start),
      before: before[index][measure] ?? 0,
    }),
  }));
}

/** The time series as a chart or a table. */
export function TimelinePanel() {
  const { query, change } = useEventQuery();
  const [isTable, setTable] = useState(false);
  const timeline = useTimeline();
  const comparison = useComparisonName();
  const value = useComparedValue();
  const { event = 'clicks', timezone } = query;
  const points = useMemo(
    () => timeline.data && pointsOf(timeline.data, { event, ...(timezone && { timezone }) }),
    [timeline.data, event, timezone],
  );
  if (timeline.error) {
    return <Failure error={timeline.error} retry={() => void timeline.refetch()} />;
  }
  if (points === undefined) return <Skeleton className="m-4 h-64" />;
  const zoom = (first: number, last: number) => {
    const { rows, step } = timeline.data!;
    // Steps of one minute cannot be divided further.
    if (rows.length < 2 || step === 'minute') return;
    const zone = timezone ?? browserTimezone();
    const end = rows[last + 1]?.start ?? stepEnd(rows[last]!.start, step, zone);
    change({ interval: undefined, start: rows[first]!.start, end });
  };
  const name = nameOfMetric(event);
  const { step, isRunning, before } = timeline.data!;
  return (
    <div className="p-3">
      <div className="flex items-center gap-4 pb-1 text-xs text-muted">
        <span className="flex flex-1 flex-wrap gap-x-4">
          <Legend line="border-accent">{value === '' ? name : `${name}: ${value}`}</Legend>
          {isRunning && (
            <span className="print:hidden">
              <Legend line="border-accent border-dashed">{RUNNING_STEPS[step]}</Legend>
            </span>
          )}
          {before !== undefined && <Legend line="border-muted border-dashed">{comparison}</Legend>}
        </span>
        <IconButton
          className="print:hidden"
          icon={isTable ? ChartArea : Table}
          label={isTable ? 'Show as chart' : 'Show as table'}
          onClick={() => setTable(!isTable)}
        />
      </div>
      <PrintChart points={points} formatShort={(value) => formatShortMetric(event, value)} />
      {isTable ? (
        <TimeTable
          points={points}
          name={name}
          comparison={before === undefined ? undefined : comparison}
          format={(value) => formatMetric(event, value)}
        />
      ) : (
        <TimeChart
          points={points}
          isRunning={isRunning}
          label={`${name} over time. Use the arrow keys to move, Enter to zoom in.`}
          format={(value) => formatMetric(event, value)}
          formatShort={(value) => formatShortMetric(event, value)}
          onChoose={zoom}
        />
      )}
    </div>
  );
}

/** A line of the chart with its label. */
const Legend = ({ line, children }: { line: string; children: ReactNode }) => (
  <span className="flex items-center gap-1.5">
    <span aria-hidden className={`w-4 border-t-2 forced-color-adjust-none ${line}`} />
    {children}
  </span>
);

interface TimeTableProps {
  points: readonly Point[];
  name: string;
  /** Name of the comparison; absent without one. */
  comparison: string | undefined;
  format(value: number): string;
}

function TimeTable({ points, name, comparison, format }: TimeTableProps) {
  const hasVisitors = points.some(({ visitors }) => visitors !== undefined);
  return (
    <Scroller label={`${name} over time`} className="h-[260px] overflow-y-auto print:hidden">
      <table className="w-full text-left">
        <thead className="sticky top-0 bg-panel text-xs text-muted">
          <tr>
            <th className="px-2 py-1 font-medium">Time</th>
            <th className="px-2 py-1 text-right font-medium">{name}</th>
            {hasVisitors && <th className="px-2 py-1 text-right font-medium">Visitors</th>}
            {comparison !== undefined && (
              <th className="px-2 py-1 text-right font-medium">{comparison}</th>
            )}
          </tr>
        </thead>
        <tbody>
          {points.map(({ long, value, visitors, before }, index) => (
            <tr key={`${index}-${long}`} className="border-t border-line">
              <th scope="row" className="px-2 py-1 font-normal">
                {long}
              </th>
              <td className="px-2 py-1 text-right tabular-nums">{format(value)}</td>
              {hasVisitors && (
                <td className="px-2 py-1 text-right tabular-nums">
                  {visitors === undefined ? '–' : formatCount(visitors)}
                </td>
              )}
              {comparison !== undefined && (
                <td className="px-2 py-1 text-right text-muted tabular-nums">
                  {before === undefined ? '–' : format(before)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
