import { ArrowDown, ArrowUp } from 'lucide-react';
import { classes } from '../ui/classes.ts';
import { Skeleton } from '../ui/states.tsx';
import { measureOf, useAnalytics } from './ask.ts';
import { formatCount, formatMetric, formatShare, nameOfMetric } from './names.ts';
import { METRICS, type Metric } from './question.ts';
import { useQuestion } from './use-question.ts';

/** All totals, with their change from the span before; the chosen one is what the page shows. */
export function Totals() {
  const { question, change } = useQuestion();
  const kpis = useAnalytics('kpis', question);
  const { event: chosen = 'clicks' } = question;
  return (
    <div
      role="group"
      aria-label="Totals"
      className="grid grid-cols-2 border-b border-line sm:grid-cols-3 lg:grid-cols-6"
    >
      {METRICS.map((metric) => {
        const total = kpis.data?.[measureOf(metric)];
        return (
          <button
            key={metric}
            type="button"
            aria-pressed={metric === chosen}
            data-metric={metric}
            onClick={() => change({ event: metric === 'clicks' ? undefined : metric })}
            className={classes(
              'flex flex-col gap-0.5 border-b-2 px-4 py-3 text-left hover:bg-hover',
              metric === chosen ? 'border-accent' : 'border-transparent',
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
            {total === undefined ? (
              <Skeleton className="h-7 w-16" />
            ) : (
              <>
                <span
                  data-value={total.value}
                  title={metric === 'revenue' ? undefined : formatCount(total.value)}
                  className="text-xl font-semibold tabular-nums"
                >
                  {formatMetric(metric, total.value)}
                </span>
                <Change metric={metric} change={total.change} previous={total.previous} />
              </>
            )}
          </button>
        );
      })}
    </div>
  );
}

interface ChangeProps {
  metric: Metric;
  /** In per cent; `null`: there was nothing before. */
  change: number | null;
  previous: number;
}

function Change({ metric, change, previous }: ChangeProps) {
  const before = `${formatMetric(metric, previous)} in the span before`;
  if (change === null) return <span className="text-xs text-muted">Nothing before</span>;
  const Arrow = change < 0 ? ArrowDown : ArrowUp;
  const word = change === 0 ? 'as before' : change < 0 ? 'less' : 'more';
  return (
    <span
      title={before}
      className={classes(
        'inline-flex items-center gap-0.5 text-xs',
        change === 0 ? 'text-muted' : change < 0 ? 'text-danger' : 'text-success',
      )}
    >
      {change !== 0 && <Arrow size={12} aria-hidden />}
      {formatShare(Math.abs(change) / 100)}
      <span className="sr-only">
        {word}; {before}
      </span>
    </span>
  );
}
