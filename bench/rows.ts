/** The benchmarks, in the order in which they run. */
export const NAMES = [
  'redirect',
  'mixed',
  'costs',
  'start',
  'sustained',
  'bulk',
  'imports',
  'visits',
  'lists',
  'memory',
  'qr',
  'exports',
  'analytics',
  'clickhouse',
  'webhooks',
  'tenants',
  'pressure',
  'cluster',
  'processes',
  'lookups',
] as const;
export type Name = (typeof NAMES)[number];

/** A row of the table: a quantity that was measured once per round. */
export interface Row {
  what: string;
  unit: '/s' | 'µs' | 'ms' | 's' | 'MB' | 'bytes' | '%' | '';
  better: 'more' | 'less';
  /** One figure per round, in the order of `baseline.figures`; empty if it was skipped. */
  ours: number[];
  baseline?: { what: string; figures: number[] };
  /**
   * Target for the median ratio, or for the median of `ours`: a minimum or maximum, by `better`.
   */
  aim?: { ratio: number } | { ours: number };
  /** Reason why it was not measured. */
  skipped?: string;
}

export interface BenchOptions {
  rounds: number;
  /** Duration of the benchmark `sustained`, in minutes. */
  minutes: number;
}

export type Bench = (options: BenchOptions) => Promise<Row[]>;

/** The message of a benchmark's process at its end. */
export interface Outcome {
  rows: Row[];
  /** Versions of the servers that it started. */
  versions: { postgres?: string; redis?: string };
}

/**
 * Measures candidates in turn, so that changes of the machine affect all; every other round is in
 * reverse order, so that none always follows the same one.
 *
 * @returns the results of each candidate, by round
 */
export async function inTurn<M extends Record<string, () => Promise<unknown>>>(
  rounds: number,
  measures: M,
): Promise<{ [K in keyof M]: Awaited<ReturnType<M[K]>>[] }> {
  const names = Object.keys(measures);
  const results: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const measured = await measures[name]!();
      results[name]!.push(measured);
      console.error(`round ${round + 1} of ${rounds}, ${name}:`, measured);
    }
  }
  return results as { [K in keyof M]: Awaited<ReturnType<M[K]>>[] };
}

/** Ratio to the baseline in each round; above 1, this service is better. */
export function ratiosOf({ ours, baseline, better }: Row): number[] {
  return ours.flatMap((figure, round) => {
    const base = baseline?.figures[round];
    if (base === undefined) return [];
    return [better === 'more' ? figure / base : base / figure];
  });
}
