/** The benchmarks, in the order in which they run. */
export const NAMES = [
  'redirect',
  'mixed',
  'costs',
  'model',
  'start',
  'sustained',
  'bulk',
  'imports',
  'visits',
  'lists',
  'memory',
  'qr',
  'analytics',
  'clickhouse',
  'webhooks',
  'tenants',
  'pressure',
  'cluster',
  'processes',
] as const;
export type Name = (typeof NAMES)[number];

/** A line of the table: what was measured, once in each round. */
export interface Row {
  what: string;
  unit: '/s' | 'µs' | 'ms' | 's' | 'MB' | 'bytes' | '%' | '';
  better: 'more' | 'less';
  /** One figure for each round, as in `baseline.figures`; none where it was skipped. */
  ours: number[];
  baseline?: { what: string; figures: number[] };
  /** At least, or at most, by `better`: of the median ratio, or of the median of `ours`. */
  aim?: { ratio: number } | { ours: number };
  /** The reason why it was not measured. */
  skipped?: string;
}

export interface BenchOptions {
  rounds: number;
  /** Of `sustained`. */
  minutes: number;
}

export type Bench = (options: BenchOptions) => Promise<Row[]>;

/** Sent by the process of a benchmark when it is done. */
export interface Outcome {
  rows: Row[];
  /** Versions of the servers that it started. */
  versions: { postgres?: string; redis?: string };
}

/**
 * Measures what is to be compared in turn, so that all meet the same machine; every other round in reverse, so that none always
 * comes after the same one.
 *
 * @returns for each what it measured in each round
 */
export async function inTurn<M extends Record<string, () => Promise<unknown>>>(
  rounds: number,
  measures: M,
): Promise<{ [K in keyof M]: Awaited<ReturnType<M[K]>>[] }> {
  const names = Object.keys(measures);
  const taken: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const measured = await measures[name]!();
      taken[name]!.push(measured);
      console.error(`round ${round + 1} of ${rounds}, ${name}:`, measured);
    }
  }
  return taken as { [K in keyof M]: Awaited<ReturnType<M[K]>>[] };
}

/** How many times as good as the baseline each round was: above 1, ours is better. */
export function ratiosOf({ ours, baseline, better }: Row): number[] {
  return ours.flatMap((figure, round) => {
    const base = baseline?.figures[round];
    if (base === undefined) return [];
    return [better === 'more' ? figure / base : base / figure];
  });
}
