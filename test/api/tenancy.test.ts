import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { routes } from '../../src/api/routes.ts';
import { isOfWorkspace } from '../../src/http/route.ts';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { settled } from '../support/bulk-changes.ts';
import { type ApiAnswer, ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { anOpenExport } from '../support/exports.ts';
import { fontUri, openType } from '../support/fonts.ts';
import { aBrowser } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Checks that a key can neither read nor change anything of another workspace. Every route has a
 * row; the first test fails for a new route without one.
 */

interface Owned {
  link: { id: string; key: string; externalId: string };
  tag: { id: string };
  folder: { id: string };
  utmTemplate: { id: string };
  font: { id: string };
  view: { id: string };
  report: { id: string };
  recipient: { id: string };
  page: { id: string };
  qrcode: { id: string; key: string; externalId: string; templateId: string };
  domain: { id: string; slug: string };
  customer: { id: string };
  webhook: { id: string };
  deliveryId: string;
  integrationId: string;
  destinationId: string;
  clickId: string;
  jobId: string;
  keyId: string;
  importId: string;
  userId: string;
  invitationId: string;
}

type Attempt = (intruder: World, owned: Owned, owner: World) => Promise<void>;

const URL_A = 'https://example.com/a';
const DESTINATION = {
  type: 'redis',
  name: 'secret',
  settings: { url: 'rediss://redis.example:443', stream: 's' },
};
const CSV = { 'content-type': 'text/csv' };

async function is404(answer: Promise<ApiAnswer>): Promise<void> {
  const { status, body } = await answer;
  expect(status).to.equal(404);
  expect(body.error.code).to.equal('not_found');
}

async function is(status: number, answer: Promise<ApiAnswer>): Promise<void> {
  expect((await answer).status).to.equal(status);
}

/** Sends a request about a recipient, of its report and of one of the caller. */
async function ofRecipient(
  api: World['api'],
  { report, recipient }: Owned,
  send: (path: string) => Promise<ApiAnswer>,
): Promise<void> {
  const { body: own } = await api.post('/reports', { name: 'own' });
  for (const { id } of [report, own])
    await is404(send(`/reports/${id}/recipients/${recipient.id}`));
  await is(200, api.delete(`/reports/${own.id}`));
}

async function isEmpty(answer: Promise<ApiAnswer>): Promise<void> {
  const { status, body } = await answer;
  expect([status, body]).to.deep.equal([200, []]);
}

/** Creates a bulk change, which is only checked. @returns its path */
async function aBulkChange({ api }: World, kind: 'links' | 'qrcodes'): Promise<string> {
  const body = { ids: ['none'], data: { comments: 'a' }, dryRun: true };
  return `/bulk-changes/${kind}/${(await api.post(`/bulk-changes/${kind}`, body)).body.id}`;
}

/** Schedules a change of a record. @returns its id */
async function aScheduledChange({ api }: World, path: string): Promise<string> {
  const at = new Date(Date.now() + 86_400_000).toISOString();
  const { status, body } = await api.patch(path, { comments: 'Secret change', at });
  expect(status, JSON.stringify(body)).to.equal(201);
  return body.id;
}

const ATTEMPTS: Record<string, Attempt> = {
  'post /links': async ({ api }, { tag, folder, domain, page, webhook }) => {
    await is(422, api.post('/links', { url: URL_A, webhookIds: [webhook.id] }));
    await is(422, api.post('/links', { url: URL_A, tagIds: [tag.id] }));
    await is(422, api.post('/links', { url: URL_A, tagId: tag.id }));
    await is(422, api.post('/links', { url: URL_A, tagNames: 'Secret tag' }));
    await is(422, api.post('/links', { url: URL_A, folderId: folder.id }));
    await is(422, api.post('/links', { url: URL_A, pageId: page.id }));
    await is(403, api.post('/links', { url: URL_A, domain: domain.slug }));
  },
  'get /links': async ({ api }, { tag, folder, domain, link }, owner) => {
    await isEmpty(api.get('/links', { showArchived: true }));
    await isEmpty(api.get('/links', { domain: domain.slug }));
    await isEmpty(api.get('/links', { tagIds: tag.id }));
    await isEmpty(api.get('/links', { tagNames: 'Secret tag' }));
    await isEmpty(api.get('/links', { folderId: folder.id }));
    await isEmpty(api.get('/links', { search: link.key }));
    await isEmpty(api.get('/links', { query: link.key }));
    await isEmpty(api.get('/links', { query: `https://${domain.slug}/${link.key}` }));
    await isEmpty(api.get('/links', { query: 'secret tag' }));
    await isEmpty(api.get('/links', { password: 'secret password' }));
    await is404(api.get('/links', { projectSlug: owner.slug }));
  },
  'get /links/count': async ({ api }, { domain }, owner) => {
    expect((await api.get('/links/count', { showArchived: true })).body).to.equal(0);
    expect((await api.get('/links/count', { domain: domain.slug })).body).to.equal(0);
    await isEmpty(api.get('/links/count', { groupBy: 'domain' }));
    await is404(api.get('/links/count', { projectSlug: owner.slug }));
  },
  'get /links/info': async ({ api }, { link, domain }, owner) => {
    await is404(api.get('/links/info', { domain: domain.slug, key: link.key }));
    await is404(api.get('/links/info', { linkId: link.id }));
    await is404(api.get('/links/info', { externalId: `ext_${link.externalId}` }));
    await is404(api.get('/links/info', { linkId: link.id, projectSlug: owner.slug }));
  },
  'get /links/availability': async ({ api }, { link, domain }) => {
    await is(403, api.get('/links/availability', { domain: domain.slug, key: link.key }));
    expect((await api.get('/links/availability', { key: link.key })).body.available).to.equal(true);
  },
  'put /links/upsert': async ({ api }, { link, domain }) => {
    const own = await api.put('/links/upsert', { url: URL_A, externalId: link.externalId });
    expect(own.status).to.equal(201);
    expect(own.body.id).not.to.equal(link.id);
    await is(200, api.delete(`/links/${own.body.id}`));
    await is(403, api.put('/links/upsert', { url: URL_A, domain: domain.slug, key: link.key }));
  },
  'post /links/bulk': ({ api }, { domain }) =>
    is(403, api.post('/links/bulk', [{ url: URL_A, domain: domain.slug }])),
  'post /links/bulk/check': async ({ api }, { domain, link, folder, tag }) => {
    const { body } = await api.post('/links/bulk/check', [
      { url: URL_A, key: link.key, externalId: link.externalId },
      { url: URL_A, domain: domain.slug, key: 'free' },
      { url: URL_A, folderId: folder.id },
      { url: URL_A, tagIds: [tag.id] },
    ]);
    const codes = body.map(({ error }: { error: { code: string } | null }) => error?.code);
    expect(codes).to.deep.equal([
      undefined,
      'forbidden',
      'unprocessable_entity',
      'unprocessable_entity',
    ]);
  },
  'patch /links/bulk': async ({ api }, { link }) => {
    const { body } = await api.patch('/links/bulk', {
      linkIds: [link.id, `ext_${link.externalId}`],
      data: { title: 'stolen' },
    });
    for (const item of body) expect(item.error.code).to.equal('not_found');
  },
  'delete /links/bulk': async ({ api }, { link }) => {
    const { body } = await api.delete('/links/bulk', {
      linkIds: `${link.id},ext_${link.externalId}`,
    });
    expect(body).to.deep.equal({ deletedCount: 0 });
  },
  'get /links/{linkId}': async ({ api }, { link }) => {
    await is404(api.get(`/links/${link.id}`));
    await is404(api.get(`/links/ext_${link.externalId}`));
  },
  'patch /links/{linkId}': async ({ api }, { link }) => {
    await is404(api.patch(`/links/${link.id}`, { title: 'stolen' }));
    await is404(api.patch(`/links/ext_${link.externalId}`, { title: 'stolen' }));
  },
  'delete /links/{linkId}': async ({ api }, { link }) => {
    await is404(api.delete(`/links/${link.id}`));
    await is404(api.delete(`/links/ext_${link.externalId}`));
  },
  'post /links/{linkId}/reset': async ({ api }, { link }) => {
    await is404(api.post(`/links/${link.id}/reset`));
    await is404(api.post(`/links/ext_${link.externalId}/reset`));
  },
  'post /links/{linkId}/simulate': async ({ api }, { link }) => {
    await is404(api.post(`/links/${link.id}/simulate`, {}));
    await is404(api.post(`/links/ext_${link.externalId}/simulate`, {}));
  },
  'get /links/{linkId}/icon': async ({ api }, { link }) => {
    await is404(api.get(`/links/${link.id}/icon`));
    await is404(api.get(`/links/ext_${link.externalId}/icon`));
  },
  'get /links/{linkId}/history': async ({ api }, { link }) => {
    await is404(api.get(`/links/${link.id}/history`));
    await is404(api.get(`/links/ext_${link.externalId}/history`));
  },
  'post /links/{linkId}/revert': async ({ api }, { link }, owner) => {
    const [change] = (await owner.api.get(`/links/${link.id}/history`)).body;
    const { id: changeId } = change ?? { id: 'chg_none' };
    await is404(api.post(`/links/${link.id}/revert`, { changeId }));
    await is404(api.post(`/links/ext_${link.externalId}/revert`, { changeId }));
    const { body: own } = await api.post('/links', { url: URL_A });
    await is404(api.post(`/links/${own.id}/revert`, { changeId }));
    await is(200, api.delete(`/links/${own.id}`));
  },
  'get /links/{linkId}/destination-versions': async ({ api }, { link }) => {
    await is404(api.get(`/links/${link.id}/destination-versions`));
    await is404(api.get(`/links/ext_${link.externalId}/destination-versions`));
  },
  'get /qrcodes/{qrcodeId}/destination-versions': ({ api }, { qrcode }) =>
    is404(api.get(`/qrcodes/${qrcode.id}/destination-versions`)),
  'get /links/{linkId}/changes': async ({ api }, { link }, owner) => {
    await aScheduledChange(owner, `/links/${link.id}`);
    await is404(api.get(`/links/${link.id}/changes`));
    await is404(api.get(`/links/ext_${link.externalId}/changes`));
  },
  'get /links/{linkId}/changes/{changeId}': async ({ api }, { link }, owner) => {
    const changeId = await aScheduledChange(owner, `/links/${link.id}`);
    await is404(api.get(`/links/${link.id}/changes/${changeId}`));
    const { body: own } = await api.post('/links', { url: URL_A });
    await is404(api.get(`/links/${own.id}/changes/${changeId}`));
    await is(200, api.delete(`/links/${own.id}`));
  },
  'delete /links/{linkId}/changes/{changeId}': async ({ api }, { link }, owner) => {
    const changeId = await aScheduledChange(owner, `/links/${link.id}`);
    await is404(api.delete(`/links/${link.id}/changes/${changeId}`));
    await is404(api.delete(`/links/ext_${link.externalId}/changes/${changeId}`));
    const { body: own } = await api.post('/links', { url: URL_A });
    await is404(api.delete(`/links/${own.id}/changes/${changeId}`));
    await is(200, api.delete(`/links/${own.id}`));
  },
  'get /qrcodes/{qrcodeId}/changes': async ({ api }, { qrcode }, owner) => {
    await aScheduledChange(owner, `/qrcodes/${qrcode.id}`);
    await is404(api.get(`/qrcodes/${qrcode.id}/changes`));
  },
  'get /qrcodes/{qrcodeId}/changes/{changeId}': async ({ api }, { qrcode }, owner) => {
    const changeId = await aScheduledChange(owner, `/qrcodes/${qrcode.id}`);
    await is404(api.get(`/qrcodes/${qrcode.id}/changes/${changeId}`));
  },
  'delete /qrcodes/{qrcodeId}/changes/{changeId}': async ({ api }, { qrcode }, owner) => {
    const changeId = await aScheduledChange(owner, `/qrcodes/${qrcode.id}`);
    await is404(api.delete(`/qrcodes/${qrcode.id}/changes/${changeId}`));
  },
  'get /qr': async ({ api }) => {
    // This endpoint is public and reads no records.
    const from = { headers: { 'x-forwarded-for': '198.51.100.21' } };
    expect((await api.download('/qr', { url: URL_A }, from)).status).to.equal(200);
  },
  'get /metatags': async ({ api }, { link, domain }) => {
    // This endpoint is public and sees only what every visitor of the link sees; the domains of
    // tests have no DNS records.
    const from = { headers: { 'x-forwarded-for': '198.51.100.22' } };
    const url = `https://${domain.slug}/${link.key}`;
    await is(422, api.get('/metatags', { url }, from));
  },
  // The cities of the database of places belong to no workspace.
  'get /places/cities': ({ api }) => isEmpty(api.get('/places/cities', { search: 'none' })),
  'get /metatags/image': async ({ api }, { link, domain }) => {
    // This endpoint reads no records.
    await is(422, api.get('/metatags/image', { url: `https://${domain.slug}/${link.key}` }));
  },
  'post /qrcodes': async ({ api }, { tag, folder, domain, qrcode, font }) => {
    const code = { type: 'url', url: URL_A };
    await is(422, api.post('/qrcodes', { ...code, tagIds: [tag.id] }));
    await is(422, api.post('/qrcodes', { ...code, folderId: folder.id }));
    await is(403, api.post('/qrcodes', { ...code, domain: domain.slug }));
    await is(422, api.post('/qrcodes', { ...code, templateId: qrcode.templateId }));
    for (const family of [font.id, 'Secret font']) {
      await is(422, api.post('/qrcodes', { ...code, frameTextStyles: { family } }));
    }
  },
  'get /qrcodes': async ({ api }, { tag, folder, domain, qrcode }, owner) => {
    await isEmpty(api.get('/qrcodes', { showArchived: true }));
    await isEmpty(api.get('/qrcodes', { domain: domain.slug }));
    await isEmpty(api.get('/qrcodes', { tagIds: tag.id }));
    await isEmpty(api.get('/qrcodes', { folderId: folder.id }));
    await isEmpty(api.get('/qrcodes', { search: qrcode.key }));
    await is404(api.get('/qrcodes', { projectSlug: owner.slug }));
  },
  'get /qrcodes/count': async ({ api }, { domain }, owner) => {
    expect((await api.get('/qrcodes/count', { showArchived: true })).body).to.equal(0);
    expect((await api.get('/qrcodes/count', { domain: domain.slug })).body).to.equal(0);
    await isEmpty(api.get('/qrcodes/count', { groupBy: 'domain' }));
    await is404(api.get('/qrcodes/count', { projectSlug: owner.slug }));
  },
  'get /qrcodes/info': async ({ api }, { qrcode, domain }, owner) => {
    await is404(api.get('/qrcodes/info', { domain: domain.slug, key: qrcode.key }));
    await is404(api.get('/qrcodes/info', { qrCodeId: qrcode.id }));
    await is404(api.get('/qrcodes/info', { externalId: `ext_${qrcode.externalId}` }));
    await is404(api.get('/qrcodes/info', { qrCodeId: qrcode.id, projectSlug: owner.slug }));
  },
  'post /qrcodes/bulk': ({ api }, { domain }) =>
    is(403, api.post('/qrcodes/bulk', [{ type: 'url', url: URL_A, domain: domain.slug }])),
  'patch /qrcodes/bulk': async ({ api }, { qrcode, tag }) => {
    const { body } = await api.patch('/qrcodes/bulk', {
      qrcodeIds: [qrcode.id, `ext_${qrcode.externalId}`],
      data: { title: 'stolen', addTagIds: [tag.id] },
    });
    for (const item of body) expect(item.error.code).to.equal('not_found');
  },
  'delete /qrcodes/bulk': async ({ api }, { qrcode }) => {
    const { body } = await api.delete('/qrcodes/bulk', {
      qrcodeIds: `${qrcode.id},ext_${qrcode.externalId}`,
    });
    expect(body).to.deep.equal({ deletedCount: 0 });
  },
  'get /qrcodes/{qrcodeId}': async ({ api }, { qrcode }) => {
    await is404(api.get(`/qrcodes/${qrcode.id}`));
    await is404(api.get(`/qrcodes/ext_${qrcode.externalId}`));
  },
  'get /qrcodes/{qrcodeId}/image': async ({ api }, { qrcode }) => {
    await is404(api.get(`/qrcodes/${qrcode.id}/image`));
    await is404(api.get(`/qrcodes/ext_${qrcode.externalId}/image`));
  },
  'patch /qrcodes/{qrcodeId}': async ({ api }, { qrcode }) => {
    await is404(api.patch(`/qrcodes/${qrcode.id}`, { title: 'stolen' }));
    await is404(api.patch(`/qrcodes/ext_${qrcode.externalId}`, { title: 'stolen' }));
  },
  'post /qrcodes/{qrcodeId}/reset': ({ api }, { qrcode }) =>
    is404(api.post(`/qrcodes/${qrcode.id}/reset`)),
  'post /qrcodes/{qrcodeId}/simulate': ({ api }, { qrcode }) =>
    is404(api.post(`/qrcodes/${qrcode.id}/simulate`, {})),
  'delete /qrcodes/{qrcodeId}': async ({ api }, { qrcode }) => {
    await is404(api.delete(`/qrcodes/${qrcode.id}`));
    await is404(api.delete(`/qrcodes/ext_${qrcode.externalId}`));
  },
  'get /qrcodes/{qrcodeId}/icon': ({ api }, { qrcode }) =>
    is404(api.get(`/qrcodes/${qrcode.id}/icon`)),
  'get /qrcodes/{qrcodeId}/history': ({ api }, { qrcode }) =>
    is404(api.get(`/qrcodes/${qrcode.id}/history`)),
  'post /qrcodes/{qrcodeId}/revert': ({ api }, { qrcode }) =>
    is404(api.post(`/qrcodes/${qrcode.id}/revert`, { changeId: 'chg_none' })),
  'get /trash': async ({ api }, _owned, owner) => {
    const { body: link } = await owner.api.post('/links', { url: URL_A });
    await is(200, owner.api.delete(`/links/${link.id}`));
    const { body } = await api.get('/trash');
    expect(body.map(({ id }: { id: string }) => id)).not.to.include(link.id);
    await is404(api.post(`/links/${link.id}/restore`));
    await is404(api.delete(`/trash/${link.id}`));
  },
  'post /trash/restore': async ({ api }, { link, qrcode }) => {
    const { body } = await api.post('/trash/restore', { ids: [link.id, qrcode.id] });
    for (const item of body) expect(item.error.code).to.equal('not_found');
  },
  'delete /trash/{id}': ({ api }, { link }) => is404(api.delete(`/trash/${link.id}`)),
  'post /links/{linkId}/restore': ({ api }, { link }) =>
    is404(api.post(`/links/${link.id}/restore`)),
  'post /qrcodes/{qrcodeId}/restore': ({ api }, { qrcode }) =>
    is404(api.post(`/qrcodes/${qrcode.id}/restore`)),
  'get /templates': ({ api }) => isEmpty(api.get('/templates')),
  'patch /templates/{id}': ({ api }, { qrcode }) =>
    is404(api.patch(`/templates/${qrcode.templateId}`, { name: 'mine' })),
  'delete /templates/{id}': ({ api }, { qrcode }) =>
    is404(api.delete(`/templates/${qrcode.templateId}`)),
  'post /fonts': async ({ api }) => {
    const source = fontUri(openType('a'));
    const { status, body } = await api.post('/fonts', { name: 'Secret font', source });
    expect(status).to.equal(201);
    await api.delete(`/fonts/${body.id}`);
  },
  'get /fonts': ({ api }) => isEmpty(api.get('/fonts')),
  'get /fonts/{id}': ({ api }, { font }) => is404(api.get(`/fonts/${font.id}`)),
  'get /fonts/{id}/outlines': ({ api }, { font }) => is404(api.get(`/fonts/${font.id}/outlines`)),
  'delete /fonts/{id}': ({ api }, { font }) => is404(api.delete(`/fonts/${font.id}`)),
  'post /tags': async ({ api }) => {
    const { status, body } = await api.post('/tags', { name: 'Secret tag' });
    expect(status).to.equal(201);
    await api.delete(`/tags/${body.id}`);
  },
  'get /tags': async ({ api }, { tag }) => {
    await isEmpty(api.get('/tags'));
    await isEmpty(api.get('/tags', { ids: tag.id }));
    await isEmpty(api.get('/tags', { search: 'Secret' }));
  },
  'get /tags/{id}': ({ api }, { tag }) => is404(api.get(`/tags/${tag.id}`)),
  'put /tags/{id}': ({ api }, { tag }) => is404(api.put(`/tags/${tag.id}`, { name: 'stolen' })),
  'delete /tags/{id}': ({ api }, { tag }) => is404(api.delete(`/tags/${tag.id}`)),
  'post /folders': async ({ api }) => {
    const { status, body } = await api.post('/folders', { name: 'Secret folder' });
    expect(status).to.equal(201);
    await api.delete(`/folders/${body.id}`);
  },
  'get /folders': async ({ api }) => {
    await isEmpty(api.get('/folders'));
    await isEmpty(api.get('/folders', { search: 'Secret' }));
  },
  'post /utm-templates': async ({ api }) => {
    const { status, body } = await api.post('/utm-templates', { name: 'Secret template' });
    expect(status).to.equal(201);
    await api.delete(`/utm-templates/${body.id}`);
  },
  'get /utm-templates': ({ api }) => isEmpty(api.get('/utm-templates')),
  'get /utm-values': async ({ api }) => {
    const { body } = await api.get('/utm-values');
    expect(Object.values(body).flat()).to.deep.equal([]);
  },
  'get /utm-templates/{id}': ({ api }, { utmTemplate }) =>
    is404(api.get(`/utm-templates/${utmTemplate.id}`)),
  'patch /utm-templates/{id}': ({ api }, { utmTemplate }) =>
    is404(api.patch(`/utm-templates/${utmTemplate.id}`, { name: 'stolen' })),
  'delete /utm-templates/{id}': ({ api }, { utmTemplate }) =>
    is404(api.delete(`/utm-templates/${utmTemplate.id}`)),
  'post /views': async ({ api }) => {
    const view = { list: 'links', name: 'Secret view', query: '', shared: true };
    const { status, body } = await api.post('/views', view);
    expect(status).to.equal(201);
    await api.delete(`/views/${body.id}`);
  },
  'get /views': ({ api }) => isEmpty(api.get('/views')),
  'get /views/{id}': ({ api }, { view }) => is404(api.get(`/views/${view.id}`)),
  'patch /views/{id}': ({ api }, { view }) =>
    is404(api.patch(`/views/${view.id}`, { query: 'search=stolen' })),
  'delete /views/{id}': ({ api }, { view }) => is404(api.delete(`/views/${view.id}`)),
  'post /reports': async ({ api }, { tag, folder, link }) => {
    for (const query of [`tagId=${tag.id}`, `folderId=${folder.id}`, `linkId=${link.id}`]) {
      await is404(api.post('/reports', { name: 'a', query }));
    }
  },
  'get /reports': ({ api }) => isEmpty(api.get('/reports')),
  'get /reports/{id}': ({ api }, { report }) => is404(api.get(`/reports/${report.id}`)),
  'patch /reports/{id}': async ({ api }, { report, tag }) => {
    await is404(api.patch(`/reports/${report.id}`, { name: 'stolen' }));
    const { body: own } = await api.post('/reports', { name: 'own' });
    await is404(api.patch(`/reports/${own.id}`, { query: `tagId=${tag.id}` }));
    await is(200, api.delete(`/reports/${own.id}`));
  },
  'post /reports/{id}/rotate': ({ api }, { report }) =>
    is404(api.post(`/reports/${report.id}/rotate`)),
  'delete /reports/{id}': ({ api }, { report }) => is404(api.delete(`/reports/${report.id}`)),
  'post /reports/{id}/recipients': ({ api }, { report }) =>
    is404(api.post(`/reports/${report.id}/recipients`, { email: 'a@people.test' })),
  'get /reports/{id}/recipients': ({ api }, { report }) =>
    is404(api.get(`/reports/${report.id}/recipients`)),
  'get /reports/{id}/recipients/{recipientId}': ({ api }, owned) =>
    ofRecipient(api, owned, (path) => api.get(path)),
  'post /reports/{id}/recipients/{recipientId}/resend': ({ api }, owned) =>
    ofRecipient(api, owned, (path) => api.post(`${path}/resend`)),
  'delete /reports/{id}/recipients/{recipientId}': ({ api }, owned) =>
    ofRecipient(api, owned, (path) => api.delete(path)),
  'get /workspace/own-visits': async ({ api, domain: own }) => {
    const { body } = await api.get('/workspace/own-visits');
    expect(body.map(({ domain }: { domain: string }) => domain)).to.deep.equal([own, 'localhost']);
  },
  'get /folders/{id}': ({ api }, { folder }) => is404(api.get(`/folders/${folder.id}`)),
  'patch /folders/{id}': ({ api }, { folder }) =>
    is404(api.patch(`/folders/${folder.id}`, { name: 'stolen' })),
  'delete /folders/{id}': ({ api }, { folder }) => is404(api.delete(`/folders/${folder.id}`)),
  'post /pages': async ({ api }) => {
    const { status, body } = await api.post('/pages', { title: 'Secret page' });
    expect(status).to.equal(201);
    await api.delete(`/pages/${body.id}`);
  },
  'get /pages': async ({ api }) => {
    await isEmpty(api.get('/pages'));
    await isEmpty(api.get('/pages', { search: 'Secret' }));
  },
  'get /pages/{id}': ({ api }, { page }) => is404(api.get(`/pages/${page.id}`)),
  'patch /pages/{id}': ({ api }, { page }) =>
    is404(api.patch(`/pages/${page.id}`, { title: 'stolen' })),
  'delete /pages/{id}': ({ api }, { page }) => is404(api.delete(`/pages/${page.id}`)),
  'get /domains': async ({ api, domain: own }, { domain }) => {
    const { body } = await api.get('/domains', { archived: true });
    expect(body.map(({ slug }: { slug: string }) => slug)).to.deep.equal([own]);
    await isEmpty(api.get('/domains', { search: domain.slug }));
  },
  'post /domains': async ({ api }, { domain }) => {
    // Any workspace can add a domain; its DNS record decides which one verifies it.
    const { status, body } = await api.post('/domains', { slug: domain.slug, target: URL_A });
    expect([status, body.verified]).to.deep.equal([201, false]);
    await is(422, api.post(`/domains/${body.id}/verify`));
    await api.delete(`/domains/${body.id}`);
  },
  'get /domains/{id}': async ({ api }, { domain }) => {
    await is404(api.get(`/domains/${domain.id}`));
    await is404(api.get(`/domains/${domain.slug}`));
  },
  'get /domains/{id}/checks': ({ api }, { domain }) =>
    is404(api.get(`/domains/${domain.id}/checks`)),
  'patch /domains/{id}': ({ api }, { domain }) =>
    is404(api.patch(`/domains/${domain.id}`, { target: URL_A })),
  'post /domains/{id}/verify': ({ api }, { domain }) =>
    is404(api.post(`/domains/${domain.id}/verify`)),
  'delete /domains/{id}': ({ api }, { domain }) => is404(api.delete(`/domains/${domain.id}`)),
  'post /track/lead': ({ api }, { clickId }) =>
    is404(api.post('/track/lead', { clickId, eventName: 'a', customerExternalId: 'intruder' })),
  'post /track/sale': async ({ api }, { clickId, link }) => {
    const sale = { amount: 100, customerExternalId: 'secret-customer' };
    await is404(api.post('/track/sale', { ...sale, clickId }));
    // In this workspace, the customer id and invoice denote another customer and sale.
    await is(200, api.post('/track/sale', { ...sale, invoiceId: 'secret-invoice' }));
    const [event] = (await api.get('/events', { event: 'sales' })).body;
    expect(event.link).to.equal(null);
    expect(link.id).to.be.a('string');
  },
  'post /customers/merge': async ({ api }, { customer }) => {
    const { body } = await api.post('/customers', { externalId: 'intruder-customer' });
    await is404(api.post('/customers/merge', { customerIds: [customer.id], into: body.id }));
    await is404(api.post('/customers/merge', { customerIds: [body.id], into: customer.id }));
    await api.delete(`/customers/${body.id}`);
  },
  'post /track/refund': ({ api }) =>
    is404(api.post('/track/refund', { invoiceId: 'invoice-of-one-workspace' })),
  'post /track/click': async ({ api }, { link, domain }) => {
    await is404(api.post('/track/click', { linkId: link.id }));
    await is404(api.post('/track/click', { domain: domain.slug, key: link.key }));
  },
  'post /customers': async ({ api }) => {
    const { status, body } = await api.post('/customers', { externalId: 'secret-customer-2' });
    expect(status).to.equal(201);
    await api.delete(`/customers/${body.id}`);
  },
  'get /customers': async ({ api }, { customer }) => {
    await isEmpty(api.get('/customers', { ids: customer.id }));
    const { body } = await api.get('/customers');
    expect(body.every(({ name }: { name: string }) => name !== 'Secret customer')).to.equal(true);
    await isEmpty(api.get('/customers', { search: 'Secret customer' }));
  },
  'get /customers/{id}/timeline': ({ api }, { customer }) =>
    is404(api.get(`/customers/${customer.id}/timeline`)),
  'get /customers/export': async ({ api }, { customer }) => {
    const { bytes } = await api.download('/customers/export', { format: 'ndjson' });
    expect(bytes.toString()).to.not.contain(customer.id).and.not.contain('Secret customer');
  },
  'get /customers/{id}': ({ api }, { customer }) => is404(api.get(`/customers/${customer.id}`)),
  'patch /customers/{id}': ({ api }, { customer }) =>
    is404(api.patch(`/customers/${customer.id}`, { name: 'stolen' })),
  'delete /customers/{id}': ({ api }, { customer }) =>
    is404(api.delete(`/customers/${customer.id}`)),
  'get /events': async ({ api }, { link, domain, qrcode, page, tag, folder }) => {
    await is404(api.get('/events', { qrcodeId: qrcode.id }));
    await is404(api.get('/events', { pageId: page.id }));
    await is404(api.get('/events', { tagId: tag.id }));
    await is404(api.get('/events', { folderId: folder.id }));
    await isEmpty(api.get('/events', { interval: 'all' }));
    await isEmpty(api.get('/events', { interval: 'all', domain: domain.slug }));
    await is404(api.get('/events', { linkId: link.id }));
    await is404(api.get('/events', { externalId: `ext_${link.externalId}` }));
    await is404(api.get('/events', { domain: domain.slug, key: link.key }));
  },
  'get /events/live': async ({ api }, { link, qrcode, tag, folder }) => {
    await is404(api.get('/events/live', { linkId: link.id }));
    await is404(api.get('/events/live', { qrcodeId: qrcode.id }));
    await is404(api.get('/events/live', { tagId: tag.id }));
    await is404(api.get('/events/live', { folderId: folder.id }));
  },
  'get /events/export': async ({ api }, { link }) => {
    const { bytes } = await api.download('/events/export', { interval: 'all', format: 'ndjson' });
    expect(bytes.toString()).to.equal('');
    await is404(api.get('/events/export', { linkId: link.id }));
  },
  'get /analytics/export': async ({ api }, { link, tag }) => {
    const { bytes } = await api.download('/analytics/export', { interval: 'all', event: 'clicks' });
    const files = unzipSync(bytes);
    for (const name of ['top_links.csv', 'top_tags.csv', 'top_folders.csv', 'countries.csv']) {
      expect(strFromU8(files[name]!).trimEnd().split('\r\n'), name).to.have.length(1);
    }
    for (const filter of [{ linkId: link.id }, { tagId: tag.id }]) {
      await is404(api.get('/analytics/export', filter));
      const [exclude] = Object.keys(filter);
      await is404(api.get('/analytics/export', { ...filter, exclude: exclude! }));
    }
  },
  'get /links/export': async ({ api }) => {
    const { bytes } = await api.download('/links/export', { format: 'ndjson' });
    expect(bytes.toString()).to.equal('');
  },
  'post /bulk-changes/links': async ({ api }, owned) => {
    const { body } = await api.post('/bulk-changes/links', {
      ids: [owned.link.id],
      data: { comments: 'stolen' },
    });
    const { counts } = await settled(api, body.id, 'links');
    expect(counts).to.deep.equal({ changed: 0, unchanged: 0, refused: 1 });
    const data = { folderId: owned.folder.id };
    await is(422, api.post('/bulk-changes/links', { ids: ['none'], data }));
  },
  'get /bulk-changes/links': async (_, __, owner) => {
    await owner.api.post('/bulk-changes/links', { ids: ['none'], data: { comments: 'a' } });
    await isEmpty((await aWorkspace()).api.get('/bulk-changes/links'));
  },
  'get /bulk-changes/links/{id}': async ({ api }, _, owner) =>
    is404(api.get(await aBulkChange(owner, 'links'))),
  'get /bulk-changes/links/{id}/errors': async ({ api }, _, owner) =>
    is404(api.get(`${await aBulkChange(owner, 'links')}/errors`)),
  'post /bulk-changes/links/{id}/start': async ({ api }, _, owner) =>
    is404(api.post(`${await aBulkChange(owner, 'links')}/start`)),
  'post /bulk-changes/links/{id}/cancel': async ({ api }, _, owner) =>
    is404(api.post(`${await aBulkChange(owner, 'links')}/cancel`)),
  'post /bulk-changes/links/{id}/undo': async ({ api }, _, owner) =>
    is404(api.post(`${await aBulkChange(owner, 'links')}/undo`)),
  'post /bulk-changes/qrcodes': async ({ api }, owned) => {
    const { body } = await api.post('/bulk-changes/qrcodes', {
      ids: [owned.qrcode.id],
      data: { comments: 'stolen' },
    });
    const { counts } = await settled(api, body.id, 'qrcodes');
    expect(counts).to.deep.equal({ changed: 0, unchanged: 0, refused: 1 });
    const data = { folderId: owned.folder.id };
    await is(422, api.post('/bulk-changes/qrcodes', { ids: ['none'], data }));
  },
  'get /bulk-changes/qrcodes': async (_, __, owner) => {
    await owner.api.post('/bulk-changes/qrcodes', { ids: ['none'], data: { comments: 'a' } });
    await isEmpty((await aWorkspace()).api.get('/bulk-changes/qrcodes'));
  },
  'get /bulk-changes/qrcodes/{id}': async ({ api }, _, owner) =>
    is404(api.get(await aBulkChange(owner, 'qrcodes'))),
  'get /bulk-changes/qrcodes/{id}/errors': async ({ api }, _, owner) =>
    is404(api.get(`${await aBulkChange(owner, 'qrcodes')}/errors`)),
  'post /bulk-changes/qrcodes/{id}/start': async ({ api }, _, owner) =>
    is404(api.post(`${await aBulkChange(owner, 'qrcodes')}/start`)),
  'post /bulk-changes/qrcodes/{id}/cancel': async ({ api }, _, owner) =>
    is404(api.post(`${await aBulkChange(owner, 'qrcodes')}/cancel`)),
  'post /bulk-changes/qrcodes/{id}/undo': async ({ api }, _, owner) =>
    is404(api.post(`${await aBulkChange(owner, 'qrcodes')}/undo`)),
  'post /links/export': async ({ api }, { link }) => {
    const { body } = await api.post('/links/export', { ids: [link.id], format: 'ndjson' });
    expect(body ?? '').to.equal('');
  },
  'post /qrcodes/export': async ({ api }, { qrcode }) => {
    const { body } = await api.post('/qrcodes/export', { ids: [qrcode.id], format: 'ndjson' });
    expect(body ?? '').to.equal('');
  },
  'get /qrcodes/export': async ({ api }, { qrcode }) => {
    const { bytes } = await api.download('/qrcodes/export', { showArchived: true });
    expect(bytes.toString()).to.not.contain(qrcode.id);
  },
  'post /exports': async ({ api }, { qrcode, link, importId }) => {
    const { body } = await api.post('/exports', { type: 'workspace' });
    expect(body.counts).to.include({ folder: 0, image: 0, link: 0, page: 0, qrcode: 0, tag: 0 });
    await is(422, api.post('/exports', { type: 'qrcodes', qrcodeIds: [qrcode.id] }));
    await is(422, api.post('/exports', { type: 'qrcodes', filter: 'showArchived=true' }));
    await is(422, api.post('/exports', { type: 'qrcodes', linkIds: [link.id] }));
    await is(422, api.post('/exports', { type: 'qrcodes', linkFilter: `importId=${importId}` }));
  },
  'get /exports/{id}/progress': async ({ api }, _, owner) =>
    is404(api.get(`/exports/${await anOpenExport(owner.api)}/progress`)),
  'post /exports/{id}/cancel': async ({ api }, _, owner) =>
    is404(api.post(`/exports/${await anOpenExport(owner.api)}/cancel`)),
  'get /exports/{id}': ({ api }, { jobId }) => {
    const from = { headers: { 'x-forwarded-for': '10.9.1.2' } };
    return is404(api.get(`/exports/${jobId}`, { token: 'x' }, from));
  },
  'get /analytics': async ({ api }, { link, domain, tag }) => {
    await is404(api.get('/analytics', { tagId: tag.id }));
    expect((await api.get('/analytics', { interval: 'all' })).body.clicks).to.equal(0);
    expect((await api.get('/analytics', { interval: 'all_unfiltered' })).body.clicks).to.equal(0);
    expect(
      (await api.get('/analytics', { interval: 'all', domain: domain.slug })).body.clicks,
    ).to.equal(0);
    await is404(api.get('/analytics', { linkId: link.id }));
    await is404(api.get('/analytics', { domain: domain.slug, key: link.key }));
  },
  'get /analytics/left-out': async ({ api }) => {
    const { body } = await api.get('/analytics/left-out', { interval: 'all' });
    expect(body).to.deep.equal({ requests: 0, programs: [] });
  },
  'post /webhooks': async ({ api }, { domain, folder, tag }) => {
    const own = { name: 'own', url: 'https://example.com/', kinds: ['link.created'] };
    for (const scope of [
      { scope: 'domain', domains: [domain.slug] },
      { scope: 'folder', folderIds: [folder.id] },
      { scope: 'tag', tagIds: [tag.id] },
    ]) {
      await is(422, api.post('/webhooks', { ...own, ...scope }));
    }
    // The webhook of this workspace gets no events of the other one.
    const { id } = (await api.post('/webhooks', own)).body;
    await is(200, api.delete(`/webhooks/${id}`));
  },
  'post /destinations': async ({ api }) => {
    const { id } = (await api.post('/destinations', DESTINATION)).body;
    await is(200, api.delete(`/destinations/${id}`));
  },
  'get /destinations': ({ api }) => isEmpty(api.get('/destinations')),
  'get /destinations/{id}': ({ api }, { destinationId }) =>
    is404(api.get(`/destinations/${destinationId}`)),
  'patch /destinations/{id}': ({ api }, { destinationId }) =>
    is404(api.patch(`/destinations/${destinationId}`, { status: 'paused' })),
  'delete /destinations/{id}': ({ api }, { destinationId }) =>
    is404(api.delete(`/destinations/${destinationId}`)),
  'post /destinations/{id}/test': ({ api }, { destinationId }) =>
    is404(api.post(`/destinations/${destinationId}/test`)),
  'post /destinations/{id}/backfill': ({ api }, { destinationId }) =>
    is404(
      api.post(`/destinations/${destinationId}/backfill`, {
        start: '2026-01-01',
        end: '2026-01-02',
      }),
    ),
  'post /integrations': async ({ api }) => {
    const own = { type: 'stripe', name: 'own', secret: 'whsec_own' };
    const { id } = (await api.post('/integrations', own)).body;
    await is(200, api.delete(`/integrations/${id}`));
  },
  'get /integrations': ({ api }) => isEmpty(api.get('/integrations')),
  'get /integrations/{id}': ({ api }, { integrationId }) =>
    is404(api.get(`/integrations/${integrationId}`)),
  'patch /integrations/{id}': ({ api }, { integrationId }) =>
    is404(api.patch(`/integrations/${integrationId}`, { secret: 'whsec_own' })),
  'delete /integrations/{id}': ({ api }, { integrationId }) =>
    is404(api.delete(`/integrations/${integrationId}`)),
  'get /workspace': async ({ api, projectId }) => {
    expect((await api.get('/workspace')).body.id).to.equal(projectId);
  },
  'patch /workspace': async ({ api, projectId }, _, owner) => {
    expect((await api.patch('/workspace', { name: 'mine' })).body.id).to.equal(projectId);
    expect((await owner.api.get('/workspace')).body.name).to.equal(owner.slug);
  },
  'get /logos/{projectId}/{id}': async ({ api }, { qrcode }, { projectId }) => {
    // This endpoint is public and serves logos only.
    const id = qrcode.id;
    await is404(
      api.get(`/logos/${projectId}/${id}`, {}, { headers: { 'x-forwarded-for': '198.51.100.23' } }),
    );
  },
  'get /files/{projectId}/{id}/{name}': async ({ api }, _, { projectId }) => {
    const headers = { 'x-forwarded-for': '198.51.100.24' };
    await is404(api.get(`/files/${projectId}/${'0'.repeat(64)}/a.pdf`, {}, { headers }));
  },
  'post /imports': async ({ api }, { tag, folder, domain }) => {
    const send = (query: Record<string, string>) =>
      api.post('/imports', 'url\n', { query: { dryRun: 'true', ...query }, headers: CSV });
    await is(422, send({ tagIds: tag.id }));
    await is(422, send({ folderId: folder.id }));
    await is(403, send({ domain: domain.slug }));
  },
  'post /imports/fetch': async ({ api }, { tag, folder, domain }) => {
    const send = (fields: object) =>
      api.post('/imports/fetch', { source: 'dub', token: 'a', dryRun: true, ...fields });
    await is(422, send({ tagIds: [tag.id] }));
    await is(422, send({ folderId: folder.id }));
    await is(403, send({ domain: domain.slug }));
  },
  'get /imports': ({ api }) => isEmpty(api.get('/imports')),
  'get /imports/{id}': ({ api }, { importId }) => is404(api.get(`/imports/${importId}`)),
  'get /imports/{id}/errors': ({ api }, { importId }) =>
    is404(api.get(`/imports/${importId}/errors`)),
  'patch /imports/{id}': ({ api }, { importId }) =>
    is404(api.patch(`/imports/${importId}`, { onConflict: 'update' })),
  'post /imports/{id}/start': ({ api }, { importId }) =>
    is404(api.post(`/imports/${importId}/start`)),
  'post /imports/{id}/cancel': ({ api }, { importId }) =>
    is404(api.post(`/imports/${importId}/cancel`)),
  'post /imports/{id}/undo': ({ api }, { importId }) =>
    is404(api.post(`/imports/${importId}/undo`)),
  'get /members': async ({ api }, { userId }) => {
    const { body } = await api.get('/members');
    expect(body.map((member: { userId: string }) => member.userId)).to.not.include(userId);
  },
  'get /members/{userId}': ({ api }, { userId }) => is404(api.get(`/members/${userId}`)),
  'patch /members/{userId}': ({ api }, { userId }) =>
    is404(api.patch(`/members/${userId}`, { role: 'viewer' })),
  'delete /members/{userId}': ({ api }, { userId }) => is404(api.delete(`/members/${userId}`)),
  'post /invitations': async ({ api }) => {
    const { body } = await api.post('/invitations', { email: 'a@example.com', role: 'viewer' });
    await is(200, api.delete(`/invitations/${body.id}`));
  },
  'post /invitations/lookup': (_, { invitationId }) =>
    // This endpoint is public; the token grants access, not the id.
    is(410, aBrowser().post('/invitations/lookup', { token: invitationId })),
  'post /invitations/accept': (_, { invitationId }) =>
    is(410, aBrowser().post('/invitations/accept', { token: invitationId })),
  'get /invitations': ({ api }) => isEmpty(api.get('/invitations')),
  'get /invitations/{id}': ({ api }, { invitationId }) =>
    is404(api.get(`/invitations/${invitationId}`)),
  'post /invitations/{id}/resend': ({ api }, { invitationId }) =>
    is404(api.post(`/invitations/${invitationId}/resend`)),
  'delete /invitations/{id}': ({ api }, { invitationId }) =>
    is404(api.delete(`/invitations/${invitationId}`)),
  'get /report': async ({ api }) => {
    const { body } = await api.get('/report');
    expect([body.totals.clicks.value, body.topLinks]).to.deep.equal([0, []]);
  },
  'get /report/mail': async ({ api }, { link }) => {
    const { bytes } = await api.download('/report/mail');
    expect(bytes.toString()).to.not.contain(link.key);
  },
  'post /keys': async ({ api, projectId }) => {
    const { id, key } = (await api.post('/keys', { name: 'own' })).body;
    expect((await new ApiClient(key).get('/links')).body).to.deep.equal([]);
    expect((await db()('api_keys').where({ id }).first()).project_id).to.equal(projectId);
    await is(200, api.delete(`/keys/${id}`));
  },
  'get /keys': async ({ api }, _, owner) => {
    const [{ id }] = (await owner.api.get('/keys')).body;
    for (const key of (await api.get('/keys')).body) expect(key.id).to.not.equal(id);
  },
  'get /keys/{id}': async ({ api }, { keyId }) => is404(api.get(`/keys/${keyId}`)),
  'patch /keys/{id}': ({ api }, { keyId }) => is404(api.patch(`/keys/${keyId}`, { name: 'x' })),
  'post /keys/{id}/rotate': ({ api }, { keyId }) => is404(api.post(`/keys/${keyId}/rotate`)),
  'delete /keys/{id}': ({ api }, { keyId }) => is404(api.delete(`/keys/${keyId}`)),
  'get /audit-log': async ({ api }, { link, tag }, owner) => {
    for (const target of [link.id, tag.id]) await isEmpty(api.get('/audit-log', { target }));
    const [{ actor }] = (await owner.api.get('/audit-log', { target: link.id })).body;
    await isEmpty(api.get('/audit-log', { actor: actor.userId }));
    await isEmpty(api.get('/audit-log', { actor: actor.apiKeyId }));
  },
  'get /webhooks': ({ api }) => isEmpty(api.get('/webhooks')),
  'get /webhooks/{id}': ({ api }, { webhook }) => is404(api.get(`/webhooks/${webhook.id}`)),
  'patch /webhooks/{id}': ({ api }, { webhook }) =>
    is404(api.patch(`/webhooks/${webhook.id}`, { enabled: false })),
  'delete /webhooks/{id}': ({ api }, { webhook }) => is404(api.delete(`/webhooks/${webhook.id}`)),
  'post /webhooks/{id}/rotate-secret': ({ api }, { webhook }) =>
    is404(api.post(`/webhooks/${webhook.id}/rotate-secret`)),
  'post /webhooks/{id}/test': ({ api }, { webhook }) =>
    is404(api.post(`/webhooks/${webhook.id}/test`, {})),
  'post /webhooks/{id}/resend': ({ api }, { webhook }) =>
    is404(api.post(`/webhooks/${webhook.id}/resend`, { since: '2026-01-01' })),
  'get /webhooks/{id}/deliveries': ({ api }, { webhook }) =>
    is404(api.get(`/webhooks/${webhook.id}/deliveries`)),
  'get /webhooks/{id}/deliveries/{deliveryId}': async ({ api }, { webhook, deliveryId }) => {
    await is404(api.get(`/webhooks/${webhook.id}/deliveries/${deliveryId}`));
    const own = { name: 'own', url: 'https://example.com/', kinds: ['link.created'] };
    const { id } = (await api.post('/webhooks', own)).body;
    await is404(api.get(`/webhooks/${id}/deliveries/${deliveryId}`));
    await is404(api.post(`/webhooks/${id}/deliveries/${deliveryId}/resend`));
    await is(200, api.delete(`/webhooks/${id}`));
  },
  'post /webhooks/{id}/deliveries/{deliveryId}/resend': ({ api }, { webhook, deliveryId }) =>
    is404(api.post(`/webhooks/${webhook.id}/deliveries/${deliveryId}/resend`)),
  'get /jobs/{id}': ({ api }, { jobId }) => is404(api.get(`/jobs/${jobId}`)),
};

describe('two workspaces', () => {
  let owner: World;
  let intruder: World;
  let owned: Owned;

  before(async () => {
    [owner, intruder] = [await aWorkspace(), await aWorkspace()];
    const { api, domain: slug } = owner;
    const tag = (await api.post('/tags', { name: 'Secret tag' })).body;
    const folder = (await api.post('/folders', { name: 'Secret folder' })).body;
    const utmTemplate = (await api.post('/utm-templates', { name: 'Secret template' })).body;
    const source = fontUri(openType('SCANME'));
    const font = (await api.post('/fonts', { name: 'Secret font', source })).body;
    const secretView = { list: 'links', name: 'Secret view', query: 'search=secret', shared: true };
    const view = (await api.post('/views', secretView)).body;
    const report = (await api.post('/reports', { name: 'Secret report' })).body;
    const secretReader = { email: `secret@${slug}` };
    const recipient = (await api.post(`/reports/${report.id}/recipients`, secretReader)).body;
    const page = (await api.post('/pages', { title: 'Secret page' })).body;
    const made = { name: 'secret', url: 'https://example.com/', kinds: ['link.created'] };
    const {
      secret: _,
      previousSecretUntil: __,
      ...webhook
    } = (await api.post('/webhooks', made)).body;
    // A disabled webhook stores its deliveries and sends none.
    await api.patch(`/webhooks/${webhook.id}`, { enabled: false });
    const shop = { type: 'shopify', name: 'secret', secret: 'secret' };
    const { id: integrationId } = (await api.post('/integrations', shop)).body;
    const { id: destinationId } = (await api.post('/destinations', DESTINATION)).body;
    const link = (
      await api.post('/links', {
        url: 'https://example.com/secret',
        key: 'secret-key',
        externalId: 'secret-id',
        password: null,
        tagIds: [tag.id],
        folderId: folder.id,
      })
    ).body;
    const qrcode = (
      await api.post('/qrcodes', {
        type: 'wifi',
        wifi: { ssid: 'secret network', password: 'secret password' },
        externalId: 'secret-code',
        tagIds: [tag.id],
        folderId: folder.id,
        useAsTemplate: true,
      })
    ).body;
    const [{ id: deliveryId }] = (await api.get(`/webhooks/${webhook.id}/deliveries`)).body;
    const job = await api.post('/links', { url: URL_A }, { headers: { prefer: 'respond-async' } });
    const [domain] = (await api.get('/domains')).body;
    expect(domain.slug).to.equal(slug);
    await owner.visit('/secret-key', { userAgent: browser(1) });
    const clickId = await eventually(async () => {
      const [event] = (await api.get('/events')).body;
      return event.click.id as string;
    });
    await api.post('/track/sale', {
      amount: 100,
      customerExternalId: 'secret-customer',
      customerName: 'Secret customer',
      invoiceId: 'secret-invoice',
      clickId,
    });
    await api.post('/track/sale', {
      amount: 100,
      customerExternalId: 'secret-customer',
      invoiceId: 'invoice-of-one-workspace',
    });
    const [customer] = (await api.get('/customers')).body;
    const jobId = job.body.id;
    owned = {
      link,
      qrcode,
      tag,
      folder,
      utmTemplate,
      font,
      view,
      recipient,
      report,
      page,
      webhook,
      deliveryId,
      integrationId,
      destinationId,
      domain,
      customer,
      clickId,
      jobId,
      keyId: (await api.get('/keys')).body[0].id,
      importId: (await api.post('/imports', 'url\n', { query: { dryRun: true }, headers: CSV }))
        .body.id,
      userId: (await api.get('/members')).body[0].userId,
      invitationId: (await api.post('/invitations', { email: 'b@example.com', role: 'viewer' }))
        .body.id,
    };
    await eventually(async () => {
      expect((await api.get('/analytics')).body.clicks).to.equal(1);
      expect((await api.get(`/jobs/${owned.jobId}`)).body.status).to.equal('done');
    });
  });

  it('are tested on every route', () => {
    expect(Object.keys(ATTEMPTS).toSorted()).to.deep.equal(
      routes
        .filter(({ scope, tag }) => isOfWorkspace(scope) || (scope === 'public' && tag !== 'Users'))
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
    );
  });

  for (const [name, attempt] of Object.entries(ATTEMPTS)) {
    it(`cannot read or change each other’s records: ${name}`, async () => {
      await attempt(intruder, owned, owner);
    });
  }

  it('have not changed each other’s records', async () => {
    const { api } = owner;
    const { link, qrcode, tag, folder, utmTemplate, font, view, page, domain, customer } = owned;
    expect((await api.get(`/qrcodes/${qrcode.id}`)).body).to.deep.equal(qrcode);
    expect((await api.get('/templates')).body).to.have.lengthOf(1);
    expect((await api.get('/customers')).body).to.deep.equal([customer]);
    const {
      clicks: _,
      lastClicked: __,
      leads: ___,
      sales: ____,
      saleAmount: _____,
      ...now
    } = (await api.get(`/links/${link.id}`)).body;
    expect(link).to.deep.include(now);
    expect((await api.get('/tags')).body).to.deep.equal([tag]);
    expect((await api.get('/folders')).body).to.deep.equal([folder]);
    expect((await api.get('/utm-templates')).body).to.deep.equal([utmTemplate]);
    expect((await api.get('/fonts')).body).to.deep.equal([font]);
    expect((await api.get('/views')).body).to.deep.equal([view]);
    expect((await api.get('/reports')).body).to.deep.equal([owned.report]);
    expect((await api.get('/pages')).body).to.deep.equal([page]);
    expect((await api.get('/webhooks')).body.map(({ id }: { id: string }) => id)).to.deep.equal([
      owned.webhook.id,
    ]);
    expect((await api.get(`/domains/${domain.id}`)).body).to.deep.equal(domain);
  });
});
