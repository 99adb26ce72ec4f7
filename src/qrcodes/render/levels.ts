/** Error-correction levels, which recover about 7, 15, 25 and 30% of the codewords. */
export const LEVELS = ['L', 'M', 'Q', 'H'] as const;
export type Level = (typeof LEVELS)[number];
