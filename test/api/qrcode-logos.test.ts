import { expect } from 'chai';
import sharp from 'sharp';
import { db } from '../../src/infra/db.ts';
import { ApiClient } from '../support/client.ts';
import { scan } from '../support/decoders.ts';
import { Site } from '../support/site.ts';
import { aWorkspace, type World } from '../support/world.ts';

const URL_A = 'https://example.com/a';

describe('an image in the middle', () => {
  let world: World;
  let site: Site;
  let logo: string;

  before(async () => {
    world = await aWorkspace();
    site = await Site.start();
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#c00"/></svg>';
    logo = site.answer('/logo.svg', { type: 'image/svg+xml', body: svg });
  });

  after(() => site.stop());

  it('is fetched once, stored and rendered; the level is then H', async () => {
    const { status, body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: URL_A,
      src: logo,
      excavate: true,
    });
    expect(status).to.equal(201);
    expect(body).to.include({ src: logo, level: 'H', excavate: true });
    expect(body.width).to.be.greaterThan(40);
    expect(body.width / body.height).to.be.closeTo(2, 0.1);
    site.answer('/logo.svg', (_request, response) => response.writeHead(500).end());
    const { bytes } = await world.api.download(`/qrcodes/${body.id}/image`);
    expect(await scan(bytes)).to.equal(`https://${world.domain}/${body.key}`);
    const { dominant } = await sharp(
      await sharp(bytes).extract({ left: 250, top: 250, width: 12, height: 12 }).toBuffer(),
    ).stats();
    expect(dominant.r).to.be.greaterThan(180);
    expect(dominant.g).to.be.lessThan(40);
    expect(site.requests('/logo.svg')).to.equal(1);
  });

  it('is fetched once for all QR codes of a bulk request', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>';
    const shared = site.answer('/shared.svg', { type: 'image/svg+xml', body: svg });
    const broken = site.answer('/broken.svg', { type: 'image/svg+xml', body: '<html>' });
    const { status, body } = await world.api.post('/qrcodes/bulk', [
      ...Array.from({ length: 5 }, () => ({ type: 'url', url: URL_A, src: shared })),
      { type: 'url', url: URL_A, logo: shared, showLogo: true },
      { type: 'url', url: URL_A, src: broken },
      { type: 'url', url: URL_A, logo: broken },
    ]);
    expect(status).to.equal(200);
    const names = body.map((item: { id?: string; error?: { message: string } }) =>
      item.id === undefined ? item.error?.message.split(' ')[0] : 'made',
    );
    expect(names).to.deep.equal([...Array(6).fill('made'), 'src', 'logo']);
    expect([site.requests('/shared.svg'), site.requests('/broken.svg')]).to.deep.equal([1, 1]);
  });

  it('may be sent as a data URI, longer than any other text', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
    const png = await sharp({
      create: { width: 250, height: 250, channels: 3, background: 'red', noise },
    })
      .png()
      .toBuffer();
    const src = `data:image/png;base64,${png.toString('base64')}`;
    expect(src.length).to.be.within(100_000, 700_000);
    const { status, body } = await world.api.post('/qrcodes', { type: 'url', url: URL_A, src });
    expect([status, body.src]).to.deep.equal([201, src]);
  });

  it('is refused when it hides more than the level can restore, with the largest size', async () => {
    const png = await sharp({ create: { width: 60, height: 60, channels: 3, background: '#00f' } })
      .png()
      .toBuffer();
    const src = `data:image/png;base64,${png.toString('base64')}`;
    const send = (fields: object) =>
      world.api.post('/qrcodes', { type: 'url', url: URL_A, src, ...fields });
    const { status, body } = await send({ width: 200, height: 200, level: 'L' });
    expect(status).to.equal(422);
    expect(body.error.message).to.match(
      /^width and height of the image must be smaller: 200 × 200 px hide more of the code than level L can bear/,
    );
    const side = /works is (\d+) × \d+ px/.exec(
      (await send({ width: 200, height: 200, level: 'H' })).body.error.message,
    )![1];
    const fits = await send({ width: Number(side), height: Number(side), level: 'H' });
    expect([fits.status, fits.body.width]).to.deep.equal([201, Number(side)]);
  });

  it('is refused when it cannot be fetched, with the name of the field', async () => {
    site.answer('/page', { type: 'image/png', body: '<html>' });
    const cases: [object, RegExp][] = [
      [{ src: `${site.url}/nothing` }, /^src must respond with status 200, not 404/],
      [{ logo: `${site.url}/page` }, /^logo must be an image/],
      [{ src: 'http://10.0.0.1/x.png' }, /^src must not point to a private IP address/],
      [{ src: 'ftp://example.com/x.png' }, /^src must be a URL that begins with http/],
    ];
    for (const [fields, message] of cases) {
      const { status, body } = await world.api.post('/qrcodes', {
        type: 'url',
        url: URL_A,
        ...fields,
      });
      expect(status).to.equal(422);
      expect(body.error.message).to.match(message);
    }
  });

  it('is copied from a template, like the rest of the design', async () => {
    const src =
      'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4" cx="4" cy="4"/></svg>';
    const look = {
      src,
      excavate: true,
      pattern: 'dots',
      shape: 'leaf',
      fgColor: '#102030',
      frame: 'rounded',
    };
    const first = (
      await world.api.post('/qrcodes', { type: 'url', url: URL_A, ...look, useAsTemplate: true })
    ).body;
    expect(first.templateId).to.match(/^tmpl_/);
    const { body } = await world.api.post('/qrcodes', {
      type: 'text',
      text: 'x',
      templateId: first.templateId,
      pattern: 'classy',
    });
    expect(body).to.include({
      ...look,
      pattern: 'classy',
      level: 'H',
      templateId: first.templateId,
    });
    expect((await world.api.download(`/qrcodes/${body.id}/image`)).status).to.equal(200);
    const [template] = (await world.api.get('/templates')).body;
    expect(template).to.include({ id: first.templateId, ...look });
    expect((await world.api.delete(`/templates/${first.templateId}`)).status).to.equal(200);
    expect((await world.api.get(`/qrcodes/${body.id}`)).body).to.include({
      templateId: null,
      shape: 'leaf',
    });
    expect((await world.api.delete(`/templates/${first.templateId}`)).status).to.equal(404);
  });
});

