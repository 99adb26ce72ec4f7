import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { newSecret } from '../../src/webhooks/sign.ts';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { MANNERS, Misfit } from '../support/misfits.ts';
import { Receiver, verify } from '../support/receiver.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

/*
 * Many receivers of the same events at once, each of which misbehaves in one way, and some that do not. Those must not
 * notice.
 */

const SECRET = newSecret();
const HEALTHY = 6;
const EVENTS = 100;
/** Longer in total than the worker waits for an answer. */
const EVERY_MS = 180;
const LATE_MS = 5_000;
const MEGABYTE = 1024 ** 2;
/** By how much worker_webhooks may grow, and how much of a body may leave a receiver: what fits into buffers on the way. */
const MOST_GROWTH = 128 * MEGABYTE;
const MOST_SENT = 32 * MEGABYTE;

describe('receivers that misbehave, many at once', function () {
  this.timeout(60_000);
  let api: ApiClient;
  let projectId: string;
  let elsewhere: Receiver;
  let healthy: Receiver[] = [];
  const misfits = new Map<string, { misfit: Misfit; webhookId: string }>();
  const since = new Date().toISOString();
  /** When the caller began to make a link, by its id. */
  const begun = new Map<string, number>();
  const memory: number[] = [];
  let healthBefore: { restarts: number; faults: string[] };

  const metrics = async () =>
    (await fetch(`${stack().runner.healthUrlOf('worker_webhooks')}/metrics`)).text();
  const memoryNow = async () =>
    Number(/^process_resident_memory_bytes (\S+)$/m.exec(await metrics())![1]);
  /** How often the worker was started again, and what failed in it. */
  const health = async () => ({
    restarts: stack().runner.restarts('worker_webhooks'),
    faults: (await metrics())
      .split('\n')
      .filter((line) => /^(job_seconds_count.*outcome="fault"|dead_letters_total)/.test(line)),
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
    for (const [title, mannerOf] of Object.entries(MANNERS)) {
      const misfit = await Misfit.start(mannerOf(elsewhere));
      misfits.set(title, { misfit, webhookId: await aWebhook(title, misfit.url) });
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
    for (const { misfit, webhookId } of misfits.values()) {
      await api.delete(`/webhooks/${webhookId}`);
      await misfit.stop();
    }
    for (const receiver of [elsewhere, ...healthy]) await receiver?.stop();
  });

  it('keep no other receiver waiting', async () => {
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
      `      ${EVENTS} links, ${HEALTHY} healthy receivers and ${misfits.size} others: from POST /links to arrival ` +
        `p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, longest ${waits.at(-1)} ms`,
    );
    expect(percentile(0.99)).to.be.below(LATE_MS);
  });

  for (const title of Object.keys(MANNERS)) {
    it(`one that ${title} is judged by that`, async () => {
      const { misfit, webhookId } = misfits.get(title)!;
      const { attempt, body: kept } = misfit.manner;
      const isFailing = attempt.error !== null;
      const tried = await eventually(async () => {
        const deliveries = await deliveriesOf(webhookId);
        expect(deliveries).to.have.length(EVENTS);
        const { body: webhook } = await api.get(`/webhooks/${webhookId}`);
        if (attempt.status === 410) expect(webhook.enabled).to.equal(false);
        else if (isFailing)
          expect(webhook.pausedUntil, 'until when it is left alone').to.be.a('string');
        return deliveries.filter(({ attempts }: { attempts: number }) => attempts > 0);
      }, 35_000);
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

  it('are not followed to where they point', () => {
    expect(elsewhere.received).to.deep.equal([]);
  });

  it('neither stop nor fill the worker', async () => {
    expect(await health()).to.deep.equal(healthBefore);
    const growth = Math.max(...memory) - memory[0]!;
    const sent = Math.max(...[...misfits.values()].map(({ misfit }) => misfit.sent));
    console.log(
      `      worker_webhooks: ${Math.round(memory[0]! / MEGABYTE)} MiB, at most ${Math.round(growth / MEGABYTE)} MiB ` +
        `more; one answer sent ${(sent / MEGABYTE).toFixed(1)} MiB at most`,
    );
    expect(growth).to.be.below(MOST_GROWTH);
    expect(sent).to.be.below(MOST_SENT);
  });

  it('get everything once they are well: nothing is left half done', async () => {
    const [well] = healthy;
    for (const { misfit, webhookId } of misfits.values()) {
      misfit.mend();
      await api.patch(`/webhooks/${webhookId}`, { url: well!.url, enabled: true });
      await api.post(`/webhooks/${webhookId}/resend`, { since, undeliveredOnly: true });
    }
    await eventually(async () => {
      for (const [title, { webhookId }] of misfits) {
        const delivered = await deliveriesOf(webhookId, { state: 'delivered' });
        expect(delivered.length, title).to.equal(EVENTS);
      }
    }, 25_000);
    const { rows } = await db().raw(
      `SELECT count(*) AS deliveries FROM webhook_deliveries d WHERE project_id = ? AND attempts <>
         (SELECT count(*) FROM webhook_attempts a WHERE a.delivery_id = d.id AND a.project_id = d.project_id)`,
      [projectId],
    );
    expect(rows).to.deep.equal([{ deliveries: 0 }]);
  });
});
