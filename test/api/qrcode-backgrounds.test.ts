import { expect } from 'chai';
import sharp from 'sharp';
import { FORMATS } from '../../src/qrcodes/render/design.ts';
import { background } from '../qr/backgrounds.ts';
import { ApiClient } from '../support/client.ts';
import { printed, scan } from '../support/decoders.ts';
import { Site } from '../support/site.ts';
import { aWorkspace, type World } from '../support/world.ts';

const CODE = { type: 'url', url: 'https://example.com/a' };

describe('a picture behind a QR code', function () {
  this.timeout(120_000);
  let world: World;
  let site: Site;
  let picture: string;
  let dataUri: string;

  before(async () => {
    world = await aWorkspace();
    site = await Site.start();
    const { png } = await background('vivid');
    picture = site.answer('/picture.png', { type: 'image/png', body: png });
    dataUri = `data:image/png;base64,${png.toString('base64')}`;
  });

  after(() => site.stop());

  const create = (fields: object) => world.api.post('/qrcodes', { ...CODE, ...fields });
  const imageOf = async (id: string, query: Record<string, string | number> = {}) =>
    (await world.api.download(`/qrcodes/${id}/image`, query)).bytes;
  const colorAt = async (png: Buffer, left: number, top: number) => {
    const part = sharp(await sharp(png).extract({ left, top, width: 8, height: 8 }).toBuffer());
    return (await part.stats()).channels.map(({ mean }) => mean) as [number, number, number];
  };

  it('is fetched once, stored, and drawn in all formats; the level is then H', async () => {
    const { status, body } = await create({ backgroundSrc: picture });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body).to.include({
      backgroundSrc: picture,
      backgroundStyle: 'picture',
      backgroundStrength: 'medium',
      level: 'H',
    });
    expect(body.warnings).to.deep.equal([]);
    for (const format of FORMATS) {
      const bytes = await printed(await imageOf(body.id, { format }), format);
      expect(await scan(bytes), format).to.equal(body.shortLink);
    }
    const png = await imageOf(body.id);
    const [red, green] = await colorAt(png, 4, 4);
    expect(red - green).to.be.greaterThan(15);
    const [red2, , blue] = await colorAt(png, 500, 4);
    expect(blue - red2).to.be.greaterThan(15);
    expect(site.requests('/picture.png')).to.equal(1);
  });

  it('becomes the form of the modules as a halftone, whose strength a change sets', async () => {
    const { body } = await create({ backgroundSrc: dataUri, backgroundStyle: 'halftone' });
    expect(body.warnings).to.deep.equal([]);
    const strong = await world.api.patch(`/qrcodes/${body.id}`, { backgroundStrength: 'strong' });
    expect(strong.body).to.include({ backgroundStyle: 'halftone', backgroundStrength: 'strong' });
    expect(strong.body.warnings).to.have.length(1);
    expect(strong.body.warnings[0]).to.match(/^backgroundStrength strong: some scanners/);
    for (const format of FORMATS) {
      const bytes = await printed(await imageOf(body.id, { format, size: 600 }), format);
      expect(await scan(bytes), format).to.equal(body.shortLink);
    }
    const plain = await world.api.patch(`/qrcodes/${body.id}`, { backgroundSrc: null });
    expect(plain.body).to.include({ backgroundSrc: null, level: 'M' });
    const small = async (id: string) => (await imageOf(id, { format: 'svg' })).length;
    expect(await small(body.id)).to.be.below(30_000);
  });

  it('is part of templates and bulk requests, and of GET /qr', async () => {
    const { body } = await create({ backgroundSrc: picture, useAsTemplate: true });
    const { body: second } = await create({ templateId: body.templateId });
    expect(second.backgroundSrc).to.equal(picture);
    expect(await scan(await imageOf(second.id))).to.equal(second.shortLink);
    const { body: bulk } = await world.api.post('/qrcodes/bulk', [
      { ...CODE, backgroundSrc: dataUri },
      { ...CODE, backgroundSrc: `${site.url}/nothing` },
    ]);
    expect(bulk[0].backgroundSrc).to.equal(dataUri);
    expect(bulk[1].error.message).to.match(/^backgroundSrc must respond with status 200, not 404/);
    const anyone = new ApiClient(undefined);
    const drawn = await anyone.download('/qr', {
      url: CODE.url,
      backgroundSrc: picture,
      backgroundStyle: 'halftone',
    });
    expect([drawn.status, await scan(drawn.bytes)]).to.deep.equal([200, CODE.url]);
  });

  it('is in CMYK in files for print that ask for it', async () => {
    const { body } = await create({ backgroundSrc: picture });
    for (const format of ['pdf', 'eps'] as const) {
      const bytes = await imageOf(body.id, { format, colorSpace: 'cmyk' });
      expect(bytes.toString('latin1')).to.contain('/DeviceCMYK').and.not.to.contain('/DeviceRGB');
      expect(await scan(await printed(bytes, format)), format).to.equal(body.shortLink);
    }
    const { status, body: refused } = await world.api.get(`/qrcodes/${body.id}/image`, {
      format: 'pdf',
      colorSpace: 'cmyk',
      fgSpot: 'PANTONE 286 C',
    });
    expect(status).to.equal(422);
    expect(refused.error.message).to.match(/^fgSpot must not be set for a code with background/);
  });

  it('is refused where the code could not be scanned', async () => {
    const stops = [{ color: '#000' }, { color: '#009' }];
    const halftone = { backgroundStyle: 'halftone' };
    const cases: [object, RegExp][] = [
      [{ frame: 'disc' }, /^backgroundSrc must not be set where frame is disc/],
      [{ fgGradient: { stops } }, /^fgGradient must not be set where backgroundStyle is picture/],
      [{ fgColor: '#fff', bgColor: '#000' }, /fgColor must be darker than bgColor/],
      [{ ...halftone, fgColor: '#fff', bgColor: '#000' }, /fgColor must be darker than bgColor/],
      [{ fgColor: '#f80' }, /^fgColor and bgColor must differ more/],
      [{ ...halftone, size: 300 }, /^size must be at least \d+ px .* each needs 8 px/],
      [
        { ...halftone, static: true, url: `https://example.com/${'a'.repeat(200)}`, size: 900 },
        /^backgroundStyle must not be halftone for this content: .* a halftone at most 57/,
      ],
      [{ backgroundStyle: 'mosaic' }, /^backgroundStyle must be one of/],
      [{ backgroundStrength: 'full' }, /^backgroundStrength must be one of/],
      [{ backgroundSrc: 'http://10.0.0.1/x.png' }, /^backgroundSrc must not point to a private/],
    ];
    for (const [fields, message] of cases) {
      const { status, body } = await create({ backgroundSrc: dataUri, ...fields });
      expect(status, JSON.stringify(fields)).to.equal(422);
      expect(body.error.message).to.match(message);
    }
  });

  it('warns of a strong picture, whose contrast is lower', async () => {
    const { body } = await create({ backgroundSrc: dataUri, backgroundStrength: 'strong' });
    expect(body.warnings).to.have.length(1);
    expect(body.warnings[0]).to.match(
      /^backgroundStrength strong: modules and their background have a symbol contrast of 5\d%/,
    );
  });
});
