import { db } from '../infra/db.ts';
import { FetchRefused, guardedFetch } from '../infra/guarded-fetch.ts';
import { unseal } from '../infra/secrets.ts';
import { Delivery, Webhook } from './model.ts';
import { type Outcome, OutcomeStore } from './outcomes.ts';
import { holdDisabled } from './receivers.ts';
import { signatures } from './sign.ts';
import { wakeWebhooks } from './wake.ts';

/** Requests to one receiver at the same time. */
const AT_ONCE = 10;
/** Deliveries that are read at once. */
const READ = 50;
/** How often further deliveries are looked for while a receiver takes its time, in ms. */
const LOOK_MS = 200;
/** How long one job serves one webhook before others have their turn, in ms. */
const TURN_MS = 60_000;
/** How long a receiver may take, in ms. */
const ANSWER_MS = 15_000;
/** How much of an answer is kept, in bytes. */
const KEPT_BYTES = 16 * 1024;

/**
 * Sends what is due to a webhook, several at a time, until nothing is, its circuit opens, or its turn is over.
 * Whatever dies on the way, is sent again with the same id.
 */
export async function sendDue({ webhookId }: { webhookId: string }): Promise<undefined> {
  const turn = new Turn(webhookId);
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => turn.send()));
  await turn.outcomes.settle();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  if (turn.isOver || turn.outcomes.isGivenUp) wakeWebhooks([webhookId]);
  return undefined;
}

let isStopping = false;

/** Ends every turn as soon as what is under way has been answered: this process is to end. */
export function stopSending(): void {
  isStopping = true;
}

/** What several senders of one webhook share while it is its turn. */
class Turn {
  readonly outcomes = new OutcomeStore();
  readonly #webhookId: string;
  readonly #until = Date.now() + TURN_MS;
  /** Read, and not given to a sender yet. */
  #open: Delivery[] = [];
  /** Given to a sender, and not written down yet. */
  readonly #busy = new Set<string>();
  #receiver: Receiver | undefined;
  #reading: Promise<void> | undefined;

  constructor(webhookId: string) {
    this.#webhookId = webhookId;
  }

  get isOver(): boolean {
    return isStopping || Date.now() > this.#until;
  }

  /** Sends one delivery after the other. One that takes long keeps no other sender waiting. */
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
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
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
      this.#open = await dueTo(webhook, this.#busy, isProbing ? 1 : READ);
    } finally {
      this.#reading = undefined;
    }
  }
}

/** A webhook and what signs for it now. */
interface Receiver {
  webhook: Webhook;
  secrets: string[];
}

/** The webhook, unless it is disabled or its circuit is open; what waits for a disabled one is held. */
async function findReceiver(id: string): Promise<Webhook | undefined> {
  const { rows } = await db().raw<{ rows: Webhook[] }>('SELECT * FROM webhooks WHERE id = ?', [id]);
  const [webhook] = rows;
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

/** One attempt. Redirects are not followed: whoever moved says so to their owner, not to us. */
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
      timeoutMs: ANSWER_MS,
      maxBytes: KEPT_BYTES,
      overflow: 'cut',
      compressed: true,
      keepAlive: true,
      maxRedirects: 0,
    });
    const error = status >= 200 && status < 300 ? null : `it answered ${status}`;
    return done({ status, error, headers, body: body.toString() });
  } catch (error) {
    if (!(error instanceof FetchRefused)) throw error;
    return done({ status: null, error: error.message, headers: null, body: null });
  }
}

function secretsOf({ secret, previous_secret, previous_secret_until }: Webhook): string[] {
  const isValid = previous_secret !== null && (previous_secret_until?.getTime() ?? 0) > Date.now();
  return [secret, ...(isValid ? [previous_secret] : [])].map(unseal);
}
