import { expect } from 'chai';
import sharp from 'sharp';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { DECODERS, scan, textByZBar, toPixels } from '../support/decoders.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const URL_A = 'https://example.com/a';

describe('a QR code', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  const picture = (id: string, query = {}) => world.api.download(`/qrcodes/${id}/image`, query);

  it('of a URL has a record with every field, and an image with the short link', async () => {
    const { status, headers, body } = await world.api.post('/qrcodes', { type: 'url', url: URL_A });
    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(`/qrcodes/${body.id}`);
    expect(body).to.include({
      type: 'url',
      url: URL_A,
      static: false,
      contentStatic: null,
      useDisplayPage: true,
      size: 512,
      level: 'M',
      fgColor: '#000000',
      bgColor: '#FFFFFF',
      showLogo: false,
      scans: 0,
      domain: world.domain,
      shortLink: `https://${world.domain}/${body.key}`,
    });
    expect(body.key).to.match(/^\w{7}$/);
    const { status: drawn, bytes, headers: about } = await picture(body.id);
    expect([drawn, about.get('content-type')]).to.deep.equal([200, 'image/png']);
    expect(await scan(bytes)).to.equal(`https://${world.domain}/${body.key}`);
    expect((await world.api.get(`/qrcodes/${body.id}`)).body).to.deep.equal(body);
    expect((await world.visit(`/${body.key}`)).headers.location).to.equal(URL_A);
  });

  it('that is static contains the content itself', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'wifi',
      wifi: { ssid: 'Café "Ü"', password: 'a;b:c,d\\e' },
      static: true,
    });
    expect(body.contentStatic).to.equal('WIFI:T:WPA;S:Café \\"Ü\\";P:a\\;b\\:c\\,d\\\\e;;');
    expect(await scan((await picture(body.id)).bytes)).to.equal(body.contentStatic);
  });

  it('with a text that is not ASCII is read without guessing its character set', async () => {
    const text = 'Blüte';
    const { body } = await world.api.post('/qrcodes', { type: 'text', text, static: true });
    expect(await textByZBar((await picture(body.id)).bytes)).to.equal(text);
  });

  it('without a level has more error correction where its size stays the same', async () => {
    const drawnAs = async (level?: string) => {
      const asked = { type: 'url', url: 'https://go.example.com/abc1234', static: true, level };
      const { body } = await world.api.post('/qrcodes', asked);
      return { level: body.level, image: (await picture(body.id)).bytes.toString('base64') };
    };
    const [none, low, high] = await Promise.all([drawnAs(), drawnAs('M'), drawnAs('Q')]);
    expect(none).to.deep.equal({ level: 'M', image: high.image });
    expect(low.image).not.to.equal(high.image);
  });

  it('of a Bech32 address has it in capital letters, in the code and in contentStatic', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'crypto',
      crypto: { currency: 'bitcoin', address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' },
      static: true,
    });
    const content = 'bitcoin:BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ';
    expect(body.contentStatic).to.equal(content);
    expect(await scan((await picture(body.id)).bytes)).to.equal(content);
  });

  it('is found by domain and key, by id, and by external id', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'phone',
      phone: '+49 30 123456',
      externalId: 'mine',
      key: 'call-us',
    });
    expect(body.phone).to.equal('+4930123456');
    const queries = [
      { domain: world.domain, key: 'call-us' },
      { qrCodeId: body.id },
      { externalId: 'ext_mine' },
    ];
    for (const query of queries) {
      expect(
        (await world.api.get('/qrcodes/info', query)).body,
        JSON.stringify(query),
      ).to.deep.equal(body);
    }
    expect((await world.api.get('/qrcodes/ext_mine')).body.id).to.equal(body.id);
    expect((await world.api.get('/qrcodes/info', {})).status).to.equal(422);
    expect((await world.api.get('/qrcodes/info', { qrCodeId: 'qr_nope' })).status).to.equal(404);
  });

  it('shares its keys with links', async () => {
    await world.api.post('/links', { url: URL_A, key: 'taken' });
    const { status, body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: URL_A,
      key: 'taken',
    });
    expect([status, body.error.code]).to.deep.equal([409, 'conflict']);
  });

  it('that is static refuses fields of short links, and keeps those that it has', async () => {
    const make = async (fields: object) =>
      (await world.api.post('/qrcodes', { type: 'url', url: URL_A, ...fields })).body;
    const code = await make({ static: true, password: null, geo: null, trackConversion: false });
    const change = (fields: object) => world.api.patch(`/qrcodes/${code.id}`, fields);
    const { status, body } = await change({ password: 'open sesame', maxVisits: 3 });
    expect(status).to.equal(422);
    expect(
      body.error.message.split('; ').map((fault: string) => fault.split(' ')[0]),
    ).to.deep.equal(['password', 'maxVisits']);
    // Earlier versions allowed such codes.
    await db()('qrcodes')
      .where({ id: code.id })
      .update({
        expires_at: new Date('2099-01-01'),
        design: { fgColor: '#666666', bgColor: '#000000' },
      });
    expect((await change({ title: 'x', expiresAt: '2099-01-01T00:00:00Z' })).body).to.include({
      title: 'x',
      expiresAt: '2099-01-01T00:00:00.000Z',
    });
    expect((await picture(code.id, { size: 400, margin: 6 })).status).to.equal(200);
    expect((await picture(code.id, { size: 40 })).status).to.equal(422);
    expect((await change({ expiresAt: '2098-01-01' })).status).to.equal(422);
    expect((await change({ expiresAt: null })).body.expiresAt).to.equal(null);
  });

  it('with light modules on a dark background is rendered, with a warning', async () => {
    const { status, body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: URL_A,
      fgColor: 'white',
      bgColor: 'navy',
    });
    expect([status, body.warnings]).to.deep.equal([
      201,
      ['fgColor is lighter than bgColor: some scanners do not read light codes on a dark ground'],
    ]);
    const { bytes } = await picture(body.id);
    const address = `https://${world.domain}/${body.key}`;
    expect((await DECODERS['ZXing']!(await toPixels(bytes)))?.toString()).to.equal(address);
    expect(await scan(await sharp(bytes).negate({ alpha: false }).toBuffer())).to.equal(address);
    const { body: faint } = await world.api.patch(`/qrcodes/${body.id}`, {
      bgColor: '#FFFFFF',
      fgColor: '#999',
    });
    expect(faint.warnings).to.have.length(1);
    expect(faint.warnings[0]).to.match(/symbol contrast of 68%: below 70%/);
    const { body: plain } = await world.api.patch(`/qrcodes/${body.id}`, { fgColor: '#000' });
    expect(plain.warnings).to.deep.equal([]);
  });

  /** Contents of static codes that phones misread if one character differs. */
  const STATIC: [name: string, content: object, text: string][] = [
    [
      'a name that looks hexadecimal',
      { type: 'wifi', wifi: { ssid: 'CAFE', password: '' } },
      'WIFI:T:nopass;S:CAFE;;',
    ],
    [
      'a number with its trunk zero',
      { type: 'phone', phone: '+49 (0)30 123456' },
      'tel:+4930123456',
    ],
    ['a code of the network', { type: 'phone', phone: '*100#' }, 'tel:*100%23'],
    ['an extension', { type: 'phone', phone: '+1 201 555 0123 x89' }, 'tel:+12015550123;ext=89'],
    [
      'several recipients',
      { type: 'email', email: { email: 'a@b.cd, é.f@b.cd', subject: '' } },
      'mailto:a@b.cd,%C3%A9.f@b.cd',
    ],
    [
      'an address with a question mark',
      { type: 'facetime', facetime: { target: 'a?b&c@d.ef' } },
      'facetime:a%3Fb%26c@d.ef',
    ],
  ];
  for (const [name, content, text] of STATIC) {
    it(`that is static contains its contentStatic: ${name}`, async () => {
      const { status, body } = await world.api.post('/qrcodes', { ...content, static: true });
      expect([status, body.contentStatic]).to.deep.equal([201, text]);
      expect(await scan((await picture(body.id)).bytes)).to.equal(text);
    });
  }

  it('with a transparent background warns of dark pages, unless its quiet zone has a color', async () => {
    const asked = { type: 'url', url: URL_A, bgColor: 'transparent', frame: 'rounded' };
    const { body } = await world.api.post('/qrcodes', asked);
    expect(body.quietZoneColor).to.equal(null);
    expect(body.warnings).to.have.length(1);
    expect(body.warnings[0]).to.contain('on a dark one, the symbol contrast is 0%');
    const onDark = async () =>
      sharp((await picture(body.id)).bytes)
        .flatten({ background: '#0D1117' })
        .png()
        .toBuffer();
    expect(await DECODERS['ZXing']!(await toPixels(await onDark()))).to.equal(undefined);
    const changed = await world.api.patch(`/qrcodes/${body.id}`, { quietZoneColor: 'white' });
    expect(changed.body).to.deep.include({ quietZoneColor: '#FFFFFF', warnings: [] });
    expect(await scan(await onDark())).to.equal(body.shortLink);
    const wrong = await world.api.patch(`/qrcodes/${body.id}`, { quietZoneColor: '#FFFFFF80' });
    expect([wrong.status, wrong.body.error.message]).to.deep.equal([
      422,
      'quietZoneColor must be a color without opacity, such as #1A73E8',
    ]);
  });

  it('is rendered in every format', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: URL_A,
      pattern: 'rounded',
    });
    const kinds = {
      svg: ['image/svg+xml', /^<svg /],
      png: ['image/png', /^\x89PNG/],
      jpeg: ['image/jpeg', /^\xff\xd8/],
      webp: ['image/webp', /^RIFF/],
      pdf: ['application/pdf', /^%PDF-1\.4/],
      eps: ['application/postscript', /^%!PS-Adobe-3\.0 EPSF/],
    } as const;
    for (const [format, [type, start]] of Object.entries(kinds)) {
      const { status, headers, bytes } = await picture(body.id, { format });
      expect([status, headers.get('content-type')]).to.deep.equal([200, type]);
      expect(bytes.subarray(0, 40).toString('latin1')).to.match(start);
    }
    expect((await picture(body.id, { format: 'JPG' })).headers.get('content-type')).to.equal(
      'image/jpeg',
    );
    const { bytes } = await picture(body.id, { size: 300 });
    expect(await sharp(bytes).metadata()).to.include({ width: 300, height: 300 });
  });

  it('has the width in mm that is asked, in every format', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: URL_A,
      frame: 'label-bottom',
      title: 'Summer <menu> & more',
    });
    const in15 = (format: string) => picture(body.id, { format, sizeMm: 15 });
    const [svg, pdf, eps] = (await Promise.all(['svg', 'pdf', 'eps'].map(in15))).map(({ bytes }) =>
      bytes.toString('latin1'),
    ) as [string, string, string];
    expect(svg).to.match(/ width="15mm" height="[\d.]+mm" viewBox="0 0 512 /);
    expect(svg).to.contain('role="img"><title>Summer &lt;menu&gt; &amp; more</title>');
    expect(pdf).to.contain('/MediaBox [0 0 42.52 ');
    expect(pdf).to.contain('/Title <feff00530075006d006d00650072');
    expect(eps).to.contain('%%HiResBoundingBox: 0 0 42.52 ');
    expect(eps).to.contain('%%Title: (Summer <menu> & more)');
    const png = (await picture(body.id, { sizeMm: 40, dpi: 600 })).bytes;
    const jpeg = (await picture(body.id, { sizeMm: 40, format: 'jpeg' })).bytes;
    const about = await Promise.all([png, jpeg].map((bytes) => sharp(bytes).metadata()));
    expect(about.map(({ width, density }) => [width, density])).to.deep.equal([
      [945, 600],
      [472, 300],
    ]);
    expect(await scan(png)).to.equal(body.shortLink);
  });

  it('states its resolution, also as the plain PNG', async () => {
    const { body } = await world.api.post('/qrcodes', { type: 'url', url: URL_A });
    const plain = (await picture(body.id, { size: 600, dpi: 300 })).bytes;
    expect((await sharp(plain).metadata()).density).to.equal(300);
    expect((await picture(body.id, { size: 600 })).bytes.includes('pHYs')).to.equal(false);
  });

  it('of a small size is refused in px, and drawn as vectors', async () => {
    const { body } = await world.api.post('/qrcodes', { type: 'url', url: URL_A });
    const small = (format: string) => picture(body.id, { format, size: 57 });
    expect((await small('png')).status).to.equal(422);
    for (const format of ['svg', 'pdf', 'eps']) {
      expect((await small(format)).status, format).to.equal(200);
    }
    const svg = (await small('svg')).bytes;
    expect(svg.toString()).to.match(/ width="57" height="57" viewBox="0 0 (114|228) /);
    expect(await scan(await sharp(svg, { density: 400 }).png().toBuffer())).to.equal(
      body.shortLink,
    );
  });

  it('has at most 8,192 px, 4,096 as WebP', async () => {
    const { body } = await world.api.post('/qrcodes', { type: 'url', url: URL_A });
    const large = await picture(body.id, { size: 8_192 });
    expect((await sharp(large.bytes).metadata()).width).to.equal(8_192);
    const messages = await Promise.all(
      [
        { size: 8_193 },
        { size: 4_097, format: 'webp' },
        { sizeMm: 400, dpi: 600 },
        { sizeMm: 40, size: 400 },
        { format: 'png', colorSpace: 'cmyk' },
        { format: 'svg', bleed: 3 },
        { format: 'pdf', fgCmyk: '0,0,0,100' },
        { format: 'pdf', colorSpace: 'cmyk', fgCmyk: '0,0,0,101' },
      ].map(async (query) => {
        const { status, bytes } = await picture(body.id, query);
        return [status, JSON.parse(bytes.toString()).error.message];
      }),
    );
    expect(messages).to.deep.equal([
      [422, 'size must be at most 8192'],
      [
        422,
        'size must be at most 4096 where the format is webp, whose pictures have at most 4096 px',
      ],
      [
        422,
        'sizeMm must be at most 346.7 mm at 600 dpi where the format is png, whose pictures have at most 8192 px',
      ],
      [422, 'size and sizeMm must not be given together'],
      [422, 'colorSpace must not be set where the format is png: only pdf and eps have it'],
      [422, 'bleed must not be set where the format is svg: only pdf and eps have it'],
      [422, 'fgCmyk must be set with colorSpace=cmyk only'],
      [422, 'fgCmyk must be four percentages from 0 to 100, such as 0,0,0,100'],
    ]);
  });

  it('is saved under its title, then its key', async () => {
    const make = async (fields: object) =>
      (await world.api.post('/qrcodes', { type: 'url', url: URL_A, ...fields })).body.id;
    const named = await make({ title: 'Sommermenü 2026: Straße', key: 'summer' });
    const nameOf = async (id: string, query = {}) =>
      (await picture(id, query)).headers.get('content-disposition');
    expect(await nameOf(named)).to.equal(
      `inline; filename="Sommermenu-2026-Strasse.png"; filename*=UTF-8''Sommermen%C3%BC-2026-Stra%C3%9Fe.png`,
    );
    expect(await nameOf(named, { download: 1 })).to.match(/^attachment; filename="Sommermenu/);
    const untitled = await make({ key: 'autumn', title: '...' });
    expect(await nameOf(untitled, { download: true, format: 'eps' })).to.equal(
      'attachment; filename="autumn.eps"',
    );
  });

  it('has a file name of its key and format', async () => {
    const { body } = await world.api.post('/qrcodes', { type: 'url', url: URL_A, key: 'menü/1.x' });
    const names = { png: 'png', jpg: 'jpg', jpeg: 'jpg', eps: 'eps', svg: 'svg' };
    for (const [format, ending] of Object.entries(names)) {
      const { headers } = await picture(body.id, { format });
      expect(headers.get('content-disposition')).to.equal(
        `inline; filename="menu-1.x.${ending}"; filename*=UTF-8''men%C3%BC-1.x.${ending}`,
      );
    }
  });

  it('accepts CSS colours and lower-case levels', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: URL_A,
      fgColor: 'Navy',
      bgColor: 'rgb(255, 250, 240)',
      frameColor: '#0A0B0CFF',
      frameText: '',
      level: 'q',
    });
    expect(body).to.include({
      fgColor: '#000080',
      bgColor: '#FFFAF0',
      frameColor: '#0A0B0C',
      frameText: null,
      level: 'Q',
    });
  });

  it('accepts empty texts as absent', async () => {
    const optional = [
      'title',
      'comments',
      'password',
      'externalId',
      'expiredUrl',
      'ios',
      'logo',
      'frameText',
      'folderId',
    ];
    const absent = Object.fromEntries(optional.map((name) => [name, '']));
    const email = { email: 'a@b.cd', subject: '', body: '' };
    const { status, body } = await world.api.post('/qrcodes', {
      type: 'email',
      email,
      ...absent,
      text: '',
      key: '',
      fgColor: '',
    });
    expect(status).to.equal(201);
    expect(body).to.include({
      fgColor: '#000000',
      ...Object.fromEntries(optional.map((name) => [name, null])),
    });
    expect(body.email).to.deep.equal({ email: 'a@b.cd' });
    expect(body.key).to.match(/^\w{7}$/);
    const { status: refused } = await world.api.post('/qrcodes', { type: 'text', text: '' });
    expect(refused).to.equal(422);
  });

  it('returns the size of an image that is not rendered yet', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: URL_A,
      width: 80,
      height: 60,
    });
    expect(body).to.include({ width: 80, height: 60 });
    const { body: bare } = await world.api.post('/qrcodes', { type: 'url', url: URL_A });
    expect(bare).to.include({ width: 0, height: 0 });
  });

  it('returns 304 for an unchanged image', async () => {
    const { body } = await world.api.post('/qrcodes', { type: 'url', url: URL_A });
    const first = await picture(body.id);
    const tag = first.headers.get('etag')!;
    const path = `/qrcodes/${body.id}/image`;
    const again = await world.api.download(
      path,
      {},
      { headers: { 'if-none-match': `W/${tag}, "x"` } },
    );
    expect([again.status, again.bytes.length]).to.deep.equal([304, 0]);
    await world.api.patch(`/qrcodes/${body.id}`, { fgColor: '#112233' });
    const changed = await world.api.download(path, {}, { headers: { 'if-none-match': tag } });
    expect(changed.status).to.equal(200);
    expect(changed.headers.get('etag')).not.to.equal(tag);
  });

  it('refuses changes of what is printed: the content of a static code, domain and key of every code', async () => {
    const make = async (fields: object) =>
      (await world.api.post('/qrcodes', { type: 'text', text: 'one', ...fields })).body;
    const change = (id: string, fields: object) => world.api.patch(`/qrcodes/${id}`, fields);
    const fixed = await make({ static: true, flexible: true });
    expect((await change(fixed.id, { type: 'text', text: 'two' })).status).to.equal(409);
    expect((await change(fixed.id, { static: false })).status).to.equal(409);

    // Postgres stores the members of a JSON object in another order.
    const network = { type: 'wifi', wifi: { ssid: 'a', password: 'my password', hidden: true } };
    const geo = { US: URL_A, DE: `${URL_A}b`, AT: URL_A };
    const wifi = await make({ ...network, text: undefined, static: true });
    const commented = await change(wifi.id, { ...network, comments: 'lobby' });
    expect([commented.status, commented.body.comments]).to.deep.equal([200, 'lobby']);
    const { ssid, ...rest } = network.wifi;
    expect((await change(wifi.id, { wifi: { ...rest, ssid } })).status).to.equal(200);
    expect((await change(wifi.id, { wifi: { ...rest, ssid: 'b' } })).status).to.equal(409);
    const older = await make({ static: true });
    await db()('qrcodes')
      .where({ id: older.id })
      .update({ geo: JSON.stringify(geo) });
    expect((await change(older.id, { geo, comments: 'lobby' })).status).to.equal(200);
    expect((await change(older.id, { geo: { US: URL_A } })).status).to.equal(422);

    const dynamic = await make({});
    for (const code of [fixed, dynamic]) {
      for (const [field, value] of [
        ['key', 'another'],
        ['domain', 'localhost'],
      ]) {
        const refused = await change(code.id, { [field!]: value });
        expect([refused.status, refused.body.error.message]).to.deep.equal([
          409,
          `${field} cannot be changed: the short link is printed in the code`,
        ]);
      }
      const { domain, key } = code;
      expect((await change(code.id, { domain, key, title: 't' })).body.title).to.equal('t');
    }
    expect((await world.visit(`/${dynamic.key}`)).body).to.contain('one');

    expect((await change(dynamic.id, { text: 'three' })).body).to.include({ text: 'three' });
    expect((await change(dynamic.id, { text: 'a', phone: '110' })).body.error.message).to.equal(
      'body must not have text and phone',
    );
    const { body } = await change(dynamic.id, { type: 'phone', phone: '110' });
    expect(body).to.include({ type: 'phone', phone: '110', text: null });
    expect((await world.visit(`/${dynamic.key}`)).body).to.contain('tel:110');
  });

  it('is deleted permanently, alone and in bulk', async () => {
    const make = async () => (await world.api.post('/qrcodes', { type: 'url', url: URL_A })).body;
    const [a, b, c] = [await make(), await make(), await make()];
    expect((await world.api.delete(`/qrcodes/${a.id}`)).body).to.deep.equal({ id: a.id });
    const { body } = await world.api.delete('/qrcodes/bulk', {
      qrcodeIds: `${b.id},${c.id},qr_nope`,
    });
    expect(body).to.deep.equal({ deletedCount: 2 });
    for (const { id, key } of [a, b, c]) {
      expect((await world.api.get(`/qrcodes/${id}`)).status).to.equal(404);
      expect((await world.visit(`/${key}`)).status).to.equal(404);
    }
  });

  it('is created in bulk, each on its own', async () => {
    const { status, body } = await world.api.post('/qrcodes/bulk', [
      { type: 'url', url: URL_A, key: 'bulk-1' },
      { type: 'url' },
      { type: 'url', url: URL_A, key: 'bulk-1' },
      { type: 'text', text: 'x'.repeat(2_000), size: 100 },
    ]);
    expect(status).to.equal(200);
    expect(body[0].key).to.equal('bulk-1');
    expect(body.slice(1).map((item: { error: { code: string } }) => item.error.code)).to.deep.equal(
      ['unprocessable_entity', 'conflict', 'conflict'].map((code, index) =>
        index === 2 ? 'unprocessable_entity' : code,
      ) as string[],
    );
    expect(body[1].qrcode).to.deep.equal({ type: 'url' });
  });

  it('of a contact shows a page with a vCard file; a password protects both', async () => {
    const vcard = { firstName: 'Jürgen', lastName: 'Müller', phones: ['+4930123456'] };
    const { body } = await world.api.post('/qrcodes', { type: 'vcard', vcard, key: 'team/jürgen' });
    const path = '/team/j%C3%BCrgen';
    const page = await world.visit(path);
    expect([page.status, page.headers['content-type']]).to.deep.equal([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(page.body).to.contain(`href="/_/file${path}"`);
    const file = await world.visit(`/_/file${path}`);
    expect([file.status, file.headers['content-type']]).to.deep.equal([
      200,
      'text/vcard; charset=utf-8',
    ]);
    expect(file.body).to.contain('N:Müller;Jürgen;;;\r\n');
    await world.api.patch(`/qrcodes/${body.id}`, { password: 'open sesame' });
    for (const hidden of [path, `/_/file${path}`]) {
      const answer = await world.visit(hidden);
      expect(answer.status).to.equal(403);
      expect(answer.body).not.to.contain('Müller');
    }
    const link = (await world.api.post('/links', { url: URL_A })).body;
    expect((await world.visit(`/_/file/${link.key}`)).status).to.equal(404);
  });

  it('of a bank transfer has the level of its standard', async () => {
    const epc = { name: 'Wikimedia', iban: 'DE33 1002 0500 0001 1947 00', amount: '12.5' };
    const { body } = await world.api.post('/qrcodes', { type: 'epc', epc, static: true });
    expect(body).to.deep.include({
      level: 'M',
      epc: { name: 'Wikimedia', iban: 'DE33100205000001194700', amount: '12.50' },
      contentStatic: 'BCD\n002\n1\nSCT\n\nWikimedia\nDE33100205000001194700\nEUR12.50',
    });
    const asked = { type: 'epc', epc, level: 'H' };
    const refused = await world.api.post('/qrcodes', { ...asked, static: true });
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      422,
      'level must be M, which the standard of epc codes requires',
    ]);
    expect((await world.api.patch(`/qrcodes/${body.id}`, { level: 'Q' })).status).to.equal(422);
    const dynamic = await world.api.post('/qrcodes', { ...asked, key: 'give' });
    expect(dynamic.body.level).to.equal('H');
    expect((await world.visit('/give')).body).to.contain('DE33 1002 0500 0001 1947 00');
  });

  it('returns every field of its body', async () => {
    const sent = {
      type: 'url',
      url: `${URL_A}?utm_source=poster`,
      archived: true,
      expiresAt: '2099-01-01T00:00:00.000Z',
      expiredUrl: 'https://example.com/over',
      flexible: true,
      filled: true,
      trackConversion: true,
      publicStats: true,
      doIndex: true,
      comments: 'hall',
      proxy: true,
      title: 't',
      description: 'd',
      image: 'https://example.com/i.png',
      rewrite: true,
      ios: 'https://example.com/ios',
      android: 'https://example.com/android',
      geo: { DE: 'https://example.com/de' },
      rules: [{ value: 'x', url: 'https://example.com/x' }],
      useDisplayPage: false,
      preRedirection: true,
      isFormMandatory: true,
      pageUrl: 'https://example.com/form',
      bgColor: '#FFFFFF80',
      quietZoneColor: '#FFF7E6',
      fgColor: '#112233',
      size: 640,
      level: 'Q',
      pattern: 'classy',
      shape: 'rounded/leaf',
      frame: 'ribbon',
      frameColor: '#224466',
      frameText: 'Hello\nスキャン',
      frameIcon: 'cart',
      frameTextColor: '#FFFFFF',
      frameTextStyles: { weight: 700, size: 20, family: 'Lora' },
    };
    const { status, body } = await world.api.post('/qrcodes', { ...sent, prefix: '/p/' });
    expect(status).to.equal(201);
    expect(body).to.deep.include(sent);
    expect(body.key).to.match(/^p\/\w{7}$/);
    expect(body.utm_source).to.equal('poster');
  });

  it('counts its scans once per visitor', async () => {
    const { body } = await world.api.post('/qrcodes', { type: 'text', text: 'hello' });
    for (const visitor of [1, 1, 2]) {
      const { status } = await world.visit(`/${body.key}`, { userAgent: browser(visitor) });
      expect(status).to.equal(200);
    }
    await eventually(async () => {
      const now = (await world.api.get(`/qrcodes/${body.id}`)).body;
      expect(now.scans).to.equal(2);
      expect(now.lastClicked).to.be.a('string');
    });
    expect((await world.api.get('/analytics')).body.scans).to.be.at.least(2);
    const { body: list } = await world.api.get('/qrcodes', { sort: 'scans', scansMin: 2 });
    expect(list.map(({ id }: { id: string }) => id)).to.deep.equal([body.id]);
  });
});

