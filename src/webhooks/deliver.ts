import { db, rows } from '../infra/db.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';
import { webhookAttempts } from '../infra/metrics.ts';
import { unseal } from '../infra/seal.ts';
import type { JobContext } from '../queues/definition.ts';
import { webhooks } from '../queues/index.ts';
import { handlers, type JobHandler } from '../queues/job.ts';
import { shardFor } from '../queues/shards.ts';
import { credentialHeaders } from './credentials.ts';
import { FORMATS } from './formats/index.ts';
import { deliveryJobs } from './jobs.ts';
import type { Webhook } from './model.ts';
import { type DueDelivery, type Outcome, OutcomeStore } from './outcomes.ts';
import { holdDisabled, sweepWebhooks } from './receivers.ts';
import { type Signed, signatures } from './sign.ts';
import { wakeWebhooks } from './wake.ts';

/** Concurrent requests to a receiver. */
const CONCURRENCY = 10;
/**
 * Number of deliveries read by the first query of a turn, and maximum of later ones; each reads
 * twice as many.
 */
const BATCH = { first: 50, max: 200 };
/** Interval between queries for further deliveries while requests are running, in ms. */
const POLL_MS = 200;
/** Time limit of a job, in ms, so that other webhooks get their turn. */
const TURN_MS = 60_000;
/** Timeout of a request until the headers of its response, in ms. */
const TIMEOUT_MS = 15_000;
/** Time for the body of a response, in ms, which is stored for the owner and decides nothing. */
const BODY_MS = 1_000;
/** Maximum number of stored bytes of a response body. */
const MAX_STORED_BYTES = 16 * 1024;

/**
 * Sends the due deliveries of a webhook, several at a time, until none is left, the webhook is
 * paused, or the turn is over. A delivery whose worker died is sent again with the same id. A job
 * from before a change of QUEUE_SHARDS is passed on, so that no two jobs of a webhook run at once.
 */
async function sendDue(
  { webhookId }: { webhookId: string },
  { projectId, shard }: JobContext,
  stopping: AbortSignal,
): Promise<void> {
  if (shard !== shardFor(webhooks, webhookId).shard) {
    wakeWebhooks(projectId, [webhookId]);
    return;
  }
  const turn = new Turn(webhookId, stopping);
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENCY }, () => turn.send()));
  await turn.outcomes.settle();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  if (turn.isOver || turn.outcomes.isGivenUp) wakeWebhooks(projectId, [webhookId]);
}

/**
 * Builds the handlers of deliveries. On SIGTERM and SIGINT, turns end after the running requests.
 */
export function deliveryHandlers(): JobHandler[] {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  // The share of failures is defined only once both counters exist.
  for (const outcome of ['delivered', 'failed']) webhookAttempts.inc({ outcome }, 0);
  return handlers(deliveryJobs, {
    'webhook.send': (data, job) => sendDue(data, job, stop.signal),
    'webhooks.sweep': sweepWebhooks,
  });
}

/** State that the concurrent senders of one webhook share. */
class Turn {
  readonly outcomes = new OutcomeStore();
  readonly #webhookId: string;
  readonly #stopping: AbortSignal;
  readonly #until = Date.now() + TURN_MS;
  #receiver: Receiver | undefined;
  /** Deliveries that were read, but not yet taken by a sender. */
  #open: DueDelivery[] = [];
  /** Ids of deliveries that were read, and whose outcome is not stored yet. */
  readonly #busy = new Set<string>();
  /** Number of taken deliveries without an outcome. */
  #sending = 0;
  #limit = BATCH.first;
  /** True while more deliveries may be due than were read. */
  #isMoreDue = true;
  #reading: Promise<void> | undefined;
  #pause: Promise<void> | undefined;
  #endPause = (): void => {};
  /** True while a single delivery probes a receiver that failed repeatedly. */
  #isProbing = false;
  /** True when nothing is due, or nothing can be sent. */
  #isDone = false;
  #fault: Error | undefined;

  /** @param stopping aborted when the process is to end */
  constructor(webhookId: string, stopping: AbortSignal) {
    this.#webhookId = webhookId;
    this.#stopping = stopping;
  }

  get isOver(): boolean {
    return this.#stopping.aborted || Date.now() > this.#until;
  }

