import { config } from '../config.ts';
import { errorBody, Refusal, type RefusalData } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { type CommandResult, runIdempotent } from '../jobs/run-idempotent.ts';
import { openInput, sealInput } from '../jobs/sealed.ts';
import type { LookupChange } from '../lookup/publish.ts';
import type { JobContext } from '../queues/queue.ts';
import type { ShortLinkTables } from './model.ts';
import { type BulkItem, openPassword } from './record.ts';

/** An item of a bulk request: checked, or already refused by its schema; `sent` is sealed. */
export type BulkInput<Input> =
  | { input: Input; sent: string }
  | { refused: RefusalData; sent: string };

/**
 * Items of a bulk request as their job carries them.
 *
 * @param outcomes of the check of each item
 * @param sent the items as they were sent
 */
export const toBulkInputs = <Input>(
  outcomes: readonly (Input | Refusal)[],
  sent: readonly unknown[],
): BulkInput<Input>[] =>
  outcomes.map((outcome, index) => ({
    ...(outcome instanceof Refusal ? { refused: outcome.toJSON() } : { input: outcome }),
    sent: sealInput(sent[index]),
  }));

/**
 * Creates links or QR codes; each stands alone.
 *
 * @param insertAll stores them; refusals stay in their places
 * @throws Refusal the first one, where all fail
 */
export function createEach<Input, Sealed>(
  { kind }: ShortLinkTables,
  job: JobContext,
  items: readonly BulkInput<Input>[],
  insertAll: (
    trx: Db,
    inputs: readonly (Input | Refusal)[],
  ) => Promise<CommandResult<(Sealed | Refusal)[]>>,
): Promise<BulkItem<Sealed>[]> {
  return runIdempotent(job, async (trx) => {
    const { result, changes } = await insertAll(trx, bulkInputs(items));
    return { result: bulkResult(kind, result, items), changes };
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
  outcomes: readonly (Sealed | Refusal)[],
  items: readonly { sent: string }[],
): BulkItem<Sealed>[] {
  if (outcomes[0] instanceof Refusal && outcomes.every((outcome) => outcome instanceof Refusal)) {
    throw outcomes[0];
  }
  return outcomes.map((outcome, index) =>
    outcome instanceof Refusal ? refusedItem(noun, outcome, items[index]!.sent) : outcome,
  );
}

const refusedItem = (noun: string, refusal: Refusal, sent: string) => ({
  ...errorBody(refusal, config().DOCS_URL),
  [noun]: sent,
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
  changeOne: (trx: Db, ref: string) => Promise<CommandResult<Sealed>>,
): Promise<BulkItem<Sealed>[]> {
  return runIdempotent(job, async (trx) => {
    const result: BulkItem<Sealed>[] = [];
    const changes: LookupChange[] = [];
    for (const ref of refs) {
      try {
        const done = await trx.transaction((inner) => changeOne(inner, ref));
        result.push(done.result);
        changes.push(...done.changes);
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        result.push(refusedItem(kind, thrown, sealInput(ref)));
      }
    }
    return { result, changes };
  });
}

/** An item of a bulk answer for its owner: opens the password of a record, or the input that was refused. */
export const openItem = <Item extends object>(item: Item): Item =>
  'error' in item ? openInput(item) : openPassword(item);
