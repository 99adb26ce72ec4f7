import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { sweepWebhooks } from '../../src/webhooks/receivers.ts';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { Receiver, verify } from '../support/receiver.ts';
import { SECRET, WebhookTest } from '../support/webhook-test.ts';
import { aWorkspace } from '../support/world.ts';

const A = 'https://example.com/a';

/**
 * Checks the delay of the next attempt since an arrival.
 *
 * @param at time of the arrival, in ms since 1970
 * @param least in seconds
 * @param most in seconds, besides the time that the worker needed to store the attempt
 */
function expectDelay(nextAttemptAt: string, at: number, least: number, most: number): void {
  const seconds = (since: number) => (Date.parse(nextAttemptAt) - since) / 1000;
  expect(seconds(at)).to.be.at.least(least);
  expect(seconds(Date.now())).to.be.at.most(most);
}

describe('webhook deliveries', () => {
  let api: ApiClient;
  let receiver: Receiver;
  let test: WebhookTest;

  beforeEach(async () => {
    test = await WebhookTest.start();
    ({ api, receiver } = test);
  });
  afterEach(() => receiver.stop());

  const aWebhook = (fields?: object) => test.aWebhook(fields);
  const received = (count: number) => test.received(count);
  const deliveries = (id: string, query?: object) => test.deliveries(id, query);

  /** Makes pending deliveries due now. */
  const makeDue = (id: string) =>
    db()('webhook_deliveries')
      .where({ webhook_id: id, state: 'pending' })
      .update({ next_attempt_at: new Date() });

  const unpause = (id: string) =>
    db()('webhooks').where({ id }).update({ paused_until: new Date() });

  it('are listed, and returned with request, response and timing', async () => {
    const { id } = await aWebhook();
    receiver.answerWith(200, { 'x-receiver': 'mine' }, 'thanks');
    const { body: made, status } = await api.post(`/webhooks/${id}/test`, {
      kind: 'link.clicked',
    });
    expect([status, made.state, made.attempts]).to.deep.equal([201, 'pending', 0]);
    const [one] = await received(1);
    expect(one!.body).to.deep.include({ type: 'link.clicked', sequence: null });
    expect(one!.body.data.test).to.equal(true);
    const whole = await eventually(async () => {
      const { body } = await api.get(`/webhooks/${id}/deliveries/${made.id}`);
      expect(body.state).to.equal('delivered');
      return body;
    });
    expect(whole.request).to.deep.include({ method: 'POST', url: receiver.url, body: one!.raw });
    expect(whole.log).to.have.length(1);
    const [attempt] = whole.log;
    expect(attempt).to.deep.include({ status: 200, error: null });
    expect(attempt.response.body).to.equal('thanks');
    expect(attempt.response.headers['x-receiver']).to.equal('mine');
    expect(attempt.durationMs).to.be.within(0, 5_000);
    const list = await deliveries(id, { state: 'delivered', kind: 'link.clicked' });
    expect(list.map((delivery: { id: string }) => delivery.id)).to.deep.equal([made.id]);
    expect(await deliveries(id, { state: 'failed,held' })).to.deep.equal([]);
    expect(await deliveries(id, { since: new Date().toISOString() })).to.deep.equal([]);
    expect((await api.get(`/webhooks/${id}/deliveries/msg_unknown`)).status).to.equal(404);
  });

  it('are resent with the same id, one by one or all since a time', async () => {
    const { id } = await aWebhook();
    const since = new Date().toISOString();
    await api.post('/links', { url: A });
    await api.post('/links', { url: A });
    const ids = (await received(2)).map((one) => one.id);
    const again = await api.post(`/webhooks/${id}/deliveries/${ids[0]}/resend`);
    expect(again.status).to.equal(200);
    expect((await received(3))[2]!.id).to.equal(ids[0]);
    expect((await api.post(`/webhooks/${id}/resend`, { since })).body).to.deep.equal({
      count: 2,
    });
    const all = await received(5);
    expect(
      all
        .slice(3)
        .map((one) => one.id)
        .toSorted(),
    ).to.deep.equal(ids.toSorted());
    for (const one of all) verify(SECRET, one);
    await eventually(async () => {
      expect(await deliveries(id, { state: 'delivered' })).to.have.length(2);
    });
    const undelivered = { since, undeliveredOnly: true };
    expect((await api.post(`/webhooks/${id}/resend`, undelivered)).body).to.deep.equal({
      count: 0,
    });
    const { body } = await api.get(`/webhooks/${id}/deliveries/${ids[0]}`);
    expect(body.log).to.have.length(3);
  });

  it('are held while the webhook is disabled, and sent on request', async () => {
    const { id } = await aWebhook();
    await api.patch(`/webhooks/${id}`, { enabled: false });
    const since = new Date().toISOString();
    await api.post('/links', { url: A });
    await api.post('/links', { url: A });
    expect(await deliveries(id, { state: 'held' })).to.have.length(2);
    for (const path of ['test', 'resend', 'deliveries/msg_1/resend']) {
      const sent = path === 'resend' ? { since } : path === 'test' ? {} : undefined;
      const { status, body } = await api.post(`/webhooks/${id}/${path}`, sent);
      expect([status, body.error.message]).to.deep.equal([
        409,
        'The webhook is disabled: Disabled by its owner. Enable it first',
      ]);
    }
    await api.patch(`/webhooks/${id}`, { enabled: true });
    await api.post('/links', { url: A });
    await received(1);
    expect(await deliveries(id, { state: 'held' })).to.have.length(2);
    await api.post(`/webhooks/${id}/resend`, { since, undeliveredOnly: true });
    await received(3);
  });

  describe('receivers', () => {
    const state = async (id: string) => (await deliveries(id))[0];

    it('that fail get the delivery again later, with the same id and a new timestamp', async function () {
      const { id } = await aWebhook();
      receiver.answerWith(500, {}, 'broken');
      await api.post('/links', { url: A });
      const [first] = await received(1);
      await eventually(async () => {
        const { state: now, attempts, nextAttemptAt } = await state(id);
        expect([now, attempts]).to.deep.equal(['pending', 1]);
        expectDelay(nextAttemptAt, first!.at, 4.4, 5.7);
      });
      expect((await api.get(`/webhooks/${id}`)).body.failingSince).not.to.equal(null);
      receiver.accept();
      // The retry follows its schedule, without a change to its row.
      const second = (await received(2))[1]!;
      expect(second.id).to.equal(first!.id);
      expect(second.raw).to.equal(first!.raw);
      expect(Number(second.headers['webhook-timestamp'])).to.be.greaterThan(
        Number(first!.headers['webhook-timestamp']),
      );
      verify(SECRET, second);
      await eventually(async () => {
        expect((await state(id)).state).to.equal('delivered');
        expect((await api.get(`/webhooks/${id}`)).body.failingSince).to.equal(null);
      });
    });

    it('may set the delay with Retry-After, up to a day', async () => {
      const { id } = await aWebhook();
      receiver.answerWith(429, { 'retry-after': '7200' });
      await api.post('/links', { url: A });
      const { at } = (await received(1))[0]!;
      await eventually(async () => {
        const { nextAttemptAt } = await state(id);
        expectDelay(nextAttemptAt, at, 7_195, 7_205);
      });
    });

    it('that fail slowly get the whole delay after their response', async () => {
      const { id } = await aWebhook();
      receiver.answer = (_, response) => {
        setTimeout(() => response.writeHead(503, { 'retry-after': '10' }).end(), 2_000);
      };
      await api.post('/links', { url: A });
      const { at } = (await received(1))[0]!;
      await eventually(async () => {
        const { nextAttemptAt, attempts } = await state(id);
        expect(attempts).to.equal(1);
        expectDelay(nextAttemptAt, at, 12, 14);
      });
    });

    it('get ten attempts', async function () {
      const { id } = await aWebhook();
      receiver.answerWith(503);
      await api.post('/links', { url: A });
      for (let tries = 1; tries <= 10; tries += 1) {
        await received(tries);
        await eventually(async () => expect((await state(id)).attempts).to.equal(tries));
        await unpause(id);
        await makeDue(id);
        await sweepWebhooks();
      }
      expect(await state(id)).to.deep.include({
        state: 'failed',
        attempts: 10,
        nextAttemptAt: null,
      });
      receiver.accept();
      await api.post(`/webhooks/${id}/deliveries/${(await state(id)).id}/resend`);
      await eventually(async () => expect((await state(id)).state).to.equal('delivered'));
    });

    it('that respond with 410 are disabled at once, with the reason', async () => {
      const { id } = await aWebhook();
      receiver.answerWith(410);
      await api.post('/links', { url: A });
      await eventually(async () => {
        expect((await api.get(`/webhooks/${id}`)).body).to.deep.include({
          enabled: false,
          disabledReason: 'The receiver answered 410 Gone',
        });
      });
      expect((await state(id)).state).to.equal('held');
    });

    it('without a success for five days are disabled, with the reason', async () => {
      const { id } = await aWebhook();
      receiver.answerWith(500);
      await api.post('/links', { url: A });
      await received(1);
      await eventually(async () => {
        expect((await api.get(`/webhooks/${id}`)).body.failingSince).not.to.equal(null);
      });
      const longAgo = new Date(Date.now() - 5 * 86_400_000 - 1_000);
      await db()('webhooks').where({ id }).update({ failing_since: longAgo });
      await api.post('/links', { url: A });
      await eventually(async () => {
        expect((await api.get(`/webhooks/${id}`)).body).to.deep.include({
          enabled: false,
          disabledReason:
            'Every attempt failed for five days; the last error: url must respond with status 2xx, not 500',
        });
      });
      expect(await deliveries(id, { state: 'held' })).to.have.length(2);
    });

    it('that fail repeatedly are paused, then tried with one delivery', async function () {
      const { id } = await aWebhook();
      receiver.answerWith(500);
      await Promise.all(Array.from({ length: 30 }, () => api.post('/links', { url: A })));
      await eventually(async () => {
        const { pausedUntil } = (await api.get(`/webhooks/${id}`)).body;
        expect(Date.parse(pausedUntil)).to.be.greaterThan(Date.now() + 5_000);
      });
      const asked = receiver.received.length;
      // At most the deliveries that were under way at the same time have arrived.
      expect(asked).to.be.within(5, 20);
      receiver.accept();
      await unpause(id);
      await makeDue(id);
      await eventually(async () => {
        expect(await deliveries(id, { state: 'delivered' })).to.have.length(30);
      });
      expect((await api.get(`/webhooks/${id}`)).body).to.deep.include({
        pausedUntil: null,
        failingSince: null,
      });
    });

    it('that leave one request open get the others meanwhile', async () => {
      await aWebhook();
      let isOpen = true;
      receiver.answer = ({ body }, response) => {
        if (body.data.title !== 'slow') response.writeHead(204).end();
        else response.once('close', () => (isOpen = false));
      };
      await api.post('/links', { url: A, title: 'slow' });
      await received(1);
      await Promise.all(Array.from({ length: 5 }, () => api.post('/links', { url: A })));
      await received(6);
      expect(isOpen).to.equal(true);
    });

    it('that hang, fifty of them, do not delay others', async function () {
      receiver.answer = () => {};
      for (let n = 0; n < 50; n += 1) await aWebhook({ kinds: ['link.created'] });
      await api.post('/links', { url: A });
      await received(50);
      const neighbour = await aWorkspace();
      const other = await Receiver.start();
      const sent = { name: 'well', url: other.url, kinds: ['link.created'], secret: SECRET };
      await neighbour.api.post('/webhooks', sent);
      const began = Date.now();
      await neighbour.api.post('/links', { url: A });
      await eventually(() => expect(other.received).to.have.length(1));
      expect(Date.now() - began).to.be.lessThan(8_000);
      await other.stop();
    });

    it('with a new URL get the next attempt there, without a pause', async () => {
      const { id } = await aWebhook();
      const other = await Receiver.start();
      receiver.answer = (_, response) => {
        setTimeout(() => response.writeHead(410).end(), 1_000);
      };
      await api.post('/links', { url: A });
      await received(1);
      await api.patch(`/webhooks/${id}`, { url: other.url });
      await api.post('/links', { url: A });
      await eventually(() => expect(other.received).to.have.length(1));
      await eventually(async () => {
        const [, first] = await deliveries(id);
        expect(first).to.include({ state: 'pending', attempts: 1 });
      });
      expect((await api.get(`/webhooks/${id}`)).body).to.include({ enabled: true });
      await other.stop();
    });

    it('get another attempt at once when a resend was requested during a failing one', async () => {
      const { id } = await aWebhook();
      receiver.answer = (_, response) => {
        setTimeout(() => response.writeHead(503, { 'retry-after': '3600' }).end(), 1_000);
      };
      await api.post('/links', { url: A });
      await received(1);
      receiver.accept();
      await api.post(`/webhooks/${id}/deliveries/${(await state(id)).id}/resend`);
      await received(2);
      await eventually(async () => expect((await state(id)).state).to.equal('delivered'));
    });

    for (const [status, state] of [
      [200, 'delivered'],
      [500, 'pending'],
    ] as const) {
      it(`that never end the body of a ${status} are known by their status, and left`, async () => {
        const { id } = await aWebhook();
        let isOpen = true;
        receiver.answer = (_, response) => {
          response.once('close', () => (isOpen = false));
          response.writeHead(status).write('thanks');
        };
        await api.post('/links', { url: A });
        const [{ id: deliveryId }] = await eventually(async () => {
          const list = await deliveries(id);
          expect(list[0]).to.include({ state, attempts: 1 });
          return list;
        });
        const { body } = await api.get(`/webhooks/${id}/deliveries/${deliveryId}`);
        expect(body.log[0]).to.deep.include({ status });
        expect(body.log[0].response.body).to.equal('thanks');
        await eventually(() => expect(isOpen).to.equal(false));
      });
    }

    it('that damage the body of a 200 have accepted', async () => {
      const { id } = await aWebhook();
      receiver.answer = (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
      await api.post('/links', { url: A });
      await eventually(async () => expect((await state(id)).state).to.equal('delivered'));
    });

    it('may compress their responses', async () => {
      const { id } = await aWebhook();
      receiver.answerWith(200, { 'content-encoding': 'gzip' }, gzipSync('thanks'));
      await api.post('/links', { url: A });
      await eventually(async () => expect((await state(id)).state).to.equal('delivered'));
      const { body } = await api.get(`/webhooks/${id}/deliveries/${(await state(id)).id}`);
      expect(body.log[0].response.body).to.equal('thanks');
    });

    it('that redirect fail: redirects are not followed', async () => {
      const other = await Receiver.start();
      const { id } = await aWebhook();
      receiver.answerWith(307, { location: other.url });
      await api.post('/links', { url: A });
      await eventually(async () => expect((await state(id)).attempts).to.equal(1));
      const { body } = await api.get(`/webhooks/${id}/deliveries/${(await state(id)).id}`);
      expect(body.log[0]).to.deep.include({
        status: 307,
        error: 'url must respond with status 2xx, not 307',
      });
      expect(other.received).to.deep.equal([]);
      await other.stop();
    });
  });
});
