import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import sharp from 'sharp';
import { addDomainNow } from '../../src/domains/commands.ts';
import { GROUPS } from '../../src/events/query/groups/index.ts';
import { append } from '../../src/events/store/postgres/append.ts';
import { sealOfImport } from '../../src/imports/sealing.ts';
import { openRows } from '../../src/imports/slices.ts';
import { db } from '../../src/infra/db.ts';
import {
  archiveOf,
  changed,
  type Line,
  linesOf,
  taken,
  upload,
  withoutIds,
} from '../support/archives.ts';
import { browser } from '../support/browser.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { fontUri, openType } from '../support/fonts.ts';
import { rest } from '../support/imports.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a?utm_source=news&x=%20';
const PASSPHRASE = 'correct horse';
const LIVE = new Set(['trend_live']);

/** Creates a workspace with records of every kind and counted visits. */
async function furnished(): Promise<World> {
  const world = await aWorkspace();
  const { api } = world;
  const must = async (path: string, body: object) => {
    const answer = await api.post(path, body);
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).to.be.oneOf([200, 201]);
    return answer.body;
  };
  await must('/tags', { name: 'Spring', color: 'red' });
  await must('/tags', { name: 'Sommer, 2026' });
  const folder = await must('/folders', { name: 'Print' });
  await must('/utm-templates', { name: 'News', utm_source: 'news', ref: 'partner' });
  const page = await must('/pages', { title: 'Before', fields: [{ name: 'email', label: 'E' }] });
  const variants = ['A', 'B'].map((name) => ({ name, url: `${A}&v=${name}`, percentage: 50 }));
  const links = [
    { url: A, key: 'größe', tagNames: ['Sommer, 2026', 'Spring'], folderId: folder.id },
    { url: A, key: 'secret', password: 'open sesame', comments: 'a\nb', externalId: 'e 1' },
    { url: A, key: 'tracked', trackConversion: true, ios: 'https://example.com/ios' },
    { url: A, key: 'page', preRedirection: true, pageId: page.id },
    { url: A, key: 'rules', rules: [{ value: { device: ['mobile'] }, url: `${A}&m=1` }] },
    { url: A, key: 'test', testVariants: variants, redirectStatus: 308 },
    { url: A, key: 'docs/*', startsAt: '2020-01-01T00:00:00Z', archived: true },
    { url: A, key: 'deleted' },
  ];
  for (const link of links) await must('/links', link);
  const png = await sharp({
    create: { width: 40, height: 20, channels: 3, background: '#d32f2f' },
  })
    .png()
    .toBuffer();
  const src = `data:image/png;base64,${png.toString('base64')}`;
  const wifi = { ssid: 'Hall', encryption: 'WPA', password: 'guests only' };
  await must('/qrcodes', {
    type: 'wifi',
    wifi,
    static: true,
    key: 'wifi',
    src,
    useAsTemplate: true,
  });
  // Its PNG is longer than any text of a request.
  const photo = await sharp({
    create: {
      width: 240,
      height: 240,
      channels: 3,
      background: '#000',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  })
    .jpeg({ quality: 30 })
    .toBuffer();
  const backgroundSrc = `data:image/jpeg;base64,${photo.toString('base64')}`;
  await must('/qrcodes', { type: 'url', url: A, key: 'photo', backgroundSrc });
  const font = await must('/fonts', {
    name: 'Blocks',
    source: fontUri(openType('Menu')),
  });
  await must('/qrcodes', {
    type: 'url',
    url: A,
    key: 'menu',
    frame: 'label-bottom',
    frameText: 'Menu',
    frameTextStyles: { family: 'blocks', weight: 600 },
    useAsTemplate: true,
  });
  // The code keeps a deleted font.
  expect((await api.delete(`/fonts/${font.id}`)).status).to.equal(200);
  await must('/qrcodes', {
    type: 'url',
    url: A,
    key: 'code',
    fgColor: '#1A237E',
    frame: 'label-bottom',
  });
  for (const path of ['/größe', '/rules', '/test', '/docs/x', '/deleted', '/code', '/']) {
    await world.visit(encodeURI(path), { userAgent: browser(path.length) });
  }
  const visited = await world.visit('/tracked');
  const clickId = new URL(visited.headers.location!).searchParams.get('click_id')!;
  await world.visit('/page', { userAgent: browser(9) });
  await eventually(async () => {
    const counts = await Promise.all(
      ['clicks', 'scans', 'views'].map(
        async (groupBy) =>
          Object.values((await api.get('/analytics', { groupBy, interval: 'all' })).body)[0],
      ),
    );
    expect(counts[0]).to.be.at.least(6);
    expect(counts.slice(1)).to.deep.equal([1, 1]);
  });
  await must('/track/lead', {
    clickId,
    eventName: 'Sign up',
    customerExternalId: 'user 1',
    customerEmail: 'ada@example.com',
    metadata: { plan: 'pro' },
  });
  const sale = { customerExternalId: 'user 1', eventName: 'Buy', paymentProcessor: 'stripe' };
  await must('/track/sale', { ...sale, amount: 1_999, currency: 'usd', invoiceId: 'inv 1' });
  await must('/track/refund', { invoiceId: 'inv 1', amount: 500, refundId: 're 1' });
  // No rate: their amounts wait in both workspaces.
  await must('/track/sale', { ...sale, amount: 300, currency: 'aed', invoiceId: 'inv 2' });
  await must('/track/refund', { invoiceId: 'inv 2', amount: 100, refundId: 're 2' });
  await must('/track/refund', { invoiceId: 'inv 2', amount: 50 });
  const [deleted] = (await api.get('/links', { search: 'deleted' })).body;
  await api.delete(`/links/${deleted.id}`);
  return world;
}

