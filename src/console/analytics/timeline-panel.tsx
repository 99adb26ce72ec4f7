import { ChartArea, Table } from 'lucide-react';
import { useMemo, useState } from 'react';
import { IconButton } from '../ui/button.tsx';
import { Scroller } from '../ui/scroller.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { measureOf, type Timeline, useTimeline } from './ask.ts';
import { browserTimezone, formatMetric, formatShortMetric, nameOfMetric } from './names.ts';
import type { Question } from './question.ts';
import { type Point, TimeChart } from './time-chart.tsx';
import { stepNames, stepOf } from './timeline.ts';
import { useQuestion } from './use-question.ts';

/** The steps of a time series as people read them. */
export function pointsOf({ rows, before }: Timeline, question: Question): Point[] {
  const measure = measureOf(question.event);
  const step = stepOf(rows.map(({ start }) => start));
  const names = stepNames(step, question.timezone ?? browserTimezone());
  return rows.map((row, index) => ({
    short: names.short(row.start),
    long: names.long(row.start),
    value: row[measure] ?? 0,
    ...(before?.[index] && {
      beforeLong: names.long(before[index].start),
      before: before[index][measure] ?? 0,
    }),
  }));
}

/** The time series as a chart, or as a table. */
export function TimelinePanel() {
  const { question, change } = useQuestion();
  const [isTable, setTable] = useState(false);
  const timeline = useTimeline(question);
  const { event = 'clicks', timezone } = question;
  const points = useMemo(
    () => timeline.data && pointsOf(timeline.data, { event, ...(timezone && { timezone }) }),
    [timeline.data, event, timezone],
  );
  if (timeline.error) {
    return <Failure error={timeline.error} retry={() => void timeline.refetch()} />;
  }
  if (points === undefined) return <Skeleton className="m-4 h-64" />;
  const zoom = (first: number, last: number) => {
    const { rows } = timeline.data!;
    // A minute is the smallest step there is.
    if (rows.length < 2 || stepOf(rows.map(({ start }) => start)) === 'minute') return;
    const end = rows[last + 1]?.start ?? new Date().toISOString();
    const start = rows[first]!.start;
    if (start < end) change({ interval: undefined, start, end });
  };
  const name = nameOfMetric(event);
  return (
    <div className="p-3">
      <div className="flex items-center gap-4 pb-1 text-xs text-muted">
        <span className="flex items-center gap-1.5">
          <span aria-hidden className="h-0.5 w-4 bg-accent" />
          {name}
        </span>
        {points.some(({ before }) => before !== undefined) && (
          <span className="flex items-center gap-1.5">
            <span aria-hidden className="w-4 border-t-2 border-dashed border-muted" />
            Span before
          </span>
        )}
        <span className="flex-1" />
        <IconButton
          icon={isTable ? ChartArea : Table}
          label={isTable ? 'Show as chart' : 'Show as table'}
          onClick={() => setTable(!isTable)}
        />
      </div>
      {isTable ? (
        <TimeTable points={points} name={name} format={(value) => formatMetric(event, value)} />
      ) : (
        <TimeChart
          points={points}
          label={`${name} over time. Arrow keys move, Enter shows a step alone.`}
          format={(value) => formatMetric(event, value)}
          formatShort={(value) => formatShortMetric(event, value)}
          onChoose={zoom}
        />
      )}
    </div>
  );
}

interface TimeTableProps {
  points: readonly Point[];
  name: string;
  format(value: number): string;
}

function TimeTable({ points, name, format }: TimeTableProps) {
  return (
    <Scroller label={`${name} over time`} className="h-[260px] overflow-y-auto">
      <table className="w-full text-left">
        <thead className="sticky top-0 bg-panel text-xs text-muted">
          <tr>
            <th className="px-2 py-1 font-medium">Time</th>
            <th className="px-2 py-1 text-right font-medium">{name}</th>
            <th className="px-2 py-1 text-right font-medium">Span before</th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ long, value, before }, index) => (
            <tr key={`${index}-${long}`} className="border-t border-line">
              <th scope="row" className="px-2 py-1 font-normal">
                {long}
              </th>
              <td className="px-2 py-1 text-right tabular-nums">{format(value)}</td>
              <td className="px-2 py-1 text-right text-muted tabular-nums">
                {before === undefined ? '–' : format(before)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
