import { Skeleton } from '../ui/states.tsx';
import { formatCents, formatCount, formatShare } from './names.ts';
import { useTotals } from './queries.ts';

/** Visits, leads and sales, with the share that reached each step. */
export function Funnel() {
  const totals = useTotals();
  if (totals.data === undefined) return <Skeleton className="m-3 h-40" />;
  const { clicks, scans, leads, sales, saleAmount, refundAmount } = totals.data.now;
  const visits = clicks + scans;
  const steps = [
    { name: 'Visits', count: visits, hint: 'Clicks and scans' },
    { name: 'Leads', count: leads, hint: rate(leads, visits, 'of visits') },
    { name: 'Sales', count: sales, hint: rate(sales, leads, 'of leads') },
  ];
  const most = Math.max(...steps.map(({ count }) => count));
  return (
    <div className="flex flex-col gap-3 p-3">
      <ol className="flex flex-col gap-2">
        {steps.map(({ name, count, hint }) => (
          <li key={name}>
            <div className="flex items-baseline gap-2 pb-1">
              <span className="font-medium">{name}</span>
              <span className="flex-1 text-xs text-muted">{hint}</span>
              <span data-step={name} className="font-medium tabular-nums">
                {formatCount(count)}
              </span>
            </div>
            <div aria-hidden className="h-6 rounded bg-hover">
              <div
                className="h-full rounded bg-accent forced-colors:bg-[Highlight]"
                style={{ width: `${most === 0 ? 0 : (100 * count) / most}%` }}
              />
            </div>
          </li>
        ))}
      </ol>
      <p className="text-xs text-muted">
        {rate(sales, visits, 'of visits ended in a sale')}
        {sales > 0 && `, worth ${formatCents(saleAmount / sales)} on average`}
        {refundAmount > 0 && ` after refunds of ${formatCents(refundAmount)}`}.
      </p>
    </div>
  );
}

const rate = (part: number, whole: number, of: string): string =>
  whole === 0 ? `0% ${of}` : `${formatShare(part / whole)} ${of}`;
