import { expect } from 'chai';
import { pino } from 'pino';
import { trackLead, trackSale } from '../../src/conversions/commands.ts';
import { deleteCustomer, updateCustomer } from '../../src/customers/commands.ts';
import { createDomain, deleteDomain, updateDomain } from '../../src/domains/commands.ts';
import { createFolder, deleteFolder, updateFolder } from '../../src/folders/commands.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { seal } from '../../src/infra/secrets.ts';
import {
  createLink,
  createLinks,
  deleteLink,
  deleteLinks,
  fillLink,
  updateLink,
  updateLinks,
  upsertLink,
} from '../../src/links/commands.ts';
import { createPage, deletePage, updatePage } from '../../src/pages/commands.ts';
import {
  createQrCode,
  createQrCodes,
  deleteQrCode,
  deleteQrCodes,
  updateQrCode,
} from '../../src/qrcodes/commands.ts';
import type { JobContext } from '../../src/queues/queue.ts';
import { createTag, deleteTag, updateTag } from '../../src/tags/commands.ts';
import { deleteTemplate } from '../../src/templates/commands.ts';
import {
  createWebhook,
  deleteWebhook,
  resendDeliveries,
  resendDelivery,
  rotateSecret,
  testWebhook,
  updateWebhook,
} from '../../src/webhooks/commands.ts';
import { newSecret } from '../../src/webhooks/sign.ts';
import { aWorkspace, browser, type World } from '../support/world.ts';

/*
 * A worker may die after it has committed, and before anybody has heard of it. The job then runs again: it must
 * answer the same, and change nothing.
 */

const A = 'https://example.com/a';

