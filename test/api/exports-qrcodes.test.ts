import { expect } from 'chai';
import sharp from 'sharp';
import { wakeExport } from '../../src/exports/qrcodes/create.ts';
import { db } from '../../src/infra/db.ts';
import { EXPORT_BYTES } from '../../src/workspaces/plans.ts';
import { ApiClient } from '../support/client.ts';
import { DECODERS, printed, toPixels } from '../support/decoders.ts';
import { eventually } from '../support/eventually.ts';
import { anOpenExport, endOfExport, exported, unzipped } from '../support/exports.ts';
import { fontUri, openType } from '../support/fonts.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/';

const read = async (image: Buffer): Promise<string | undefined> =>
  (await DECODERS['ZXing']!(await toPixels(image)))?.toString();

describe('exports of QR codes', () => {
  let world: World;
  let api: World['api'];

  beforeEach(async () => {
    world = await aWorkspace();
    ({ api } = world);
  });

  const create = async (fields: object = {}): Promise<{ id: string; key: string }> => {
    const { status, body } = await api.post('/qrcodes', { type: 'url', url: A, ...fields });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };
  const refusal = async (request: object): Promise<[number, string]> => {
    const { status, body } = await api.post('/exports', { type: 'qrcodes', ...request });
    return [status, body.error.message];
  };

  it('are ZIP files whose images are those of the image endpoint, named by title or key', async () => {
    const codes = [
      await create({ title: 'Größe' }),
      await create({ title: 'größe', key: 'two' }),
      await create({ key: 'three' }),
    ];
    const { record, bytes, headers } = await exported(api, { size: 300, dpi: 300 });
    expect(headers.get('content-type')).to.equal('application/zip');
    expect(headers.get('content-disposition')).to.equal('attachment; filename="qr-codes.zip"');
    expect(record).to.include({ format: 'png', total: 3, done: 3, failed: 0 });
    expect(record.errors).to.deep.equal([]);
    const files = unzipped(bytes);
    expect(Object.keys(files)).to.deep.equal(['Größe.png', 'größe-two.png', 'three.png']);
    for (const [at, file] of Object.values(files).entries()) {
      const path = `/qrcodes/${codes[at]!.id}/image`;
      const { bytes: image } = await api.download(path, { size: '300', dpi: '300' });
      expect(file.equals(image)).to.equal(true);
    }
  });

  it('have every format, and other names', async () => {
    const code = await create({ key: 'menu/1', externalId: 'a-1' });
    for (const [format, fileNames, name] of [
      ['svg', 'key', 'menu-1.svg'],
      ['jpeg', 'id', `${code.id}.jpg`],
      ['webp', 'externalId', 'a-1.webp'],
      ['pdf', 'title', 'menu-1.pdf'],
      ['eps', 'title', 'menu-1.eps'],
    ]) {
      const { bytes } = await exported(api, { format, fileNames });
      const files = unzipped(bytes);
      expect(Object.keys(files)).to.deep.equal([name]);
      const { bytes: image } = await api.download(`/qrcodes/${code.id}/image`, { format: format! });
      expect(files[name!]!.equals(image)).to.equal(true);
    }
  });

  it('have the codes of a filter, or of ids in their order', async () => {
    await api.post('/tags', { name: 'Tables' });
    const tagNames = ['Tables'];
    const one = await create({ key: 'one', tagNames });
    const two = await create({ key: 'two', tagNames });
    await create({ key: 'three' });
    const byFilter = await exported(api, { filter: 'tagNames=tables&format=dynamic' });
    expect(Object.keys(unzipped(byFilter.bytes))).to.deep.equal(['one.png', 'two.png']);
    const byIds = await exported(api, { qrcodeIds: [two.id, one.id] });
    expect(Object.keys(unzipped(byIds.bytes))).to.deep.equal(['two.png', 'one.png']);
  });

  it('have the codes of links', async () => {
    const link = async (key: string) => (await api.post('/links', { url: A, key })).body;
    const [one, two] = [await link('one'), await link('two')];
    const contents = async (request: object) => {
      const files = unzipped((await exported(api, request)).bytes);
      const texts = await Promise.all(Object.values(files).map(read));
      return Object.keys(files).map((name, at) => [name, texts[at]]);
    };
    const scan = ({ shortLink }: { shortLink: string }) => `${shortLink}?qr=1`;
    expect(await contents({ linkIds: [two.id, one.id], size: 300 })).to.deep.equal([
      ['two.png', scan(two)],
      ['one.png', scan(one)],
    ]);
    expect(await contents({ linkFilter: 'search=two', size: 300 })).to.deep.equal([
      ['two.png', scan(two)],
    ]);

    const designed = { type: 'url', url: scan(two), static: true };
    await create({ ...designed, fgColor: '#7C2D12' });
    const { id } = await create({ ...designed, fgColor: '#14532D', pattern: 'dots' });
    await create({ ...designed, fgColor: '#701A75', archived: true });
    const files = unzipped((await exported(api, { linkIds: [two.id, one.id], size: 300 })).bytes);
    const { bytes: newest } = await api.download(`/qrcodes/${id}/image`, { size: '300' });
    expect(files['two.png']!.equals(newest)).to.equal(true);
    expect(await read(files['one.png']!)).to.equal(scan(one));
  });

  it('have no design of a link by a code of another folder, or that their creator cannot see', async () => {
    const { body: folder } = await api.post('/folders', { name: 'Hidden' });
    const { body: other } = await api.post('/folders', { name: 'Other' });
    const { body: link } = await api.post('/links', { url: A, key: 'one', folderId: folder.id });
    const { body: free } = await api.post('/links', { url: A, key: 'two' });
    const design = { type: 'url', static: true, fgColor: '#14532D', pattern: 'dots' };
    const scan = (shortLink: string) => `${shortLink}?qr=1`;
    const { body: key } = await api.post('/keys', {
      name: 'limited',
      scopes: ['*'],
      limits: { folderIds: [other.id] },
    });
    const limited = new ApiClient(key.key);
    for (const { shortLink } of [link, free]) {
      const body = { ...design, url: scan(shortLink), folderId: other.id };
      expect((await limited.post('/qrcodes', body)).status).to.equal(201);
    }
    const picturesOf = async (client: World['api'], linkIds: string[]) =>
      unzipped((await exported(client, { linkIds, size: 300 })).bytes);
    const plain = await picturesOf(api, [link.id, free.id]);
    const ofFolder = { ...design, url: scan(link.shortLink), folderId: folder.id };
    const { id } = await create(ofFolder);
    const designed = await picturesOf(api, [link.id, free.id]);
    const { bytes: image } = await api.download(`/qrcodes/${id}/image`, { size: '300' });
    expect(plain['one.png']!.equals(image)).to.equal(false);
    expect(designed['one.png']!.equals(image)).to.equal(true);
    expect(designed['two.png']!.equals(plain['two.png']!)).to.equal(true);

    // The limits of a key can leave out codes of the same folder.
    const { body: ofDomain } = await api.post('/keys', {
      name: 'of a domain',
      scopes: ['*'],
      limits: { folderIds: [folder.id], domains: [world.domain] },
    });
    const within = () => picturesOf(new ApiClient(ofDomain.key), [link.id]);
    expect((await within())['one.png']!.equals(image)).to.equal(true);
    const { body: domain } = await api.post('/domains', { slug: `other.${world.domain}` });
    await db()('qrcodes').where({ id }).update({ domain_id: domain.id });
    expect((await within())['one.png']!.equals(plain['one.png']!)).to.equal(true);
    expect((await picturesOf(api, [link.id]))['one.png']!.equals(image)).to.equal(true);
  });

  it('of links need their scope, and links that exist', async () => {
    const { id } = (await api.post('/links', { url: A, key: 'one' })).body;
    const reader = await world.withScopes('qrcodes.read');
    const { status, body } = await reader.post('/exports', { type: 'qrcodes', linkIds: [id] });
    expect([status, body.error.message]).to.deep.equal([
      403,
      'The export of codes of links needs the scope links.read',
    ]);
    for (const [request, message] of [
      [{ linkIds: ['link_none'] }, 'linkIds must be ids of links: not "link_none"'],
      [{ linkFilter: 'search=nothing' }, 'linkFilter must match at least one link'],
      [{ linkFilter: 'nope=1' }, 'linkFilter.nope is not a known field'],
      [{ linkFilter: '%' }, 'linkFilter must be a well percent-encoded query string'],
      [{ linkFilter: '', linkIds: [id] }, 'linkFilter, linkIds must not be given together'],
    ] as const) {
      expect(await refusal(request)).to.deep.equal([422, message]);
    }
  });

  it('leave out codes that cannot be drawn, and list them', async () => {
    const url = `${A}${'a'.repeat(600)}`;
    const long = await create({ title: '=1+1', url, static: true, size: 1_024 });
    const short = await create({ key: 'short' });
    const { record, bytes } = await exported(api, { size: 150 });
    expect(record).to.include({ total: 2, done: 2, failed: 1 });
    const [error] = record.errors;
    expect(error).to.include({ qrcodeId: long.id });
    expect(error.message).to.match(/^size must be at least/);
    const files = unzipped(bytes);
    expect(Object.keys(files)).to.deep.equal(['short.png', 'errors.csv']);
    expect(files['errors.csv']!.toString()).to.equal(
      `\ufeffname,qrcodeId,error\r\n1-1,${long.id},${csv(error.message)}\r\n`,
    );
    // The list is complete if nothing can be drawn.
    await api.delete(`/qrcodes/${short.id}`);
    const none = await exported(api, { size: 150 });
    expect(Object.keys(unzipped(none.bytes))).to.deep.equal(['errors.csv']);
  });

  it('show passwords of wireless networks only to those who may read them', async () => {
    const wifi = { ssid: 'a', encryption: 'WPA', password: 'secret word' };
    const code = await create({ type: 'wifi', url: undefined, wifi, static: true });
    const reader = await world.withScopes('qrcodes.read');
    const { record } = await exported(reader, {});
    expect(record).to.include({ failed: 1 });
    expect(record.errors[0].message).to.contain('needs the scope qrcodes.write');
    const { record: whole } = await exported(api, { qrcodeIds: [code.id] });
    expect(whole.failed).to.equal(0);
  });

  it('are PDF files of sheets, with as many pages as the codes need', async () => {
    const codes = Array.from({ length: 11 }, (_, n) => ({ type: 'url', url: `${A}${n}` }));
    expect((await api.post('/qrcodes/bulk', codes)).status).to.equal(200);
    const sheet = { columns: 2, rows: 2, caption: 'shortLink' };
    const { record, bytes, headers } = await exported(api, { format: 'sheet', sheet });
    expect(headers.get('content-disposition')).to.equal('attachment; filename="qr-codes.pdf"');
    expect(record).to.include({ format: 'sheet', done: 11 });
    const text = bytes.toString('latin1');
    expect(text)
      .to.match(/^%PDF-1.4\n/)
      .and.match(/%%EOF\n$/);
    expect(text.match(/\/Type \/Page /g)).to.have.length(3);
    // The cross-reference table leads to each object.
    const start = Number(/startxref\n(\d+)/.exec(text)![1]);
    const rows = text.slice(start).match(/^\d{10} 00000 n $/gm)!;
    for (const [at, row] of rows.entries()) {
      expect(text.slice(Number(row.slice(0, 10))).startsWith(`${at + 1} 0 obj\n`)).to.equal(true);
    }
    const labels = await exported(api, { format: 'sheet', sheet: { paper: 'Avery L7160' } });
    expect(labels.bytes.toString('latin1').match(/\/Type \/Page /g)).to.have.length(1);
  });

  it('have captions on sheets in any script', async () => {
    for (const title of ['メニュー', '메뉴', 'قائمة الطعام', 'मेनू']) {
      await create({ title });
    }
    const { bytes } = await exported(api, { format: 'sheet', sheet: { columns: 1, rows: 4 } });
    const page = await sharp(await printed(bytes, 'pdf'))
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height } = page.info;
    // Each row ends with its caption, and rows have a gap of 6 mm. One mm is 2.83 px.
    const pxPerMm = height / 297;
    const rowMm = (297 - 2 * 12 - 3 * 6) / 4;
    for (const row of [0, 1, 2, 3]) {
      const bottom = (12 + (row + 1) * rowMm + row * 6) * pxPerMm;
      const from = Math.ceil(bottom - 5.5 * pxPerMm) * width;
      const caption = page.data.subarray(from, Math.floor(bottom + pxPerMm) * width);
      const dark = caption.filter((value) => value < 128).length;
      expect(dark, `row ${row}`).to.be.above(20);
    }
  });

  it('have captions in a font of the workspace, if it has all letters', async () => {
    const source = fontUri(openType('SCANME'));
    expect((await api.post('/fonts', { name: 'Blocks', source })).status).to.equal(201);
    const qrcodeIds = await Promise.all(
      ['SCAN ME', 'Scan me'].map(async (title) => (await create({ title })).id as string),
    );
    const drawn = async (id: string, captionFont: string) => {
      const body = { format: 'sheet', qrcodeIds: [id], sheet: { captionFont } };
      const { bytes } = await exported(api, body);
      return printed(bytes, 'pdf');
    };
    for (const [at, isOwn] of [true, false].entries()) {
      const id = qrcodeIds[at]!;
      const own = await drawn(id, 'blocks');
      expect(own.equals(await drawn(id, 'Inter')), String(at)).to.equal(!isOwn);
    }
    const refused = await api.post('/exports', {
      type: 'qrcodes',
      format: 'sheet',
      qrcodeIds,
      sheet: { captionFont: 'Comic Sans' },
    });
    expect(refused.status).to.equal(422);
    expect(refused.body.error.message).to.match(/^sheet.captionFont must be one of Inter, /);
  });

  it('are read as they were drawn', async () => {
    await create({ static: true, url: `${A}read` });
    const { bytes } = await exported(api, { size: 200 });
    expect(await read(Object.values(unzipped(bytes))[0]!)).to.equal(`${A}read`);
  });

  it('refuse wrong fields, and name each', async () => {
    await create();
    for (const [request, message] of [
      [{ passphrase: 'long enough' }, 'passphrase must not be set where the type is qrcodes'],
      [{ format: 'gif' }, /^format must be one of /],
      [{ fileNames: 'domain' }, /^fileNames must be one of /],
      [{ format: 'sheet', size: 300 }, 'size must not be set where the format is sheet'],
      [{ sheet: {} }, 'sheet must not be set where the format is png'],
      [
        { format: 'sheet', sheet: { columns: 20, marginMm: 60 } },
        'sheet must leave at least 5 mm for each code',
      ],
      [
        { format: 'sheet', sheet: { paper: 'Avery L7160', columns: 2 } },
        'sheet.columns must not be set where sheet.paper is Avery L7160',
      ],
      [{ format: 'webp', size: 8_000 }, /^size must be at most 4096 /],
      [{ size: 300, sizeMm: 30 }, /must not be given together/],
      [{ bleed: 3 }, /^bleed must not be set where the format is png/],
      [{ filter: 'archived=1' }, 'filter.archived is not a known field'],
      [
        { filter: 'type=none&folderId=' },
        /^filter.folderId must not be empty; filter.type must be one of /,
      ],
      [{ filter: '%' }, 'filter must be a well percent-encoded query string'],
      [{ filter: 'search=none' }, 'filter must match at least one QR code'],
      [{ filter: '', qrcodeIds: ['qr_a'] }, /must not be given together/],
      [{ qrcodeIds: ['qr_none'] }, 'qrcodeIds must be ids of QR codes: not "qr_none"'],
      [{ qrcodeIds: ['qr_a', 'qr_a'] }, /^qrcodeIds\[1\] must be unique/],
    ] as const) {
      const [status, text] = await refusal(request);
      expect(status, text).to.equal(422);
      if (typeof message === 'string') expect(text).to.equal(message);
      else expect(text).to.match(message);
    }
    const { body } = await api.post('/exports', { type: 'workspace', format: 'png' });
    expect(body.error.message).to.equal('format must not be set where the type is workspace');
  });

  it('are of one workspace, which can cancel them', async () => {
    const ids = await Promise.all([create(), create()]);
    const { body } = await api.post('/exports', { type: 'qrcodes' });
    const other = await aWorkspace();
    expect((await other.api.get(`/exports/${body.id}/progress`)).status).to.equal(404);
    expect((await other.api.post(`/exports/${body.id}/cancel`)).status).to.equal(404);
    const [status, message] = await (async () => {
      const answer = await other.api.post('/exports', {
        type: 'qrcodes',
        qrcodeIds: ids.map(({ id }) => id),
      });
      return [answer.status, answer.body.error.message];
    })();
    expect([status, message]).to.deep.equal([
      422,
      `qrcodeIds must be ids of QR codes: not "${ids[0]!.id}"`,
    ]);
    const ended = await endOfExport(api, body.id);
    const late = await api.post(`/exports/${body.id}/cancel`);
    expect([late.status, late.body.error.message]).to.deep.equal([
      409,
      'The export must not be cancelled: it is done',
    ]);
    // A worker may have drawn it before a cancellation, so the state is set back.
    await db()('exports').where({ id: body.id }).update({ state: 'running', done: 1 });
    const cancelled = await api.post(`/exports/${body.id}/cancel`);
    expect([cancelled.status, cancelled.body.state]).to.deep.equal([200, 'cancelled']);
    expect((await fetch(ended.url)).status).to.equal(410);
    expect(await db()('export_parts').where({ export_id: body.id })).to.deep.equal([]);
  });

  it('are cancelled only with the scope for writing', async () => {
    const id = await anOpenExport(api);
    const reader = await world.withScopes('qrcodes.read');
    expect((await reader.post(`/exports/${id}/cancel`)).status).to.equal(403);
    const writer = await world.withScopes('qrcodes.write');
    const { status, body } = await writer.post(`/exports/${id}/cancel`);
    expect([status, body.state]).to.deep.equal([200, 'cancelled']);
  });

  it('are limited in size, with all other exports of the workspace', async () => {
    await create();
    const { record } = await exported(api, {});
    const most = EXPORT_BYTES.enterprise;
    const message =
      'The exports of the workspace must not exceed 32768 MiB, the limit of the plan enterprise: ' +
      'export less, or wait, since each is deleted a day after it was written';
    await db()('exports').where({ id: record.id }).update({ bytes: most });
    expect(await refusal({})).to.deep.equal([403, message]);
    const workspace = await api.post('/exports', { type: 'workspace' });
    expect([workspace.status, workspace.body.error.message]).to.deep.equal([403, message]);
    const links = await api.get('/links/export', {}, { headers: { prefer: 'respond-async' } });
    await eventually(async () => {
      const { body } = await api.get(links.headers.get('location')!);
      expect([body.status, body.error?.message]).to.deep.equal(['failed', message]);
    });
    // The image does not fit into what is left.
    await db()('exports')
      .where({ id: record.id })
      .update({ bytes: most - 10 });
    const { body } = await api.post('/exports', { type: 'qrcodes' });
    const ended = await endOfExport(api, body.id);
    expect([ended.state, ended.failure, ended.bytes]).to.deep.equal(['failed', message, 0]);
  });

  it('fail if none of many attempts makes progress', async () => {
    const id = await anOpenExport(api);
    // Options that no release writes, and all attempts but the last one.
    await db()('exports')
      .where({ id })
      .update({ options: '{"format": "sheet"}', format: 'pdf', done: 0, faults: 29 });
    await wakeExport(world.projectId, { id, done: 0 });
    const record = await endOfExport(api, id);
    expect(record.state).to.equal('failed');
    expect(record.failure).to.match(/^The images could not be drawn because of a fault/);
  });

  it('are limited in number, and can be read for a day', async () => {
    await create();
    const { record } = await exported(api, {});
    const expiresIn = Date.parse(record.expiresAt) - Date.now();
    expect(expiresIn).to.be.within(23 * 3_600_000, 24 * 3_600_000);
    const { project_id } = await db()('exports').where({ id: record.id }).first();
    const row = { project_id, name: 'a', format: 'zip', state: 'queued', expires_at: new Date(0) };
    const rows = Array.from({ length: 5 }, (_, n) => ({ ...row, id: `exp_${project_id}${n}` }));
    // Without options, so that no worker draws them.
    await db()('exports').insert(rows);
    const [status, message] = await refusal({});
    expect([status, message]).to.deep.equal([
      409,
      'The workspace must not have more than 5 unfinished exports of QR codes; wait or cancel some',
    ]);
  });
});

const csv = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
