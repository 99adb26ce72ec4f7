/** Returns a generator of numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Index of the value of each factor. */
export type Row = number[];

/** A pair of values that no row can have. */
export interface ImpossiblePair {
  factors: [number, number];
  choices: [number, number];
  why: string;
}

/** Attempts to complete a row with a pair before the pair counts as impossible. */
const TRIES = 40;

/**
 * Builds rows in which every pair of values of two factors occurs at least once. The algorithm is
 * greedy: a row begins with a missing pair, and each other factor gets the value that covers most
 * missing pairs.
 *
 * @param counts number of values of each factor
 * @param fault returns the reason why a row is not allowed, or `undefined`
 */
export function pairwise(
  counts: readonly number[],
  random: () => number,
  fault: (row: Row) => string | undefined,
): { rows: Row[]; impossible: ImpossiblePair[] } {
  const missing = new Set<string>();
  const name = (a: number, x: number, b: number, y: number) =>
    a < b ? `${a},${x},${b},${y}` : `${b},${y},${a},${x}`;
  for (let a = 0; a < counts.length; a += 1) {
    for (let b = a + 1; b < counts.length; b += 1) {
      for (let x = 0; x < counts[a]!; x += 1) {
        for (let y = 0; y < counts[b]!; y += 1) missing.add(name(a, x, b, y));
      }
    }
  }
  const rows: Row[] = [];
  const impossible: ImpossiblePair[] = [];

  const fill = (a: number, x: number, b: number, y: number, greedy: boolean): Row => {
    const row: (number | undefined)[] = counts.map(() => undefined);
    row[a] = x;
    row[b] = y;
    const open = counts.map((_, index) => index).filter((index) => row[index] === undefined);
    for (const factor of shuffled(open, random)) {
      const choices = shuffled([...Array(counts[factor]).keys()], random);
      const gain = (choice: number) =>
        row.reduce<number>(
          (sum, value, other) =>
            value !== undefined && missing.has(name(factor, choice, other, value)) ? sum + 1 : sum,
          0,
        );
      row[factor] = greedy
        ? choices.reduce((best, choice) => (gain(choice) > gain(best) ? choice : best))
        : choices[0]!;
    }
    return row as Row;
  };

  while (missing.size > 0) {
    const [first] = missing;
    const [a, x, b, y] = first!.split(',').map(Number) as [number, number, number, number];
    let why = '';
    let row: Row | undefined;
    for (let attempt = 0; attempt < TRIES && row === undefined; attempt += 1) {
      const candidate = fill(a, x, b, y, attempt < TRIES / 2);
      const reason = fault(candidate);
      if (reason === undefined) row = candidate;
      else why = reason;
    }
    if (row === undefined) {
      missing.delete(first!);
      impossible.push({ factors: [a, b], choices: [x, y], why });
      continue;
    }
    rows.push(row);
    for (let one = 0; one < row.length; one += 1) {
      for (let other = one + 1; other < row.length; other += 1) {
        missing.delete(name(one, row[one]!, other, row[other]!));
      }
    }
  }
  return { rows, impossible };
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let index = result.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [result[index], result[other]] = [result[other]!, result[index]!];
  }
  return result;
}
