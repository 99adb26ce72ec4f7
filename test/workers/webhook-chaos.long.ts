import { expect } from 'chai';
import { WEBHOOK_KINDS } from '../../src/webhooks/kinds.ts';
import { newSecret } from '../../src/webhooks/sign.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';
import { type Received, Receiver, verify } from '../support/receiver.ts';
import { Visitors } from '../support/traffic.ts';

/*
 * Sends clicks to webhooks while worker_webhooks is killed, Redis is stopped and killed, and the
 * receiver fails, all at random moments; afterwards, nothing may be lost. CHAOS_CLICKS sets the
 * number of clicks, 600 by default; the number of accidents grows with it.
 */

const CLICKS = Number(process.env['CHAOS_CLICKS'] ?? 600);
const CLICKS_PER_SECOND = 50;
const KILLS = 1 + Math.floor(CLICKS / 600);
const OUTAGES = Math.ceil(CLICKS / 1_500);
const DEATHS = Math.ceil(CLICKS / 5_000);
/** Share of the requests that the receiver answers with 500. */
const FAILING = 0.03;
/**
 * Longest delay of a response, in ms; a worker killed meanwhile does not know the outcome of its
 * request.
 */
const ANSWER_MS = 200;
const SECRET = newSecret();
const TRAFFIC_S = CLICKS / CLICKS_PER_SECOND;
const SETTLE_MS = 120_000;

const seconds = (n: number) => new Promise((resolve) => setTimeout(resolve, n * 1000));
const between = (least: number, most: number) => least + Math.random() * (most - least);

/** Causes an accident several times under traffic, one after the other at random moments. */
async function atRandom(times: number, happen: () => Promise<void>): Promise<void> {
  const startedAt = Date.now();
  const moments = Array.from({ length: times }, () => between(0.05, 0.95) * TRAFFIC_S);
  for (const moment of moments.toSorted((a, b) => a - b)) {
    await seconds(Math.max(0, moment - (Date.now() - startedAt) / 1000));
    await happen();
  }
}

/** A receiver that fails at times and can be killed, and remembers all requests. */
class FailingReceiver {
  readonly received: Received[] = [];
  /** Ids of the clicks answered with success. */
  readonly accepted = new Set<string>();
  readonly unsigned: string[] = [];
  failures = 0;
  /** Number of requests that wait for their answer. */
  open = 0;
  #receiver!: Receiver;

  get url(): string {
    return this.#receiver.url;
  }

  async start(port = 0): Promise<void> {
    this.#receiver = await Receiver.start(port);
    this.#receiver.answer = (received, response) => {
      this.received.push(received);
      this.open += 1;
      response.on('close', () => {
        this.open -= 1;
      });
      try {
        verify(SECRET, received);
      } catch (error) {
        this.unsigned.push(`${received.id}: ${(error as Error).message}`);
      }
      const isFailing = Math.random() < FAILING;
      if (isFailing) this.failures += 1;
      else this.accepted.add(received.body.data.click.id);
      setTimeout(() => response.writeHead(isFailing ? 500 : 204).end(), between(0, ANSWER_MS));
    };
  }

  async stop(): Promise<void> {
    await this.#receiver?.stop();
  }

  async dieFor(time: number): Promise<void> {
    const { port } = this.#receiver;
    await this.#receiver.stop();
    await seconds(time);
    await this.start(port);
  }
}

