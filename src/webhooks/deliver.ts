import { db, rows } from '../infra/db.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';
import { unseal } from '../infra/secrets.ts';
import type { JobContext } from '../queues/queue.ts';
import { Delivery, Webhook } from './model.ts';
import { type Outcome, OutcomeStore } from './outcomes.ts';
import { holdDisabled } from './receivers.ts';
import { signatures } from './sign.ts';
import { wakeWebhooks } from './wake.ts';

/** Concurrent requests to one receiver. */
const CONCURRENCY = 10;
/** Deliveries that are read by one query. */
const BATCH = 50;
/** Interval between queries for further deliveries while requests are under way, in ms. */
const POLL_MS = 200;
/** Time after which a job ends, so that other webhooks have their turn, in ms. */
const TURN_MS = 60_000;
/** Timeout of a request, in ms. */
const TIMEOUT_MS = 15_000;
/** Bytes of a response body that are stored. */
const KEPT_BYTES = 16 * 1024;

/**
 * Sends the due deliveries of a webhook, several at a time, until none is left, the webhook is paused, or the turn is
 * over. A delivery whose worker died is sent again with the same id.
 */
export async function sendDue(
  { webhookId }: { webhookId: string },
  { projectId }: JobContext,
): Promise<undefined> {
  const turn = new Turn(webhookId);
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENCY }, () => turn.send()));
  await turn.outcomes.settle();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  if (turn.isOver || turn.outcomes.isGivenUp) wakeWebhooks(projectId, [webhookId]);
  return undefined;
}

let isStopping = false;

/** Ends every turn after the requests that are under way: the process is shutting down. */
export function stopSending(): void {
  isStopping = true;
}

/** The state that the concurrent senders of one webhook share. */
class Turn {
  readonly outcomes = new OutcomeStore();
  readonly #webhookId: string;
  readonly #until = Date.now() + TURN_MS;
  /** Read, and not taken by a sender yet. */
  #open: Delivery[] = [];
  /** Ids of deliveries that were taken by a sender, and whose outcome is not stored yet. */
  readonly #busy = new Set<string>();
  #receiver: Receiver | undefined;
  #reading: Promise<void> | undefined;

  constructor(webhookId: string) {
    this.#webhookId = webhookId;
  }

  get isOver(): boolean {
    return isStopping || Date.now() > this.#until;
  }

  /** Sends one delivery after the other. A slow one does not delay the other senders. */
  async send(): Promise<void> {
    for (let next = await this.#take(); next !== undefined; next = await this.#take()) {
      const { id } = next.delivery;
      await this.outcomes.add(await attempt(next.receiver, next.delivery), () =>
        this.#busy.delete(id),
      );
    }
  }

  /** The next delivery; `undefined` when there is none, and none can follow. */
  async #take(): Promise<{ receiver: Receiver; delivery: Delivery } | undefined> {
    while (!this.isOver && !this.outcomes.isGivenUp) {
      const delivery = this.#open.shift();
      if (delivery !== undefined && this.#receiver !== undefined) {
        this.#busy.add(delivery.id);
        return { receiver: this.#receiver, delivery };
      }
      this.#reading ??= this.#read();
      await this.#reading;
      if (this.#receiver === undefined) return undefined;
      if (this.#open.length > 0) continue;
      if (this.#busy.size === 0) return undefined;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return undefined;
  }

  async #read(): Promise<void> {
    try {
      const webhook = await findReceiver(this.#webhookId);
      this.#receiver = webhook && { webhook, secrets: secretsOf(webhook) };
      if (webhook === undefined) return;
      const isProbing = webhook.paused_until !== null;
      if (isProbing && this.#busy.size > 0) return;
      this.#open = await dueTo(webhook, this.#busy, isProbing ? 1 : BATCH);
    } finally {
      this.#reading = undefined;
    }
  }
}

/** A webhook and the secrets that sign its deliveries now. */
interface Receiver {
  webhook: Webhook;
  secrets: string[];
}

/** The webhook, unless it is disabled or paused; the pending deliveries of a disabled one are held. */
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

async function dueTo(
  { project_id, id }: Webhook,
  busy: ReadonlySet<string>,
  limit: number,
): Promise<Delivery[]> {
  return Delivery.of(project_id)
    .where({ webhook_id: id, state: 'pending' })
    .where('next_attempt_at', '<=', new Date())
    .whereNotIn('id', [...busy])
    .orderBy(['next_attempt_at', 'id'])
    .limit(limit);
}

/** Makes one attempt. Redirects are not followed: a receiver that has moved is changed by its owner. */
async function attempt({ webhook, secrets }: Receiver, delivery: Delivery): Promise<Outcome> {
  const startedAt = new Date();
  const timestamp = Math.floor(startedAt.getTime() / 1000);
  const signed = { id: delivery.id, timestamp, body: delivery.payload };
  const began = performance.now();
  const done = (answer: Pick<Outcome, 'status' | 'error' | 'headers' | 'body'>): Outcome => ({
    ...answer,
    webhook,
    delivery,
    startedAt,
    durationMs: Math.round(performance.now() - began),
  });
  try {
    const { status, headers, body } = await guardedFetch(webhook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': delivery.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures(signed, secrets),
      },
      body: delivery.payload,
      timeoutMs: TIMEOUT_MS,
      maxBytes: KEPT_BYTES,
      overflow: 'cut',
      compressed: true,
      keepAlive: true,
      maxRedirects: 0,
    });
    const isDelivered = status >= 200 && status < 300;
    const error = isDelivered ? null : `url ${FETCH_RULES.status('2xx', status)}`;
    return done({ status, error, headers, body: body.toString() });
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    return done({ status: null, error: `url ${error.message}`, headers: null, body: null });
  }
}

function secretsOf({ secret, previous_secret, previous_secret_until }: Webhook): string[] {
  const isValid = previous_secret !== null && (previous_secret_until?.getTime() ?? 0) > Date.now();
  return [secret, ...(isValid ? [previous_secret] : [])].map(unseal);
}