/** Reads all analytics, by group and event. */
async function numbersOf({ api }: World): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const groupBy of Object.keys(GROUPS).filter((name) => !LIVE.has(name))) {
    for (const event of ['clicks', 'scans', 'views', 'leads', 'sales']) {
      const query = { groupBy, event, start: '2020-01-01', end: '2030-01-01', timezone: 'UTC' };
      const { status, body } = await api.get('/analytics', query);
      // Rows with equal counts are ordered by id.
      const rows: unknown = withoutIds(body);
      const sorted = Array.isArray(rows) ? rows.map((row) => JSON.stringify(row)).toSorted() : rows;
      answers[`${groupBy} ${event}`] = [status, sorted];
    }
  }
  return answers;
}

/** Reads the records of an export in a form that can be compared between two exports. */
const recordsOf = (archive: Buffer): unknown[] =>
  linesOf(archive)
    .slice(1, -1)
    .map((line: Line) => {
      const { data, ...rest } = withoutIds(line) as Line;
      // A sealed password has a new nonce in every export, and domains are compared by name only.
      const { password: _, ...compared } = data;
      return { ...rest, data: rest.kind === 'domain' ? { slug: data.slug } : compared };
    });

/** Resolves with the redirect of every key. */
async function redirectsOf(world: World, host: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  // Click ids change with every visit, and visitors are assigned to variants by the id of the link.
  for (const key of [
    'größe',
    'secret',
    'tracked',
    'page',
    'rules',
    'test',
    'docs/y',
    'code',
    'no',
  ]) {
    const userAgent = 'curl/8.0';
    const { status, headers } = await world.visit(`/${encodeURI(key)}`, { host, userAgent });
    answers.push([key, status, headers.location?.replace(/click_id=[^&]+|&v=[AB]/, '')]);
  }
  const form = { password: 'open sesame' };
  const { status, headers } = await world.visit('/secret', { host, form });
  return [...answers, [status, headers.location]];
}

async function picturesOf({ api }: World): Promise<string[]> {
  const { body } = await api.get('/qrcodes', { search: 'wifi', showArchived: true });
  const codes = body.length > 0 ? body : (await api.get('/qrcodes')).body;
  const pictures: string[] = [];
  for (const { id, static: isStatic } of codes) {
    if (!isStatic) continue;
    const { bytes } = await api.download(`/qrcodes/${id}/image`);
    pictures.push(bytes.toString('base64'));
  }
  return pictures;
}

