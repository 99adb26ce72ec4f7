import { Skeleton } from '../ui/states.tsx';
import { useAnalytics } from './ask.ts';
import { formatCents, formatCount, formatShare } from './names.ts';
import type { Question } from './question.ts';

/** Numbers of visits, of the leads from them, and of sales. */
export function Funnel({ question }: { question: Question }) {
  const kpis = useAnalytics('kpis', question);
  if (kpis.data === undefined) return <Skeleton className="m-3 h-40" />;
  const of = (name: string) => kpis.data[name]?.value ?? 0;
  const visits = of('clicks') + of('scans');
  const steps = [
    { name: 'Visits', count: visits, hint: 'Clicks and scans' },
    { name: 'Leads', count: of('leads'), hint: rate(of('leads'), visits, 'of visits') },
    { name: 'Sales', count: of('sales'), hint: rate(of('sales'), of('leads'), 'of leads') },
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
                className="h-full rounded bg-accent"
                style={{ width: `${most === 0 ? 0 : (100 * count) / most}%` }}
              />
            </div>
          </li>
        ))}
      </ol>
      <p className="text-xs text-muted">
        {rate(of('sales'), visits, 'of visits ended in a sale')}
        {of('sales') > 0 && `, ${formatCents(of('saleAmount') / of('sales'))} each on average`}.
      </p>
    </div>
  );
}

const rate = (part: number, whole: number, of: string): string =>
  whole === 0 ? `0% ${of}` : `${formatShare(part / whole)} ${of}`;
