import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'undici';
import { freePort } from '../scripts/ports.ts';
import { newId } from '../src/ids.ts';
import { db } from '../src/infra/db.ts';
import { seal } from '../src/infra/seal.ts';
import { insertDeliveries } from '../src/webhooks/outbox.ts';
import { newSecret, signatures } from '../src/webhooks/sign.ts';
import { percentileOf } from './figures.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import {
  type BenchService,
  REDIRECT,
  SCHEDULER,
  seedLinks,
  withService,
  worker,
} from './service.ts';

const DELIVERIES = 20_000;
/** Concurrent requests, as many as the worker sends to one webhook. */
const AT_ONCE = 10;
const VISITS_PER_SECOND = 100;
const VISIT_SECONDS = 20;

/**
 * Measures deliveries a second of one worker_webhooks to one local receiver, with every attempt
 * recorded, against bare undici that signs and sends the same bodies with the same concurrency, in
 * turn; then the time from a redirect to the arrival of its webhook.
 */
export function benchWebhooks({ rounds }: BenchOptions): Promise<Row[]> {
  return withService(async (service) => {
    process.env['OUTBOUND_ALLOW'] = '127.0.0.1';
    const port = await freePort();
    const receiver = await startReceiver(port);
    const url = `http://127.0.0.1:${port}/`;
    const webhookId = newId('webhook');
    const secret = newSecret();
    await db()('webhooks').insert({
      project_id: service.projectId,
      id: webhookId,
      name: 'bench',
      url,
      secret: seal({ purpose: 'webhook secret', owner: service.projectId }, secret),
      kinds: ['link.created'],
    });
    try {
      const runner = await service.run([worker('webhooks'), SCHEDULER]);
      await bareUndici(url, secret);
      await deliveries(service, webhookId);
      const { bare, ours } = await inTurn(rounds, {
        bare: () => bareUndici(url, secret),
        ours: () => deliveries(service, webhookId),
      });
      await runner.stop();
      return [
        {
          what: 'webhooks delivered to one receiver, every attempt recorded',
          unit: '/s',
          better: 'more',
          ours,
          baseline: { what: 'bare undici, signing and sending the same', figures: bare },
          aim: { ratio: 0.5 },
        },
        ...(await latency(service, webhookId)),
      ];
    } finally {
      receiver.kill();
    }
  });
}

async function startReceiver(port: number, ...args: string[]): Promise<ChildProcess> {
  const child = fork('dist/bench/bare-receiver.js', [String(port), ...args]);
  await once(child, 'message');
  return child;
}

/** A body as large as that of a click. */
const bodyOf = (n: number): string =>
  JSON.stringify({ type: 'link.clicked', n, data: { text: 'x'.repeat(1_800) } });

async function bareUndici(url: string, secret: string): Promise<number> {
  const agent = new Agent({ connections: AT_ONCE, pipelining: 1 });
  const began = performance.now();
  let sent = 0;
  const send = async () => {
    while (sent < DELIVERIES) {
      sent += 1;
      const body = bodyOf(sent);
      const [id, timestamp] = [newId('delivery'), Math.floor(Date.now() / 1000)];
      const answer = await request(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': signatures({ id, timestamp, body }, [secret]),
        },
        body,
        dispatcher: agent,
      });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  const perSecond = (DELIVERIES * 1000) / (performance.now() - began);
  await agent.close();
  return perSecond;
}

/** Measures from the commit of the deliveries to the record of the last attempt. */
async function deliveries({ projectId }: BenchService, webhookId: string): Promise<number> {
  const pending = Array.from({ length: DELIVERIES }, (_, n) => ({
    kind: 'link.clicked' as const,
    record_id: null,
    sequence: null,
    customer_id: null,
    payload: bodyOf(n),
    to: [{ webhook_id: webhookId, id: newId('delivery'), state: 'pending' as const }],
  }));
  // Counting deliveries would read all of them, and take half of a processor from the measured
  // service.
  const recorded = async () =>
    Number((await db()('webhook_attempts').max('id as last'))[0]!['last']);
  const delivered = async () =>
    Number(
      (await db()('webhook_deliveries').where({ state: 'delivered' }).count('* as n'))[0]!['n'],
    );
  const [before, deliveredBefore] = [await recorded(), await delivered()];
  await insertDeliveries(db(), projectId, pending);
  while ((await recorded()) === before) await new Promise((resolve) => setTimeout(resolve, 5));
  const [began, first] = [performance.now(), await recorded()];
  for (;;) {
    const now = await recorded();
    if (now >= before + DELIVERIES) {
      const perSecond = ((now - first) * 1000) / (performance.now() - began);
      if ((await delivered()) === deliveredBefore + DELIVERIES) return perSecond;
      throw new Error('attempts were recorded of deliveries that are not delivered');
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sends visits at a steady rate, each with a unique referrer that identifies its webhook. */
async function latency(service: BenchService, webhookId: string): Promise<Row[]> {
  const port = await freePort();
  const receiver = await startReceiver(port, 'report');
  try {
    await db()('webhooks').update({ url: `http://127.0.0.1:${port}/` });
    await seedLinks(service, 100);
    await db()('links').update({ webhook_ids: [webhookId] });
    await service.run([REDIRECT, worker('clicks'), worker('webhooks'), SCHEDULER]);
    const arrived = new Map<string, number>();
    receiver.on('message', ({ at, text }: { at: number; text: string }) => {
      arrived.set(/visitor-\d+/.exec(text)?.[0] ?? '', at);
    });
    const total = VISITS_PER_SECOND * VISIT_SECONDS;
    const sent = new Map<string, number>();
    const agent = new Agent({ connections: 50 });
    for (let n = 0; n < total; n += 1) {
      const visitor = `visitor-${n}`;
      sent.set(visitor, Date.now());
      void request(`http://127.0.0.1:${service.redirectPort}/k${n % 100}`, {
        dispatcher: agent,
        headers: {
          host: 'localhost',
          'user-agent': `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.${n}.1 Safari/537.36`,
          referer: `https://news.example/${visitor}/`,
        },
      }).then((answer) => answer.body.dump());
      await new Promise((resolve) => setTimeout(resolve, 1000 / VISITS_PER_SECOND));
    }
    while (arrived.size < total) await new Promise((resolve) => setTimeout(resolve, 100));
    const ms = [...sent].map(([visitor, at]) => arrived.get(visitor)! - at);
    await agent.close();
    const row = (what: string, ours: number): Row => ({
      what: `from a redirect to its webhook, at ${VISITS_PER_SECOND} visits/s, ${what}`,
      unit: 'ms',
      better: 'less',
      ours: [ours],
    });
    return [
      row('p50', percentileOf(ms, 0.5)),
      { ...row('p99', percentileOf(ms, 0.99)), aim: { ours: 1_000 } },
      row('longest', Math.max(...ms)),
    ];
  } finally {
    receiver.kill();
  }
}
