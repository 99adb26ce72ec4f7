import { type Api, answer, type Schemas } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import type { BatchRow } from './batch.ts';

/** Most codes of a request. */
const PER_REQUEST = 100;

/** The outcome of a row: the id of its code, or the reason why there is none. */
export type Outcome = { id: string } | { message: string };

interface Creation {
  api: Api;
  /** Fields of the style, which all codes share. */
  look: Partial<Schemas['NewQrCode']>;
  /** Prefix of the idempotency keys, so that a repeat creates no code twice. */
  key: string;
  /** Called after each request with the outcomes so far, by the number of the row. */
  onProgress(outcomes: ReadonlyMap<number, Outcome>): void;
}

/** Creates the codes of rows without faults. @throws ApiError if the service cannot be reached */
export async function createBatch(
  rows: readonly BatchRow[],
  creation: Creation,
): Promise<ReadonlyMap<number, Outcome>> {
  const outcomes = new Map<number, Outcome>();
  for (let first = 0; first < rows.length; first += PER_REQUEST) {
    const part = rows.slice(first, first + PER_REQUEST);
    for (const [number, outcome] of await createRows(part, creation)) outcomes.set(number, outcome);
    creation.onProgress(new Map(outcomes));
  }
  return outcomes;
}

/**
 * Creates some codes. The API answers with the first error alone if it refuses all of them; the
 * halves then have their own.
 */
async function createRows(
  rows: readonly BatchRow[],
  creation: Creation,
): Promise<[number, Outcome][]> {
  const { api, look, key } = creation;
  const header = { 'Idempotency-Key': `${key}-${rows[0]!.number}-${rows.length}` };
  const body = rows.map((row) => ({ ...row.body, ...look }));
  try {
    const results = await answer(api.POST('/qrcodes/bulk', { params: { header }, body }));
    return results.map((result, at): [number, Outcome] => [
      rows[at]!.number,
      'error' in result ? { message: result.error.message } : { id: result.id },
    ]);
  } catch (error) {
    if (!(error instanceof ApiError) || error.isPassing) throw error;
    if (rows.length === 1) return [[rows[0]!.number, { message: error.message }]];
    const half = Math.ceil(rows.length / 2);
    return [
      ...(await createRows(rows.slice(0, half), creation)),
      ...(await createRows(rows.slice(half), creation)),
    ];
  }
}
