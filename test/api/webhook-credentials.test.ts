import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { verify } from '../support/receiver.ts';
import { SECRET, WebhookTest } from '../support/webhook-test.ts';

const A = 'https://example.com/a';
const HEADERS = { 'X-Token': 'open sesame!', authorisation: 'a:b' };
const BASIC = { username: 'shöp', password: 'pa:ss wörd' };

describe('headers and Basic authentication of webhooks', () => {
  let api: ApiClient;
  let test: WebhookTest;

  beforeEach(async () => {
    test = await WebhookTest.start();
    ({ api } = test);
  });
  afterEach(() => test.receiver.stop());

  const patch = async (id: string, body: object) => {
    const answer = await api.patch(`/webhooks/${id}`, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  };
  /** Sends a test event, and returns the headers of the request. */
  const sentTo = async (id: string) => {
    const count = test.receiver.received.length;
    await api.post(`/webhooks/${id}/test`, {});
    return eventually(() => {
      const one = test.receiver.received[count];
      expect(one).not.to.equal(undefined);
      return one!;
    });
  };

  it('are sent, and shown without their values', async () => {
    const webhook = await test.aWebhook({ headers: HEADERS, basicAuth: BASIC });
    const shown = {
      headers: { 'x-token': null, authorisation: null },
      basicAuth: { username: 'shöp', password: null },
    };
    expect(webhook).to.deep.include(shown);
    expect((await api.get(`/webhooks/${webhook.id}`)).body).to.deep.include(shown);
    const request = await sentTo(webhook.id);
    verify(SECRET, request);
    const basic = Buffer.from('shöp:pa:ss wörd').toString('base64');
    expect(request.headers).to.include({
      'x-token': 'open sesame!',
      authorisation: 'a:b',
      authorization: `Basic ${basic}`,
      'content-type': 'application/json',
    });
    const { body } = await api.get(`/webhooks/${webhook.id}/deliveries/${request.id}`);
    expect(body.request.headers).to.include({ 'x-token': '********', authorization: '********' });
  });

  it('are encrypted in rows and jobs', async () => {
    const { id } = await test.aWebhook({ headers: HEADERS, basicAuth: BASIC });
    await patch(id, { headers: { 'x-token': 'another secret' } });
    const [row] = await db()('webhooks').where({ id });
    expect(row.credentials).to.match(/^sealed:v2:/);
    const jobs = await db()('jobs').where({ project_id: test.world.projectId });
    const { body: log } = await api.get('/audit-log');
    for (const stored of [JSON.stringify(jobs), JSON.stringify(log)]) {
      for (const secret of ['open sesame!', 'another secret', BASIC.password]) {
        expect(stored).not.to.contain(secret);
      }
    }
  });

  it('are kept, replaced and removed by updates', async () => {
    const { id } = await test.aWebhook({ headers: HEADERS, basicAuth: BASIC });
    // As a client that sends back what it has read.
    await patch(id, {
      headers: { 'x-token': null, 'x-other': 'new' },
      basicAuth: { username: 'till', password: null },
    });
    const kept = (await sentTo(id)).headers;
    expect(kept).to.include({ 'x-token': 'open sesame!', 'x-other': 'new' });
    expect(kept).not.to.have.property('authorisation');
    const basic = Buffer.from(`till:${BASIC.password}`).toString('base64');
    expect(kept['authorization']).to.equal(`Basic ${basic}`);
    await patch(id, { name: 'renamed', url: `${test.receiver.url}/other` });
    expect((await sentTo(id)).headers).to.include({ 'x-token': 'open sesame!' });
    const removed = await patch(id, { headers: {}, basicAuth: null });
    expect(removed).to.deep.include({ headers: {}, basicAuth: null });
    expect((await sentTo(id)).headers).not.to.have.any.keys('x-token', 'authorization');
    const [row] = await db()('webhooks').where({ id });
    expect(row.credentials).to.equal(null);
  });

  it('must be set again with a URL on another host', async () => {
    const { id } = await test.aWebhook({ headers: HEADERS, basicAuth: BASIC });
    const url = 'https://elsewhere.example/hook';
    const refused: [body: object, message: string][] = [
      [{ url }, 'headers must be set again with a url on another host'],
      [{ url, headers: {} }, 'basicAuth must be set again with a url on another host'],
      [
        { url, headers: { 'x-token': null }, basicAuth: null },
        'headers must have a value for x-token: none is stored',
      ],
      [
        { url, headers: null, basicAuth: { username: 'a', password: null } },
        'basicAuth.password is required: none is stored',
      ],
    ];
    for (const [body, message] of refused) {
      const answer = await api.patch(`/webhooks/${id}`, body);
      expect([answer.status, answer.body.error.message]).to.deep.equal([422, message]);
    }
    expect(await patch(id, { url, headers: { a: 'b' }, basicAuth: null })).to.deep.include({
      url,
      headers: { a: null },
      basicAuth: null,
    });
  });

  const bad: [fields: object, message: string][] = [
    [{ headers: { host: 'a' } }, 'headers must not set host'],
    [{ headers: { Connection: 'a' } }, 'headers must not set connection'],
    [{ headers: { 'Content-Type': 'a' } }, 'headers must not set content-type'],
    [{ headers: { 'webhook-id': 'a' } }, 'headers must not set webhook-id'],
    [{ headers: { a: '1', A: '2' } }, 'headers must not set a twice'],
    [{ headers: { 'a b': '1' } }, 'headers must have names'],
    [{ headers: { a: 'b\r\nc: d' } }, 'headers must have a value of visible ASCII'],
    [{ headers: { a: '' } }, 'headers must have a value of visible ASCII'],
    [{ headers: { a: 'é' } }, 'headers must have a value of visible ASCII'],
    [{ headers: { a: 'b'.repeat(4_001) } }, 'headers'],
    [{ headers: { a: null } }, 'headers must have a value for a: none is stored'],
    [
      { headers: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`h${n}`, 'v'])) },
      'headers',
    ],
    [{ headers: 'a: b' }, 'headers'],
    [{ basicAuth: { username: 'a:b', password: 'c' } }, 'basicAuth.username'],
    [{ basicAuth: { username: 'a' } }, 'basicAuth.password is required'],
    [{ basicAuth: { username: 'a', password: null } }, 'basicAuth.password is required'],
    [{ basicAuth: { username: 'a', password: 'b\nc' } }, 'basicAuth.password'],
    [
      { headers: { Authorization: 'Bearer a' }, basicAuth: BASIC },
      'headers must not set authorization together with basicAuth',
    ],
  ];
  it('are refused if they break a rule', async () => {
    for (const [fields, message] of bad) {
      const body = { name: 'a', url: A, kinds: ['link.created'], ...fields };
      const answer = await api.post('/webhooks', body);
      expect(answer.status, message).to.equal(422);
      expect(answer.body.error.message).to.contain(message);
    }
  });
});