describe('a QR code of an app', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  it('opens the store of the device', async () => {
    const app = { ios: `${URL_A}/ios`, android: `${URL_A}/android`, name: 'Northwind' };
    const { body } = await world.api.post('/qrcodes', { type: 'app', app, key: 'app' });
    const visit = (agent: string) => world.visit('/app', { headers: { 'User-Agent': agent } });
    const iphone = await visit('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)');
    expect(iphone.headers.location).to.equal(app.ios);
    expect((await visit('Mozilla/5.0 (Linux; Android 15; Pixel 9)')).headers.location).to.equal(
      app.android,
    );
    const desktop = await visit('Mozilla/5.0 (X11; Linux x86_64)');
    expect([desktop.status, desktop.body]).to.deep.include(200);
    expect(desktop.body).to.contain('Northwind').and.contain(`href="${app.ios}"`);
    await world.api.patch(`/qrcodes/${body.id}`, { ios: `${URL_A}/own` });
    const own = await visit('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)');
    expect(own.headers.location).to.equal(`${URL_A}/own`);
    const fixed = await world.api.post('/qrcodes', { type: 'app', app, static: true });
    expect([fixed.status, fixed.body.error.message]).to.deep.equal([
      422,
      'static must be false where the type is app: its destination depends on the visitor',
    ]);
    const loop = { type: 'app', key: 'loop', app: { ...app, url: `https://${world.domain}/loop` } };
    expect((await world.api.post('/qrcodes', loop)).body.error.message).to.contain(
      'url must not be the short link itself',
    );
  });
});

