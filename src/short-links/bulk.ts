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
  /** All items as they were sent, sealed together: they are needed only where one is refused. */
  sent?: string | undefined;
}

/**
 * @param outcomes of the check of each item
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
 * Creates links or QR codes; each stands alone.
 *
 * @param insertAll stores them; refusals stay in their places
 * @throws Refusal the first one, where all fail
 */
export function createEach<Input, Sealed>(
  { kind }: ShortLinkTables,
  job: JobContext,
  given: BulkInputs<Input>,
  insertAll: (
    trx: Db,
    inputs: readonly (Input | Refusal)[],
    publish: Publish,
  ) => Promise<(Sealed | Refusal)[]>,
): Promise<BulkItem<Sealed>[]> {
  return runIdempotent(job, async (trx, publish) => {
    const outcomes = await insertAll(trx, bulkInputs(given.items), publish);
    return bulkResult(kind, job.projectId, outcomes, given);
  });
}

/** The items of a bulk request; those that their schema refused are Refusals. */
function bulkInputs<Input>(items: readonly BulkInput<Input>[]): (Input | Refusal)[] {
  return items.map((item) =>
    'input' in item ? item.input : new Refusal(item.refused.code, item.refused.message),
  );
}

/**
 * The answer to a bulk creation, in the order of the request.
 *
 * @param noun member under which an item that failed shows what was sent, sealed
 * @throws Refusal the first one, where all fail
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
 * Makes a change to many links or QR codes; one that is refused does not keep the others from being changed.
 *
 * @param changeOne changes one, in a transaction of its own
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

/** An item of a bulk answer for its owner: opens the password of a record, or the input that was refused. */
export const openItem =
  ({ projectId }: Pick<Caller, 'projectId'>) =>
  (item: object): object =>
    'error' in item ? openInput(projectId, item) : openPassword(item);