describe('the photo of a contact', () => {
  const PHOTO =
    'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"><circle r="30" cx="30" cy="30"/></svg>';
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  it('is on the page, and neither in the vCard nor readable without a page', async () => {
    const vcard = { firstName: 'Ada', lastName: 'Lovelace', photo: PHOTO };
    const { status, body } = await world.api.post('/qrcodes', { type: 'vcard', vcard, key: 'ada' });
    expect([status, body.vcard]).to.deep.equal([201, vcard]);
    const page = await world.visit('/ada');
    const url = /class="photo" src="([^"]+)"/.exec(page.body)![1]!;
    expect(page.headers['content-security-policy']).to.contain(new URL(url).origin);
    const nobody = new ApiClient(undefined);
    const photo = await nobody.download(new URL(url).pathname);
    expect([photo.status, (await sharp(photo.bytes).metadata()).format]).to.deep.equal([
      200,
      'png',
    ]);
    expect((await world.visit('/_/file/ada')).body)
      .to.not.contain('PHOTO')
      .and.not.contain('data:');
    const { lastName, firstName } = vcard;
    const without = await world.api.patch(`/qrcodes/${body.id}`, {
      vcard: { firstName, lastName },
    });
    expect(without.status).to.equal(200);
    expect((await world.visit('/ada')).body).to.not.contain('class="photo"');
  });

  it('is refused with the name of the field', async () => {
    const send = (vcard: object, more: object = {}) =>
      world.api.post('/qrcodes', { type: 'vcard', vcard: { firstName: 'Ada', ...vcard }, ...more });
    const unread = await send({ photo: 'data:image/png;base64,AAAA' });
    expect([unread.status, unread.body.error.message]).to.deep.equal([
      422,
      'vcard.photo must be an image (PNG, JPEG, WebP, GIF, AVIF or SVG)',
    ]);
    const fixed = await send({ photo: PHOTO }, { static: true });
    expect([fixed.status, fixed.body.error.message]).to.deep.equal([
      422,
      'vcard.photo must not be set where static is true: the photo is shown on a page',
    ]);
  });
});

