/** The numbers of a variant. */
export interface VariantNumbers {
  name: string;
  visits: number;
  /** Number of leads or sales. */
  conversions: number;
}

/** Minimum visits per variant and minimum total conversions for a verdict. */
export const LEAST_VISITS = 100;
export const LEAST_CONVERSIONS = 10;

/** z-score of a 95% confidence level for the normal distribution. */
const Z = 1.96;

/**
 * Calculates the 95% confidence interval of the conversion rate by Wilson's method, which also
 * works for few conversions.
 *
 * @returns `undefined` without visits, or with more conversions than visits
 */
export function intervalOf({
  visits,
  conversions,
}: Omit<VariantNumbers, 'name'>): [low: number, high: number] | undefined {
  if (visits === 0 || conversions > visits) return undefined;
  const rate = conversions / visits;
  const scale = 1 + Z ** 2 / visits;
  const middle = (rate + Z ** 2 / (2 * visits)) / scale;
  const half = (Z / scale) * Math.sqrt((rate * (1 - rate)) / visits + Z ** 2 / (4 * visits ** 2));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** Conclusion from the numbers of a test so far. */
export type Verdict = { kind: 'tooFew' } | { kind: 'unclear' } | { kind: 'better'; name: string };

/** Names a variant as better only if its interval lies entirely above those of all others. */
export function verdictOf(variants: readonly VariantNumbers[]): Verdict {
  const total = variants.reduce((sum, { conversions }) => sum + conversions, 0);
  const least = Math.min(...variants.map(({ visits }) => visits));
  if (least < LEAST_VISITS || total < LEAST_CONVERSIONS) return { kind: 'tooFew' };
  const found = variants.map((variant) => ({ name: variant.name, interval: intervalOf(variant) }));
  const best = found.find(
    ({ name, interval }) =>
      interval !== undefined &&
      found.every((other) => other.name === name || (other.interval?.[1] ?? 1) < interval[0]),
  );
  return best === undefined ? { kind: 'unclear' } : { kind: 'better', name: best.name };
}
