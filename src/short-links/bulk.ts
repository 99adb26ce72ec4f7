import { config } from '../config.ts';
import { errorBody, Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { inSavepoint, type Publish, runIdempotent } from '../jobs/run-idempotent.ts';
import { openInput, sealEach, sealInput } from '../jobs/sealed.ts';
import type { JobContext } from '../queues/definition.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import type { ShortLinkTables } from './model.ts';
import { type BulkItem, openPassword } from './record.ts';
import type { BulkInput } from './schema.ts';

/** The items of a bulk request as their job carries them. */
export interface BulkInputs<Input> {
  items: BulkInput<Input>[];
  /**
   * All items as they were sent, in one sealed text that is opened only when an item is refused.
   */
  sent?: string | undefined;
}

/**
 * Packs the items of a bulk request for their job.
 *
 * @param outcomes the checked input or the refusal of each item
 * @param sent the items as they were sent
 */
export const toBulkInputs = <Input>(
  projectId: string,
  outcomes: readonly (Input | Refusal)[],
  sent: readonly unknown[],
): BulkInputs<Input> => ({
  items: outcomes.map((outcome) =>
    outcome instanceof Refusal ? { refused: outcome.toJSON() } : { input: outcome },
  ),
  sent: sealInput(projectId, sent),
});

/**
 * Creates links or QR codes independently of each other.
 *
 * @param insertAll stores the accepted items and returns a result or refusal for each place
 * @throws Refusal the first one, if every item fails
 */
export function createEach<Input, Sealed>(
  { kind }: ShortLinkTables,
  job: JobContext,
  bulk: BulkInputs<Input>,
  insertAll: (
    trx: Db,
    inputs: readonly (Input | Refusal)[],
    publish: Publish,
  ) => Promise<(Sealed | Refusal)[]>,
): Promise<BulkItem<Sealed>[]> {
  return runIdempotent(job, async (trx, publish) => {
    const outcomes = await insertAll(trx, bulkInputs(bulk.items), publish);
    return bulkResult(kind, job.projectId, outcomes, bulk);
  });
}

/**
 * Returns the inputs of a bulk request, with a Refusal in the place of each that its schema
 * refused.
 */
function bulkInputs<Input>(items: readonly BulkInput<Input>[]): (Input | Refusal)[] {
  return items.map((item) =>
    'input' in item ? item.input : new Refusal(item.refused.code, item.refused.message),
  );
}

/**
 * Builds the answer to a bulk creation, in the order of the request.
 *
 * @param noun member under which a failed item shows what was sent, sealed
 * @throws Refusal the first one, if every item fails
 */
function bulkResult<Sealed>(
  noun: string,
  projectId: string,
  outcomes: readonly (Sealed | Refusal)[],
  { items, sent }: BulkInputs<unknown>,
): BulkItem<Sealed>[] {
  if (outcomes[0] instanceof Refusal && outcomes.every((outcome) => outcome instanceof Refusal)) {
    throw outcomes[0];
  }
  if (!outcomes.some((outcome) => outcome instanceof Refusal)) return outcomes as Sealed[];
  const each = sent === undefined ? items.map((item) => item.sent!) : sealEach(projectId, sent);
  return outcomes.map((outcome, index) =>
    outcome instanceof Refusal ? refusedItem(noun, outcome, each[index]!) : outcome,
  );
}

const refusedItem = (noun: string, refusal: Refusal, sent: string) => ({
  ...errorBody(refusal, config().DOCS_URL),
  [noun]: { sealed: sent },
});

/**
 * Changes many links or QR codes; a refused change does not stop the others.
 *
 * @param changeOne changes one record, in a transaction of its own
 */
export function changeEach<Sealed>(
  { kind }: ShortLinkTables,
  job: JobContext,
  refs: readonly string[],
  changeOne: (trx: Db, ref: string, publish: Publish) => Promise<Sealed>,
): Promise<BulkItem<Sealed>[]> {
  return runIdempotent(job, async (trx, publish) => {
    const result: BulkItem<Sealed>[] = [];
    for (const ref of refs) {
      try {
        const changed = await inSavepoint(trx, publish, (inner, publishInner) =>
          changeOne(inner, ref, publishInner),
        );
        result.push(changed);
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        result.push(refusedItem(kind, thrown, sealInput(job.projectId, ref)));
      }
    }
    return result;
  });
}

/**
 * Prepares an item of a bulk answer for its owner: opens the password of a record, or the refused
 * input.
 */
export const openItem =
  ({ projectId }: Pick<Caller, 'projectId'>) =>
  (item: object): object =>
    'error' in item ? openInput(projectId, item) : openPassword(item);
