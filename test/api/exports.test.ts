import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import { append } from '../../src/events/store/postgres/append.ts';
import { guarded } from '../../src/infra/csv.ts';
import { db } from '../../src/infra/db.ts';
import { hasPython, readByPython } from '../support/csv-readers.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

/** Number of links above the limit of a direct answer (EXPORT_ROWS). */
const MANY = 10_500;

describe('exports', () => {
  let world: World;
  let linkId: string;

  before(async () => {
    world = await aWorkspace();
    const { body } = await world.api.post('/links', {
      url: 'https://example.com/?a=1',
      key: 'größe',
      title: '=1+1',
      comments: 'a "quoted", comment\nof two lines',
      password: 'hidden word',
      tagNames: [],
    });
    linkId = body.id;
    await db().transaction((trx) =>
      append(
        trx,
        Array.from({ length: 2_500 }, (_, n) =>
          anEvent(world.projectId, {
            id: `evt_${String(n).padStart(6, '0')}`,
            link_id: linkId,
            domain: world.domain,
            key: 'größe',
            occurred_at: new Date(Date.now() - 3_600_000 + n).toISOString(),
            referer: '@SUM(A1)',
          }),
        ),
      ),
    );
  });

  const download = async (path: string, query: Record<string, string> = {}) => {
    const { status, headers, bytes } = await world.api.download(path, query);
    return { status, headers, text: bytes.toString() };
  };

  it('of links and QR codes by ids leave out unknown ids and passwords', async () => {
    const { api } = await aWorkspace();
    const wifi = { ssid: 'Guests', password: 'secret word', encryption: 'WPA' };
    const codes = [
      { type: 'url', url: 'https://example.com/b', externalId: 'poster', title: 'Poster' },
      { type: 'wifi', wifi },
    ];
    const made = [];
    for (const code of codes) made.push((await api.post('/qrcodes', code)).body);
    const url = 'https://example.com/c';
    const link = (await api.post('/links', { url, password: 'hidden word' })).body;
    const other = (await api.post('/links', { url })).body;
    const lines = async (path: string, ids: string[]) => {
      const { status, body } = await api.post(path, { ids, format: 'ndjson' });
      expect(status).to.equal(200);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      expect(text).to.not.contain('secret word').and.not.contain('hidden word');
      return text;
    };
    const links = await lines('/links/export', [link.id, 'link_none']);
    expect(links).to.contain(link.id).and.not.contain(other.id);
    const ofCodes = await lines('/qrcodes/export', ['ext_poster']);
    expect(ofCodes).to.contain(made[0].id).and.not.contain(made[1].id);
    const text = (await api.download('/qrcodes/export')).bytes.toString();
    const [head, poster, guests] = text.replace(/^\ufeff/, '').split('\r\n');
    expect(head).to.match(/^id,domain,key,type,static,url,title,/);
    expect(poster).to.contain(',url,false,https://example.com/b,Poster,');
    expect(guests).to.contain(',wifi,').and.not.contain('secret word');
    const many = Array.from({ length: 10_001 }, (_, n) => `link_${n}`);
    const tooMany = await api.post('/links/export', { ids: many });
    expect(tooMany.status).to.equal(422);
  });

  it('of analytics have a description and a file for each group, as GET /analytics counts', async () => {
    const query = { interval: '24h', timezone: 'Europe/Berlin', country: 'DE,Unknown' };
    const { status, headers, bytes } = await world.api.download('/analytics/export', {
      ...query,
      device: 'Tablet',
      exclude: 'device',
    });
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('application/zip');
    expect(headers.get('content-disposition')).to.match(
      /^attachment; filename="analytics-[\d-]+\.zip"$/,
    );
    const files = Object.entries(unzipSync(bytes)).map(
      ([name, content]) => [name, strFromU8(content).replace('\ufeff', '')] as const,
    );
    expect(files[0]![0]).to.equal('README.txt');
    expect(files[0]![1].split('\r\n')).to.include.members([
      'Time zone: Europe/Berlin',
      'Events: clicks; scans of QR codes and views of pages in their files',
      '  country is DE or Unknown',
      '  device is not Tablet',
    ]);
    const { body: kpis } = await world.api.get('/analytics', { ...query, groupBy: 'kpis' });
    const linesOf = new Map(files.map(([name, text]) => [name, text.trimEnd().split('\r\n')]));
    expect(linesOf.get('totals.csv')).to.include(`clicks,${kpis.clicks.value},0,`);
    expect(linesOf.get('referers.csv')).to.deep.equal([
      'referer,clicks,visitors',
      `'@SUM(A1),${kpis.clicks.value},0`,
    ]);
    expect(linesOf.get('top_links.csv')![1])
      .to.contain(`${linkId},${linkId},`)
      .and.contain("'=1+1");
    expect(linesOf.get('top_qrcodes.csv')).to.have.length(1);
    expect(linesOf.get('timeseries.csv')).to.have.length.within(25, 26);
    for (const [name] of files.slice(2)) {
      const groupBy = name.replace('.csv', '');
      const { body } = await world.api.get('/analytics', { ...query, groupBy });
      expect(linesOf.get(name), name).to.have.length(body.length + 1);
    }
  });

  it('of analytics refuse what GET /analytics refuses', async () => {
    for (const query of [{ interval: 'all_unfiltered' }, { country: 'ZZ' }, { exclude: 'city' }]) {
      const { status, body } = await world.api.get('/analytics/export', query);
      expect([status, body.error.code], JSON.stringify(query)).to.deep.equal([
        422,
        'unprocessable_entity',
      ]);
    }
    expect((await world.api.get('/analytics/export', { tagId: 'tag_none' })).status).to.equal(404);
  });

  it('of events as CSV are sorted by time, without formulas', async () => {
    const { status, headers, text } = await download('/events/export', { interval: '24h' });
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).to.equal('attachment; filename="clicks.csv"');
    const lines = text.replace('\ufeff', '').trimEnd().split('\r\n');
    expect(lines).to.have.lengthOf(2_501);
    expect(lines[0]).to.match(
      /^timestamp,event,eventName,clickId,linkId,domain,key,shortLink,url,/,
    );
    expect(lines[1]).to.contain(`evt_000000,${linkId},${world.domain},größe,`);
    expect(lines[1]).to.contain("'@SUM(A1)");
    expect(lines.at(-1)).to.contain('evt_002499');
  });

  it('of events as NDJSON contain the records of the list, without passwords', async () => {
    const { headers, text } = await download('/events/export', { format: 'ndjson' });
    expect(headers.get('content-type')).to.equal('application/x-ndjson; charset=utf-8');
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events).to.have.lengthOf(2_500);
    const [first] = (await world.api.get('/events', { order: 'asc', limit: 1 })).body;
    expect(events[0]).to.deep.equal({ ...first, link: { ...first.link, password: null } });
    expect(text).not.to.contain('hidden word');
  });

  it('of events accept the filters of the list', async () => {
    const none = await download('/events/export', { country: 'DE', format: 'ndjson' });
    expect(none.text).to.equal('');
    const { status } = await download('/events/export', { linkId: 'link_nope' });
    expect(status).to.equal(404);
  });

  it('of links accept the filters of the list, such as a tag with a comma', async () => {
    const { api } = world;
    const tagNames = ['North, south'];
    await api.post('/tags', { name: tagNames[0] });
    const { body: link } = await api.post('/links', { url: 'https://example.com/t', tagNames });
    for (const filter of ['North, south', 'north, SOUTH']) {
      const { text } = await download('/links/export', { tagNames: filter, format: 'ndjson' });
      expect(JSON.parse(text).id).to.equal(link.id);
    }
    const { text } = await download('/links/export', { tagNames: 'North', format: 'ndjson' });
    expect(text).to.equal('');
    expect((await api.delete(`/links/${link.id}`)).status).to.equal(200);
  });

  it('of links are available as CSV and NDJSON', async () => {
    const { text } = await download('/links/export');
    const [head, row] = text.replace('\ufeff', '').split(/\r\n/);
    // Some readers find columns by position, so a new column goes to the end.
    expect(head).to.equal(
      'id,domain,key,shortLink,url,title,description,image,externalId,archived,expiresAt,expiredUrl,startsAt,' +
        'maxVisits,tags,folderId,comments,ios,android,geo,rules,utm_source,utm_medium,utm_campaign,utm_term,' +
        'utm_content,clicks,leads,sales,saleAmount,lastClicked,createdAt,updatedAt,importedClicks,testVariants,' +
        'testStartedAt,testCompletedAt,testWinner,queryConflict,trackEvents,refundAmount',
    );
    expect(row).to.contain(`${linkId},${world.domain},größe,`);
    expect(row).to.contain(",'=1+1,");
    expect(row).to.contain('"a ""quoted"", comment\nof two lines"');
    const { text: json } = await download('/links/export', { format: 'ndjson' });
    expect(JSON.parse(json)).to.include({ id: linkId, title: '=1+1', password: null });
    expect(text + json).not.to.contain('hidden word');
  });

  it('of links as CSV are read by Python and by imports as they were written, whatever ends their lines', async function () {
    if (!hasPython) this.skip();
    const texts = ['\n', '\r', '\r\n'].flatMap((end) => [
      `a${end}=cmd|'/c calc'!A1`,
      `a${end}b`,
      `a${end}'-1`,
    ]);
    const { api } = await aWorkspace();
    const ids: string[] = [];
    for (const comments of texts) {
      const { status, body } = await api.post('/links', { url: 'https://example.com/', comments });
      expect(status).to.equal(201);
      ids.push(body.id);
    }
    const { bytes } = await api.download('/links/export');
    const [names, ...rows] = readByPython(bytes);
    const at = names!.indexOf('comments');
    expect(rows.map((row) => row[at])).to.deep.equal(texts.map(guarded));

    for (const id of ids) await api.delete(`/links/${id}`);
    const headers = { 'content-type': 'text/csv' };
    const { body } = await api.post('/imports', bytes.toString(), { headers });
    await eventually(async () => {
      const { state, counts } = (await api.get(`/imports/${body.id}`)).body;
      expect([state, counts.created]).to.deep.equal(['done', texts.length]);
    });
    const { body: links } = await api.get('/links', { pageSize: 100 });
    const found = links.map(({ comments }: { comments: string }) => comments);
    expect(found).to.have.members(texts);
  });

  it('of a workspace have one state of everything, without secrets', async () => {
    const whole = await aWorkspace();
    const { api } = whole;
    await api.post('/tags', { name: 'Spring' });
    await api.post('/keys', { name: 'not exported' });
    const links = ['hidden word', null].map((password) => ({
      url: 'https://example.com/?utm_source=a',
      tagNames: ['Spring'],
      password,
    }));
    await api.post('/links/bulk', links);
    await api.post('/qrcodes', { type: 'wifi', wifi: { ssid: 'a', encryption: 'nopass' } });
    const exportOf = async (body: object) => {
      const { status, body: made } = await api.post('/exports', { type: 'workspace', ...body });
      expect(status, JSON.stringify(made)).to.equal(200);
      const response = await fetch(made.url);
      expect(response.headers.get('content-disposition')).to.equal(
        'attachment; filename="workspace.jsonl.gz"',
      );
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes).to.have.length(made.bytes);
      const text = gunzipSync(bytes).toString();
      expect(text).not.to.match(/hidden word|not exported/);
      const [header, ...lines] = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const { end } = lines.pop();
      expect(end.records).to.equal(lines.length);
      expect(made.counts).to.deep.equal(header.counts);
      return {
        header,
        linksOf: lines.flatMap(({ kind, data }) => (kind === 'link' ? [data] : [])),
      };
    };

    const { header, linksOf } = await exportOf({ passphrase: 'correct horse' });
    expect(header).to.deep.include({ format: 'shortlinks-workspace', version: 1 });
    expect(header.counts).to.include({ domain: 1, tag: 1, link: 2, qrcode: 1, event: 0 });
    expect(linksOf[0]).to.include({ domain: whole.domain, hasPassword: true });
    expect(linksOf[0].tagNames).to.deep.equal(['Spring']);
    expect(linksOf[0].password).to.match(/^[\w-]{40,}$/);
    expect(linksOf[1]).not.to.have.any.keys('password', 'hasPassword');

    const without = await exportOf({});
    expect(without.header.passwords).to.equal(null);
    expect(without.linksOf[0]).to.include({ hasPassword: true }).and.not.have.property('password');
  });

  it('of a workspace need the scopes to read all of it', async () => {
    const one = await aWorkspace();
    for (const [scopes, status] of [
      [['workspace.write'], 403],
      [['links.read', 'customers.read'], 403],
      [['*'], 200],
    ] as const) {
      const api = await one.withScopes(...scopes);
      expect((await api.post('/exports', { type: 'workspace' })).status).to.equal(status);
    }
    const { status, body } = await one.api.post('/exports', { type: 'links', passphrase: 'short' });
    expect([status, body.error.message]).to.deep.equal([
      422,
      'type must be one of workspace, qrcodes; passphrase must be at least 8 characters long',
    ]);
  });

  it('that are large are written by a worker, and can be downloaded for a day without a key', async function () {
    const large = await aWorkspace();
    await db().raw(
      `INSERT INTO events (project_id, occurred_at, id, event, domain, key, url, continent, country, region, city, device,
                           browser, os, referer, referer_url, via, ip)
       SELECT ?, now() - n * interval '1 second', 'evt_' || n, 'click', 'x.test', 'x', 'https://example.com/', '', 'DE', '', '',
              '', '', '', '', '', 'link', '' FROM generate_series(1, ?::int) AS n`,
      [large.projectId, MANY],
    );
    const asked = await large.api.get('/events/export', { format: 'ndjson' });
    expect(asked.status).to.equal(202);
    const result = await eventually(async () => {
      const { body } = await large.api.get(asked.headers.get('location')!);
      expect(body.status).to.equal('done');
      return body.result as { url: string; expiresAt: string };
    });
    expect(Date.parse(result.expiresAt) - Date.now()).to.be.within(23 * 3_600_000, 24 * 3_600_000);
    const { pathname, searchParams } = new URL(result.url);
    const token = searchParams.get('token')!;
    const { status, headers, text } = await download(pathname, { token });
    expect(status).to.equal(200);
    expect(headers.get('content-disposition')).to.contain('clicks.ndjson');
    expect(text.trimEnd().split('\n')).to.have.lengthOf(MANY);

    expect((await download(pathname, { token: `${token.slice(0, -1)}_` })).status).to.equal(404);
    expect((await download(pathname)).status).to.equal(422);
    await db()('exports')
      .where({ project_id: large.projectId })
      .update({ expires_at: new Date(Date.now() - 1) });
    const expired = await world.api.get(pathname, { token });
    expect([expired.status, expired.body.error.code]).to.deep.equal([410, 'invite_expired']);
  });
});

