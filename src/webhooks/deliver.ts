import { db } from '../infra/db.ts';
import { FetchRefused, guardedFetch } from '../infra/guarded-fetch.ts';
import { unseal } from '../infra/secrets.ts';
import { Delivery, Webhook } from './model.ts';
import { type Outcome, OutcomeStore } from './outcomes.ts';
import { holdPending } from './receivers.ts';
import { signatures } from './sign.ts';
import { wakeWebhooks } from './wake.ts';

/** Requests to one receiver at the same time. */
const AT_ONCE = 10;
/** Deliveries that are read at once. */
const READ = 500;
/** How long one job serves one webhook before others have their turn, in ms. */
const TURN_MS = 20_000;
/** How long a receiver may take, in ms. */
export const ANSWER_MS = 15_000;
/** How much of an answer is kept, in bytes. */
const KEPT_BYTES = 16 * 1024;

/**
 * Sends what is due to a webhook, several at a time, until nothing is, its circuit opens, or its turn is over.
 * Whatever dies on the way, is sent again with the same id.
 */
export async function sendDue({ webhookId }: { webhookId: string }): Promise<undefined> {
  const until = Date.now() + TURN_MS;
  for (;;) {
    const webhook = await findReceiver(webhookId);
    if (webhook === undefined) return undefined;
    const isProbing = webhook.paused_until !== null;
    const due = await dueTo(webhook, isProbing ? 1 : READ);
    if (due.length === 0) return undefined;
    await sendAll(webhook, due, until);
    if (Date.now() > until) {
      wakeWebhooks([webhookId]);
      return undefined;
    }
  }
}

/** The webhook, unless it is disabled or its circuit is open; what waits for a disabled one is held. */
async function findReceiver(id: string): Promise<Webhook | undefined> {
  const { rows } = await db().raw<{ rows: Webhook[] }>('SELECT * FROM webhooks WHERE id = ?', [id]);
  const [webhook] = rows;
  if (webhook === undefined) return undefined;
  if (webhook.disabled_at !== null) {
    await holdPending(db(), webhook);
    return undefined;
  }
  return webhook.paused_until !== null && webhook.paused_until.getTime() > Date.now()
    ? undefined
    : webhook;
}

async function dueTo({ project_id, id }: Webhook, limit: number): Promise<Delivery[]> {
  return Delivery.of(project_id)
    .where({ webhook_id: id, state: 'pending' })
    .where('next_attempt_at', '<=', new Date())
    .orderBy(['next_attempt_at', 'id'])
    .limit(limit);
}

/** Sends some deliveries; stops early where the receiver is given up for now, or the turn is over. */
async function sendAll(webhook: Webhook, due: Delivery[], until: number): Promise<void> {
  const outcomes = new OutcomeStore();
  const secrets = secretsOf(webhook);
  const open = due.values();
  const sendNext = async () => {
    for (const delivery of open) {
      await outcomes.add(await send(webhook, secrets, delivery));
      if (outcomes.isGivenUp || Date.now() > until) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, due.length) }, sendNext));
  await outcomes.settle();
}

/** One attempt. Redirects are not followed: whoever moved says so to their owner, not to us. */
async function send(
  webhook: Webhook,
  secrets: readonly string[],
  delivery: Delivery,
): Promise<Outcome> {
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