  /** Sends deliveries one after the other. A slow one does not delay the other senders. */
  async send(): Promise<void> {
    for (let next = await this.#take(); next !== undefined; next = await this.#take()) {
      const { id } = next;
      await this.outcomes.add(await this.#attempt(next), () => this.#busy.delete(id));
    }
    if (this.#fault !== undefined) throw this.#fault;
  }

  async #attempt(delivery: DueDelivery): Promise<Outcome> {
    try {
      return await attempt(this.#receiver!, delivery);
    } finally {
      this.#sending -= 1;
    }
  }

  /**
   * Takes the next delivery; `undefined` if there is none. Deliveries that become due meanwhile
   * have another job, which follows this one.
   */
  async #take(): Promise<DueDelivery | undefined> {
    while (!this.#isDone && !this.isOver && !this.outcomes.isGivenUp) {
      if (this.#isMoreDue && this.#open.length <= this.#limit / 2) this.#reading ??= this.#read();
      if (this.#isSequential && this.#sending > 0) {
        await this.#poll();
        continue;
      }
      const delivery = this.#open.shift();
      if (delivery !== undefined) {
        this.#sending += 1;
        return delivery;
      }
      if (this.#reading !== undefined) await this.#reading;
      else if (this.#sending > 0) await this.#poll();
      else await this.#endUnlessMoreIsDue();
    }
    return undefined;
  }

  /** True if the receiver gets one request at a time. */
  get #isSequential(): boolean {
    return this.#receiver !== undefined && FORMATS[this.#receiver.webhook.format].isChat;
  }

  async #endUnlessMoreIsDue(): Promise<void> {
    await this.outcomes.settle();
    // Another sender may have continued in the meantime.
    if (this.#sending > 0 || this.#reading !== undefined || this.#open.length > 0) return;
    // After a successful probe, the receiver gets the other deliveries.
    if (this.#isProbing) {
      this.#isProbing = false;
      this.#isMoreDue = true;
    }
    if (!this.#isMoreDue) this.#end();
  }

  async #read(): Promise<void> {
    try {
      const webhook = await findReceiver(this.#webhookId);
      if (webhook === undefined) {
        this.#end();
        return;
      }
      this.#receiver = {
        webhook,
        secrets: secretsOf(webhook),
        headers: credentialHeaders(webhook.project_id, webhook.credentials),
      };
      const isPaused = webhook.paused_until !== null;
      const limit = isPaused ? 1 : this.#limit;
      const due = isPaused && this.#busy.size > 0 ? [] : await dueTo(webhook, this.#busy, limit);
      for (const { id } of due) this.#busy.add(id);
      this.#open.push(...due);
      this.#isProbing = isPaused && this.#busy.size > 0;
      this.#isMoreDue = !isPaused && due.length === limit;
      // If the receiver does not respond, only the first deliveries are kept in memory.
      if (!isPaused) this.#limit = Math.min(2 * this.#limit, BATCH.max);
    } catch (error) {
      this.#fault = error as Error;
      this.#end();
    } finally {
      this.#reading = undefined;
    }
  }

  /** Waits before the senders look for further deliveries. */
  #poll(): Promise<void> {
    this.#pause ??= new Promise((resolve) => {
      const timer = setTimeout(() => this.#endPause(), POLL_MS);
      this.#endPause = () => {
        clearTimeout(timer);
        this.#pause = undefined;
        this.#isMoreDue = true;
        resolve();
      };
    });
    return this.#pause;
  }

  #end(): void {
    this.#isDone = true;
    this.#endPause();
  }
}

/** A webhook, and what its requests need in the clear. */
interface Receiver {
  webhook: Webhook;
  secrets: string[];
  /** Headers that its owner has set. */
  headers: Record<string, string>;
}

/**
 * Reads a webhook, unless it is disabled or paused; the pending deliveries of a disabled one are
 * held.
 */
async function findReceiver(id: string): Promise<Webhook | undefined> {
  const [webhook] = await rows<Webhook>(db(), 'SELECT * FROM webhooks WHERE id = ?', [id]);
  if (webhook === undefined) return undefined;
  if (webhook.disabled_at !== null) {
    await db().transaction((trx) => holdDisabled(trx, webhook));
    return undefined;
  }
  return webhook.paused_until !== null && webhook.paused_until.getTime() > Date.now()
    ? undefined
    : webhook;
}

function dueTo(
  { project_id, id }: Webhook,
  busy: ReadonlySet<string>,
  limit: number,
): Promise<DueDelivery[]> {
  return rows<DueDelivery>(
    db(),
    `SELECT id, record_id AS "recordId", payload, tries, next_attempt_at::text AS "dueAt" FROM webhook_deliveries
      WHERE project_id = :project_id AND webhook_id = :id AND state = 'pending' AND next_attempt_at <= :now
        AND id <> ALL (:busy)
      ORDER BY next_attempt_at, id LIMIT :limit`,
    { project_id, id, now: new Date(), busy: [...busy], limit },
  );
}

/**
 * Makes one attempt. Redirects are not followed: the owner must change the URL of a receiver that
 * has moved.
 */
async function attempt(
  { webhook, secrets, headers: own }: Receiver,
  delivery: DueDelivery,
): Promise<Outcome> {
  const startedAt = new Date();
  const timestamp = Math.floor(startedAt.getTime() / 1000);
  const { id, recordId, payload } = delivery;
  const format = FORMATS[webhook.format];
  const body = format.bodyOf({ id, webhookId: webhook.id, recordId, payload });
  const began = performance.now();
  const done = (answer: Pick<Outcome, 'status' | 'error' | 'headers' | 'body'>): Outcome => ({
    ...answer,
    webhook,
    delivery,
    startedAt,
    durationMs: Math.round(performance.now() - began),
  });
  try {
    const answer = await guardedFetch(webhook.url, {
      method: 'POST',
      headers: {
        ...own,
        'content-type': format.contentType,
        ...(format.isChat ? {} : signedHeaders({ id, timestamp, body }, secrets)),
      },
      body,
      timeoutMs: TIMEOUT_MS,
      bodyMs: BODY_MS,
      maxBytes: MAX_STORED_BYTES,
      overflow: 'cut',
      compressed: true,
      keepAlive: true,
      maxRedirects: 0,
    });
    const { status, headers } = answer;
    const isDelivered = status >= 200 && status < 300;
    const error = isDelivered ? null : `url ${FETCH_RULES.status('2xx', status)}`;
    return done({ status, error, headers, body: answer.body.toString() });
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    return done({ status: null, error: `url ${error.message}`, headers: null, body: null });
  }
}

const signedHeaders = (signed: Signed, secrets: readonly string[]): Record<string, string> => ({
  'webhook-id': signed.id,
  'webhook-timestamp': String(signed.timestamp),
  'webhook-signature': signatures(signed, secrets),
});

function secretsOf({
  project_id,
  secret,
  previous_secret,
  previous_secret_until,
}: Webhook): string[] {
  const isValid = previous_secret !== null && (previous_secret_until?.getTime() ?? 0) > Date.now();
  return [secret, ...(isValid ? [previous_secret] : [])].map((sealed) =>
    unseal({ purpose: 'webhook secret', owner: project_id }, sealed),
  );
}
