import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { newSecret } from '../../src/webhooks/sign.ts';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { FAULTS, FaultyReceiver } from '../support/faulty-receivers.ts';
import { Receiver, verify } from '../support/receiver.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

/*
 * Sends the same events to many receivers at once, each with one fault, and to healthy ones, which
 * must not be affected.
 */

const SECRET = newSecret();
const HEALTHY = 6;
const EVENTS = 100;
/**
 * Interval between events, in ms; all events together take longer than the worker waits for an
 * answer.
 */
const EVERY_MS = 180;
const LATE_MS = 5_000;
const MEGABYTE = 1024 ** 2;
/**
 * Highest growth of worker_webhooks, and highest amount of a body that leaves a receiver, which
 * buffers on the way can hold.
 */
const MOST_GROWTH = 128 * MEGABYTE;
const MOST_SENT = 32 * MEGABYTE;

describe('faulty receivers', function () {
  let api: ApiClient;
  let projectId: string;
  let elsewhere: Receiver;
  let healthy: Receiver[] = [];
  const faulty = new Map<string, { receiver: FaultyReceiver; webhookId: string }>();
  const since = new Date().toISOString();
  /** Start of the request that creates a link, by the link's id. */
  const begun = new Map<string, number>();
  const memory: number[] = [];
  let healthBefore: { restarts: number; faults: string[] };

  const metrics = () => stack().metrics('worker_webhooks');
  const memoryNow = async () =>
    Math.max(...(await stack().metric('worker_webhooks', 'process_resident_memory_bytes')));
  /** Reads the worker's restarts and its counters of faults. */
  const health = async () => ({
    restarts: stack().restarts('worker_webhooks'),
    faults: (await metrics())
      .split('\n')
      .filter((line) =>
        /^(shortlinks_job_duration_seconds_count.*outcome="fault"|shortlinks_dead_letters_total)/.test(
          line,
        ),
      ),
  });

  const aWebhook = async (name: string, url: string): Promise<string> => {
    const webhook = { name, url, kinds: ['link.created'], secret: SECRET };
    const { status, body } = await api.post('/webhooks', webhook);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  };

  const deliveriesOf = async (webhookId: string, query = {}) =>
    (await api.get(`/webhooks/${webhookId}/deliveries`, { pageSize: 100, ...query })).body;

  before(async () => {
    ({ api, projectId } = await aWorkspace());
    elsewhere = await Receiver.start();
    healthy = await Promise.all(Array.from({ length: HEALTHY }, () => Receiver.start()));
    for (const [title, faultOf] of Object.entries(FAULTS)) {
      const receiver = await FaultyReceiver.start(faultOf(elsewhere));
      faulty.set(title, { receiver, webhookId: await aWebhook(title, receiver.url) });
    }
    for (const [n, { url }] of healthy.entries()) await aWebhook(`healthy ${n}`, url);
    healthBefore = await health();
    memory.push(await memoryNow());
    const sampling = setInterval(() => {
      void memoryNow().then(
        (bytes) => memory.push(bytes),
        () => {},
      );
    }, 500).unref();
    for (let n = 0; n < EVENTS; n += 1) {
      const at = Date.now();
      const { status, body } = await api.post('/links', { url: 'https://example.com/' });
      expect(status).to.equal(201);
      begun.set(body.id, at);
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS - (Date.now() - at)));
    }
    clearInterval(sampling);
  });

  after(async () => {
    for (const { receiver, webhookId } of faulty.values()) {
      await api.delete(`/webhooks/${webhookId}`);
      await receiver.stop();
    }
    for (const receiver of [elsewhere, ...healthy]) await receiver?.stop();
  });

  it('do not delay other receivers', async () => {
    await eventually(() => {
      for (const { received } of healthy) expect(received).to.have.length(EVENTS);
    });
    const waits: number[] = [];
    for (const { received } of healthy) {
      for (const one of received) {
        verify(SECRET, one);
        waits.push(one.at - begun.get(one.body.data.id)!);
      }
      expect(new Set(received.map(({ body }) => body.data.id)).size).to.equal(EVENTS);
    }
    waits.sort((a, b) => a - b);
    const percentile = (share: number) => waits[Math.ceil(share * waits.length) - 1]!;
    console.log(
      `      ${EVENTS} links, ${HEALTHY} healthy receivers and ${faulty.size} others: from POST /links to arrival ` +
        `p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, longest ${waits.at(-1)} ms`,
    );
    expect(percentile(0.99)).to.be.below(LATE_MS);
  });

  for (const title of Object.keys(FAULTS)) {
    it(`have the right outcome: one that ${title}`, async () => {
      const { receiver, webhookId } = faulty.get(title)!;
      const { attempt, body: kept } = receiver.fault;
      const isFailing = attempt.error !== null;
      const tried = await eventually(async () => {
        const deliveries = await deliveriesOf(webhookId);
        expect(deliveries).to.have.length(EVENTS);
        const { body: webhook } = await api.get(`/webhooks/${webhookId}`);
        if (attempt.status === 410) expect(webhook.enabled).to.equal(false);
        else if (isFailing)
          expect(webhook.pausedUntil, 'until when it is left alone').to.be.a('string');
        return deliveries.filter(({ attempts }: { attempts: number }) => attempts > 0);
      });
      expect(tried.length).to.be.greaterThan(0);
      for (const { id } of tried.slice(0, 20)) {
        const { body: delivery } = await api.get(`/webhooks/${webhookId}/deliveries/${id}`);
        const { state, attempts, nextAttemptAt, log } = delivery;
        expect(log.length).to.be.greaterThan(0);
        for (const { status, error, response } of log) {
          expect({ status, error }).to.deep.equal(attempt);
          if (kept !== undefined) expect(response.body).to.equal(kept);
        }
        if (!isFailing)
          expect([state, attempts, nextAttemptAt]).to.deep.equal(['delivered', 1, null]);
        else if (attempt.status === 410)
          expect([state, nextAttemptAt]).to.deep.equal(['held', null]);
        else {
          expect(state).to.equal('pending');
          expect(Date.parse(nextAttemptAt)).to.be.greaterThan(Date.parse(log.at(-1).at) + 4_000);
        }
      }
      const others = await deliveriesOf(webhookId, { state: 'failed' });
      expect(others, 'given up').to.deep.equal([]);
    });
  }

  it('are not followed when they redirect', () => {
    expect(elsewhere.received).to.deep.equal([]);
  });

  it('do not stop the worker or fill its memory', async () => {
    expect(await health()).to.deep.equal(healthBefore);
    const growth = Math.max(...memory) - memory[0]!;
    const sent = Math.max(...[...faulty.values()].map(({ receiver }) => receiver.sent));
    console.log(
      `      worker_webhooks: ${Math.round(memory[0]! / MEGABYTE)} MiB, at most ${Math.round(growth / MEGABYTE)} MiB ` +
        `more; one answer sent ${(sent / MEGABYTE).toFixed(1)} MiB at most`,
    );
    expect(growth).to.be.below(MOST_GROWTH);
    expect(sent).to.be.below(MOST_SENT);
  });

  it('get every delivery once they work again', async () => {
    const [well] = healthy;
    for (const { receiver, webhookId } of faulty.values()) {
      receiver.repair();
      await api.patch(`/webhooks/${webhookId}`, { url: well!.url, enabled: true });
      await api.post(`/webhooks/${webhookId}/resend`, { since, undeliveredOnly: true });
    }
    await eventually(async () => {
      for (const [title, { webhookId }] of faulty) {
        const delivered = await deliveriesOf(webhookId, { state: 'delivered' });
        expect(delivered.length, title).to.equal(EVENTS);
      }
    });
    const { rows } = await db().raw(
      `SELECT count(*) AS deliveries FROM webhook_deliveries d WHERE project_id = ? AND attempts <>
         (SELECT count(*) FROM webhook_attempts a WHERE a.delivery_id = d.id AND a.project_id = d.project_id)`,
      [projectId],
    );
    expect(rows).to.deep.equal([{ deliveries: 0 }]);
  });
});
