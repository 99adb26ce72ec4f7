import { expect } from 'chai';
import sharp from 'sharp';
import { pruneImages } from '../../src/images/keep.ts';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { type ApiAnswer, ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const SVG =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><circle r="9" cx="9" cy="9"/></svg>';

describe('the workspace over REST', () => {
  let world: World;
  let api: ApiClient;

  beforeEach(async () => {
    world = await aWorkspace({ plan: 'pro' });
    ({ api } = world);
  });

  function refused({ status, body }: ApiAnswer, message: RegExp) {
    expect(status, JSON.stringify(body)).to.equal(422);
    expect(body.error.message).to.match(message);
  }

  it('has its settings, limits and use', async () => {
    const { body, headers } = await api.get('/workspace');
    const { createdAt, ...rest } = body;
    expect(Math.abs(Date.now() - Date.parse(createdAt))).to.be.below(60_000);
    expect(rest).to.deep.equal({
      id: world.projectId,
      slug: world.slug,
      name: world.slug,
      plan: 'pro',
      clickDedupeSeconds: 3_600,
      queryConflict: 'visitor',
      clickIdParameter: 'click_id',
      keepFullIp: false,
      excludedIps: [],
      countSuspects: false,
      trackEvents: true,
      requireSecondFactor: false,
      logo: null,
      brandColor: null,
      brandName: null,
      utmRules: null,
      defaultDomain: 'localhost',
      limits: { requestsPerMinute: null, retentionDays: 365, importRows: 50_000 },
      usage: { links: 0, qrcodes: 0, domains: 1, members: 1, tags: 0, eventsThisMonth: 0 },
    });
    expect(headers.get('etag')).to.be.a('string');
    await world.set({ requestsPerMinute: null, retentionDays: 10 });
    expect((await api.get('/workspace')).body.limits).to.deep.equal({
      requestsPerMinute: 600,
      retentionDays: 10,
      importRows: 50_000,
    });
  });

  it('counts its records, and the events of this month', async () => {
    for (const name of ['x', 'y']) {
      expect((await api.post('/tags', { name })).status).to.equal(201);
    }
    expect((await api.post('/links', { url: A, key: 'a' })).status).to.equal(201);
    await api.post('/links', { url: A });
    await api.post('/qrcodes', { type: 'text', text: 'a' });
    await world.visit('/a');
    await world.visit('/a', { userAgent: browser(2) });
    await eventually(async () => {
      expect((await api.get('/workspace')).body.usage).to.deep.equal({
        links: 2,
        qrcodes: 1,
        domains: 1,
        members: 1,
        tags: 2,
        eventsThisMonth: 2,
      });
    });
  });

  it('is changed in the fields that are named', async () => {
    const before = (await api.get('/workspace')).body;
    const changes = { name: 'Acme', clickDedupeSeconds: 0, keepFullIp: true };
    const { status, body } = await api.patch('/workspace', changes);
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ ...before, ...changes });
    expect((await api.get('/workspace')).body).to.deep.equal(body);
    const again = await api.patch('/workspace', { brandColor: '#00FFaa' });
    expect(again.body).to.deep.equal({ ...body, brandColor: '#00ffaa' });
    expect((await api.patch('/workspace', { brandColor: null })).body).to.deep.equal(body);
    const named = await api.patch('/workspace', { brandName: ' Northwind ' });
    expect(named.body).to.deep.equal({ ...body, brandName: 'Northwind' });
    expect((await api.patch('/workspace', { brandName: null })).body).to.deep.equal(body);
  });

  it('counts every visit once its window is 0', async () => {
    await api.patch('/workspace', { clickDedupeSeconds: 0 });
    const { id } = (await api.post('/links', { url: A, key: 'a' })).body;
    await world.visit('/a');
    await world.visit('/a');
    await eventually(async () => {
      expect((await api.get(`/links/${id}`)).body.clicks).to.equal(2);
    });
  });

  it('keeps a logo, which anyone can load, and lets go of it', async () => {
    const { status, body } = await api.patch('/workspace', { logo: SVG });
    expect(status, JSON.stringify(body)).to.equal(200);
    const path = new URL(body.logo).pathname;
    const nobody = new ApiClient(undefined);
    const { bytes, headers } = await nobody.download(path);
    expect(headers.get('content-type')).to.equal('image/png');
    expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    const { width, height } = await sharp(bytes).metadata();
    expect(width! / height!).to.be.closeTo(3, 0.1);
    // Sending the address of the current logo keeps it.
    const kept = await api.patch('/workspace', { name: 'b', logo: body.logo });
    expect(kept.body).to.deep.equal({ ...body, name: 'b' });
    await db()('images')
      .where({ project_id: world.projectId })
      .update({ kept_at: new Date(0) });
    await pruneImages();
    expect((await nobody.download(path)).status).to.equal(200);
    expect((await api.patch('/workspace', { logo: null })).body.logo).to.equal(null);
    expect((await nobody.download(path)).status).to.equal(404);
    await pruneImages();
    expect(await db()('images').where({ project_id: world.projectId })).to.deep.equal([]);
  });

  it('does not show images that are not the logo, nor those of others', async () => {
    await api.post('/qrcodes', { type: 'text', text: 'a', src: SVG });
    const [{ id }] = await db()('images').where({ project_id: world.projectId });
    const nobody = new ApiClient(undefined);
    expect((await nobody.get(`/logos/${world.projectId}/${id}`)).status).to.equal(404);
    const { body } = await api.patch('/workspace', { logo: SVG });
    expect(body.logo).to.contain(id);
    const other = await aWorkspace();
    expect((await nobody.get(`/logos/${other.projectId}/${id}`)).status).to.equal(404);
  });

  it('is not changed by someone who has read an earlier state, and not disturbed by its use', async () => {
    const etag = (await api.get('/workspace')).headers.get('etag')!;
    await api.post('/links', { url: A });
    const headers = { 'if-match': etag };
    expect((await api.patch('/workspace', { name: 'a' }, { headers })).status).to.equal(200);
    const late = await api.patch('/workspace', { name: 'b' }, { headers });
    expect([late.status, late.body.error.code]).to.deep.equal([409, 'conflict']);
  });

  it('decides whose parameter wins, for links that do not', async () => {
    const url = `${A}?x=0`;
    const own = { visitor: 'visitor', owner: 'owner', default: null };
    for (const [key, queryConflict] of Object.entries(own)) {
      const { status } = await api.post('/links', { url, key: `wins-${key}`, queryConflict });
      expect(status).to.equal(201);
    }
    await api.post('/links', { url: A, key: 'wins-split', geo: { DE: `${A}?y=0` } });
    const VISITOR = `${A}?x=1`;
    const opened = async (key: string, query = 'x=1', ip = '203.0.113.9') =>
      (await world.visit(`/wins-${key}?${query}`, { headers: { 'x-forwarded-for': ip } })).headers
        .location;
    const all = async () => [
      await opened('visitor'),
      await opened('owner'),
      await opened('default'),
    ];
    expect(await all()).to.deep.equal([VISITOR, url, VISITOR]);
    const { status, body } = await api.patch('/workspace', { queryConflict: 'owner' });
    expect([status, body.queryConflict]).to.deep.equal([200, 'owner']);
    await eventually(async () => expect(await all()).to.deep.equal([VISITOR, url, url]));
    expect(await opened('default', 'y=1')).to.equal(`${url}&y=1`);
    expect(await opened('split', 'y=1', '192.0.2.1')).to.equal(`${A}?y=0`);
    expect(await opened('split', 'y=1')).to.equal(`${A}?y=1`);
    const { body: audit } = await api.get('/audit-log', { action: 'workspace.update' });
    expect(JSON.stringify(audit[0])).to.contain('queryConflict');
    await api.patch('/workspace', { queryConflict: 'visitor' });
    await eventually(async () => expect(await all()).to.deep.equal([VISITOR, url, VISITOR]));
  });

  it('needs a scope to be read, and another to be changed', async () => {
    const none = await world.withScopes('links.write', 'keys.write', 'members.write');
    const reader = await world.withScopes('workspace.read');
    const writer = await world.withScopes('workspace.write');
    expect((await none.get('/workspace')).status).to.equal(403);
    expect((await reader.get('/workspace')).status).to.equal(200);
    expect((await reader.patch('/workspace', { name: 'a' })).status).to.equal(403);
    expect((await writer.patch('/workspace', { name: 'a' })).status).to.equal(200);
  });

  it('normalizes the networks whose visits are not counted, and has each once', async () => {
    const excludedIps = [
      '203.0.113.9/24',
      '192.0.2.1',
      '2001:DB8::1',
      '203.0.113.0/24',
      '::ffff:192.0.2.1',
    ];
    const { status, body } = await api.patch('/workspace', { excludedIps });
    expect(status, JSON.stringify(body)).to.equal(200);
    const networks = ['203.0.113.0/24', '192.0.2.1/32', '2001:db8::1/128'];
    expect(body.excludedIps).to.deep.equal(networks);
    await api.patch('/workspace', { name: 'Acme' });
    expect((await api.get('/workspace')).body.excludedIps).to.deep.equal(networks);
    const most = Array.from({ length: 200 }, (_, n) => `203.0.113.${n}/32`);
    expect((await api.patch('/workspace', { excludedIps: most })).body.excludedIps).to.deep.equal(
      most,
    );
    expect((await api.patch('/workspace', { excludedIps: [] })).body.excludedIps).to.deep.equal([]);
  });

  const NO_NETWORK =
    /^excludedIps\[1\] must be an IP address, or a network such as 203\.0\.113\.0\/24$/;
  const REFUSED: [name: string, body: unknown, message: RegExp][] = [
    ['nothing', {}, /must/],
    ['an empty name', { name: '' }, /^name must/],
    ['a long name', { name: 'a'.repeat(101) }, /^name must/],
    ['a plan', { plan: 'enterprise' }, /^plan is not a known field/],
    ['a limit', { requestsPerMinute: 0 }, /^requestsPerMinute is not a known field/],
    ['a negative window', { clickDedupeSeconds: -1 }, /^clickDedupeSeconds must/],
    ['another name', { clickIdParameter: 'q' }, /^clickIdParameter must be one of/],
    ['a window as text', { clickDedupeSeconds: '60' }, /^clickDedupeSeconds must/],
    ['a window of years', { clickDedupeSeconds: 1e8 }, /^clickDedupeSeconds must/],
    [
      'an unknown winner',
      { queryConflict: 'both' },
      /^queryConflict must be one of visitor, owner/,
    ],
    ['no winner', { queryConflict: null }, /^queryConflict must/],
    ['a word for a flag', { keepFullIp: 'true' }, /^keepFullIp must/],
    ['a host name', { excludedIps: ['203.0.113.9', 'example.com'] }, NO_NETWORK],
    ['a prefix beyond the address', { excludedIps: ['::1', '203.0.113.0/33'] }, NO_NETWORK],
    ['a range', { excludedIps: ['::1', '203.0.113.0-203.0.113.9'] }, NO_NETWORK],
    ['an address in another notation', { excludedIps: ['::1', '0xcb007109'] }, NO_NETWORK],
    ['a network as a text', { excludedIps: '203.0.113.9' }, /^excludedIps must/],
    ['no list of networks', { excludedIps: null }, /^excludedIps must/],
    ['a number', { excludedIps: [1] }, /^excludedIps\[0\] must/],
    [
      'more than 200 networks',
      { excludedIps: Array.from({ length: 201 }, (_, n) => `203.0.113.${n}`) },
      /^excludedIps must contain at most 200 items/,
    ],
    ['the name of a color', { brandColor: 'red' }, /^brandColor must be a color such as #0055ff/],
    ['a style', { brandColor: '#fff;}body{' }, /^brandColor must/],
    ['a logo that is no image', { logo: 'data:text/html,hi' }, /^logo must be a data URI of an i/],
    ['a damaged logo', { logo: 'data:image/png;base64,AAAA' }, /^logo must/],
    ['a logo in the own network', { logo: 'http://10.0.0.1/a.png' }, /^logo must not point to/],
  ];
  for (const [name, body, message] of REFUSED) {
    it(`is not given ${name}`, async () => refused(await api.patch('/workspace', body), message));
  }
});
