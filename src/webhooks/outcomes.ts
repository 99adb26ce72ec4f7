import { type Db, db, execute, rows } from '../infra/db.ts';
import { webhookAttempts } from '../infra/metrics.ts';
import type { Delivery, DeliveryState, Webhook } from './model.ts';
import { disableFailing, holdPending } from './receivers.ts';
import { nextAttemptAt } from './retries.ts';

/** The outcome of one attempt. */
export interface Outcome {
  webhook: Webhook;
  delivery: Delivery;
  startedAt: Date;
  durationMs: number;
  /** `null` without a response. */
  status: number | null;
  /** `null` when it was delivered. */
  error: string | null;
  headers: Record<string, string> | null;
  body: string | null;
}

/** Consecutive failures after which deliveries to a receiver are paused. */
const FAILURES_TO_PAUSE = 5;
/** Bounds of a pause, in seconds; it lasts as long as the receiver has been failing. */
const PAUSE_S = { least: 10, most: 300 };
/** Time without a success after which a webhook is disabled, in ms. */
const DISABLED_AFTER_MS = 5 * 86_400_000;
const GONE = 410;
/** Most outcomes that wait to be written. */
const MOST_WAITING = 100;

interface Waiting {
  outcome: Outcome;
  written(): void;
}

/**
 * Stores the outcomes of one webhook in batches, while further requests are under way. Deliveries whose outcome is not
 * stored when the worker dies are sent again.
 */
export class OutcomeStore {
  #waiting: Waiting[] = [];
  #storing: Promise<void> | undefined;
  #isGivenUp = false;
  #fault: Error | undefined;

  /** True when no further delivery may be sent in this turn. */
  get isGivenUp(): boolean {
    return this.#isGivenUp || this.#fault !== undefined;
  }

  /**
   * Resolves when there is room for further outcomes; for a failure, when its effect on the webhook is known.
   *
   * @param written called after the commit
   * @throws when outcomes could not be written
   */
  async add(outcome: Outcome, written: () => void): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault;
    this.#waiting.push({ outcome, written });
    this.#storing ??= this.#storeWaiting();
    if (outcome.error !== null || this.#waiting.length >= MOST_WAITING) await this.settle();
  }

  /** Resolves when every outcome is committed. @throws when outcomes could not be written */
  async settle(): Promise<void> {
    await this.#storing;
    if (this.#fault !== undefined) throw this.#fault;
  }

  async #storeWaiting(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const group = this.#waiting.splice(0);
        if (await storeOutcomes(group.map(({ outcome }) => outcome))) this.#isGivenUp = true;
        for (const { written } of group) written();
      }
    } catch (error) {
      this.#fault = error as Error;
    }
    this.#storing = undefined;
  }
}

async function storeOutcomes(outcomes: readonly Outcome[]): Promise<boolean> {
  const { project_id, id } = outcomes[0]!.webhook;
  const where = { project_id, id };
  const isGivenUp = await db().transaction(async (trx) => {
    const webhook = (await trx('webhooks').where(where).forNoKeyUpdate().first()) as
      | Webhook
      | undefined;
    if (webhook === undefined) return true;
    const kept = await updateDeliveries(trx, outcomes);
    await insertAttempts(
      trx,
      outcomes.filter(({ delivery }) => kept.has(delivery.id)),
    );
    return updateHealth(trx, where, webhook, outcomes);
  });
  for (const { error } of outcomes) {
    webhookAttempts.inc({ outcome: error === null ? 'delivered' : 'failed' });
  }
  return isGivenUp;
}

async function insertAttempts(trx: Db, outcomes: readonly Outcome[]): Promise<void> {
  const attempts = outcomes.map(({ webhook, delivery, startedAt, durationMs, ...answer }) => ({
    project_id: webhook.project_id,
    webhook_id: webhook.id,
    delivery_id: delivery.id,
    url: webhook.url,
    started_at: startedAt,
    duration_ms: durationMs,
    status: answer.status,
    error: answer.error,
    response_headers: answer.headers,
    response_body: storable(answer.body),
  }));
  const columns =
    'project_id, webhook_id, delivery_id, url, started_at, duration_ms, status, error, response_headers, response_body';
  await execute(
    trx,
    `INSERT INTO webhook_attempts (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::webhook_attempts, ?)`,
    [JSON.stringify(attempts)],
  );
}

