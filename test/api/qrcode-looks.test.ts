import { expect } from 'chai';
import sharp from 'sharp';
import { db } from '../../src/infra/db.ts';
import { scan } from '../support/decoders.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const CODE = { type: 'url', url: 'https://example.com/a' };

describe('the look of a QR code', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  const create = (fields: object) => world.api.post('/qrcodes', { ...CODE, ...fields });

  /** Asserts that each look is refused with a message. */
  async function refuses(cases: [look: object, message: RegExp][]): Promise<void> {
    for (const [look, message] of cases) {
      const { status, body } = await create(look);
      expect([status, body.error?.code], JSON.stringify(look)).to.deep.equal([
        422,
        'unprocessable_entity',
      ]);
      expect(body.error.message).to.match(message);
    }
  }

  it('is the default of new codes in the console once one template is marked', async () => {
    const workspace = await aWorkspace();
    const template = async () => {
      const { body } = await workspace.api.post('/qrcodes', { ...CODE, useAsTemplate: true });
      return `/templates/${body.templateId}`;
    };
    const [first, second] = [await template(), await template()];
    const defaults = async () =>
      (await workspace.api.get('/templates')).body.map(
        ({ isDefault }: { isDefault: boolean }) => isDefault,
      );
    expect(await defaults()).to.deep.equal([false, false]);
    const marked = await workspace.api.patch(first, { isDefault: true, name: 'Menu' });
    expect([marked.status, marked.body.isDefault, marked.body.name]).to.deep.equal([
      200,
      true,
      'Menu',
    ]);
    await workspace.api.patch(second, { isDefault: true });
    expect(await defaults()).to.deep.equal([true, false]);
    expect((await workspace.api.patch(second, { name: 'Card' })).body.isDefault).to.equal(true);
    const both = await Promise.all(
      [first, second].map((path) => workspace.api.patch(path, { isDefault: true })),
    );
    expect(both.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect((await defaults()).filter(Boolean)).to.have.lengthOf(1);
    const { body } = await workspace.api.post('/qrcodes', CODE);
    expect(body.templateId).to.equal(null);
    await workspace.api.patch(first, { isDefault: false });
    await workspace.api.patch(second, { isDefault: false });
    expect(await defaults()).to.deep.equal([false, false]);
    const refused = await workspace.api.patch(first, { isDefault: 'yes' });
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      422,
      'isDefault must be a boolean',
    ]);
  });

  it('waits for another default before it locks its template, so that two cannot deadlock', async () => {
    const workspace = await aWorkspace();
    const { body } = await workspace.api.post('/qrcodes', { ...CODE, useAsTemplate: true });
    const where = { project_id: workspace.projectId, id: body.templateId };
    let change!: ReturnType<World['api']['patch']>;
    await db().transaction(async (trx) => {
      await trx.raw('SELECT pg_advisory_xact_lock(hashtext(?))', [
        `template ${workspace.projectId}`,
      ]);
      change = workspace.api.patch(`/templates/${body.templateId}`, { isDefault: true });
      await eventually(async () => {
        const { rows: waiting } = (await db().raw(
          "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted",
        )) as { rows: object[] };
        expect(waiting).not.to.deep.equal([]);
      });
      const free = (await trx('templates').where(where).forUpdate().skipLocked()) as object[];
      expect(free).to.have.length(1);
    });
    expect((await change).body.isDefault).to.equal(true);
  });

  it('is stored as a template under a name, which can be changed', async () => {
    const { body } = await create({ useAsTemplate: true, templateName: '  Spring   ' });
    const { body: nameless } = await create({ useAsTemplate: true });
    const namesOf = async () =>
      (await world.api.get('/templates')).body.map(({ name }: { name: unknown }) => name);
    expect(await namesOf()).to.deep.equal([null, 'Spring']);
    const path = `/templates/${nameless.templateId}`;
    const renamed = await world.api.patch(path, { name: 'Plain' });
    expect([renamed.status, renamed.body.name]).to.deep.equal([200, 'Plain']);
    await world.api.patch(`/templates/${body.templateId}`, { name: null });
    expect(await namesOf()).to.deep.equal(['Plain', null]);
    expect((await world.api.patch('/templates/tmpl_none', { name: 'a' })).status).to.equal(404);
    const reader = await world.withScopes('qrcodes.read');
    expect((await reader.patch(path, { name: 'a' })).status).to.equal(403);
    for (const [answer, message] of [
      [world.api.patch(path, { name: 'a'.repeat(65) }), /^name must be at most 64 characters/],
      [
        create({ templateName: 'a' }),
        /^body must have useAsTemplate: true where it has templateName/,
      ],
    ] as const) {
      const { status, body: refused } = await answer;
      expect(status).to.equal(422);
      expect(refused.error.message).to.match(message);
    }
  });

  it('is changed for many codes at once, by a template or its fields, and reverted', async () => {
    const { api } = await aWorkspace();
    const make = async (fields: object) =>
      (await api.post('/qrcodes', { ...CODE, ...fields })).body;
    const look = { fgColor: '#14532D', pattern: 'dots', frame: 'rounded' };
    const { templateId } = await make({ ...look, useAsTemplate: true });
    const dynamic = await make({ fgColor: '#1E3A8A' });
    const fixed = await make({ type: 'text', url: undefined, text: 'Menu', static: true });
    const qrcodeIds = [dynamic.id, 'qr_none', fixed.id];
    const change = (data: object) => api.patch('/qrcodes/bulk', { qrcodeIds, data });
    const { body: changed } = await change({ templateId, bgColor: '#FFF7E6' });
    for (const [at, { contentStatic, shortLink }] of [
      [0, dynamic],
      [2, fixed],
    ] as const) {
      const same = { contentStatic, shortLink };
      expect(changed[at]).to.include({ ...look, ...same, templateId, bgColor: '#FFF7E6' });
    }
    expect(changed[1].error.code).to.equal('not_found');

    const { body: history } = await api.get(`/qrcodes/${dynamic.id}/history`);
    const revert = { changeId: history[0].id };
    await api.post(`/qrcodes/${dynamic.id}/revert`, revert);
    const { body: reverted } = await api.get(`/qrcodes/${dynamic.id}`);
    expect(reverted).to.include({ fgColor: '#1E3A8A', pattern: 'squares', frame: 'none' });
  });

  it('of many codes stays that of a code which it would make unreadable', async () => {
    const { api } = await aWorkspace();
    const { body: light } = await api.post('/qrcodes', { ...CODE, fgColor: '#1E3A8A' });
    const { body: dark } = await api.post('/qrcodes', { ...CODE, bgColor: '#BBBBBB' });
    const change = (data: object) =>
      api.patch('/qrcodes/bulk', { qrcodeIds: [light.id, dark.id], data });
    const { status, body } = await change({ fgColor: '#777777' });
    expect([status, body[0].fgColor]).to.deep.equal([200, '#777777']);
    expect(body[1].error).to.include({ code: 'unprocessable_entity' });
    expect((await api.get(`/qrcodes/${dark.id}`)).body.fgColor).to.equal('#000000');
    for (const [data, message] of [
      [{ fgColor: 'none' }, /^data.fgColor must be a color/],
      [{ url: 'https://example.com' }, /^data.url /],
      [{ useAsTemplate: true }, /^data.useAsTemplate /],
    ] as const) {
      const refused = await change(data);
      expect(refused.status).to.equal(422);
      expect(refused.body.error.message).to.match(message);
    }
    const { body: unknown } = await change({ templateId: 'tmpl_none' });
    expect(unknown.error?.message ?? unknown[0].error.message).to.contain('there is no template');
  });

  it('may have gradients and colors of eyes, which templates keep and null clears', async () => {
    const look = {
      fgGradient: {
        type: 'radial',
        stops: [{ color: 'navy' }, { color: '#909' }, { color: '#600' }],
      },
      bgGradient: {
        angle: 90,
        stops: [
          { color: '#fff', offset: 0.2 },
          { color: '#eef', offset: 1 },
        ],
      },
      eyeColor: '#123456',
      eyeBallColor: '#654321',
      eyeColors: { topLeft: { frame: 'black' } },
    };
    const { status, body } = await create({ ...look, useAsTemplate: true });
    expect(status).to.equal(201);
    expect(body.fgGradient).to.deep.equal({
      type: 'radial',
      angle: 0,
      stops: [
        { color: '#000080', offset: 0 },
        { color: '#990099', offset: 0.5 },
        { color: '#660000', offset: 1 },
      ],
    });
    expect(body.bgGradient).to.deep.include({ type: 'linear', angle: 90 });
    expect(body).to.deep.include({
      eyeColor: '#123456',
      eyeColors: { topLeft: { frame: '#000000' } },
      eyeGradient: null,
    });
    for (const format of ['png', 'svg', 'jpeg']) {
      const { bytes } = await world.api.download(`/qrcodes/${body.id}/image?format=${format}`);
      expect(await scan(bytes), format).to.equal(body.shortLink);
    }
    const copy = (await create({ templateId: body.templateId, eyeColors: null })).body;
    expect(copy).to.deep.include({ fgGradient: body.fgGradient, eyeColors: null });
    const changed = await world.api.patch(`/qrcodes/${body.id}`, { fgGradient: null });
    expect(changed.body.fgGradient).to.equal(null);
  });

  it('is refused with gradients that break a rule', async () => {
    const stops = [{ color: '#000' }, { color: '#333' }];
    await refuses([
      [{ fgGradient: { stops: [stops[0]] } }, /^fgGradient.stops must .*2/],
      [{ fgGradient: { stops: Array(6).fill(stops[0]) } }, /^fgGradient.stops must .*5/],
      [{ fgGradient: { stops, angle: 400 } }, /^fgGradient.angle must/],
      [{ fgGradient: { stops, type: 'conic' } }, /^fgGradient.type must be/],
      [{ bgGradient: {} }, /^bgGradient.stops is required/],
      [
        { eyeGradient: { stops: [{ color: '#000', offset: 0.5 }, stops[1]] } },
        /^eyeGradient.stops must have an offset in each stop, or in none$/,
      ],
      [
        {
          fgGradient: {
            stops: [
              { color: '#000', offset: 0.5 },
              { color: '#333', offset: 0.2 },
            ],
          },
        },
        /^fgGradient.stops must have stops with ascending offsets$/,
      ],
      [{ fgGradient: { stops: [{ color: '#0008' }, stops[1]] } }, /color must be a color without/],
      [{ eyeColors: { bottomRight: {} } }, /^eyeColors.bottomRight is not/],
      [
        { fgGradient: { stops: [{ color: '#000' }, { color: '#ddd' }] } },
        /^fgGradient and bgColor must differ more/,
      ],
      [{ eyeColor: '#ddd' }, /^eyeColor and bgColor must differ more/],
    ]);
  });

  it('is refused inks for colors that a gradient replaces', async () => {
    const stops = [{ color: '#000' }, { color: '#333' }];
    const { body } = await create({ fgGradient: { stops } });
    const image = (query: string) =>
      world.api.get(`/qrcodes/${body.id}/image?format=pdf&colorSpace=cmyk${query}`);
    const refused = await image('&fgSpot=PANTONE');
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      422,
      'fgSpot must not be set for a code with fgGradient',
    ]);
  });

  it('may have a plate behind the logo, and warns where the logo cuts modules', async () => {
    const src = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 25 10"><rect width="25" height="10" fill="#0a4"/></svg>')}`;
    const { body } = await create({ src, excavate: true, logoPlate: { rimColor: 'navy' } });
    expect(body.logoPlate).to.deep.equal({
      shape: 'rounded',
      color: '#FFFFFF',
      rimColor: '#000080',
      padding: 10,
    });
    expect(body.warnings).to.deep.equal([]);
    expect(body.width / body.height).to.be.closeTo(2.5, 0.1);
    const { bytes } = await world.api.download(`/qrcodes/${body.id}/image?format=svg`);
    expect(await scan(bytes)).to.equal(body.shortLink);
    expect(bytes.toString()).to.contain('fill="#000080"');
    const [warning] = (await create({ src })).body.warnings;
    expect(warning).to.match(/^excavate is false: the image cuts through modules/);
    await refuses([
      [{ src, logoPlate: { shape: 'star' } }, /^logoPlate.shape must be/],
      [{ src, logoPlate: { padding: 60 } }, /^logoPlate.padding must/],
      [{ src, logoPlate: { color: 'bright' } }, /^logoPlate.color must be a color/],
    ]);
  });

  it('keeps the size of its logo when something else changes', async () => {
    const src = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>')}`;
    const { body } = await create({ src, excavate: true });
    const image = async () => (await world.api.download(`/qrcodes/${body.id}/image`)).bytes;
    const before = await image();
    await world.api.patch(`/qrcodes/${body.id}`, { title: 'Poster' });
    expect((await image()).equals(before)).to.equal(true);
  });

  it('may be an SVG without width and height', async () => {
    const { body } = await create({});
    const path = `/qrcodes/${body.id}/image`;
    const svg = (await world.api.download(`${path}?format=svg&dimensions=false`)).bytes.toString();
    expect(svg).to.match(/^<svg xmlns="[^"]*" viewBox="0 0 512 512" role="img">/);
    const strange = await world.api.download(
      '/qr?url=https://example.com&format=svg&dimensions=false',
    );
    expect(strange.bytes.toString()).not.to.match(/ width=/);
    const refused = await world.api.get(`${path}?format=png&dimensions=false`);
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      422,
      'dimensions must not be false where the format is png: only svg has it',
    ]);
  });

  it('has a logo of shapes in SVG, PDF and EPS, from a data URI', async () => {
    const logo =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10" onload="alert(1)"><script>alert(1)</script><rect width="20" height="10" fill="#0a4"/></svg>';
    const src = `data:image/svg+xml,${encodeURIComponent(logo)}`;
    const { body } = await create({ src, excavate: true });
    const svg = await world.api.download(`/qrcodes/${body.id}/image?format=svg`);
    expect(svg.bytes.toString())
      .to.contain('fill="#00AA44"')
      .and.not.to.match(/<image|alert/);
    const eps = await world.api.download(`/qrcodes/${body.id}/image?format=eps`);
    expect(eps.bytes.length).to.be.below(60_000);
    const png = await world.api.download(`/qrcodes/${body.id}/image`);
    expect(await scan(png.bytes)).to.equal(body.shortLink);
    const { dominant } = await sharp(
      await sharp(png.bytes).extract({ left: 250, top: 250, width: 12, height: 12 }).toBuffer(),
    ).stats();
    expect(dominant.g).to.be.greaterThan(140);
  });

  it('has the Swiss cross in a static QR-bill, and warns of a logo in its place', async () => {
    const swissqr = {
      iban: 'CH9300762011623852957',
      creditor: { name: 'Robert Schneider AG', postalCode: '2501', city: 'Biel', country: 'CH' },
    };
    const bill = { type: 'swissqr', swissqr, static: true, size: 600 };
    const { body } = await world.api.post('/qrcodes', bill);
    expect(body.warnings).to.deep.equal([]);
    const { bytes } = await world.api.download(`/qrcodes/${body.id}/image`);
    expect(body.contentStatic).to.match(/^SPC\n0200\n1\n/);
    const arm = sharp(bytes).flatten().extract({ left: 297, top: 297, width: 6, height: 6 });
    const middle = await sharp(await arm.toBuffer()).stats();
    expect(middle.channels.slice(0, 3).map(({ min }) => min)).to.deep.equal([255, 255, 255]);
    const src =
      'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>';
    const changed = await world.api.patch(`/qrcodes/${body.id}`, { src, excavate: true });
    expect(changed.body.warnings).to.have.length(1);
    expect(changed.body.warnings[0]).to.match(/^src and logo take the place of the Swiss cross/);
  });
});
