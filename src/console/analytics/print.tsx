import { useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { browserTimezone } from './days.ts';
import {
  FILTER_LIST,
  type Filter,
  isExcluded,
  nameOfFilter,
  nameOfMetric,
  verbOf,
} from './event-query.ts';
import { momentFormat } from './names.ts';
import { nameOfPeriod } from './period-picker.tsx';
import { comparedSpans } from './periods.ts';
import type { Point } from './time-chart.tsx';
import { useEventQuery } from './use-event-query.ts';
import { useComparisonName, useValueNames } from './value-names.ts';

/** The heading of the printed page: workspace, period, filters and comparison. */
export function PrintHeader() {
  const { name } = useWorkspace();
  const { query } = useEventQuery();
  const comparison = useComparisonName();
  const zone = query.timezone ?? browserTimezone();
  const [now] = useState(() => Date.now());
  const { shown, before } = comparedSpans(query, zone, now);
  const isCompared = before !== undefined || query.against !== undefined;
  const day = momentFormat(zone, { day: 'numeric', month: 'short', year: 'numeric' });
  const used = FILTER_LIST.filter((filter) => query[filter] !== undefined);
  return (
    <header className="hidden pb-3 print:block">
      <p className="text-lg font-semibold">{name}</p>
      <p>
        {nameOfMetric(query.event)} · {nameOfPeriod(query)}
        {query.interval !== undefined || query.start === undefined
          ? shown && ` (${day(shown.start)} – ${day(Date.parse(shown.end) - 1)})`
          : ''}
        , {zone}
      </p>
      {isCompared && <p className="text-muted">Compared with: {comparison}</p>}
      {used.map((filter) => (
        <FilterLine key={filter} filter={filter} value={query[filter]!} />
      ))}
    </header>
  );
}

/** A filter in words: "Country is Germany". */
export function FilterLine({ filter, value }: { filter: Filter; value: string }) {
  const { query } = useEventQuery();
  const names = useValueNames(filter, value);
  return (
    <p>
      <span className="text-muted">
        {nameOfFilter(filter)} {verbOf(filter, isExcluded(query, filter))}
      </span>{' '}
      {names}
    </p>
  );
}

/** Size of the drawing and its margins, in units that are px at the width of A4. */
const WIDTH = 700;
const HEIGHT = 220;
const MARGIN = { left: 46, right: 10, top: 10, bottom: 22 };
/** Number of labels on the axis of time, and of lines of equal value. */
const LABELS = 7;
const LINES = 4;

interface PrintChartProps {
  points: readonly Point[];
  formatShort(value: number): string;
}

/** The time series for print, as a vector drawing; the window has a canvas. */
export function PrintChart({ points, formatShort }: PrintChartProps) {
  const most = Math.max(4, ...points.flatMap(({ value, before = 0 }) => [value, before]));
  const step = stepFor(most / LINES);
  const top = Math.ceil(most / step) * step;
  const last = Math.max(1, points.length - 1);
  const x = (index: number) => MARGIN.left + (index / last) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (value: number) =>
    HEIGHT - MARGIN.bottom - (value / top) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const pathOf = (values: readonly (number | undefined)[]) =>
    values
      .map((value, index) =>
        value === undefined
          ? ''
          : `${values[index - 1] === undefined ? 'M' : 'L'}${x(index)} ${y(value)}`,
      )
      .join('');
  const every = Math.ceil(points.length / LABELS);
  const values = Array.from({ length: Math.round(top / step) + 1 }, (_, line) => line * step);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="hidden w-full print:block" aria-hidden>
      {values.map((value) => (
        <g key={value}>
          <path d={`M${MARGIN.left} ${y(value)}H${WIDTH - MARGIN.right}`} className="stroke-line" />
          <text
            x={MARGIN.left - 6}
            y={y(value) + 3}
            textAnchor="end"
            className="fill-muted text-[10px]"
          >
            {formatShort(value)}
          </text>
        </g>
      ))}
      {points.map(({ short }, index) =>
        index % every === 0 ? (
          <text
            key={index}
            x={x(index)}
            y={HEIGHT - 6}
            textAnchor={index === 0 ? 'start' : 'middle'}
            className="fill-muted text-[10px]"
          >
            {short}
          </text>
        ) : null,
      )}
      <path
        d={pathOf(points.map(({ before }) => before))}
        strokeDasharray="3 3"
        className="fill-none stroke-muted"
      />
      <path
        d={pathOf(points.map(({ value }) => value))}
        strokeWidth={2}
        className="fill-none stroke-accent"
      />
    </svg>
  );
}

/** Returns the smallest of 1, 2, 5, 10, 20 and so on that is not below a value. */
function stepFor(value: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(value)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= value)!;
}
