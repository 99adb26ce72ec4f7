import { type Db, db, rows } from '../infra/db.ts';
import { webhookAttempts } from '../infra/metrics.ts';
import { FORMATS } from './formats/index.ts';
import type { DeliveryState, Webhook } from './model.ts';
import { disableFailing, holdPending } from './receivers.ts';
import { nextAttemptAt, resumeAt } from './retries.ts';

/** The columns of a delivery that an attempt needs. */
export interface DueDelivery {
  id: string;
  recordId: string | null;
  payload: string;
  tries: number;
  /** Its `next_attempt_at`, in Postgres's format. */
  dueAt: string;
}

/** The outcome of an attempt. */
export interface Outcome {
  webhook: Webhook;
  delivery: DueDelivery;
  startedAt: Date;
  durationMs: number;
  /** `null` without a response. */
  status: number | null;
  /** `null` for a delivered one. */
  error: string | null;
  headers: Record<string, string> | null;
  body: string | null;
}

/** Number of consecutive failures after which deliveries to a receiver are paused. */
const FAILURES_TO_PAUSE = 5;
/** Bounds of a pause, in seconds. It is as long as the receiver has been failing. */
const PAUSE_S = { min: 10, max: 300 };
/** Time without success after which a webhook is disabled, in ms. */
const DISABLED_AFTER_MS = 5 * 86_400_000;
const GONE = 410;
const TOO_MANY_REQUESTS = 429;
/**
 * Time for which outcomes are collected before they are written, in ms, and the number written at a
 * time.
 */
const BATCH = { ms: 10, count: 100 };
/** Maximum number of outcomes that wait to be written. */
const MAX_WAITING = 200;

interface Waiting {
  outcome: Outcome;
  written(): void;
}

/**
 * Stores the outcomes of a webhook in batches, while further requests are running. Deliveries whose
 * outcome is not stored when the worker dies are sent again.
 */
export class OutcomeStore {
  #waiting: Waiting[] = [];
  #storing: Promise<void> | undefined;
  /** Settles with the running statement; everything that waits is written next. */
  #writing: Promise<unknown> | undefined;
  /** Number of callers of `settle`, whose outcomes are written without delay. */
  #settling = 0;
  #endGathering = (): void => {};
  #isGivenUp = false;
  #fault: Error | undefined;

  /** True when no further delivery can be sent in this turn. */
  get isGivenUp(): boolean {
    return this.#isGivenUp || this.#fault !== undefined;
  }

