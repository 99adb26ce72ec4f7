import { Refusal } from '../errors.ts';
import type { Keyed } from '../queues/definition.ts';

/** Time for which repeats of a request with an Idempotency-Key get its outcome, in hours. */
export const KEYED_HOURS = 24;

/**
 * Refuses an Idempotency-Key that was first sent with other contents. @throws Refusal `conflict`
 */
export function refuseOtherContents(first: string | null, { fingerprint }: Keyed): void {
  if (first === fingerprint) return;
  throw new Refusal(
    'conflict',
    `Idempotency-Key must not be sent again with other contents within ${KEYED_HOURS} hours`,
  );
}