describe('a QR code of a page with links', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  it('shows the links in their order, and counts the scan', async () => {
    const links = {
      title: 'Northwind',
      text: 'Open every day.',
      links: [
        { title: 'Menu', url: `${URL_A}/menu` },
        { title: 'Reserve', url: 'example.com/reserve' },
      ],
    };
    const { status, body } = await world.api.post('/qrcodes', {
      type: 'links',
      links,
      key: 'list',
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body.links.links[1].url).to.equal('https://example.com/reserve');
    const page = await world.visit('/list');
    expect(page.body).to.match(/<ul class="links">.*>Menu<.*>Reserve</s);
    const profiles = [
      { network: 'instagram', handle: '@northwind' },
      { network: 'mastodon', handle: 'northwind@mastodon.social' },
    ];
    const change = { type: 'social', social: { title: 'Northwind', profiles } };
    expect((await world.api.patch(`/qrcodes/${body.id}`, change)).status).to.equal(200);
    const social = await world.visit('/list');
    expect(social.body)
      .to.contain('href="https://www.instagram.com/northwind"')
      .and.contain('href="https://mastodon.social/@northwind"')
      .and.contain('class="icon-instagram"');
    const fixed = await world.api.post('/qrcodes', { type: 'links', links, static: true });
    expect([fixed.status, fixed.body.error.message]).to.deep.equal([
      422,
      'static must be false where the type is links: it opens a page of this service',
    ]);
  });
});