/** Deletes a domain and its records, so that another workspace of the installation can add it. */
async function giveUpDomain({ api, domain }: World): Promise<void> {
  for (const [path, name] of [
    ['/links', 'linkIds'],
    ['/qrcodes', 'qrcodeIds'],
  ] as const) {
    const { body } = await api.get(path, { showArchived: true, pageSize: 100 });
    const ids = body.map(({ id }: { id: string }) => id).join(',');
    await api.delete(`${path}/bulk`, { [name]: ids });
  }
  const { status, body } = await api.delete(`/domains/${domain}`);
  expect(status, JSON.stringify(body)).to.equal(200);
}

describe('the export of a workspace', () => {
  let source: World;
  let archive: Buffer;
  let then: { numbers: object; records: unknown[]; redirects: unknown[]; pictures: string[] };

  before(async function () {
    source = await furnished();
    const redirects = await redirectsOf(source, source.domain);
    archive = await archiveOf(source, PASSPHRASE);
    then = {
      numbers: await numbersOf(source),
      records: recordsOf(archive),
      redirects,
      pictures: await picturesOf(source),
    };
    await giveUpDomain(source);
  });

  it('is taken whole: records, addresses, pictures and every number are the same', async function () {
    const target = await aWorkspace();
    await addDomainNow(target.projectId, { slug: source.domain }, true);
    const { body: started } = await upload(target, archive, { dryRun: 'true' });
    const blind = await rest(target, started.id);
    expect(blind.errors.map(({ message }: Line) => message)).to.deep.equal([
      'password must be decrypted: set the passphrase of the export as an option of the import',
    ]);
    const path = `/imports/${started.id}`;
    const wrong = await target.api.patch(path, { passphrase: 'another' });
    expect([wrong.status, wrong.body.error.message]).to.deep.equal([
      422,
      'passphrase must be the one that the export was encrypted with',
    ]);
    const right = await target.api.patch(path, { passphrase: PASSPHRASE });
    expect(right.status, JSON.stringify(right.body)).to.equal(200);
    const checked = await rest(target, started.id);
    expect(checked.errors).to.deep.equal([]);
    expect((await target.api.get('/links/count')).body).to.equal(0);
    expect((await target.api.get('/tags')).body).to.deep.equal([]);
    await target.api.post(`${path}/start`);
    const done = await rest(target, started.id);
    expect([done.state, done.errors]).to.deep.equal(['done', []]);
    expect(done.counts).to.deep.equal(checked.counts);
    expect(done.preview.kinds).to.deep.equal(checked.preview.kinds);

    expect(await numbersOf(target)).to.deep.equal(then.numbers);
    expect(await redirectsOf(target, source.domain)).to.deep.equal(then.redirects);
    expect(await picturesOf(target)).to.deep.equal(then.pictures);
    const again = await taken(target, archive);
    expect(again.counts).to.include({ created: 0, refused: 0 });
    // The visits above have been counted by now.
    const records = recordsOf(await archiveOf(target, PASSPHRASE)).filter(
      (record) => (record as Line).kind !== 'event',
    );
    const same = (record: Line) => {
      const { domain, slug } = record.data;
      return record.kind !== 'event' && slug !== target.domain && domain !== target.domain;
    };
    expect(records.filter(same)).to.have.deep.members(then.records.filter(same));
    const { rows } = await db().raw(
      'SELECT count(*) FROM webhook_deliveries WHERE project_id = ?',
      [target.projectId],
    );
    expect(rows[0].count).to.equal(0);
    const repeated = await target.api.post('/track/sale', {
      customerExternalId: 'user 1',
      amount: 1_999,
      currency: 'usd',
      paymentProcessor: 'stripe',
      invoiceId: 'inv 1',
      eventName: 'Buy',
    });
    expect(repeated.status).to.equal(409);
    const refund = { invoiceId: 'inv 1', refundId: 're 1', amount: 500 };
    expect((await target.api.post('/track/refund', refund)).status).to.equal(409);
    const refunded = await target.api.post('/track/refund', { invoiceId: 'inv 1' });
    expect(refunded.body).to.include({ amount: 1_499, left: 0 });
    const waiting = ({ projectId }: World) =>
      db()('pending_amounts')
        .where({ project_id: projectId })
        .select('occurred_at', 'currency', 'decimals', 'from_amount', 'to_amount')
        .orderBy('occurred_at');
    expect(await waiting(source)).to.have.lengthOf(3);
    expect(await waiting(target)).to.deep.equal(await waiting(source));
  });

  it('takes the refund of a sale that was deleted before the export', async () => {
    const target = await aWorkspace();
    const withoutSale = changed(archive, (lines) => {
      const sold = lines.findIndex(({ data }) => data?.sale?.invoiceId === 'inv 1');
      lines.splice(sold, 1);
      lines[0].counts.event -= 1;
    });
    await taken(target, withoutSale);
    const all = { interval: 'all' };
    const { body } = await target.api.get('/analytics', all);
    expect(body).to.include({ refunds: 3, refundAmount: 500 });
    expect((await target.api.post('/track/refund', { invoiceId: 'inv 1' })).status).to.equal(404);
  });

  it('creates a deleted link again, which then is no longer in the trash', async () => {
    const target = await aWorkspace();
    await taken(target, archive);
    const { body: links } = await target.api.get('/links', { sort: 'clicks' });
    const [{ id, clicks }] = links;
    expect(clicks).to.be.above(0);
    await target.api.delete(`/links/${id}`);
    await taken(target, archive);
    expect((await target.api.get('/trash')).body).to.deep.equal([]);
    expect((await target.api.get(`/links/${id}`)).status).to.equal(200);
    expect((await target.api.delete(`/links/${id}`)).status).to.equal(200);
    expect((await target.api.post(`/links/${id}/restore`)).status).to.equal(200);
  });

  it('sends no imported event to destinations, since an archive may not tell who wanted privacy', async () => {
    const target = await aWorkspace();
    await taken(target, archive);
    const known = await db()('events').where({ project_id: target.projectId }).distinct('privacy');
    expect(known).to.deep.equal([{ privacy: 'unknown' }]);
  });

  it('adds domains that must be verified, and reports what is in the way', async () => {
    const other = await aWorkspace();
    const target = await aWorkspace();
    const archiveOfOther = changed(archive, (lines) => {
      for (const { kind, data } of lines) {
        if (kind === 'domain') data.slug = other.domain;
        if (data?.domain === source.domain) data.domain = other.domain;
      }
    });
    const checked = await taken(target, archiveOfOther, { dryRun: 'true' });
    expect(checked.preview).to.deep.include({
      newDomains: [other.domain],
      takenDomains: [other.domain],
      newTags: ['Spring', 'Sommer, 2026'],
    });
    await taken(target, archiveOfOther);
    const { body: domains } = await target.api.get('/domains');
    const added = domains.find(({ slug }: { slug: string }) => slug === other.domain);
    expect(added).to.include({ verified: false, primary: false });

    const small = await aWorkspace({ plan: 'free' });
    const many = changed(archive, (lines) => {
      for (let n = 0; n < 1_000; n += 1) {
        const createdAt = new Date(0).toISOString();
        lines.splice(2, 0, {
          kind: 'tag',
          data: { id: `tag_${n}`, name: `${n}`, color: 'red', createdAt },
        });
        lines[0].counts.tag += 1;
      }
    });
    const refused = await upload(small, many);
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      422,
      'The file must not have more than 1000 rows, which is the limit of the plan',
    ]);
  });

  it('of links on the domain that all share gives them the domain of the import', async () => {
    const target = await aWorkspace();
    const shared = changed(archive, (lines) => {
      lines[0].defaultDomain = 'short.example';
      for (const line of lines) if (line.data?.domain) line.data.domain = 'short.example';
    });
    const done = await taken(target, shared);
    expect(done.renamed).to.be.above(5);
    expect(done.preview.otherDomains).to.deep.equal(['short.example']);
    expect((await target.visit(encodeURI('/größe'))).status).to.equal(302);
  });

  it('stores files that codes hold themselves, and refuses those that are none', async () => {
    const [from, to] = [await aWorkspace(), await aWorkspace()];
    const source = `data:application/pdf,${encodeURIComponent('%PDF-1.7 menu')}`;
    for (const key of ['menu', 'wrong']) {
      await from.api.post('/qrcodes', { type: 'file', file: { source, name: 'Menu' }, key });
    }
    const shared = changed(await archiveOf(from), (lines) => {
      lines[0].defaultDomain = 'short.example';
      for (const { data } of lines) {
        if (data?.domain) data.domain = 'short.example';
        if (data?.key === 'wrong') data.file.source = 'data:text/html,<p>';
      }
    });
    for (const query of [{ dryRun: 'true' }, {}] as Record<string, string>[]) {
      const { errors } = await taken(to, shared, query);
      expect(errors.map(({ message }: Line) => message)).to.deep.equal([
        'file.source must be a PDF, PNG, JPEG, WebP or GIF',
      ]);
    }
    const { headers } = await to.visit('/menu');
    const file = await fetch(headers.location!);
    expect([file.status, await file.text()]).to.deep.equal([200, '%PDF-1.7 menu']);
  });

  it('is imported once, however often workers are killed', async function () {
    const [from, to] = [await aWorkspace(), await aWorkspace()];
    const { body: link } = await from.api.post('/links', { url: A, key: 'a' });
    const events = Array.from({ length: 6_000 }, (_, n) =>
      anEvent(from.projectId, {
        id: `evt_${String(n).padStart(8, '0')}`,
        link_id: link.id,
        domain: from.domain,
        occurred_at: new Date(Date.now() - n * 3_600_000).toISOString(),
        country: ['DE', 'AT'][n % 2]!,
      }),
    );
    await db().transaction((trx) => append(trx, events));
    const { body: started } = await upload(to, await archiveOf(from));
    await eventually(async () => {
      const { progress } = (await to.api.get(`/imports/${started.id}`)).body;
      expect(progress.done).to.be.above(0);
    });
    await eventually(() => stack().signal('worker_bulk', 'SIGKILL'));
    const done = await rest(to, started.id, 120_000);
    expect([done.state, done.errors]).to.deep.equal(['done', []]);
    const question = { groupBy: 'countries', interval: 'all' };
    const [old, moved] = [from, to].map(({ api }) => api.get('/analytics', question));
    expect((await moved!).body).to.deep.equal((await old!).body);
    const [{ clicks }] = (await to.api.get('/links')).body;
    expect(clicks).to.equal(6_000);
  });

  it('that is damaged or hostile is refused before anything is made, by line and field', async function () {
    const target = await aWorkspace();
    const at = (kind: string) => linesOf(archive).findIndex((line) => line.kind === kind);
    const set = (kind: string, fields: object) => (lines: Line[]) => {
      const line = lines[at(kind)];
      line.data = { ...line.data, ...fields };
    };
    const event = at('event') + 1;
    const aTag = (length: number) => ({
      kind: 'tag',
      data: { id: 'tag_1', name: 'a'.repeat(length) },
    });
    const aBomb = Array.from({ length: 400 }, () => aTag(60_000));
    const cases: [Buffer, string | RegExp][] = [
      [archive.subarray(0, archive.length - 30), /^The file must be complete and compressed/],
      [Buffer.from('url\nhttps://example.com'), /^The file must be the export of a workspace/],
      [changed(archive, (lines) => lines.splice(0, 1)), /^Line 1: format must be/],
      [
        changed(archive, (lines) => {
          lines[0].version = 2;
        }),
        'Line 1: version must be 1: another version of the service has written the file',
      ],
      [
        changed(archive, (lines) => {
          lines[0].counts.link += 1;
        }),
        /^Line 1: counts.link must be 7/,
      ],
      [
        changed(archive, (lines) => lines.push({ kind: 'tag', data: { id: 'tag_1' } })),
        /kind must not be tag after event$/,
      ],
      [
        changed(archive, (lines) => lines.splice(1, 0, '[]')),
        'Line 2: must be a JSON object in UTF-8',
      ],
      [
        changed(archive, (lines) => lines.splice(1, 0, '{"__proto__":{}}')),
        /__proto__ is not a known/,
      ],
      [
        changed(archive, (lines) => lines.splice(1, 0, '{"kind":"user","data":{}}')),
        /kind must be one of/,
      ],
      [changed(archive, (lines) => lines.splice(1, 0, '['.repeat(9_000))), /nested deeper/],
      [
        changed(archive, (lines) => lines.splice(1, 0, ' '.repeat(9 * 2 ** 20))),
        'Line 2: must not be longer than 7 MiB',
      ],
      [
        changed(archive, (lines) => {
          lines[0].service = '1'.repeat(65_536);
        }),
        'Line 1: must not be longer than 64 KiB',
      ],
      [
        changed(archive, (lines) => lines.splice(at('tag'), 0, aTag(65_536))),
        `Line ${at('tag') + 1}: must not be longer than 64 KiB for a record of the kind tag`,
      ],
      [
        changed(archive, set('link', { comments: 'a'.repeat(2 ** 20) })),
        /^Line \d+: must not be longer than 1024 KiB for a record of the kind link$/,
      ],
      [
        changed(archive, (lines) => lines.splice(at('tag'), 0, ...aBomb)),
        /^Line \d{3}: the file must not be larger than 16 MiB, 50 times its size, when unpacked$/,
      ],
      [
        changed(archive, set('link', { id: 'qr_0123456789' })),
        /id must be the id of a record of the kind link$/,
      ],
      [
        changed(archive, set('link', { domain: 'other.example' })),
        /domain must be a domain that the file has$/,
      ],
      [
        changed(archive, set('event', { link_id: 'proj_1' })),
        `Line ${event}: link_id must be the id of a link or QR code`,
      ],
      [
        changed(archive, set('event', { project_id: 'proj_1' })),
        `Line ${event}: project_id is not a known field`,
      ],
      [
        changed(archive, set('event', { amount_cents: '1' })),
        `Line ${event}: amount_cents must be a whole number of cents`,
      ],
      [
        changed(archive, set('event', { occurred_at: '2999-01-01T00:00:00.000Z' })),
        /occurred_at must be a time/,
      ],
      [
        changed(archive, set('event', { constructor: 1 })),
        `Line ${event}: constructor is not a known field`,
      ],
    ];
    for (const [file, message] of cases) {
      const { status, body } = await upload(target, file);
      expect(status, `${message}: ${JSON.stringify(body)}`).to.equal(422);
      if (typeof message === 'string') expect(body.error.message).to.equal(message);
      else expect(body.error.message).to.match(message);
    }
    expect((await target.api.get('/imports')).body).to.deep.equal([]);
    expect((await upload(source, archive)).body.error.message).to.match(
      /^The file must be the export of another/,
    );
    const allowed = await target.api.post('/imports', archive, {
      query: { source: 'workspace', allowRandomKeys: true },
      headers: { 'content-type': 'application/gzip' },
    });
    expect(allowed.body.error.message).to.equal(
      'allowRandomKeys must not be set for a whole workspace, which is imported as it was',
    );
  });

  it('may be unpacked to 256 MiB on the plan free', async function () {
    const free = await aWorkspace({ plan: 'free' });
    const [header, ...records] = linesOf(archive);
    const { data } = records.find(({ kind }) => kind === 'link');
    // Each line is a separate gzip member, since compressing all lines together would take much
    // memory.
    const parts = [gzipSync(`${JSON.stringify(header)}\n`)];
    for (let n = 0; n < 300; n += 1) {
      // The ratio of compression stays below 50.
      const comments = `${randomBytes(24_000).toString('hex')}${'a '.repeat(470_000)}`;
      const link = { ...data, id: `link_${n}`, domain: header.defaultDomain, comments };
      parts.push(gzipSync(`${JSON.stringify({ kind: 'link', data: link })}\n`));
    }
    const sent = await upload(free, Buffer.concat(parts), { dryRun: 'true' });
    // The job may take longer than the request waits.
    const refused = await eventually(async () => {
      if (sent.status !== 202) return sent.body;
      const { body } = await free.api.get(sent.headers.get('location')!);
      expect(body.status).to.equal('failed');
      return body;
    });
    expect(refused.error.message).to.match(
      /^Line \d{3}: the file must not be larger than 256 MiB, the limit of the plan, when unpacked$/,
    );
  });

  it('is kept compressed, and read also as earlier versions have kept it', async () => {
    const target = await aWorkspace();
    const many = changed(archive, (lines) => {
      const tags = Array.from({ length: 1_000 }, (_, n) => ({
        kind: 'tag',
        data: { id: `tag_${n}`, name: `Tag ${n}`, color: 'red', createdAt: '2026-01-01T00:00:00Z' },
      }));
      lines[0].counts.tag += tags.length;
      lines.splice(
        lines.findIndex(({ kind }) => kind === 'tag'),
        0,
        ...tags,
      );
      // Noise cannot be compressed.
      const isPhoto = ({ data }: Line) => data?.key === 'photo' || data?.png?.length > 100_000;
      for (const line of lines.filter(isPhoto)) {
        lines[0].counts[line.kind] -= 1;
        lines.splice(lines.indexOf(line), 1);
      }
    });
    const { id } = await taken(target, many, { dryRun: 'true' });
    const slices = (await db()('import_slices').where({ import_id: id })) as {
      position: number;
      rows: string;
    }[];
    const length = slices.reduce((sum, { rows }) => sum + rows.length, 0);
    expect(length).to.be.below(gunzipSync(many).length / 3);
    for (const { position, rows } of slices) {
      const json = JSON.stringify(await openRows(target.projectId, rows));
      await db()('import_slices')
        .where({ import_id: id, position })
        .update({ rows: sealOfImport(target.projectId, json) });
    }
    await target.api.post(`/imports/${id}/start`);
    const done = await rest(target, id, 60_000);
    expect(done.state).to.equal('done');
    expect((await target.api.get('/tags', { search: 'Tag 999' })).body).to.have.lengthOf(1);
  });

  it('has records that break a rule refused by themselves, with the rule', async () => {
    const target = await aWorkspace();
    const done = await taken(
      target,
      changed(archive, (lines) => {
        const of = (kind: string) => lines.find((line) => line.kind === kind).data;
        of('tag').color = 'loud';
        of('page').title = 5;
        of('image').png = 'AAAA';
        of('customer').email = 'nobody';
        of('link').url = 'javascript:alert(1)';
        of('qrcode').shape = '<svg>';
      }),
    );
    const messages = done.errors.map(({ message }: Line) => message);
    for (const rule of [
      /^color must/,
      /^title must/,
      /^id must be the SHA-256/,
      /^email must/,
      /^url must/,
    ]) {
      expect(
        messages.some((message: string) => rule.test(message)),
        `${rule}: ${messages}`,
      ).to.equal(true);
    }
    expect(done.counts.created).to.be.above(5);
  });

  it('needs the scopes to write everything, and is not undone', async () => {
    const target = await aWorkspace();
    const api = await target.withScopes('imports.write', 'links.write');
    const { status, body } = await upload({ ...target, api }, archive);
    expect([status, body.error.message]).to.deep.equal([
      403,
      'The import of a workspace also needs the scopes qrcodes.write, tags.write, folders.write, pages.write, ' +
        'domains.write, customers.write, conversions.write',
    ]);
    const { id } = await taken(target, archive);
    expect((await target.api.post(`/imports/${id}/undo`)).body.error.message).to.equal(
      'An import of a whole workspace cannot be undone',
    );
  });
});