  /**
   * Resolves once there is room for further outcomes; after a failure, once its effect on the
   * webhook is known.
   *
   * @param written called after the commit
   * @throws if outcomes could not be written
   */
  async add(outcome: Outcome, written: () => void): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault;
    this.#waiting.push({ outcome, written });
    this.#storing ??= this.#storeWaiting();
    if (this.#waiting.length >= BATCH.count) this.#endGathering();
    if (outcome.error !== null) await this.settle();
    else if (this.#waiting.length >= MAX_WAITING) await this.#writing;
  }

  /** Resolves once every outcome is committed. @throws if outcomes could not be written */
  async settle(): Promise<void> {
    this.#settling += 1;
    this.#endGathering();
    await this.#storing;
    this.#settling -= 1;
    if (this.#fault !== undefined) throw this.#fault;
  }

  async #storeWaiting(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        await this.#collect();
        const group = this.#waiting.splice(0);
        const storing = storeOutcomes(group.map(({ outcome }) => outcome));
        this.#writing = storing.catch(() => {});
        if (await storing) this.#isGivenUp = true;
        for (const { written } of group) written();
      }
    } catch (error) {
      this.#fault = error as Error;
    }
    this.#storing = undefined;
  }

  /** Collects further outcomes, since writing many costs little more than writing one. */
  async #collect(): Promise<void> {
    if (this.#settling > 0 || this.#waiting.length >= BATCH.count) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, BATCH.ms);
      this.#endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The columns of a webhook that decide whether it receives deliveries. */
const HEALTH = ['url', 'failures', 'failing_since', 'paused_until', 'disabled_at'] as const;
type Health = Pick<Webhook, (typeof HEALTH)[number]>;

/** Stores outcomes. @returns true to stop sending */
async function storeOutcomes(outcomes: readonly Outcome[]): Promise<boolean> {
  const { project_id, id } = outcomes[0]!.webhook;
  const where = { project_id, id };
  const failed = outcomes.filter(({ error }) => error !== null).length;
  const isGivenUp =
    failed === 0
      ? await storeDelivered(where, outcomes)
      : await db().transaction(async (trx) => {
          const webhook = await storeAttempts(trx, where, outcomes);
          return webhook === undefined || updateHealth(trx, where, webhook, outcomes);
        });
  if (failed > 0) webhookAttempts.inc({ outcome: 'failed' }, failed);
  if (failed < outcomes.length) {
    webhookAttempts.inc({ outcome: 'delivered' }, outcomes.length - failed);
  }
  return isGivenUp;
}

/**
 * Stores outcomes without a failure, in a single statement without a transaction unless the
 * webhook's health changes.
 */
async function storeDelivered(
  where: { project_id: string; id: string },
  outcomes: readonly Outcome[],
): Promise<boolean> {
  const webhook = await storeAttempts(db(), where, outcomes);
  if (webhook === undefined) return true;
  const { url, failures, paused_until, disabled_at } = webhook;
  const isSound = failures === 0 && paused_until === null && disabled_at === null;
  if (isSound && outcomes.every((outcome) => outcome.webhook.url === url)) return false;
  return db().transaction(async (trx) => {
    const locked = (await trx('webhooks').where(where).forNoKeyUpdate().first(HEALTH)) as
      | Health
      | undefined;
    return locked === undefined || updateHealth(trx, where, locked, outcomes);
  });
}

/** SQL: condition in `storeAttempts` that a delivery takes the state of the attempt. */
const IS_APPLIED = `(d.next_attempt_at = new.was_due_at OR (d.state = 'held' AND new.state = 'delivered'))`;

/**
 * Updates deliveries after their attempts, and inserts the attempts of those that still exist. If a
 * delivery was resent or its webhook disabled in the meantime, its state stays.
 *
 * @returns the webhook, whose row is locked before those of its deliveries; `undefined` if it was
 *   deleted
 */
async function storeAttempts(
  connection: Db,
  where: { project_id: string; id: string },
  outcomes: readonly Outcome[],
): Promise<Health | undefined> {
  const { url } = outcomes[0]!.webhook;
  // Common values are omitted, since Postgres parses each member.
  const attempts = outcomes.map((outcome) => {
    const { webhook, delivery, startedAt, durationMs, status, error, headers, body } = outcome;
    const after = error === null ? undefined : stateAfterFailure(outcome);
    return {
      id: delivery.id,
      was_due_at: delivery.dueAt,
      state: after?.state,
      next_attempt_at: after?.next_attempt_at,
      url: webhook.url === url ? undefined : webhook.url,
      started_at: startedAt,
      duration_ms: durationMs,
      status,
      error: error ?? undefined,
      headers,
      body: storable(body),
    };
  });
  const [webhook] = await rows<Health>(
    connection,
    `WITH receiver AS MATERIALIZED (
       SELECT project_id, id, ${HEALTH.join(', ')} FROM webhooks
        WHERE project_id = :project_id AND id = :id FOR NO KEY UPDATE
     ), new AS MATERIALIZED (
       SELECT receiver.project_id, receiver.id AS webhook_id, a.id, was_due_at, coalesce(state, 'delivered') AS state,
              next_attempt_at, coalesce(a.url, :url) AS url, started_at, duration_ms, status, error, headers, body
         FROM receiver, json_to_recordset(:attempts) AS a(
              id text, was_due_at timestamptz, state text, next_attempt_at timestamptz, url text, started_at timestamptz,
              duration_ms integer, status integer, error text, headers jsonb, body text)
     ), kept AS (
       UPDATE webhook_deliveries AS d
          SET attempts = d.attempts + 1,
              state = CASE WHEN ${IS_APPLIED} THEN new.state ELSE d.state END,
              tries = CASE WHEN ${IS_APPLIED} THEN d.tries + 1 ELSE d.tries END,
              next_attempt_at = CASE WHEN ${IS_APPLIED} THEN new.next_attempt_at ELSE d.next_attempt_at END
         FROM new
        WHERE d.project_id = new.project_id AND d.webhook_id = new.webhook_id AND d.id = new.id
       RETURNING d.id
     ), logged AS (
       INSERT INTO webhook_attempts (project_id, webhook_id, delivery_id, url, started_at, duration_ms, status, error,
                                     response_headers, response_body)
       SELECT project_id, webhook_id, id, url, started_at, duration_ms, status, error, headers, body
         FROM new JOIN kept USING (id)
     )
     SELECT ${HEALTH.join(', ')} FROM receiver`,
    { ...where, url, attempts: JSON.stringify(attempts) },
  );
  return webhook;
}

/** Removes characters from a receiver's text that Postgres cannot store. */
const storable = (text: string | null): string | null =>
  text === null ? null : text.replaceAll('\0', '').toWellFormed();

function stateAfterFailure({ delivery, headers, startedAt, durationMs }: Outcome): {
  state: DeliveryState;
  next_attempt_at: Date | null;
} {
  const endedAt = new Date(startedAt.getTime() + durationMs);
  const next = nextAttemptAt(delivery.tries + 1, headers?.['retry-after'], endedAt);
  return next === undefined
    ? { state: 'failed', next_attempt_at: null }
    : { state: 'pending', next_attempt_at: next };
}

/**
 * Counts failures in the order of the outcomes, and pauses or disables the webhook. @returns true
 * to stop sending
 */
async function updateHealth(
  trx: Db,
  where: { project_id: string; id: string },
  webhook: Health,
  outcomes: readonly Outcome[],
): Promise<boolean> {
  if (webhook.disabled_at !== null) {
    await holdPending(trx, where);
    return true;
  }
  // Outcomes of an earlier URL say nothing about the present one.
  const current = outcomes.filter((outcome) => outcome.webhook.url === webhook.url);
  if (current.some(({ status }) => status === GONE)) {
    await disableFailing(trx, where, 'The receiver answered 410 Gone');
    return true;
  }
  const limited = current.findLast(
    ({ status, webhook: { format } }) => status === TOO_MANY_REQUESTS && FORMATS[format].isChat,
  );
  if (limited !== undefined) {
    const paused_until = resumeAt(limited.headers?.['retry-after'], new Date());
    await trx('webhooks').where(where).update({ paused_until });
    return true;
  }
  let { failures, failing_since } = webhook;
  for (const { error, startedAt } of current) {
    failures = error === null ? 0 : failures + 1;
    failing_since = error === null ? null : (failing_since ?? startedAt);
  }
  // Deliveries that were read before the URL changed must not be sent to the old one.
  const hasMoved = current.length < outcomes.length;
  if (current.length === 0) return true;
  if (failing_since === null) {
    if (webhook.failures > 0 || webhook.paused_until !== null) {
      await trx('webhooks').where(where).update({ failures, failing_since, paused_until: null });
    }
    return hasMoved;
  }
  const failingMs = Date.now() - failing_since.getTime();
  if (failingMs > DISABLED_AFTER_MS) {
    const last = current.findLast(({ error }) => error !== null)!;
    await disableFailing(
      trx,
      where,
      `Every attempt failed for five days; the last error: ${last.error}`,
    );
    return true;
  }
  const isPaused = failures >= FAILURES_TO_PAUSE;
  const pauseS = Math.min(Math.max(failingMs / 1000, PAUSE_S.min), PAUSE_S.max);
  await trx('webhooks')
    .where(where)
    .update({
      failures,
      failing_since,
      paused_until: isPaused ? new Date(Date.now() + pauseS * 1000) : null,
    });
  return isPaused || hasMoved;
}