describe('the events of a deleted link', () => {
  it('are kept or deleted, as the request says', async () => {
    const { api, projectId, domain } = await aWorkspace();
    const made = [];
    for (const key of ['kept', 'gone', 'bulk']) {
      const { body } = await api.post('/links', { url: 'https://example.com/', key });
      made.push(body.id as string);
    }
    const [kept, gone, bulk] = made as [string, string, string];
    const events = made.flatMap((link_id, at) =>
      Array.from({ length: at + 1 }, (_, n) =>
        anEvent(projectId, {
          id: `evt_${at}_${n}`,
          link_id,
          domain,
          country: 'DE',
          occurred_at: new Date().toISOString(),
        }),
      ),
    );
    await db().transaction((trx) => append(trx, events));
    const count = async () =>
      (await api.get('/analytics', { groupBy: 'countries', interval: '90d' })).body;
    expect(await count()).to.deep.equal([
      { country: 'DE', continent: 'EU', clicks: 6, visitors: 0 },
    ]);
    await api.delete(`/links/${kept}`);
    await api.delete(`/links/${gone}`, { events: 'remove' });
    expect(await count()).to.deep.equal([
      { country: 'DE', continent: 'EU', clicks: 4, visitors: 0 },
    ]);
    await api.delete('/links/bulk', { linkIds: bulk, events: 'remove' });
    expect(await count()).to.deep.equal([
      { country: 'DE', continent: 'EU', clicks: 1, visitors: 0 },
    ]);
    const [event, ...others] = (await api.get('/events')).body;
    expect(others).to.deep.equal([]);
    expect(event.link).to.include({ id: kept, domain });
    const top = (await api.get('/analytics', { groupBy: 'top_links' })).body;
    expect(top).to.have.lengthOf(1);
    expect(top[0]).to.include({ link: kept, domain, clicks: 1, createdAt: null });
    expect((await api.delete(`/links/${kept}`, { events: 'some' })).status).to.equal(422);
  });
});
