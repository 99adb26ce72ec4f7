import { expect } from 'chai';
import { WEBHOOK_KINDS } from '../../src/webhooks/kinds.ts';
import { newSecret } from '../../src/webhooks/sign.ts';
import type { ApiClient } from './client.ts';
import { eventually } from './eventually.ts';
import { checkDelivery, type Received, Receiver } from './receiver.ts';
import { aWorkspace, type World } from './world.ts';

/** Secret of the webhooks that {@link WebhookTest.aWebhook} creates. */
export const SECRET = newSecret();

/** A workspace and a receiver for its webhooks, new for each test. */
export class WebhookTest {
  readonly world: World;
  readonly receiver: Receiver;

  private constructor(world: World, receiver: Receiver) {
    this.world = world;
    this.receiver = receiver;
  }

  static async start(): Promise<WebhookTest> {
    return new WebhookTest(await aWorkspace(), await Receiver.start());
  }

  get api(): ApiClient {
    return this.world.api;
  }

  /** Creates a webhook to the receiver. */
  async aWebhook(fields: object = {}) {
    const sent = {
      name: 'ours',
      url: this.receiver.url,
      kinds: WEBHOOK_KINDS,
      secret: SECRET,
    };
    const { status, body } = await this.api.post('/webhooks', { ...sent, ...fields });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  }

  /**
   * Waits until `count` deliveries have arrived, and checks all but test events against the
   * reference.
   */
  async received(count: number): Promise<readonly Received[]> {
    const all = await eventually(() => {
      expect(this.receiver.received.map(({ body }) => body.type)).to.have.length(count);
      return this.receiver.received;
    });
    for (const one of all) if (one.body.data.test !== true) checkDelivery(one);
    return all;
  }

  /** Lists the deliveries of a webhook, newest first. */
  async deliveries(id: string, query = {}) {
    return (await this.api.get(`/webhooks/${id}/deliveries`, query)).body;
  }
}
