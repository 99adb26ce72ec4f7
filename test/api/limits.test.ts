import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { PEERS } from '../../src/compat/peers.ts';
import { addDomainNow } from '../../src/domains/commands.ts';
import { isOfWorkspace, type Route } from '../../src/http/route.ts';
import { browser } from '../support/browser.ts';
import { changedInBulk } from '../support/bulk-changes.ts';
import { type ApiAnswer, ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { endOfExport, unzipped } from '../support/exports.ts';
import { LiveClient } from '../support/live.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Checks that a key with limits shows and changes nothing outside of them. Endpoints refuse such
 * keys unless their route says otherwise; each of those that read or write records has a row here.
 */

/** Endpoints without links and QR codes that limited callers can use. */
const WITHOUT_RECORDS = [
  'listCities',
  'listFonts',
  'listTags',
  'listTemplates',
  'listUtmTemplates',
  'retrieveFont',
  'retrieveFontOutlines',
  'retrieveMetatagsImage',
  'retrieveTag',
  'retrieveUtmTemplate',
];

/** Part of every text of a record outside of the limits. */
const HIDDEN = 'hidden';
const REFUSED = /^The API key is limited to some links and QR codes \(`limits`\): /;
const INSIDE_URL = 'https://example.com/inside';

interface Records {
  link: { id: string; key: string; externalId: string; url: string };
  qrcode: { id: string; key: string; externalId: string };
  deletedId: string;
  folderId: string;
  domain: { id: string; slug: string };
  tagId: string;
  changeId: string;
  scheduledId: string;
  deletedScheduledId: string;
  exportId: string;
  bulkIds: { links: string; qrcodes: string };
  jobId: string;
}

interface Scene {
  world: World;
  /** Client of the limited key. */
  api: ApiClient;
  key: string;
  inside: Pick<Records, 'link' | 'qrcode' | 'folderId'>;
  outside: Records;
}

type Attempt = (scene: Scene) => Promise<void>;

async function is(status: number, sent: Promise<ApiAnswer>): Promise<void> {
  const answer = await sent;
  expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
}
const is404 = (sent: Promise<ApiAnswer>) => is(404, sent);

/** Expects a refusal that names a field. */
async function names(field: string, sent: Promise<ApiAnswer>): Promise<void> {
  const { status, body } = await sent;
  expect(status, JSON.stringify(body)).to.equal(422);
  expect(body.error.message).to.contain(field);
}

/** Expects the refusal of a new template, which would belong to the whole workspace. */
async function refusesTemplate(sent: Promise<ApiAnswer>): Promise<void> {
  const { status, body } = await sent;
  expect(status, JSON.stringify(body)).to.equal(403);
  expect(body.error.message).to.match(/^useAsTemplate must not be true: the caller is limited/);
}

/** Expects the same refusal for the outside record by each of its names. */
async function isHidden(
  kind: 'links' | 'qrcodes',
  record: Records['qrcode'],
  send: (path: string) => Promise<ApiAnswer>,
) {
  await is404(send(`/${kind}/${record.id}`));
  await is404(send(`/${kind}/ext_${record.externalId}`));
}

const idsOf = (records: { id: string }[]): string[] => records.map(({ id }) => id);
const code = { type: 'url', url: INSIDE_URL };

const ATTEMPTS: Record<string, Attempt> = {
  async createLink({ api, inside, outside }) {
    const { body } = await api.post('/links', { url: INSIDE_URL });
    expect(body.folderId).to.equal(inside.folderId);
    await is(200, api.delete(`/links/${body.id}`, { events: 'remove' }));
    await names('folderId', api.post('/links', { url: INSIDE_URL, folderId: outside.folderId }));
    await names('folderId', api.post('/links', { url: INSIDE_URL, folderId: null }));
    const domain = outside.domain.slug;
    await names('domain', api.post('/links', { url: INSIDE_URL, domain }));
  },
  async listLinks({ api, inside, outside }) {
    const { body } = await api.get('/links', { showArchived: true });
    expect(idsOf(body)).to.deep.equal([inside.link.id]);
    for (const query of [
      { search: HIDDEN },
      { query: HIDDEN },
      { query: `https://${outside.domain.slug}/${outside.link.key}` },
      { domain: outside.domain.slug },
      { folderId: outside.folderId },
      { tagId: outside.tagId },
      { destination: outside.link.url },
      { comments: HIDDEN },
    ]) {
      expect((await api.get('/links', query)).body, JSON.stringify(query)).to.deep.equal([]);
    }
  },
  async countLinks({ api, inside, world }) {
    expect((await api.get('/links/count')).body).to.equal(1);
    const folders = await api.get('/links/count', { groupBy: 'folder' });
    expect(folders.body).to.deep.equal([{ folderId: inside.folderId, _count: 1 }]);
    const domains = await api.get('/links/count', { groupBy: 'domain' });
    expect(domains.body).to.deep.equal([{ domain: world.domain, _count: 1 }]);
    expect((await api.get('/links/count', { groupBy: 'tag' })).body).to.deep.equal([]);
  },
  async findLink({ api, outside: { link, domain } }) {
    await is404(api.get('/links/info', { linkId: link.id }));
    await is404(api.get('/links/info', { externalId: `ext_${link.externalId}` }));
    await is404(api.get('/links/info', { domain: domain.slug, key: link.key }));
  },
  async retrieveAvailability({ api, outside: { link, qrcode, domain } }) {
    for (const { key } of [link, qrcode]) {
      const { body } = await api.get('/links/availability', { domain: domain.slug, key });
      expect([body.available, body.reason, body.holder]).to.deep.equal([false, 'taken', null]);
    }
  },
  async upsertLink({ api, inside, outside: { link, domain, folderId } }) {
    const { key, externalId } = link;
    await is(409, api.put('/links/upsert', { url: INSIDE_URL, externalId }));
    await names('domain', api.put('/links/upsert', { url: INSIDE_URL, domain: domain.slug, key }));
    const own = { url: INSIDE_URL, externalId: inside.link.externalId };
    await names('folderId', api.put('/links/upsert', { ...own, folderId }));
  },
  async bulkCreateLinks({ api, outside: { folderId } }) {
    await names('folderId', api.post('/links/bulk', [{ url: INSIDE_URL, folderId }]));
  },
  async retrieveUtmValues({ api }) {
    const { body } = await api.get('/utm-values');
    expect(body.utm_campaign).to.deep.equal([]);
  },
  async verifyNewLinks({ api, outside: { folderId, link } }) {
    const { externalId } = link;
    const { body } = await api.post('/links/bulk/check', [
      { url: INSIDE_URL, folderId },
      { url: INSIDE_URL, externalId },
      { url: INSIDE_URL },
    ]);
    expect(body.map(({ error }: { error: { code: string } | null }) => error?.code)).to.deep.equal([
      'unprocessable_entity',
      'conflict',
      undefined,
    ]);
    expect(body[0].error.message).to.contain('folderId');
  },
  async bulkUpdateLinks({ api, inside, outside: { link, folderId } }) {
    const linkIds = [link.id, `ext_${link.externalId}`];
    const { body } = await api.patch('/links/bulk', { linkIds, data: { title: 'stolen' } });
    for (const item of body) expect(item.error.code).to.equal('not_found');
    const moved = await api.patch('/links/bulk', { linkIds: [inside.link.id], data: { folderId } });
    expect(moved.body[0].error.code).to.equal('unprocessable_entity');
  },
  async bulkDeleteLinks({ api, outside: { link } }) {
    const linkIds = `${link.id},ext_${link.externalId}`;
    expect((await api.delete('/links/bulk', { linkIds })).body.deletedCount).to.equal(0);
  },
  retrieveLink: ({ api, outside }) => isHidden('links', outside.link, (path) => api.get(path)),
  async updateLink({ api, inside, outside }) {
    await isHidden('links', outside.link, (path) => api.patch(path, { title: 'stolen' }));
    const path = `/links/${inside.link.id}`;
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const { folderId, domain } = outside;
    for (const scheduled of [{}, { at }]) {
      await names('folderId', api.patch(path, { folderId, ...scheduled }));
      await names('folderId', api.patch(path, { folderId: null, ...scheduled }));
      await names('domain', api.patch(path, { domain: domain.slug, ...scheduled }));
    }
    await is(200, api.patch(path, { title: 'Inside' }));
  },
  deleteLink: ({ api, outside }) => isHidden('links', outside.link, (path) => api.delete(path)),
  simulateLink: ({ api, outside }) =>
    isHidden('links', outside.link, (path) => api.post(`${path}/simulate`, {})),
  resetLink: ({ api, outside }) =>
    isHidden('links', outside.link, (path) => api.post(`${path}/reset`)),
  retrieveLinkIcon: ({ api, outside }) =>
    isHidden('links', outside.link, (path) => api.get(`${path}/icon`)),
  listLinkHistory: ({ api, outside }) =>
    isHidden('links', outside.link, (path) => api.get(`${path}/history`)),
  listLinkDestinationVersions: ({ api, outside }) =>
    isHidden('links', outside.link, (path) => api.get(`${path}/destination-versions`)),
  revertLink: ({ api, outside: { link, changeId } }) =>
    isHidden('links', link, (path) => api.post(`${path}/revert`, { changeId })),
  async listLinkChanges({ api, outside }) {
    await isHidden('links', outside.link, (path) => api.get(`${path}/changes`));
    await is404(api.get(`/links/${outside.deletedId}/changes`));
  },
  async retrieveLinkChange({ api, outside: { link, scheduledId, deletedId, deletedScheduledId } }) {
    await isHidden('links', link, (path) => api.get(`${path}/changes/${scheduledId}`));
    await is404(api.get(`/links/${deletedId}/changes/${deletedScheduledId}`));
  },
  async deleteLinkChange({ api, outside: { link, scheduledId, deletedId, deletedScheduledId } }) {
    await isHidden('links', link, (path) => api.delete(`${path}/changes/${scheduledId}`));
    await is404(api.delete(`/links/${deletedId}/changes/${deletedScheduledId}`));
  },
  async createQrCode({ api, inside, outside: { folderId, domain } }) {
    const { body } = await api.post('/qrcodes', code);
    expect(body.folderId).to.equal(inside.folderId);
    await is(200, api.delete(`/qrcodes/${body.id}`, { events: 'remove' }));
    await names('folderId', api.post('/qrcodes', { ...code, folderId }));
    await names('domain', api.post('/qrcodes', { ...code, domain: domain.slug }));
    await refusesTemplate(api.post('/qrcodes', { ...code, useAsTemplate: true }));
  },
  async listQrCodes({ api, inside, outside }) {
    const { body } = await api.get('/qrcodes', { showArchived: true });
    expect(idsOf(body)).to.deep.equal([inside.qrcode.id]);
    for (const query of [{ search: HIDDEN }, { query: HIDDEN }, { folderId: outside.folderId }]) {
      expect((await api.get('/qrcodes', query)).body, JSON.stringify(query)).to.deep.equal([]);
    }
  },
  async countQrCodes({ api, inside }) {
    expect((await api.get('/qrcodes/count')).body).to.equal(1);
    const { body } = await api.get('/qrcodes/count', { groupBy: 'folder' });
    expect(body).to.deep.equal([{ folderId: inside.folderId, _count: 1 }]);
  },
  async findQrCode({ api, outside: { qrcode, domain } }) {
    await is404(api.get('/qrcodes/info', { qrCodeId: qrcode.id }));
    await is404(api.get('/qrcodes/info', { externalId: `ext_${qrcode.externalId}` }));
    await is404(api.get('/qrcodes/info', { domain: domain.slug, key: qrcode.key }));
  },
  async bulkCreateQrCodes({ api, outside: { folderId } }) {
    await names('folderId', api.post('/qrcodes/bulk', [{ ...code, folderId }]));
    await refusesTemplate(api.post('/qrcodes/bulk', [{ ...code, useAsTemplate: true }]));
  },
  async bulkUpdateQrCodes({ api, outside: { qrcode } }) {
    const qrcodeIds = [qrcode.id, `ext_${qrcode.externalId}`];
    const { body } = await api.patch('/qrcodes/bulk', { qrcodeIds, data: { title: 'stolen' } });
    for (const item of body) expect(item.error.code).to.equal('not_found');
  },
  async bulkDeleteQrCodes({ api, outside: { qrcode } }) {
    const qrcodeIds = `${qrcode.id},ext_${qrcode.externalId}`;
    expect((await api.delete('/qrcodes/bulk', { qrcodeIds })).body.deletedCount).to.equal(0);
  },
  retrieveQrCode: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.get(path)),
  retrieveQrCodeImage: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.get(`${path}/image`)),
  async updateQrCode({ api, inside, outside }) {
    await isHidden('qrcodes', outside.qrcode, (path) => api.patch(path, { title: 'stolen' }));
    const path = `/qrcodes/${inside.qrcode.id}`;
    await names('folderId', api.patch(path, { folderId: outside.folderId }));
    const at = new Date(Date.now() + 86_400_000).toISOString();
    for (const scheduled of [{}, { at }]) {
      await refusesTemplate(api.patch(path, { useAsTemplate: true, ...scheduled }));
    }
  },
  deleteQrCode: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.delete(path)),
  simulateQrCode: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.post(`${path}/simulate`, {})),
  resetQrCode: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.post(`${path}/reset`)),
  retrieveQrCodeIcon: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.get(`${path}/icon`)),
  listQrCodeHistory: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.get(`${path}/history`)),
  listQrCodeDestinationVersions: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.get(`${path}/destination-versions`)),
  revertQrCode: ({ api, outside: { qrcode, changeId } }) =>
    isHidden('qrcodes', qrcode, (path) => api.post(`${path}/revert`, { changeId })),
  listQrCodeChanges: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.get(`${path}/changes`)),
  retrieveQrCodeChange: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.get(`${path}/changes/sch_none`)),
  deleteQrCodeChange: ({ api, outside }) =>
    isHidden('qrcodes', outside.qrcode, (path) => api.delete(`${path}/changes/sch_none`)),
  async listTrash({ api }) {
    const { body: link } = await api.post('/links', { url: INSIDE_URL });
    await is(200, api.delete(`/links/${link.id}`));
    expect(idsOf((await api.get('/trash')).body)).to.deep.equal([link.id]);
    await is(200, api.post(`/links/${link.id}/restore`));
    await is(200, api.delete(`/links/${link.id}`, { events: 'remove' }));
  },
  async restoreRecords({ api, outside: { deletedId } }) {
    const { body } = await api.post('/trash/restore', { ids: [deletedId] });
    expect(body[0].error.code).to.equal('not_found');
  },
  deleteTrashedRecord: ({ api, outside: { deletedId } }) =>
    is404(api.delete(`/trash/${deletedId}`)),
  restoreLink: ({ api, outside: { deletedId } }) => is404(api.post(`/links/${deletedId}/restore`)),
  restoreQrCode: ({ api, outside: { deletedId } }) =>
    is404(api.post(`/qrcodes/${deletedId}/restore`)),
  async listFolders({ api, inside }) {
    expect(idsOf((await api.get('/folders')).body)).to.deep.equal([inside.folderId]);
  },
  retrieveFolder: ({ api, outside: { folderId } }) => is404(api.get(`/folders/${folderId}`)),
  async listDomains({ api, world }) {
    const { body } = await api.get('/domains');
    expect(body.map(({ slug }: { slug: string }) => slug)).to.deep.equal([world.domain]);
  },
  async retrieveDomain({ api, outside: { domain } }) {
    await is404(api.get(`/domains/${domain.id}`));
    await is404(api.get(`/domains/${domain.slug}`));
  },
  retrieveDomainChecks: ({ api, outside: { domain } }) =>
    is404(api.get(`/domains/${domain.id}/checks`)),
  async listEvents({ api, inside, outside }) {
    const { body } = await api.get('/events');
    expect(body.map((event: { link: { id: string } }) => event.link.id)).to.deep.equal([
      inside.link.id,
    ]);
    await is404(api.get('/events', { linkId: outside.link.id }));
    await is404(api.get('/events', { qrcodeId: outside.qrcode.id }));
    await is404(api.get('/events', { externalId: `ext_${outside.link.externalId}` }));
    await is404(api.get('/events', { domain: outside.domain.slug, key: outside.link.key }));
    await is404(api.get('/events', { folderId: outside.folderId }));
    await is404(api.get('/events', { linkId: outside.link.id, exclude: 'linkId' }));
    for (const query of [{ tagId: outside.tagId }, { domain: outside.domain.slug }]) {
      expect((await api.get('/events', query)).body).to.deep.equal([]);
    }
    const excluded = await api.get('/events', { tagId: outside.tagId, exclude: 'tagId' });
    expect(excluded.body).to.have.length(1);
  },
  async streamEvents({ key, inside, outside, world }) {
    const { apiUrl } = stack();
    const live = await LiveClient.open({ apiUrl, apiKey: key, query: '?latest=10' });
    try {
      await live.wait(1);
      const host = outside.domain.slug;
      await world.visit(`/${outside.link.key}`, { userAgent: browser(20), host });
      await world.visit(`/${inside.link.key}`, { userAgent: browser(21) });
      await live.wait(2);
      for (const { data } of live.events) expect(data.link.id).to.equal(inside.link.id);
      expect(live.text).to.not.contain(HIDDEN);
    } finally {
      live.close();
    }
  },
  async retrieveAnalytics({ api, inside, outside }) {
    const counted = async (query: Record<string, string>) =>
      (await api.get('/analytics', query)).body;
    const { clicks } = await counted({});
    expect(clicks).to.be.oneOf([1, 2]);
    expect((await counted({ interval: 'all_unfiltered' })).clicks).to.equal(clicks);
    expect((await counted({ event: 'scans', groupBy: 'scans' })).scans).to.equal(0);
    expect(idsOf(await counted({ groupBy: 'top_links' }))).to.deep.equal([inside.link.id]);
    expect(idsOf(await counted({ groupBy: 'top_folders' }))).to.deep.equal([inside.folderId]);
    expect(await counted({ groupBy: 'top_tags' })).to.deep.equal([]);
    await is404(api.get('/analytics', { linkId: outside.link.id }));
    await is404(api.get('/analytics', { folderId: outside.folderId }));
    const message = (await api.get('/analytics', { browser: 'Nobody' })).body;
    expect(JSON.stringify(message)).to.not.contain(HIDDEN);
  },
  async exportEvents({ api, inside, outside }) {
    const { bytes } = await api.download('/events/export');
    expect(bytes.toString()).to.contain(inside.link.id).and.not.contain(HIDDEN);
    expect((await api.download('/events/export', { linkId: outside.link.id })).status).to.equal(
      404,
    );
    const { body } = await api.get('/events/export', {}, { headers: { prefer: 'respond-async' } });
    expect(await downloaded(api, body.id))
      .to.contain(inside.link.id)
      .and.not.contain(HIDDEN);
  },
  async exportAnalytics({ api, inside }) {
    const files = unzipped((await api.download('/analytics/export')).bytes);
    const text = Object.values(files).join('\n');
    expect(text).to.contain(inside.link.id).and.not.contain(HIDDEN);
  },
  async exportLinks({ api, inside }) {
    const { bytes } = await api.download('/links/export');
    expect(bytes.toString()).to.contain(inside.link.id).and.not.contain(HIDDEN);
    const { body } = await api.get('/links/export', {}, { headers: { prefer: 'respond-async' } });
    expect(await downloaded(api, body.id))
      .to.contain(inside.link.id)
      .and.not.contain(HIDDEN);
  },
  async createLinkBulkChange({ api, inside, outside }) {
    const body = { ids: [inside.link.id, outside.link.id], data: { comments: 'in bulk' } };
    const { counts, errors } = await changedInBulk(api, body, 'links');
    expect(counts).to.include({ refused: 1 });
    expect(errors[0]).to.include({ id: outside.link.id, shortLink: null });
    const all = { filter: 'showArchived=true', data: { comments: 'by filter' } };
    expect((await changedInBulk(api, all, 'links')).progress.total).to.equal(1);
    const data = { folderId: outside.folderId };
    await names('folderId', api.post('/bulk-changes/links', { ids: [inside.link.id], data }));
  },
  async listLinkBulkChanges({ api, outside }) {
    const { body } = await api.get('/bulk-changes/links');
    expect(body.map(({ id }: { id: string }) => id)).to.not.include(outside.bulkIds.links);
  },
  retrieveLinkBulkChange: ({ api, outside: { bulkIds } }) =>
    is404(api.get(`/bulk-changes/links/${bulkIds.links}`)),
  downloadLinkBulkChangeErrors: ({ api, outside: { bulkIds } }) =>
    is404(api.get(`/bulk-changes/links/${bulkIds.links}/errors`)),
  startLinkBulkChange: ({ api, outside: { bulkIds } }) =>
    is404(api.post(`/bulk-changes/links/${bulkIds.links}/start`)),
  cancelLinkBulkChange: ({ api, outside: { bulkIds } }) =>
    is404(api.post(`/bulk-changes/links/${bulkIds.links}/cancel`)),
  undoLinkBulkChange: ({ api, outside: { bulkIds } }) =>
    is404(api.post(`/bulk-changes/links/${bulkIds.links}/undo`)),
  async createQrCodeBulkChange({ api, inside, outside }) {
    const body = { ids: [inside.qrcode.id, outside.qrcode.id], data: { comments: 'in bulk' } };
    const { counts, errors } = await changedInBulk(api, body, 'qrcodes');
    expect(counts).to.include({ refused: 1 });
    expect(errors[0]).to.include({ id: outside.qrcode.id, shortLink: null });
    const all = { filter: 'showArchived=true', data: { comments: 'by filter' } };
    expect((await changedInBulk(api, all, 'qrcodes')).progress.total).to.equal(1);
    const data = { folderId: outside.folderId };
    await names('folderId', api.post('/bulk-changes/qrcodes', { ids: [inside.qrcode.id], data }));
  },
  async listQrCodeBulkChanges({ api, outside }) {
    const { body } = await api.get('/bulk-changes/qrcodes');
    expect(body.map(({ id }: { id: string }) => id)).to.not.include(outside.bulkIds.qrcodes);
  },
  retrieveQrCodeBulkChange: ({ api, outside: { bulkIds } }) =>
    is404(api.get(`/bulk-changes/qrcodes/${bulkIds.qrcodes}`)),
  downloadQrCodeBulkChangeErrors: ({ api, outside: { bulkIds } }) =>
    is404(api.get(`/bulk-changes/qrcodes/${bulkIds.qrcodes}/errors`)),
  startQrCodeBulkChange: ({ api, outside: { bulkIds } }) =>
    is404(api.post(`/bulk-changes/qrcodes/${bulkIds.qrcodes}/start`)),
  cancelQrCodeBulkChange: ({ api, outside: { bulkIds } }) =>
    is404(api.post(`/bulk-changes/qrcodes/${bulkIds.qrcodes}/cancel`)),
  undoQrCodeBulkChange: ({ api, outside: { bulkIds } }) =>
    is404(api.post(`/bulk-changes/qrcodes/${bulkIds.qrcodes}/undo`)),
  async exportQrCodes({ api, inside }) {
    const { bytes } = await api.download('/qrcodes/export', { showArchived: true });
    expect(bytes.toString()).to.contain(inside.qrcode.id).and.not.contain(HIDDEN);
  },
  exportLinksByIds: ({ api, inside, outside }) =>
    exportsInside(api, '/links/export', inside.link, outside.link),
  exportQrCodesByIds: ({ api, inside, outside }) =>
    exportsInside(api, '/qrcodes/export', inside.qrcode, outside.qrcode),
  async createExport({ api, inside, outside }) {
    await is(403, api.post('/exports', { type: 'workspace' }));
    await names(
      'qrcodeIds',
      api.post('/exports', { type: 'qrcodes', qrcodeIds: [outside.qrcode.id] }),
    );
    const { body } = await api.post('/exports', { type: 'qrcodes', filter: 'showArchived=true' });
    expect(body.total).to.equal(1);
    const { url } = await endOfExport(api, body.id);
    const file = unzipped(Buffer.from(await (await fetch(url)).arrayBuffer()));
    expect(Object.keys(file).join()).to.contain(inside.qrcode.key).and.not.contain(HIDDEN);
  },
  retrieveExport: ({ api, outside: { exportId } }) =>
    is404(api.get(`/exports/${exportId}/progress`)),
  cancelExport: ({ api, outside: { exportId } }) => is404(api.post(`/exports/${exportId}/cancel`)),
  retrieveJob: ({ api, outside: { jobId } }) => is404(api.get(`/jobs/${jobId}`)),
  async listOwnVisitPages({ api, world }) {
    const { body } = await api.get('/workspace/own-visits');
    const domains = body.map(({ domain }: { domain: string }) => domain);
    expect(domains).to.deep.equal([world.domain, 'localhost']);
  },
  async retrieveWorkspace({ api }) {
    const { links, qrcodes, domains, eventsThisMonth } = (await api.get('/workspace')).body.usage;
    expect([links, qrcodes, domains]).to.deep.equal([1, 1, 1]);
    expect(eventsThisMonth).to.be.oneOf([1, 2]);
  },
};

