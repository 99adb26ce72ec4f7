import { type Db, db } from '../infra/db.ts';
import { webhookAttempts } from '../infra/metrics.ts';
import type { Delivery, DeliveryState, Webhook } from './model.ts';
import { disable, holdPending } from './receivers.ts';
import { nextAttemptAt } from './retries.ts';

/** What came of one attempt. */
export interface Outcome {
  webhook: Webhook;
  delivery: Delivery;
  startedAt: Date;
  durationMs: number;
  /** `null`: there was no answer. */
  status: number | null;
  /** `null`: it was delivered. */
  error: string | null;
  headers: Record<string, string> | null;
  body: string | null;
}

/** From so many failures in a row on, a receiver is left alone for a while. */
const FAILURES_TO_PAUSE = 5;
/** For how long: as long as it has been failing, within these bounds, in seconds. */
const PAUSE_S = { least: 10, most: 300 };
/** A receiver that had no success for so long is disabled. */
const DISABLED_AFTER_MS = 5 * 86_400_000;
const GONE = 410;
/** Outcomes that may wait to be written. */
const MOST_WAITING = 100;

interface Waiting {
  outcome: Outcome;
  written(): void;
}

/**
 * Writes the outcomes of one webhook down, those that wait at the same time together, while others are still under way.
 * Of what is not written when the worker dies, the receiver gets a repeat.
 */
export class OutcomeStore {
  #waiting: Waiting[] = [];
  #storing: Promise<void> | undefined;
  #isGivenUp = false;
  #fault: Error | undefined;

  /** Nothing more is to be sent for now. */
  get isGivenUp(): boolean {
    return this.#isGivenUp || this.#fault !== undefined;
  }

  /**
   * Resolves when there is room for further outcomes; of a failure, when it is known what it means.
   *
   * @param written called when it is committed
   * @throws when outcomes could not be written
   */
  async add(outcome: Outcome, written: () => void): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault;
    this.#waiting.push({ outcome, written });
    this.#storing ??= this.#storeWaiting();
    if (outcome.error !== null || this.#waiting.length >= MOST_WAITING) await this.settle();
  }

  /** Resolves when every outcome is committed. @throws when they could not be */
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
    const kept = await moveDeliveries(trx, outcomes);
    await keepAttempts(
      trx,
      outcomes.filter(({ delivery }) => kept.has(delivery.id)),
    );
    return judge(trx, where, webhook, outcomes);
  });
  for (const { error } of outcomes) {
    webhookAttempts.inc({ outcome: error === null ? 'delivered' : 'failed' });
  }
  return isGivenUp;
}

async function keepAttempts(trx: Db, outcomes: readonly Outcome[]): Promise<void> {
  const rows = outcomes.map(({ webhook, delivery, startedAt, durationMs, ...answer }) => ({
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
  await trx.raw(
    `INSERT INTO webhook_attempts (${columns})
     SELECT ${columns} FROM json_populate_recordset(NULL::webhook_attempts, ?)`,
    [JSON.stringify(rows)],
  );
}

/** What Postgres can store of a text from outside. */
const storable = (text: string | null): string | null =>
  text === null ? null : text.replaceAll('\0', '').toWellFormed();

/**
 * Meanwhile somebody may have asked for a delivery to be sent again, or the webhook may have been disabled: then what
 * they wanted stays.
 *
 * @returns the ids of those that are still there
 */
async function moveDeliveries(trx: Db, outcomes: readonly Outcome[]): Promise<Set<string>> {
  const moved = outcomes.map((outcome) => ({
    project_id: outcome.webhook.project_id,
    webhook_id: outcome.webhook.id,
    id: outcome.delivery.id,
    was_due_at: outcome.delivery.next_attempt_at,
    ...stateAfter(outcome),
  }));
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
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
    [JSON.stringify(moved)],
  );
  return new Set(rows.map(({ id }) => id));
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

/** What the outcomes, in the order in which they came, mean for the webhook. */
async function judge(
  trx: Db,
  where: { project_id: string; id: string },
  webhook: Webhook,
  outcomes: readonly Outcome[],
): Promise<boolean> {
  if (webhook.disabled_at !== null) {
    await holdPending(trx, where);
    return true;
  }
  // What another address did says nothing of this one.
  const own = outcomes.filter((outcome) => outcome.webhook.url === webhook.url);
  if (own.some(({ status }) => status === GONE)) {
    await disable(trx, where, 'The receiver answered 410 Gone: it wants no more');
    return true;
  }
  let { failures, failing_since } = webhook;
  for (const { error, startedAt } of own) {
    failures = error === null ? 0 : failures + 1;
    failing_since = error === null ? null : (failing_since ?? startedAt);
  }
  // Those who read the old address ahead must not go on with it.
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
    await disable(trx, where, `Nothing was delivered for five days; at last, ${last.error}`);
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
