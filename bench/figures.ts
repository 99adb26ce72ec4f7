export function median(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}

/** Returns a percentile. @param share 0.99 for the 99th percentile */
export function percentileOf(figures: number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const thousands = (figure: number): string => Math.round(figure).toLocaleString('en');
