import { ArrowDown, ArrowUp } from 'lucide-react';
import { classes } from '../ui/classes.ts';
import { Skeleton } from '../ui/states.tsx';
import { METRICS, type Metric, nameOfMetric } from './event-query.ts';
import { formatCount, formatMetric, formatShare } from './names.ts';
import { measureOf, useTotals } from './queries.ts';
import { useEventQuery } from './use-event-query.ts';
import { useComparisonName } from './value-names.ts';

/**
 * All totals with their change since the comparison period; a click chooses the page's metric.
 * Visitors are no metric: charts and lists show them beside clicks, scans and views.
 *
 * @param metrics the metrics to show: all, or four
 */
export function Totals({ metrics = METRICS }: { metrics?: readonly Metric[] }) {
  const { query, change } = useEventQuery();
  const totals = useTotals();
  const { event: chosen = 'clicks' } = query;
  return (
    <div
      role="group"
      aria-label="Totals"
      className={classes(
        'grid grid-cols-2 border-b border-line print:grid-cols-4',
        metrics.length < METRICS.length ? 'sm:grid-cols-5' : 'sm:grid-cols-4 lg:grid-cols-7',
      )}
    >
      {metrics.map((metric) => {
        const value = totals.data?.now[measureOf(metric)];
        const previous = totals.data?.before?.[measureOf(metric)];
        return (
          <button
            key={metric}
            type="button"
            aria-pressed={metric === chosen}
            data-metric={metric}
            onClick={() => change({ event: metric === 'clicks' ? undefined : metric })}
            className={classes(
              'flex flex-col gap-0.5 border-b-2 px-4 py-3 text-left hover:bg-hover',
              metric === chosen
                ? 'border-accent forced-colors:border-[Highlight]'
                : 'border-transparent forced-colors:border-[Canvas]',
            )}
          >
            <span
              className={classes(
                'text-xs',
                metric === chosen ? 'font-semibold text-accent-text' : 'text-muted',
              )}
            >
              {nameOfMetric(metric)}
            </span>
            <Total metric={metric} value={value} previous={previous} />
          </button>
        );
      })}
      <div
        data-total="visitors"
        className="flex flex-col gap-0.5 border-b-2 border-transparent px-4 py-3"
      >
        <span
          className="text-xs text-muted"
          title="Of clicks and scans. Each visitor counts once a day for each link and QR code."
        >
          Visitors
        </span>
        <Total value={totals.data?.now.visitors} previous={totals.data?.before?.visitors} />
      </div>
    </div>
  );
}

interface TotalProps {
  metric?: Metric;
  /** Absent while it is loaded. */
  value: number | undefined;
  previous: number | undefined;
}

/** A total with its change. */
function Total({ metric, value, previous }: TotalProps) {
  const comparison = useComparisonName();
  if (value === undefined) return <Skeleton className="h-7 w-16" />;
  return (
    <>
      <span
        data-value={value}
        title={metric === 'revenue' ? undefined : formatCount(value)}
        className="text-xl font-semibold tabular-nums"
      >
        {formatMetric(metric, value)}
      </span>
      {previous !== undefined && (
        <Change
          value={value}
          previous={previous}
          before={`${comparison}: ${formatMetric(metric, previous)}`}
        />
      )}
    </>
  );
}

interface ChangeProps {
  value: number;
  previous: number;
  /** Label of the comparison. */
  before: string;
}

function Change({ value, previous, before }: ChangeProps) {
  const { against } = useEventQuery().query;
  if (previous === 0) {
    return (
      <span data-previous={0} className="text-xs text-muted">
        {against === undefined ? 'No earlier data' : 'Nothing to compare'}
      </span>
    );
  }
  const change = (value - previous) / previous;
  const Arrow = change < 0 ? ArrowDown : ArrowUp;
  const word = change === 0 ? 'no change' : change < 0 ? 'less' : 'more';
  return (
    <span
      title={before}
      data-previous={previous}
      className={classes(
        'inline-flex items-center gap-0.5 text-xs',
        change === 0 ? 'text-muted' : change < 0 ? 'text-danger' : 'text-success',
      )}
    >
      {change !== 0 && <Arrow size={12} aria-hidden />}
      {formatShare(Math.abs(change))}
      <span className="sr-only">
        {word}. {before}
      </span>
    </span>
  );
}