describe('the file of a code', () => {
  let world: World;
  let site: Site;
  const nobody = new ApiClient(undefined);

  before(async () => {
    world = await aWorkspace();
    site = await Site.start();
  });

  after(() => site.stop());

  const create = (file: object) => world.api.post('/qrcodes', { type: 'file', file });

  it('is stored, and opened by a scan with headers that run nothing', async () => {
    const source = site.answer('/menu', { type: 'text/html', body: '%PDF-1.7\nmenu' });
    const { status, body } = await create({ source, name: 'Menü 2026' });
    expect(status, JSON.stringify(body)).to.equal(201);
    site.answer('/menu', (_request, response) => response.writeHead(500).end());
    const { status: redirect, headers } = await world.visit(`/${body.key}`);
    const { pathname, search } = new URL(headers.location!);
    expect([redirect, decodeURI(pathname)]).to.satisfy(
      ([code, path]: [number, string]) => code === 302 && path.endsWith('/Menü-2026.pdf'),
    );
    const opened = await nobody.download(pathname + search);
    expect(opened.bytes.toString()).to.equal('%PDF-1.7\nmenu');
    const header = (name: string) => opened.headers.get(name);
    expect(header('content-type')).to.equal('application/pdf');
    expect(header('content-disposition')).to.equal('inline');
    expect(header('x-content-type-options')).to.equal('nosniff');
    expect(header('content-security-policy')).to.contain("default-src 'none'");
    const png = `data:text/html;base64,${Buffer.from('\x89PNG\r\n\x1a\nx', 'latin1').toString('base64')}`;
    const saved = await world.api.patch(`/qrcodes/${body.id}`, {
      file: { source: png, isDownload: true },
    });
    expect(saved.status, JSON.stringify(saved.body)).to.equal(200);
    const url = new URL((await world.visit(`/${body.key}`)).headers.location!);
    const image = await nobody.download(url.pathname + url.search);
    expect([
      image.headers.get('content-type'),
      image.headers.get('content-disposition'),
    ]).to.deep.equal(['image/png', 'attachment']);
    expect(image.headers.get('content-security-policy')).to.contain('sandbox');
  });

  it('is open only while its code is', async () => {
    const source = site.answer('/open', { type: 'application/pdf', body: '%PDF-1.7\nopen' });
    const { body } = await create({ source });
    const { pathname } = new URL((await world.visit(`/${body.key}`)).headers.location!);
    const statusOf = async () => (await nobody.download(pathname)).status;
    expect(await statusOf()).to.equal(200);
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    await world.api.patch(`/qrcodes/${body.id}`, { startsAt: inAnHour });
    expect(await statusOf()).to.equal(404);
    await world.api.patch(`/qrcodes/${body.id}`, { startsAt: null });
    expect(await statusOf()).to.equal(200);
    await db()('qrcodes')
      .where({ id: body.id })
      .update({ expires_at: new Date(0) });
    expect(await statusOf()).to.equal(404);
    await db()('qrcodes').where({ id: body.id }).update({ expires_at: null });
    const blocked = { record_id: body.id, project_id: world.projectId };
    await db()('blocked_links').insert({ ...blocked, short_link: body.shortLink, reason: 'a' });
    expect(await statusOf()).to.equal(404);
    await db()('blocked_links').where(blocked).delete();
    expect(await statusOf()).to.equal(200);
    await world.api.delete(`/qrcodes/${body.id}`);
    expect(await statusOf()).to.equal(404);
  });

  it('is refused beyond the size that the plan has for files', async () => {
    const small = await aWorkspace({ plan: 'free' });
    // 10 files of 5 MiB fill the 50 MiB of the plan.
    await db().raw(
      `INSERT INTO files (project_id, id, type, bytes)
       SELECT ?, 'a' || n, 'application/pdf', convert_to(repeat('a', 5242880), 'UTF8') FROM generate_series(1, 10) n`,
      [small.projectId],
    );
    const source = `data:application/pdf,${encodeURIComponent('%PDF-1.7 more')}`;
    const { status, body } = await small.api.post('/qrcodes', { type: 'file', file: { source } });
    expect([status, body.error.message]).to.deep.equal([
      422,
      'file.source must not exceed 50 MiB together with the other files of the workspace, the ' +
        'limit of the plan free; the file of a deleted code counts while it can be restored',
    ]);
    await db()('files').where({ project_id: small.projectId, id: 'a1' }).delete();
    const fits = await small.api.post('/qrcodes', { type: 'file', file: { source } });
    expect(fits.status).to.equal(201);
  });

  it('is refused with the name of the field', async () => {
    const html = site.answer('/page', { type: 'application/pdf', body: '<html>' });
    const REFUSED: [file: object, message: string][] = [
      [{ source: html }, 'file.source must be a PDF, PNG, JPEG, WebP or GIF'],
      [
        { source: 'ftp://example.com/a.pdf' },
        'file.source must be a URL that begins with http:// or https://, or a data URI',
      ],
      [{ source: `${site.url}/none` }, 'file.source must respond with status 200, not 404'],
    ];
    for (const [file, message] of REFUSED) {
      const { status, body } = await create(file);
      expect([status, body.error.message]).to.deep.equal([422, message]);
    }
  });
});
