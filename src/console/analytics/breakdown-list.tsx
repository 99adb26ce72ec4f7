import type { Tab } from './cards.ts';
import { type Filters, type Metric, nameOfMetric } from './event-query.ts';
import { formatCount, formatMetric, formatShare } from './names.ts';
import { measureOf, type Row, useAnalytics, useTotals } from './queries.ts';
import { useEventQuery } from './use-event-query.ts';

/** A value of a group with its number. */
export interface Entry {
  key: string;
  name: string;
  /** Beginning of `name`, cut off first when space is short: the domain of `acme.link/summer`. */
  stem: string;
  hint: string;
  value: number;
  /** Number of visitors; absent for events without visitors. */
  visitors: number | undefined;
  filter: Filters | undefined;
}

/** Returns the values of a tab, largest number first. */
export function entriesOf(tab: Tab, rows: readonly Row[], measure: string): Entry[] {
  const field = tab.measure ?? measure;
  return rows
    .map((row) => ({
      key: Object.values(row)
        .filter((value) => typeof value === 'string')
        .join('\t'),
      name: tab.nameOf(row),
      stem: tab.stemOf?.(row) ?? '',
      hint: tab.hintOf?.(row) ?? '',
      value: Number(row[field] ?? 0),
      visitors: row['visitors'] == null ? undefined : Number(row['visitors']),
      filter: tab.filterOf?.(row),
    }))
    .toSorted((a, b) => b.value - a.value);
}

/** Loads the values of a tab, with the properties that all their bars share. */
export function useEntries(tab: Tab) {
  const { query, addFilters } = useEventQuery();
  const { event = 'clicks' } = query;
  const rows = useAnalytics(tab.group, query);
  const totals = useTotals();
  const isOfEvent = tab.measure === undefined;
  return {
    rows,
    entries: entriesOf(tab, (rows.data ?? []) as readonly Row[], measureOf(event)),
    /** Name of the numbers. */
    column: isOfEvent ? nameOfMetric(event) : 'Leads and sales',
    bar: {
      total: isOfEvent ? totals.data?.now[measureOf(event)] : undefined,
      metric: isOfEvent ? event : 'clicks',
      onFilter: addFilters,
    },
  };
}

interface BarRowProps {
  entry: Entry;
  /** Largest number, which fills the whole width. */
  most: number;
  /** Total of all events, to show shares; absent for no shares. */
  total?: number | undefined;
  metric: Metric;
  /** True to show the number of visitors, where there is room for it. */
  isWide?: boolean;
  onFilter(filters: Filters): void;
}

/** A value with a bar proportional to its number. */
export function BarRow({ entry, most, total, metric, isWide = false, onFilter }: BarRowProps) {
  const { name, stem, hint, value, visitors, filter } = entry;
  const label = (
    <>
      {stem === '' ? (
        <span className="truncate">{name}</span>
      ) : (
        <span className="flex min-w-0">
          <span className="truncate">{stem}</span>
          <span className="max-w-[80%] shrink-0 truncate">{name.slice(stem.length)}</span>
        </span>
      )}
      {hint !== '' && <span className="min-w-0 flex-1 truncate text-xs text-muted">{hint}</span>}
    </>
  );
  const look =
    'relative flex min-w-0 items-baseline gap-2 rounded px-2 text-left max-md:min-h-11 print:min-h-0';
  return (
    <>
      <span className="relative flex min-w-0 flex-1">
        <span
          aria-hidden
          className="absolute inset-y-0 left-0 rounded bg-accent-soft forced-colors:border-b-2 forced-colors:border-[Highlight]"
          style={{ width: `${most === 0 ? 0 : Math.max(0.5, (100 * value) / most)}%` }}
        />
        {filter === undefined ? (
          <span className={`${look} py-1.5 print:py-1`}>{label}</span>
        ) : (
          <button
            type="button"
            title={`Filter by ${name}`}
            onClick={() => onFilter(filter)}
            className={`${look} w-full py-1.5 hover:underline max-md:py-2.5 print:py-1`}
          >
            {label}
          </button>
        )}
      </span>
      {total !== undefined && total > 0 && (
        <span className="w-12 text-right text-xs text-muted tabular-nums">
          {formatShare(value / total)}
        </span>
      )}
      {isWide && visitors !== undefined && (
        <span className="min-w-14 text-right text-muted tabular-nums">{formatCount(visitors)}</span>
      )}
      <span className="min-w-14 text-right font-medium tabular-nums">
        {formatMetric(metric, value)}
      </span>
    </>
  );
}