describe('webhooks under steady traffic', function () {
  this.timeout(900_000);
  const own = new OwnService();
  const receiver = new FailingReceiver();
  const keys = Array.from({ length: 20 }, (_, n) => `hook-${n}`);

  before(async () => {
    await receiver.start();
    await own.start({ OUTBOUND_ALLOW: '127.0.0.1' });
    // A webhook of a link receives its clicks only.
    const kinds = WEBHOOK_KINDS.filter((kind) => kind === 'link.clicked');
    const webhookIds: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const webhook = { name: `${n}`, url: receiver.url, kinds, secret: SECRET };
      webhookIds.push((await own.post('/webhooks', webhook)).id);
    }
    await own.post(
      '/links/bulk',
      keys.map((key, n) => ({
        url: `https://example.com/${key}`,
        key,
        webhookIds: [webhookIds[n % webhookIds.length]],
      })),
    );
  });

  after(async () => {
    await own.stop();
    await receiver.stop();
  });

  /** Reads the link id of each stored click by the click's id. */
  async function storedClicks(): Promise<Map<string, string>> {
    const { rows } = await own.db.raw<{ rows: { id: string; link_id: string }[] }>(
      `SELECT id, link_id FROM events WHERE project_id = ? AND event = 'click'`,
      [own.projectId],
    );
    return new Map(rows.map(({ id, link_id }) => [id, link_id]));
  }

  /**
   * The third attempt is due after minutes, too long for a test. The update makes it due now, and
   * the worker must find it.
   */
  const makeDue = () =>
    own
      .db('webhook_deliveries')
      .where({ state: 'pending' })
      .where('next_attempt_at', '>', new Date(Date.now() + 30_000))
      .update({ next_attempt_at: new Date() });

  /** Kills the worker while it sends a request. */
  async function killWorker(): Promise<void> {
    await eventually(() => expect(receiver.open).to.be.greaterThan(0));
    own.service.runner.kill('worker_webhooks', 'SIGKILL');
    await eventually(() => expect(receiver.open).to.equal(0));
  }

  let outages = 0;
  async function loseRedis(): Promise<void> {
    outages += 1;
    await (outages % 2 === 1 ? own.killRedis() : own.stopRedis());
    await seconds(between(1, 4));
    await own.startRedis();
  }

  it('deliver every stored click, none twice with another content, and no other', async () => {
    const visitors = new Visitors('hook', own.service.redirectPorts, keys, CLICKS_PER_SECOND);
    const accidents = Promise.all([
      atRandom(KILLS, killWorker),
      atRandom(OUTAGES, loseRedis),
      atRandom(DEATHS, () => receiver.dieFor(between(1, 3))),
    ]);
    await eventually(() => expect(visitors.count).to.be.at.least(CLICKS));
    // The worker can be killed while it sends only if it has something to send, so traffic
    // continues until then.
    await accidents;
    const { answered, cut, others } = await visitors.stop();
    expect([...others], 'answers other than redirects').to.deep.equal([]);
    expect([...cut], 'answers cut off').to.deep.equal([]);

    const calmAt = Date.now();
    const stored = await eventually(async () => {
      await makeDue();
      const clicks = await storedClicks();
      expect(clicks.size, 'clicks that are stored').to.equal(answered.size);
      const missing = [...clicks.keys()].filter((id) => !receiver.accepted.has(id));
      expect(missing, `stored, and not received: ${missing.length}`).to.deep.equal([]);
      return clicks;
    }, SETTLE_MS);
    const settledS = (Date.now() - calmAt) / 1000;

    const { received } = receiver;
    console.log(
      `      ${answered.size} clicks, ${stored.size} stored; ${received.length} requests received, of which ` +
        `${received.length - stored.size} repeats and ${receiver.failures} answered with 500; ${KILLS} kills, ` +
        `${outages} outages of Redis, ${DEATHS} of the receiver; all there ${settledS.toFixed(1)} s after the last click`,
    );
    expect(receiver.unsigned).to.deep.equal([]);
    const invented = received.filter(({ body }) => !stored.has(body.data.click.id));
    expect(invented, 'received, and not stored').to.deep.equal([]);
    const messages = new Map(received.map((one) => [one.body.data.click.id, one]));
    for (const { id, raw, body } of received) {
      const { click, link } = body.data;
      const first = messages.get(click.id)!;
      expect([id, raw], `repeats of ${click.id}`).to.deep.equal([first.id, first.raw]);
      expect(link.id, `the link of ${click.id}`).to.equal(stored.get(click.id));
    }
    for (const linkId of new Set(stored.values())) {
      const sequence = [...messages.values()]
        .filter(({ body }) => body.data.link.id === linkId)
        .map(({ body }) => body.sequence)
        .toSorted((a, b) => a - b);
      expect(sequence, `of ${linkId}`).to.deep.equal(sequence.map((_, n) => n + 1));
    }
    // A delivery whose worker was killed is sent again, and that attempt can have failed after an
    // accepted first one.
    await eventually(async () => {
      await makeDue();
      const { rows } = await own.db.raw<{ rows: { state: string; count: number }[] }>(
        'SELECT state, count(*) FROM webhook_deliveries GROUP BY state',
      );
      expect(rows).to.deep.equal([{ state: 'delivered', count: stored.size }]);
    });
  });
});
