import { expect } from 'chai';
import sharp from 'sharp';
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
