import { unseal } from '../infra/seal.ts';
import type { DestinationKind, Target } from './kind.ts';
import type { Destination } from './model.ts';
import { type Receipt, SendFailure } from './receipt.ts';
import type { SentEvent } from './sent-event.ts';

/** Opens the secret of a destination. */
export function targetOf({
  project_id,
  settings,
  secret,
}: Destination): Omit<Target<object>, 'stopping'> {
  const context = { purpose: 'destination secret', owner: project_id } as const;
  return { settings, secret: secret === null ? null : unseal(context, secret) };
}

/**
 * Sends events, and notes in the receipt which were accepted or refused.
 *
 * @returns a failure after which the others may be accepted later; `undefined` if there is none
 */
export async function failureOf(
  kind: DestinationKind,
  target: Target<object>,
  events: readonly SentEvent[],
  receipt: Receipt,
): Promise<SendFailure | undefined> {
  try {
    await kind.send(target, events, receipt);
    return undefined;
  } catch (failure) {
    if (!(failure instanceof SendFailure)) throw failure;
    if (failure.refused === undefined) return failure;
    const named = new Set([...receipt.accepted, ...receipt.dropped.map(({ event }) => event)]);
    receipt.refuse(
      events.filter((event) => !named.has(event)),
      failure,
    );
    return undefined;
  }
}
