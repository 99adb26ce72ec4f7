import { Link } from '@tanstack/react-router';
import { useWorkspace } from '../app/workspace.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Bars } from './bars.tsx';
import { browserTimezone } from './days.ts';
import { type Filters, nameOfMetric } from './event-query.ts';
import { formatCount } from './names.ts';
import { planNeeded } from './plan-needed.tsx';
import { measureOf, useAnalytics } from './queries.ts';
import { stepNames } from './timeline.ts';

/**
 * The last 30 days of a link or QR code, with a link to its analytics; renders nothing if the plan
 * has no analytics.
 */
export function AnalyticsSummary({ of }: { of: { linkId: string } | { qrcodeId: string } }) {
  const { slug } = useWorkspace();
  const filters: Filters = of;
  const event = 'qrcodeId' in of ? 'scans' : 'clicks';
  const query = { ...filters, event } as const;
  const rows = useAnalytics('timeseries', query);
  const totals = useAnalytics('count', query);
  if (planNeeded(rows.error) !== undefined) return null;
  if (rows.error) return <Failure error={rows.error} retry={() => void rows.refetch()} />;
  if (rows.data === undefined || totals.data === undefined) return <Skeleton className="h-28" />;
  const { long } = stepNames('day', browserTimezone());
  const measure = measureOf(event);
  return (
    <section aria-label="Last 30 days" className="rounded-lg border border-line p-3">
      <h3 className="pb-1.5 font-medium">Last 30 days</h3>
      <dl className="flex gap-6 pb-2">
        {([event, 'leads', 'sales'] as const).map((name) => (
          <div key={name}>
            <dt className="text-xs text-muted">{nameOfMetric(name)}</dt>
            <dd className="text-lg font-semibold tabular-nums">{formatCount(totals.data[name])}</dd>
          </div>
        ))}
      </dl>
      <Bars
        bars={rows.data.map((row) => ({ label: long(row.start), value: row[measure] ?? 0 }))}
        label={`${nameOfMetric(event)} in the last 30 days: ${formatCount(totals.data[event])}`}
      />
      <Link
        to="/$workspace/analytics"
        params={{ workspace: slug }}
        search={event === 'scans' ? { ...filters, event } : { ...filters }}
        className="mt-2 inline-block text-accent-text hover:underline max-md:py-3"
      >
        All analytics
      </Link>
    </section>
  );
}