/** Expects that an export by ids has the inside record only. */
async function exportsInside(
  api: ApiClient,
  path: string,
  inside: { id: string },
  outside: { id: string },
): Promise<void> {
  const ids = [inside.id, outside.id];
  const { body } = await api.post(path, { ids, format: 'ndjson' });
  expect(JSON.stringify(body)).to.contain(inside.id).and.not.contain(HIDDEN);
}

/** Waits for the result of an export, and downloads it. */
async function downloaded(api: ApiClient, jobId: string): Promise<string> {
  const { url } = await eventually(async () => {
    const { body } = await api.get(`/jobs/${jobId}`);
    expect(body.status).to.equal('done');
    return body.result as { url: string };
  });
  return (await fetch(url)).text();
}

const ofWorkspace = routes.filter(({ scope }) => isOfWorkspace(scope));

describe('a key with limits', () => {
  const scene = {} as Scene;
  let unchanged: Record<string, unknown>;

  /** Reads everything outside of the limits. */
  async function readOutside(): Promise<Record<string, unknown>> {
    const { world, outside } = scene;
    const link = (await world.api.get(`/links/${outside.link.id}`)).body;
    return {
      link: { ...link, clicks: 0, lastClicked: null },
      qrcode: (await world.api.get(`/qrcodes/${outside.qrcode.id}`)).body,
      changes: (await world.api.get(`/links/${outside.link.id}/changes`)).body,
      trash: (await world.api.get('/trash')).body,
      folder: (await world.api.get(`/folders/${outside.folderId}`)).body,
    };
  }

  before(async () => {
    const world = await aWorkspace();
    const { api } = world;
    const made = async (path: string, body: unknown) => {
      const answer = await api.post(path, body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      return answer.body;
    };
    const insideFolder = (await made('/folders', { name: 'Inside' })).id;
    const folderId = (await made('/folders', { name: `${HIDDEN} folder` })).id;
    const tagId = (await made('/tags', { name: 'Tag' })).id;
    const slug = `hidden.${world.domain}`;
    const { id: domainId } = await addDomainNow(world.projectId, { slug }, true);
    const hidden = (name: string) => ({
      key: `${HIDDEN}-${name}`,
      title: `${HIDDEN} ${name}`,
      comments: HIDDEN,
      externalId: `${HIDDEN}-${name}-id`,
      domain: slug,
      tagIds: [tagId],
      folderId,
    });
    const url = `https://example.com/${HIDDEN}`;
    const link = await made('/links', { ...hidden('link'), url, utm_campaign: HIDDEN });
    const qrcode = await made('/qrcodes', { ...hidden('code'), type: 'url', url });
    // In the folder of the limits, but on another domain.
    const deleted = await made('/links', { ...hidden('deleted'), url, folderId: insideFolder });
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const later = { comments: `${HIDDEN} change`, at };
    const scheduled = (await api.patch(`/links/${link.id}`, later)).body;
    const deletedScheduled = (await api.patch(`/links/${deleted.id}`, later)).body;
    await api.delete(`/links/${deleted.id}`);
    await api.patch(`/links/${link.id}`, { title: `${HIDDEN} title` });
    const [change] = (await api.get(`/links/${link.id}/history`)).body;
    const picture = await made('/exports', { type: 'qrcodes', qrcodeIds: [qrcode.id] });
    await endOfExport(api, picture.id);
    const job = await api.get('/links/export', {}, { headers: { prefer: 'respond-async' } });
    const commented = { data: { comments: HIDDEN }, dryRun: true };
    const bulkIds = {
      links: (await made('/bulk-changes/links', { ids: [link.id], ...commented })).id,
      qrcodes: (await made('/bulk-changes/qrcodes', { ids: [qrcode.id], ...commented })).id,
    };
    const limits = { folderIds: [insideFolder], domains: [world.domain] };
    const { key } = await made('/keys', { name: 'limited', scopes: ['*'], limits });
    const own = { folderId: insideFolder, key: 'inside', externalId: 'inside' };
    Object.assign(scene, {
      world,
      key,
      api: new ApiClient(key),
      inside: {
        folderId: insideFolder,
        link: await made('/links', { ...own, url: INSIDE_URL }),
        qrcode: await made('/qrcodes', { ...own, ...code, key: 'inside-code' }),
      },
      outside: {
        link,
        qrcode,
        deletedId: deleted.id,
        folderId,
        domain: { id: domainId, slug },
        tagId,
        changeId: change.id,
        scheduledId: scheduled.id,
        deletedScheduledId: deletedScheduled.id,
        exportId: picture.id,
        bulkIds,
        jobId: job.body.id,
      },
    });
    await world.visit('/inside', { userAgent: browser(1) });
    await world.visit(`/${HIDDEN}-link`, { userAgent: browser(2), host: slug });
    await world.visit(`/${HIDDEN}-code?qr=1`, { userAgent: browser(3), host: slug });
    await eventually(async () => {
      const { clicks, scans } = (await api.get('/analytics')).body;
      expect([clicks, scans]).to.deep.equal([2, 1]);
    }, 20_000);
    unchanged = await readOutside();
  });

  it('are tested on every endpoint that they can use', () => {
    const allowed = (limits: Route['limits']) =>
      ofWorkspace
        .filter((route) => route.limits === limits)
        .map(({ operationId }) => operationId)
        .toSorted();
    expect(Object.keys(ATTEMPTS).toSorted()).to.deep.equal(allowed('records'));
    expect(WITHOUT_RECORDS).to.deep.equal(allowed('none'));
  });

  for (const [name, attempt] of Object.entries(ATTEMPTS)) {
    it(`shows and changes nothing outside: ${name}`, () => attempt(scene));
  }

  /** Sends a request without valid input. */
  async function send(method: string, path: string, headers: Record<string, string> = {}) {
    const response = await fetch(stack().apiUrl + path, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${scene.key}`,
        ...(method === 'get' ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(method === 'get' ? {} : { body: '{}' }),
    });
    return { status: response.status, text: await response.text() };
  }

  for (const { method, path, limits } of ofWorkspace) {
    if (limits !== undefined) continue;
    it(`is refused: ${method.toUpperCase()} ${path}`, async () => {
      const { status, text } = await send(method, path.replaceAll(/\{\w+\}/g, 'x_1'));
      expect(status, text).to.equal(403);
      expect((JSON.parse(text) as ApiAnswer['body']).error.message).to.match(REFUSED);
    });
  }

  it('reads and revokes itself', async () => {
    const { world, api } = scene;
    const [{ id }] = (await world.api.get('/keys')).body;
    const { body } = await api.get(`/keys/${id}`);
    const { folderId } = scene.inside;
    const limits = { folderIds: [folderId], domains: [world.domain], own: false };
    expect(body.limits).to.deep.equal(limits);
  });

  for (const { path: prefix, routes: peerRoutes } of PEERS) {
    for (const { method, path, operation } of peerRoutes) {
      if (operation === undefined) continue;
      it(`shows nothing outside: ${method.toUpperCase()} ${prefix}${path}`, async () => {
        const { link, domain } = scene.outside;
        const values: Record<string, string> = {
          linkId: link.id,
          shortCode: link.key,
          domain: domain.slug,
          slug: domain.slug,
          tag: 'Tag',
          idOrSlug: scene.world.slug,
        };
        const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'x_1');
        const query = new URLSearchParams({ domain: domain.slug, apikey: scene.key });
        for (const parameters of ['', `?${query}`]) {
          const { status, text } = await send(method, `${prefix}${filled}${parameters}`, {
            'x-api-key': scene.key,
          });
          // 501: what the service does not imitate.
          expect(status === 501 ? 0 : status).to.be.lessThan(500);
          expect(text.replaceAll(domain.slug, '').replaceAll(link.key, '')).to.not.contain(HIDDEN);
        }
      });
    }
  }

  it('gets statistics of YOURLS within its limits', async () => {
    for (const action of ['stats', 'db-stats']) {
      const query = new URLSearchParams({ action, format: 'json', signature: scene.key });
      const { text } = await send('get', `/compat/yourls/yourls-api.php?${query}`);
      expect(text).to.not.contain(HIDDEN);
      expect(text, text).to.match(/"total_links":\s*"?1"?/);
    }
  });

  it('gets only tools of MCP that it can use, within its limits', async () => {
    const requestInit = { headers: { authorization: `Bearer ${scene.key}` } };
    const transport = new StreamableHTTPClientTransport(new URL(`${stack().apiUrl}/mcp`), {
      requestInit,
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    const { tools } = await client.listTools();
    const usable = new Map(routes.map((route) => [route.operationId as string, route]));
    for (const { name } of tools) {
      const { limits, scope } = usable.get(name)!;
      expect(limits !== undefined || !isOfWorkspace(scope), name).to.equal(true);
    }
    const listed = await client.callTool({ name: 'listLinks', arguments: { showArchived: true } });
    expect(JSON.stringify(listed)).to.contain(scene.inside.link.id).and.not.contain(HIDDEN);
    const found = await client.callTool({
      name: 'findLink',
      arguments: { linkId: scene.outside.link.id },
    });
    expect(found.isError).to.equal(true);
    await client.close();
  });

  it('has changed nothing outside', async () => {
    expect(await readOutside()).to.deep.equal(unchanged);
  });
});