describe('lists of QR codes', () => {
  let world: World;
  const ids: Record<string, string> = {};

  before(async () => {
    world = await aWorkspace();
    const tag = (await world.api.post('/tags', { name: 'Poster' })).body;
    const comma = (await world.api.post('/tags', { name: 'Lobby, left' })).body;
    const codes = {
      link: { type: 'url', url: 'https://example.com/poster', tagIds: [tag.id] },
      net: {
        type: 'wifi',
        wifi: { ssid: 'guest' },
        static: true,
        comments: 'lobby',
        tagIds: [comma.id],
      },
      old: { type: 'text', text: 'old', archived: true, password: 'open sesame' },
    };
    for (const [name, code] of Object.entries(codes)) {
      ids[name] = (await world.api.post('/qrcodes', code)).body.id;
    }
  });

  const CASES: [query: Record<string, string | boolean>, names: string[]][] = [
    [{}, ['net', 'link']],
    [{ showArchived: true }, ['old', 'net', 'link']],
    [{ format: 'static' }, ['net']],
    [{ format: 'dynamic' }, ['link']],
    [{ type: 'wifi' }, ['net']],
    [{ tagNames: 'poster' }, ['link']],
    [{ tagNames: 'lobby, LEFT' }, ['net']],
    [{ tagNames: 'lobby,poster' }, ['link']],
    [{ hasTags: false, showArchived: true }, ['old']],
    [{ search: 'POSTER' }, ['link']],
    [{ comments: 'lob' }, ['net']],
    [{ password: 'open sesame', showArchived: true }, ['old']],
    [{ hasPassword: true, showArchived: true }, ['old']],
    [{ scansMin: '1' }, []],
    [{ scansMax: '0' }, ['net', 'link']],
    [{ createdBefore: '2001-01-01' }, []],
  ];
  for (const [query, names] of CASES) {
    it(`filter by ${JSON.stringify(query)}`, async () => {
      const { status, body } = await world.api.get('/qrcodes', query);
      expect(status).to.equal(200);
      expect(body.map(({ id }: { id: string }) => id)).to.deep.equal(
        names.map((name) => ids[name]),
      );
      expect((await world.api.get('/qrcodes/count', query)).body).to.equal(names.length);
    });
  }

  it('are counted by domain, and refuse unknown filters', async () => {
    expect((await world.api.get('/qrcodes/count', { groupBy: 'domain' })).body).to.deep.equal([
      { domain: world.domain, _count: 2 },
    ]);
    for (const name of ['clicksMin', 'geo', 'ios', 'android']) {
      expect((await world.api.get('/qrcodes', { [name]: '1' })).status, name).to.equal(422);
    }
  });
});

