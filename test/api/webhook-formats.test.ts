import { expect } from 'chai';
import { WEBHOOK_KINDS } from '../../src/webhooks/kinds.ts';
import { type ChatService, chatServer } from '../support/chat-servers.ts';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { verify } from '../support/receiver.ts';
import { SECRET, WebhookTest } from '../support/webhook-test.ts';

const A = 'https://example.com/a';
const CHATS = ['slack', 'discord', 'teams'] as const;
/** A name with mentions, links and Markdown of every service, and a line break. */
const HOSTILE =
  '<!channel> @everyone <@123> [x](https://evil.example) *b* `c` & <https://evil.example|y>\n# z';

describe('formats of webhooks', () => {
  let api: ApiClient;
  let test: WebhookTest;

  beforeEach(async () => {
    test = await WebhookTest.start();
    ({ api } = test);
  });
  afterEach(() => test.receiver.stop());

  /** Creates a webhook to a receiver that acts as a service. */
  const aChat = (format: ChatService, fields: object = {}) => {
    test.receiver.answer = chatServer(format);
    return test.aWebhook({ format, ...fields });
  };

  const delivered = (id: string, count: number) =>
    eventually(async () => {
      const all = await test.deliveries(id);
      const ids = all.map((delivery: { id: string }) => delivery.id);
      const failed = all.find(
        ({ attempts, state }: { attempts: number; state: string }) =>
          attempts > 0 && state !== 'delivered',
      );
      if (failed !== undefined) {
        const { body } = await api.get(`/webhooks/${id}/deliveries/${failed.id}`);
        expect(body.log[0], 'the first attempt').to.include({ error: null });
      }
      expect(all).to.have.length(count);
      for (const { state } of all) expect(state).to.equal('delivered');
      return ids as string[];
    });

  /** Collects all texts of a message. */
  const textsOf = (value: unknown): string[] => {
    if (typeof value === 'string') return [value];
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
  };

  const aLink = async (fields: object) => {
    const { status, body } = await api.post('/links', { url: A, trackConversion: true, ...fields });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };

  /** Visits a link from Berlin, and records a lead of the visit. */
  async function visitAndSignUp(path: string, customerName: string): Promise<void> {
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    const visit = await test.world.visit(path, { headers });
    const clickId = new URL(visit.headers.location!).searchParams.get('click_id');
    const lead = { clickId, eventName: HOSTILE, customerExternalId: 'user-1', customerName };
    const { status, body } = await api.post('/track/lead', lead);
    expect(status, JSON.stringify(body)).to.be.within(200, 201);
  }

  for (const format of [...CHATS, 'cloudevents'] as const) {
    it(`of ${format} are accepted for every kind of event, real and example`, async () => {
      const webhook = await aChat(format);
      expect(webhook.format).to.equal(format);
      for (const kind of WEBHOOK_KINDS) {
        expect((await api.post(`/webhooks/${webhook.id}/test`, { kind })).status).to.equal(201);
      }
      await delivered(webhook.id, WEBHOOK_KINDS.length);
      const url = 'https://example.com/?q=<b>|*x*&utm_source=news';
      const fields = { key: 'a', url, title: HOSTILE };
      const link = await aLink({ ...fields, webhookIds: [webhook.id] });
      await api.post('/qrcodes', { type: 'text', text: 'hello', title: HOSTILE });
      await visitAndSignUp('/a', HOSTILE);
      await api.delete(`/links/${link.id}`);
      await delivered(webhook.id, WEBHOOK_KINDS.length + 5);
    });

    it(`of ${format} are shown in the delivery as they are sent`, async () => {
      const { id } = await aChat(format);
      await api.post('/links', { url: A });
      const [deliveryId] = await delivered(id, 1);
      const { body } = await api.get(`/webhooks/${id}/deliveries/${deliveryId}`);
      const [received] = test.receiver.received;
      expect(body.request.body).to.equal(received!.raw);
      for (const [name, value] of Object.entries(body.request.headers)) {
        expect(received!.headers[name]).to.equal(value);
      }
    });
  }

  it('of CloudEvents have id, source, subject and sequence, and are signed', async () => {
    const { id } = await aChat('cloudevents');
    const { body: link } = await api.post('/links', { url: A });
    await delivered(id, 1);
    const [received] = test.receiver.received;
    verify(SECRET, received!);
    const { source, time, data, ...attributes } = received!.body;
    expect(attributes).to.deep.equal({
      specversion: '1.0',
      id: received!.headers['webhook-id'],
      type: 'link.created',
      subject: link.id,
      sequence: '0000000000000001',
      datacontenttype: 'application/json',
    });
    expect(source).to.match(new RegExp(`^https?://.*/webhooks/${id}$`));
    expect(time).to.match(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
    expect(data).to.include({ id: link.id, url: A });
  });

  for (const format of CHATS) {
    it(`of ${format} say who clicked on what, escaped and unsigned`, async () => {
      const { id } = await aChat(format, { kinds: ['lead.created'] });
      await aLink({ key: 'spring', webhookIds: [id] });
      await visitAndSignUp('/spring', '@here');
      await delivered(id, 2);
      const { received } = test.receiver;
      const about = (word: string) =>
        received.find(({ body }) => textsOf(body).some((text) => text.startsWith(word)))!;
      const click = about('Click');
      const said = textsOf(click.body).join(' ').replaceAll('\\', '');
      expect(said).to.contain(
        `Click on ${test.world.domain}/spring from Berlin, Germany (desktop, Chrome)`,
      );
      expect(said).to.contain(`https://${test.world.domain}/spring`);
      expect(
        Object.keys(click.headers).filter((name) => name.startsWith('webhook-')),
      ).to.deep.equal([]);
      const lead = about('Lead');
      const message = textsOf(lead.body).find((text) => text.includes('Lead'))!;
      if (format === 'slack') {
        expect(message).to.contain('&lt;!channel&gt; @everyone').and.to.contain('&amp; &lt;https');
      } else if (format === 'discord') {
        expect(message).to.contain('\\<\\!channel\\> \\@everyone').and.to.contain('\\[x\\]\\(');
        expect(lead.body.allowed_mentions).to.deep.equal({ parse: [] });
      } else {
        const { content } = lead.body.attachments[0];
        expect(content.body[0].inlines[0]).to.include({ type: 'TextRun' });
      }
      expect(message).not.to.contain('\n#');
    });

    it(`of ${format} wait when the service limits requests, and lose none`, async () => {
      const { id } = await aChat(format, { kinds: ['link.created'] });
      let open = 0;
      let most = 0;
      const answer = chatServer(format, { limit: 3 });
      test.receiver.answer = (received, response, request) => {
        open += 1;
        most = Math.max(most, open);
        response.once('close', () => (open -= 1));
        answer(received, response, request);
      };
      for (let n = 0; n < 6; n += 1) await api.post('/links', { url: A });
      await eventually(async () => {
        expect(await test.deliveries(id, { state: 'delivered' })).to.have.length(6);
      });
      expect(test.receiver.received).to.have.length(7);
      expect(most).to.equal(1);
      expect((await api.get(`/webhooks/${id}`)).body).to.include({
        enabled: true,
        failingSince: null,
        pausedUntil: null,
      });
    });
  }

  it('apply to resends after a change', async () => {
    const { id } = await aChat('discord');
    const since = new Date().toISOString();
    await api.post('/links', { url: A });
    await delivered(id, 1);
    expect((await api.patch(`/webhooks/${id}`, { format: 'standard' })).body.format).to.equal(
      'standard',
    );
    test.receiver.accept();
    await api.post(`/webhooks/${id}/resend`, { since });
    await eventually(() => expect(test.receiver.received).to.have.length(2));
    expect(test.receiver.received[1]!.body.type).to.equal('link.created');
    verify(SECRET, test.receiver.received[1]!);
  });

  it('are refused if they do not exist', async () => {
    const body = { name: 'a', url: A, kinds: ['link.created'], format: 'xml' };
    const answer = await api.post('/webhooks', body);
    expect(answer.status).to.equal(422);
    expect(answer.body.error.message).to.contain('format must be one of');
  });
});
