import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answer } from '../api/client.ts';
import { ApiError, describe } from '../api/error.ts';
import { keys } from '../api/keys.ts';
import { useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { countOf } from '../ui/count-of.ts';
import { Badge, Failure, Skeleton } from '../ui/states.tsx';
import { isPast, Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import type { ShortLinkRecord } from './fields.ts';
import {
  intervalOf,
  LEAST_CONVERSIONS,
  LEAST_VISITS,
  type VariantNumbers,
  type Verdict,
  verdictOf,
} from './test-statistics.ts';

/** Numbers of a variant by event. */
type Counts = Record<'visits' | 'leads' | 'sales', number>;

/** Nouns of the conversions that a test compares. */
const NOUNS = /* text */ { leads: 'leads', sales: 'sales' } as const;

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/**
 * The visits, leads and sales of each variant since the test began, and buttons to choose a winner.
 */
export function TestResults({ record }: { record: ShortLinkRecord }) {
  const results = useResults(record);
  const { testStartedAt, testCompletedAt, testWinner } = record;
  if (isRefused(results.error)) return null;
  if (results.error) {
    return <Failure error={results.error} retry={() => void results.refetch()} />;
  }
  if (results.data === undefined) return <Skeleton className="h-32" />;
  const rows = results.data;
  const sum = (name: keyof Counts) => rows.reduce((total, row) => total + row[name], 0);
  const measure = sum('leads') === 0 && sum('sales') > 0 ? 'sales' : 'leads';
  const numbers = rows.map((row) => ({ ...row, conversions: row[measure] }));
  const isOver = testCompletedAt !== null && isPast(testCompletedAt);
  return (
    <section aria-label="Results of the test" className="flex flex-col gap-2">
      <p className="text-muted">
        {testStartedAt !== null && (
          <>
            Started <Time at={testStartedAt} />
            {isOver && (
              <>
                ; ended <Time at={testCompletedAt} />
              </>
            )}
            .
          </>
        )}
      </p>
      <ul className="flex flex-col gap-2">
        {numbers.map((row) => (
          <li
            key={row.name}
            data-variant={row.name}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-md border border-line p-2"
          >
            <span className="flex items-center gap-2 font-medium">
              {row.name}
              {row.name === testWinner && <Badge tone="success">Winner</Badge>}
            </span>
            <span className="tabular-nums">
              {countOf(row.visits, 'visit')}, {countOf(row.leads, 'lead')},{' '}
              {countOf(row.sales, 'sale')}
            </span>
            <span className="flex-1 tabular-nums">{rateOf(row, measure)}</span>
            {testWinner === null && <Choose record={record} name={row.name} />}
          </li>
        ))}
      </ul>
      <p role="status">{textOf(verdictOf(numbers), measure)}</p>
      {!record.trackConversion && (
        <p className="text-xs text-muted">Turn on “Track conversions” to count leads and sales.</p>
      )}
      <p className="text-xs text-muted">
        {numbers.some(({ visits }) => visits > 0) &&
          'The range in brackets contains the true rate with 95% confidence. '}
        Set the end date in advance. Stopping as soon as one variant is ahead can pick a winner by
        chance.
      </p>
    </section>
  );
}

function rateOf(row: VariantNumbers, measure: 'leads' | 'sales'): string {
  if (row.visits === 0) return 'No visits yet';
  const rate = `${percent.format(row.conversions / row.visits)} ${NOUNS[measure]}`;
  const interval = intervalOf(row);
  if (interval === undefined) return `${rate} (several per visit)`;
  const [low, high] = interval.map((limit) => percent.format(limit));
  return `${rate} (${low} to ${high})`;
}

function textOf(verdict: Verdict, measure: 'leads' | 'sales'): string {
  if (verdict.kind === 'better') {
    return `${verdict.name} brings more ${NOUNS[measure]}: its range is above all others.`;
  }
  return verdict.kind === 'unclear'
    ? 'No clear difference: the ranges overlap.'
    : `Not enough data yet. A comparison needs ${LEAST_VISITS} visits to each variant and ${LEAST_CONVERSIONS} ${NOUNS[measure]} in total.`;
}

/** True when the plan has no analytics or the role cannot see them. */
const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 403;

const nounOf = ({ id }: ShortLinkRecord) => (id.startsWith('qr_') ? 'qrcodes' : 'links');

/** Loads the numbers of each variant, in the order of the variants. */
function useResults(record: ShortLinkRecord) {
  const { id, testVariants, testStartedAt, testCompletedAt } = record;
  const { api } = useWorkspace();
  const isCode = nounOf(record) === 'qrcodes';
  return useQuery({
    queryKey: keys.analytics.one(id, 'variants', testStartedAt, testCompletedAt),
    queryFn: async ({ signal }) => {
      const of = isCode ? { qrcodeId: [id] } : { linkId: [id] };
      const load = async (event: 'composite' | 'scans') => {
        const query = {
          groupBy: 'variants',
          event,
          ...of,
          ...(testStartedAt !== null && { start: testStartedAt }),
          end: new Date().toISOString(),
        } as const;
        const body: unknown = await answer(api.GET('/analytics', { params: { query }, signal }));
        return new Map(
          (body as Record<string, string | number>[]).map((row) => [row['variant'], row]),
        );
      };
      const [counts, scans] = await Promise.all([load('composite'), isCode ? load('scans') : null]);
      return (testVariants ?? []).map(({ name }) => {
        const row = counts.get(name);
        const visits = scans === null ? row?.['clicks'] : scans.get(name)?.['scans'];
        return {
          name,
          visits: Number(visits ?? 0),
          leads: Number(row?.['leads'] ?? 0),
          sales: Number(row?.['sales'] ?? 0),
        };
      });
    },
  });
}

/** A button that makes a variant the destination of all visitors, after a second click. */
function Choose({ record, name }: { record: ShortLinkRecord; name: string }) {
  const [isMeant, setMeant] = useState(false);
  const { update } = useResource(nounOf(record), {
    onUpdated: () => toast(`All visitors now go to ${name}`),
    onFailed: (error) => toast(`The test goes on. ${describe(error)}`, 'danger'),
  });
  return (
    <Button
      size="small"
      look={isMeant ? 'primary' : 'plain'}
      busy={update.isPending}
      onClick={() =>
        isMeant ? update.write({ seen: record, body: { testWinner: name } }) : setMeant(true)
      }
    >
      {isMeant ? `End the test with ${name}` : `Choose ${name}`}
    </Button>
  );
}