/** Removes the characters that Postgres cannot store from a text of a receiver. */
const storable = (text: string | null): string | null =>
  text === null ? null : text.replaceAll('\0', '').toWellFormed();

/**
 * Updates deliveries after their attempts. Where a resend was requested or the webhook was disabled in the meantime, the
 * state that this has set stays.
 *
 * @returns the ids of the deliveries that still exist
 */
async function updateDeliveries(trx: Db, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const updates = outcomes.map((outcome) => ({
    project_id: outcome.webhook.project_id,
    webhook_id: outcome.webhook.id,
    id: outcome.delivery.id,
    was_due_at: outcome.delivery.next_attempt_at,
    ...stateAfter(outcome),
  }));
  const found = await rows<{ id: string }>(
    trx,
    `UPDATE webhook_deliveries AS d
        SET attempts = d.attempts + 1,
            (state, tries, next_attempt_at) = (
              SELECT new.state, d.tries + 1, new.next_attempt_at
               WHERE date_trunc('milliseconds', d.next_attempt_at) = new.was_due_at
                  OR (d.state = 'held' AND new.state = 'delivered')
               UNION ALL
              SELECT d.state, d.tries, d.next_attempt_at LIMIT 1)
       FROM json_to_recordset(?) AS new(project_id text, webhook_id text, id text, state text,
                                        next_attempt_at timestamptz, was_due_at timestamptz)
      WHERE d.project_id = new.project_id AND d.webhook_id = new.webhook_id AND d.id = new.id
     RETURNING d.id`,
    [JSON.stringify(updates)],
  );
  return new Set(found.map(({ id }) => id));
}

function stateAfter({ error, delivery, headers, startedAt, durationMs }: Outcome): {
  state: DeliveryState;
  next_attempt_at: Date | null;
} {
  if (error === null) return { state: 'delivered', next_attempt_at: null };
  const endedAt = new Date(startedAt.getTime() + durationMs);
  const next = nextAttemptAt(delivery.tries + 1, headers?.['retry-after'], endedAt);
  return next === undefined
    ? { state: 'failed', next_attempt_at: null }
    : { state: 'pending', next_attempt_at: next };
}

/** Counts failures in the order of the outcomes, and pauses or disables the webhook. @returns true to stop sending */
async function updateHealth(
  trx: Db,
  where: { project_id: string; id: string },
  webhook: Webhook,
  outcomes: readonly Outcome[],
): Promise<boolean> {
  if (webhook.disabled_at !== null) {
    await holdPending(trx, where);
    return true;
  }
  // Outcomes of an earlier URL say nothing about the present one.
  const own = outcomes.filter((outcome) => outcome.webhook.url === webhook.url);
  if (own.some(({ status }) => status === GONE)) {
    await disableFailing(trx, where, 'The receiver answered 410 Gone');
    return true;
  }
  let { failures, failing_since } = webhook;
  for (const { error, startedAt } of own) {
    failures = error === null ? 0 : failures + 1;
    failing_since = error === null ? null : (failing_since ?? startedAt);
  }
  // Deliveries that were read before the URL changed must not be sent to the old one.
  const hasMoved = own.length < outcomes.length;
  if (own.length === 0) return true;
  if (failing_since === null) {
    if (webhook.failures > 0) {
      await trx('webhooks').where(where).update({ failures, failing_since, paused_until: null });
    }
    return hasMoved;
  }
  const failingMs = Date.now() - failing_since.getTime();
  if (failingMs > DISABLED_AFTER_MS) {
    const last = own.findLast(({ error }) => error !== null)!;
    await disableFailing(
      trx,
      where,
      `Every attempt failed for five days; the last error: ${last.error}`,
    );
    return true;
  }
  const isPaused = failures >= FAILURES_TO_PAUSE;
  const pauseS = Math.min(Math.max(failingMs / 1000, PAUSE_S.least), PAUSE_S.most);
  await trx('webhooks')
    .where(where)
    .update({
      failures,
      failing_since,
      paused_until: isPaused ? new Date(Date.now() + pauseS * 1000) : null,
    });
  return isPaused || hasMoved;
}
