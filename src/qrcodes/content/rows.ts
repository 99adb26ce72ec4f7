import type { DisplayPage, DisplayRow } from '../../lookup/display-page.ts';
import { encodeMatrix, plainPath } from '../render/matrix.ts';

/** Builds the rows of a page from those with a value; `copy` adds a button that copies it. */
export const rowsOf = (
  ...rows: readonly (readonly [label: string, value: string | undefined, copy?: 'copy'])[]
): DisplayRow[] =>
  rows.flatMap(([label, value, copy]) => {
    if (value === undefined) return [];
    return [copy === undefined ? { label, value } : { label, value, copy: true as const }];
  });

/** Builds the first row of a payment, its amount with a button that copies it. */
export const amountRow = (label: string, value: string | undefined): DisplayRow[] =>
  value === undefined ? [] : [{ label, value, copy: true, isAmount: true }];

/** Builds the code on a page, of level M, for another phone or a bank's app. */
export function codeOf(label: string, payload: string): NonNullable<DisplayPage['code']> {
  const code = encodeMatrix(payload, 'M');
  return { label, size: code.size, path: plainPath(code) };
}
