import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { classes } from '../ui/classes.ts';
import { nameOfVisitors } from './names.ts';

/** A step of time with its number and the number of the compared step. */
export interface Point {
  short: string;
  long: string;
  value: number;
  /** Number of visitors; absent for events without visitors. */
  visitors?: number | undefined;
  /** Name of the compared step; absent without a comparison. */
  beforeLong?: string | undefined;
  before?: number | undefined;
}

interface TimeChartProps {
  points: readonly Point[];
  /** True when the last step is not over, so that the line to it is dashed. */
  isRunning: boolean;
  /** Accessible description of the chart. */
  label: string;
  format(value: number): string;
  formatShort(value: number): string;
  /** Called when steps were chosen by dragging or Enter. */
  onChoose(first: number, last: number): void;
}

const HEIGHT_PX = 260;

/** A line chart of numbers over time; the comparison is a dashed gray line. */
export function TimeChart(props: TimeChartProps) {
  // The chart reads the theme's colors when it is created, so a new theme needs a new chart.
  return <Chart key={useThemeChanges()} {...props} />;
}

function Chart({ points, isRunning, label, format, formatShort, onChoose }: TimeChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const [at, setAt] = useState<{ index: number; left: number; width: number }>();
  const onSelect = useEffectEvent(onChoose);
  const nameValue = useEffectEvent(formatShort);

  useEffect(() => {
    const element = box.current!;
    const plot = new uPlot(
      optionsOf(points, element, {
        onSelect,
        nameValue,
        onMove: (index, left) =>
          setAt(index === null ? undefined : { index, left, width: element.clientWidth }),
      }),
      dataOf(points, isRunning),
      element,
    );
    chart.current = plot;
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [points, isRunning]);

  const point = at && points[at.index];
  const last = points.length - 1;
  const moveTo = (index: number) => {
    const plot = chart.current!;
    plot.setCursor({ left: plot.valToPos(index, 'x'), top: HEIGHT_PX / 2 });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const now = at?.index ?? last;
    const next = {
      ArrowRight: Math.min(last, now + 1),
      ArrowLeft: Math.max(0, now - 1),
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === 'Enter') onChoose(now, now);
    if (event.key === 'Escape') setAt(undefined);
    if (next === undefined) return;
    event.preventDefault();
    moveTo(next);
  };
  return (
    <div
      role="slider"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={at?.index ?? last}
      aria-valuetext={describe(point ?? points[last], format)}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={() => at === undefined && moveTo(last)}
      onBlur={() => setAt(undefined)}
      className="relative rounded print:hidden"
    >
      <div ref={box} aria-hidden style={{ height: HEIGHT_PX }} />
      {at !== undefined && point !== undefined && (
        <div
          aria-hidden
          className={classes(
            'pointer-events-none absolute top-2 z-10 rounded-md border border-line bg-raised px-2.5 py-1.5 text-xs whitespace-nowrap shadow-lg',
            at.left > at.width / 2 && '-translate-x-full',
          )}
          style={{ left: at.left + (at.left > at.width / 2 ? -12 : 12) }}
        >
          <div className="text-muted">{point.long}</div>
          <div className="text-sm font-semibold tabular-nums">{format(point.value)}</div>
          {point.visitors !== undefined && (
            <div className="tabular-nums">{nameOfVisitors(point.visitors)}</div>
          )}
          {point.before !== undefined && (
            <div className="mt-1 text-muted">
              {point.beforeLong}: <span className="tabular-nums">{format(point.before)}</span>
            </div>
          )}
        </div>
      )}
    </div>
  );
}

function describe(point: Point | undefined, format: (value: number) => string): string {
  if (point === undefined) return 'Nothing';
  const before = point.before === undefined ? '' : `, before: ${format(point.before)}`;
  const visitors = point.visitors === undefined ? '' : `, ${nameOfVisitors(point.visitors)}`;
  return `${point.long}: ${format(point.value)}${visitors}${before}`;
}

/** Places the steps by index, because days and months differ in length. */
function dataOf(points: readonly Point[], isRunning: boolean): uPlot.AlignedData {
  const last = points.length - 1;
  return [
    points.map((_, index) => index),
    points.map(({ value }, index) => (isRunning && index === last ? null : value)),
    points.map(({ value }, index) => (isRunning && index >= last - 1 ? value : null)),
    points.map(({ before }) => before ?? null),
  ];
}

interface Callbacks {
  onSelect(first: number, last: number): void;
  nameValue(value: number): string;
  onMove(index: number | null, left: number): void;
}

function optionsOf(
  points: readonly Point[],
  element: HTMLElement,
  { onSelect, nameValue, onMove }: Callbacks,
): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const [accent, muted, line] = [color('--accent'), color('--muted'), color('--line')];
  const font = '11px Inter, system-ui, sans-serif';
  const axis = { stroke: muted, font, ticks: { show: false } };
  const isShown = { show: points.length === 1 };
  const shown = {
    stroke: accent,
    width: 2,
    fill: `color-mix(in srgb, ${accent} 12%, transparent)`,
    points: isShown,
  };
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    // Half of the last label of the axis is right of the chart.
    padding: [12, 20, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: (_, min, max) => (min === max ? [min - 1, max + 1] : [min, max]) },
      y: { range: (_, __, max) => [0, Math.max(max * 1.08, 4)] },
    },
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false },
      points: { size: 8, fill: accent, stroke: color('--panel'), width: 2 },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        space: 64,
        incrs: [1, 2, 3, 4, 5, 6, 7, 10, 14, 30, 60, 90],
        values: (_, splits) => splits.map((index) => points[index]?.short ?? ''),
      },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        size: 48,
        incrs: [1, 2, 5, ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].flatMap(tens)],
        values: (_, splits) => splits.map((value) => nameValue(value)),
      },
    ],
    series: [
      {},
      shown,
      { ...shown, dash: [5, 4] },
      { stroke: muted, width: 1.5, dash: [3, 3], points: isShown },
    ],
    hooks: {
      setCursor: [
        ({ cursor, over }) => onMove(cursor.idx ?? null, (cursor.left ?? 0) + over.offsetLeft),
      ],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width < 4) return;
          const first = Math.max(0, Math.round(plot.posToVal(left, 'x')));
          const last = Math.min(points.length - 1, Math.round(plot.posToVal(left + width, 'x')));
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          onSelect(first, last);
        },
      ],
    },
  };
}

const tens = (power: number): number[] => [1, 2, 5].map((digit) => digit * 10 ** power);

/** Returns a number that changes with the theme, for redrawing canvases. */
function useThemeChanges(): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const observer = new MutationObserver(() => setCount((before) => before + 1));
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);
  return count;
}