describe('an invalid QR code', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  const url = { type: 'url', url: URL_A };
  const CASES: [why: string, body: object, message: RegExp][] = [
    ['has no type', { url: URL_A }, /^type is required/],
    ['has no content', { type: 'wifi' }, /must have wifi, the content of a code of type wifi/],
    [
      'has the content of another type',
      { ...url, text: 'x' },
      /must not have text: the code is of type url/,
    ],
    ['has an unknown field', { ...url, colour: 'red' }, /^colour is not a known field/],
    ['is too small', { ...url, size: 60 }, /^size must be at least \d+ px for this content/],
    [
      'has too little contrast',
      { ...url, fgColor: '#CCCCCC' },
      /^fgColor and bgColor must differ more: their symbol contrast is 39%, and scanners need 40%/,
    ],
    [
      'has too little contrast on a dark ground',
      { ...url, bgColor: '#666666' },
      /^fgColor and bgColor must differ more: their symbol contrast is 13%/,
    ],
    ...[
      { password: 'open sesame' },
      { expiresAt: '2099-01-01' },
      { expiredUrl: 'https://example.com/over' },
      { startsAt: '2099-01-01' },
      { maxVisits: 5 },
      { ios: 'https://example.com/ios' },
      { android: 'https://example.com/android' },
      { geo: { DE: 'https://example.com/de' } },
      { rules: [{ value: 'x', url: 'https://example.com/x' }] },
      { trackConversion: true },
    ].map((fields): [string, object, RegExp] => [
      `is static and has ${Object.keys(fields).join()}`,
      { ...url, static: true, ...fields },
      new RegExp(`^${Object.keys(fields).join()} must not be set where static is true`),
    ]),
    ['has no such colour', { ...url, fgColor: 'reddish' }, /^fgColor must be a color such as/],
    ['has a text for a number', { ...url, size: '512' }, /^size must be a number/],
    [
      'has texts for the numbers of its content',
      { type: 'latlog', latlog: { latitude: '1', longitude: 2 } },
      /^latlog.latitude must be a number/,
    ],
    [
      'has words nobody can read',
      { ...url, frame: 'label-bottom', frameTextColor: '#111111' },
      /^frameTextColor and frameColor must differ more/,
    ],
    [
      'has words that no font has',
      { ...url, frame: 'bubble', frameText: '猫😀' },
      /^frameText must not contain "😀"/,
    ],
    [
      'has a text of three lines',
      { ...url, frame: 'bubble', frameText: 'Scan\nme\nnow' },
      /^frameText must have at most two lines/,
    ],
    ['has an unknown icon', { ...url, frameIcon: 'rocket' }, /^frameIcon must be one of/],
    ['has an unknown pattern', { ...url, pattern: 'waves' }, /^pattern must be one of/],
    [
      'holds more than fits',
      { type: 'text', text: 'é'.repeat(1_500), static: true, size: 4_096 },
      /The content of 3000 bytes does not fit into a QR code of level M/,
    ],
    [
      'has a wrong Pix code',
      {
        type: 'pix',
        pix: '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3E',
      },
      /^pix must end with the right CRC, which is 1D3D/,
    ],
    [
      'has a template that is not there',
      { ...url, templateId: 'tmpl_x' },
      /^templateId: there is no template "tmpl_x"/,
    ],
    [
      'leads to itself',
      { type: 'url', url: 'https://DOMAIN/self', key: 'self' },
      /must not be the short link itself/,
    ],
  ];
  for (const [why, body, message] of CASES) {
    it(`is refused when it ${why}`, async () => {
      const sent = JSON.stringify(body).replace('DOMAIN', world.domain);
      const answer = await world.api.post('/qrcodes', sent);
      expect([answer.status, answer.body.error.code]).to.deep.equal([422, 'unprocessable_entity']);
      expect(answer.body.error.message).to.match(message);
    });
  }

  it('stores nothing', async () => {
    expect((await world.api.get('/qrcodes/count', { showArchived: true })).body).to.equal(0);
  });
});