describe('a job that runs twice', () => {
  let world: World;
  const userId = 'user_test';

  beforeEach(async () => {
    world = await aWorkspace();
  });

  /** Runs a command as its job does: a first time, again after a crash, and twice at the same moment. */
  async function twice<Data, Result>(
    command: (data: Data, job: JobContext) => Promise<Result>,
    data: Data,
  ): Promise<Result> {
    const log = pino({ level: 'silent' });
    const job = { jobId: newId('job'), projectId: world.projectId, isRepeat: false, log };
    const [first, parallel] = await Promise.all([command(data, job), command(data, job)]);
    const before = await everything();
    const again = await command(data, { ...job, isRepeat: true });
    // JSON, since that is how results travel.
    expect(JSON.parse(JSON.stringify(parallel))).to.deep.equal(JSON.parse(JSON.stringify(first)));
    expect(JSON.parse(JSON.stringify(again))).to.deep.equal(JSON.parse(JSON.stringify(first)));
    expect(await everything()).to.deep.equal(before);
    return first;
  }

  async function everything() {
    const of = (table: string) =>
      db()(table).where({ project_id: world.projectId }).orderByRaw('1, 2');
    return Promise.all(
      [
        'links',
        'qrcodes',
        'claims',
        'tags',
        'link_tags',
        'qrcode_tags',
        'templates',
        'folders',
        'customers',
        'invoices',
        'pages',
        'domains',
        'webhooks',
        'webhook_deliveries',
        'jobs',
      ].map(of),
    );
  }

  const newLink = (fields: object = {}) => ({ id: newId('link'), url: A, ...fields });

  it('makes a link once', async () => {
    await twice(createLink, { userId, link: newLink({ key: 'a' }) });
    await twice(createLink, { userId, link: newLink() });
    await twice(upsertLink, { userId, link: newLink({ externalId: 'e' }) });
    expect((await world.api.get('/links/count')).body).to.equal(3);
  });

  it('makes many links once', async () => {
    const links = [{ key: 'a' }, { key: 'a' }, {}].map((fields) => ({
      input: newLink(fields),
      sent: fields,
    }));
    const items = await twice(createLinks, { userId, links });
    expect(items.map((item) => 'error' in item)).to.deep.equal([false, true, false]);
    expect((await world.api.get('/links/count')).body).to.equal(2);
  });

  it('changes and deletes a link once', async () => {
    const link = newLink({ key: 'a', flexible: true });
    await twice(createLink, { userId, link });
    await twice(updateLink, {
      linkId: link.id,
      changes: { url: `${A}2`, key: 'b', tags: { ids: [], names: [] } },
    });
    expect((await world.visit('/b')).headers.location).to.equal(`${A}2`);
    await twice(updateLinks, { linkIds: [link.id, 'nope'], changes: { title: 't' } });
    expect(await twice(deleteLink, { linkId: link.id })).to.deep.equal({ id: link.id });
    expect((await world.visit('/b')).status).to.equal(404);
  });

  it('makes, changes and deletes a page once', async () => {
    const id = newId('page');
    await twice(createPage, { id, page: { title: 'A' } });
    const changed = await twice(updatePage, { id, changes: { text: 'b' } });
    expect(changed).to.include({ title: 'A', text: 'b' });
    expect(await twice(deletePage, { id })).to.deep.equal({ id });
  });

  it('records a lead and a sale once, and changes and forgets their customer once', async () => {
    const link = newLink({ key: 'a' });
    await twice(createLink, { userId, link });
    const report = { linkId: link.id, userAgent: browser(1) };
    const { clickId } = (await world.api.post('/track/click', report)).body;
    const at = new Date().toISOString();
    const who = { customerExternalId: 'c' };
    const lead = { ...who, clickId, eventName: 'Sign up' };
    await twice(trackLead, { eventId: newId('event'), at, lead });
    const sale = {
      ...who,
      amount: 5,
      currency: 'USD',
      eventName: 'Purchase',
      paymentProcessor: 'custom' as const,
      invoiceId: 'i',
      metadata: null,
      leadEventName: null,
      clickId: null,
    };
    const converted = { amountCents: 5, rate: '1/1', rateDate: null };
    const ids = { eventId: newId('event'), leadEventId: newId('event') };
    const first = await twice(trackSale, { ...ids, at, sale, converted });
    expect(first.isReplayed).to.equal(false);
    expect((await world.api.get(`/links/${link.id}`)).body).to.include({ leads: 1, sales: 1 });
    expect((await world.api.get('/analytics')).body).to.include({ leads: 1, sales: 1 });
    const [{ id }] = (await world.api.get('/customers')).body;
    await twice(updateCustomer, { id, changes: { name: 'Ada' } });
    expect(await twice(deleteCustomer, { id })).to.deep.equal({ id });
  });

  it('fills the card of a link once', async () => {
    const link = newLink({ key: 'a', proxy: true, title: 'A' });
    await twice(createLink, { userId, link });
    const preview = { title: 'B', description: 'C', image: null };
    await twice(fillLink, { id: link.id, url: A, preview });
    const filled = { title: 'A', description: 'C' };
    expect((await world.api.get(`/links/${link.id}`)).body).to.include(filled);
  });

  it('does not undo what came after its first run', async () => {
    const link = newLink({ key: 'a' });
    const job = {
      jobId: newId('job'),
      projectId: world.projectId,
      isRepeat: false,
      log: pino({ level: 'silent' }),
    };
    await createLink({ userId, link }, job);
    await world.api.delete(`/links/${link.id}`);
    await createLink({ userId, link }, { ...job, isRepeat: true });
    expect((await world.visit('/a')).status).to.equal(404);
    expect((await world.visit('/a', { process: 1 })).status).to.equal(404);
  });

  it('deletes many links once', async () => {
    const link = newLink({ externalId: 'e' });
    await twice(createLink, { userId, link });
    expect(await twice(deleteLinks, { linkIds: ['ext_e', 'nope'] })).to.deep.equal({
      deletedCount: 1,
    });
  });

  const newQrCode = <Fields extends object>(fields: Fields) => ({
    id: newId('qrcode'),
    content: { type: 'url' as const, value: A },
    ...fields,
  });

  it('makes, changes and deletes a QR code and its template once', async () => {
    const qrcode = newQrCode({ key: 'q', flexible: true, newTemplateId: newId('template') });
    await twice(createQrCode, { userId, qrcode });
    const changes = {
      content: { type: 'text' as const, value: 'hello' },
      key: 'r',
      tags: { ids: [], names: [] },
    };
    const changed = await twice(updateQrCode, { qrcodeId: qrcode.id, changes });
    expect(changed).to.include({ type: 'text', text: 'hello', url: null, key: 'r' });
    expect((await world.visit('/r')).body).to.contain('hello');
    await twice(deleteTemplate, { id: qrcode.newTemplateId });
    await twice(deleteQrCode, { qrcodeId: qrcode.id });
    expect((await world.visit('/r')).status).to.equal(404);
  });

  it('makes and deletes many QR codes once', async () => {
    const qrcodes = [{ key: 'a' }, { key: 'a' }, { externalId: 'e' }].map((fields) => ({
      input: newQrCode(fields),
      sent: fields,
    }));
    const items = await twice(createQrCodes, { userId, qrcodes });
    expect(items.map((item) => 'error' in item)).to.deep.equal([false, true, false]);
    expect(await twice(deleteQrCodes, { qrcodeIds: ['ext_e', 'nope'] })).to.deep.equal({
      deletedCount: 1,
    });
    expect((await world.api.get('/qrcodes/count')).body).to.equal(1);
  });

  it('makes, changes and deletes tags, folders and domains once', async () => {
    const tag = { id: newId('tag'), name: 'a', color: 'red' };
    await twice(createTag, tag);
    await twice(updateTag, { id: tag.id, name: 'b' });
    await twice(deleteTag, { id: tag.id });
    const folder = { id: newId('folder'), name: 'a' };
    await twice(createFolder, folder);
    await twice(updateFolder, { id: folder.id, name: 'b' });
    await twice(deleteFolder, { id: folder.id });
    const domain = { id: newId('domain'), slug: `x.${world.domain}` };
    await twice(createDomain, domain);
    await twice(updateDomain, { id: domain.id, changes: { target: A, primary: true } });
    await twice(deleteDomain, { id: domain.id });
  });

  it('makes, changes and deletes a webhook once, and sends once what it is asked to', async () => {
    const id = newId('webhook');
    const url = 'http://127.0.0.1:9/';
    const secret = seal(newSecret());
    await twice(createWebhook, { id, name: 'a', url, kinds: ['link.created'], secret });
    // Nothing is really sent meanwhile: the rows are looked at.
    await db()('webhooks')
      .where({ id })
      .update({ paused_until: new Date(Date.now() + 600_000) });
    await twice(updateWebhook, { id, changes: { name: 'b' } });
    await twice(rotateSecret, { id, secret: seal(newSecret()) });
    await twice(createLink, { userId, link: newLink() });
    const deliveryId = newId('delivery');
    await twice(testWebhook, { id, deliveryId, kind: 'link.created' as const });
    expect(await db()('webhook_deliveries').where({ webhook_id: id })).to.have.length(2);
    await db()('webhook_deliveries').where({ webhook_id: id }).update({ state: 'delivered' });
    await twice(resendDelivery, { id, deliveryId });
    const since = new Date(Date.now() - 60_000).toISOString();
    const again = await twice(resendDeliveries, { id, since, undeliveredOnly: false });
    expect(again).to.deep.equal({ count: 2 });
    await twice(deleteWebhook, { id });
  });
});
