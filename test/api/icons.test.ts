import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import fc from 'fast-check';
import sharp from 'sharp';
import { imageInIco, isIco, type Pixels } from '../../src/images/ico.ts';
import { readIcon } from '../../src/images/read.ts';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { OneProcess } from '../support/one-process.ts';
import { aPerson } from '../support/people.ts';
import { Site } from '../support/site.ts';
import { aWorkspace, type World } from '../support/world.ts';

type Color = [red: number, green: number, blue: number];
const RED: Color = [220, 20, 30];
const BLUE: Color = [10, 60, 220];

const square = (side: number, [r, g, b]: Color, format: 'png' | 'webp' = 'png') =>
  sharp({ create: { width: side, height: side, channels: 3, background: { r, g, b } } })
    .toFormat(format)
    .toBuffer();

interface IcoImage {
  side: number;
  bits?: number;
  data: Buffer;
}

/** Builds an ICO. */
function ico(images: readonly IcoImage[]): Buffer {
  const header = Buffer.alloc(6 + 16 * images.length);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(images.length, 4);
  let offset = header.length;
  for (const [at, { side, bits = 32, data }] of images.entries()) {
    const entry = 6 + 16 * at;
    header.writeUInt8(side % 256, entry);
    header.writeUInt8(side % 256, entry + 1);
    header.writeUInt16LE(bits, entry + 6);
    header.writeUInt32LE(data.length, entry + 8);
    header.writeUInt32LE(offset, entry + 12);
    offset += data.length;
  }
  return Buffer.concat([header, ...images.map(({ data }) => data)]);
}

/** Builds a bitmap of an ICO, of one color with a transparent first column. */
function bitmap(side: number, bits: 1 | 4 | 8 | 24 | 32, [r, g, b]: Color): Buffer {
  const header = Buffer.alloc(40);
  header.writeUInt32LE(40, 0);
  header.writeInt32LE(side, 4);
  header.writeInt32LE(side * 2, 8);
  header.writeUInt16LE(1, 12);
  header.writeUInt16LE(bits, 14);
  const palette = Buffer.alloc(bits > 8 ? 0 : 4 * 2 ** bits);
  // All pixels have the last color.
  if (bits <= 8) palette.set([b, g, r, 0], palette.length - 4);
  const row = Buffer.alloc(Math.ceil((side * bits) / 32) * 4);
  for (let x = 0; x < side; x += 1) {
    if (bits === 32) row.set([b, g, r, x === 0 ? 0 : 255], x * 4);
    else if (bits === 24) row.set([b, g, r], x * 3);
    else row.fill(255);
  }
  const mask = Buffer.alloc(Math.ceil(side / 32) * 4);
  mask[0] = 0x80;
  const rows = (one: Buffer) => Array<Buffer>(side).fill(one);
  return Buffer.concat([header, palette, ...rows(row), ...rows(mask)]);
}

async function pixelOf(png: Buffer): Promise<{ width: number; color: number[] }> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const middle = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * 4;
  return { width: info.width, color: [...data.subarray(middle, middle + 4)] };
}

const isNear = (actual: readonly number[], [...expected]: Color) =>
  expected.every((value, at) => Math.abs(value - actual[at]!) < 12) && actual[3] === 255;

describe('icons in an ICO', () => {
  for (const bits of [1, 4, 8, 24, 32] as const) {
    it(`are read with ${bits} bits a pixel, and their mask`, () => {
      const file = ico([{ side: 20, bits, data: bitmap(20, bits, RED) }]);
      const { rgba, width, height } = imageInIco(file, 64) as Pixels;
      expect([width, height, rgba.length]).to.deep.equal([20, 20, 1_600]);
      expect([...rgba.subarray(4, 8)]).to.deep.equal([...RED, 255]);
      expect(rgba[3]).to.equal(0);
    });
  }

  it('are chosen by size: the smallest that is large enough, else the largest', async () => {
    const images = await Promise.all(
      [16, 32, 64, 128, 256].map(async (side) => ({ side, data: await square(side, RED) })),
    );
    const widthIn = async (file: Buffer) =>
      (await sharp(imageInIco(file, 64) as Buffer).metadata()).width;
    expect(await widthIn(ico(images))).to.equal(64);
    expect(await widthIn(ico(images.toReversed()))).to.equal(64);
    expect(await widthIn(ico(images.slice(0, 2)))).to.equal(32);
    expect(await widthIn(ico(images.slice(3)))).to.equal(128);
  });

  it('are refused or read, never a fault, whatever the file has', () => {
    const whole = ico([
      { side: 16, bits: 8, data: bitmap(16, 8, BLUE) },
      { side: 32, bits: 32, data: bitmap(32, 32, RED) },
    ]);
    const edits = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 12 });
    fc.assert(
      fc.property(edits, fc.nat(whole.length), (changes, length) => {
        const file = Buffer.from(whole);
        for (const [at, value] of changes) file[at] = value;
        const cut = file.subarray(0, length);
        if (!isIco(cut)) return;
        const image = imageInIco(cut, 64);
        if (image === undefined || Buffer.isBuffer(image)) return;
        expect(image.width).to.be.within(1, 256);
        expect(image.rgba.length).to.equal(image.width * image.height * 4);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('icons of destinations', () => {
  let world: World;
  let site: Site;

  before(async () => {
    // The first icon of a worker also loads its libraries, in which time a site counts as away.
    world = await aWorkspace();
    await link('http://127.0.0.1:9/');
    await wasRead();
  });
  beforeEach(async () => {
    world = await aWorkspace();
    site = await Site.start();
  });
  afterEach(() => site.stop());

  const link = async (url: string, more: object = {}) =>
    (await world.api.post('/links', { url, ...more })).body as { id: string };
  const iconOf = (id: string, query: Record<string, string> = {}, { api } = world) =>
    api.download(`/${id.startsWith('qr_') ? 'qrcodes' : 'links'}/${id}/icon`, query);
  const read = (id: string, query?: Record<string, string>) =>
    eventually(async () => {
      // A site that a busy machine has read too late is asked again.
      await stored().where({ png: null }).delete();
      const answer = await iconOf(id, query);
      expect(answer.status).to.equal(200);
      return answer;
    });
  const page = (head: string) =>
    site.answer('/', { type: 'text/html', body: `<!doctype html><head>${head}</head>` });
  const stored = () => db()('icons').where({ project_id: world.projectId });
  /** Resolves once a site was read. */
  const wasRead = () =>
    eventually(async () => {
      const [row] = (await stored()) as { png: Buffer | null }[];
      expect(row).not.to.equal(undefined);
      return row!;
    });

  it('are read when a link is created, and served to the workspace alone', async () => {
    page('<link rel="shortcut icon" href="/icons/small.png">');
    site.answer('/icons/small.png', { type: 'image/png', body: await square(128, RED) });
    const { id } = await link(`${site.url}/a/path?token=secret#part`);
    // The job of the link reads it: nobody has asked for it.
    await wasRead();
    const { headers, bytes } = await read(id);
    // The destination itself is not opened: its URL may do something.
    expect(site.requests('/a/path')).to.equal(0);
    const { width, color } = await pixelOf(bytes);
    expect(width).to.equal(64);
    expect(isNear(color, RED), String(color)).to.equal(true);
    expect(headers.get('content-type')).to.equal('image/png');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('content-security-policy')).to.equal("default-src 'none'; sandbox");
    expect(headers.get('cache-control')).to.equal('private, no-cache');
    const { host } = new URL(site.url);
    const named = await iconOf(id, { host });
    expect(named.headers.get('cache-control')).to.equal('private, max-age=604800');
    expect((await iconOf(id, { host: 'other.example' })).status).to.equal(204);
    const known = { 'if-none-match': headers.get('etag')! };
    const again = await world.api.download(`/links/${id}/icon`, {}, { headers: known });
    expect(again.status).to.equal(304);

    const other = await aWorkspace();
    expect((await other.api.get(`/links/${id}/icon`)).status).to.equal(404);
    // A link to the same site says nothing about others who have one.
    const { body: own } = await other.api.post('/links', { url: 'mailto:a@b.test' });
    expect((await iconOf(own.id, {}, other)).status).to.equal(204);
    expect(await db()('icons').where({ project_id: other.projectId })).to.deep.equal([]);
    const outsider = await world.withScopes('qrcodes.read');
    expect((await outsider.get(`/links/${id}/icon`)).status).to.equal(403);
    const { api: viewer } = await aPerson({ in: { ...world, role: 'viewer' } });
    expect((await viewer.download(`/links/${id}/icon`)).status).to.equal(200);
  });

  it('are one for a site, read once, and again after a change to another site', async () => {
    site.answer('/favicon.ico', { body: ico([{ side: 32, data: bitmap(32, 32, BLUE) }]) });
    const links = await Promise.all([1, 2, 3].map((n) => link(`${site.url}/${n}`)));
    for (const { id } of links) await read(id);
    expect(await stored()).to.have.length(1);
    expect([site.requests('/'), site.requests('/favicon.ico')]).to.deep.equal([1, 1]);
    const other = await Site.start();
    try {
      other.answer('/favicon.ico', { body: await square(16, RED) });
      const [{ id }] = links as [{ id: string }];
      await world.api.patch(`/links/${id}`, { url: `${other.url}/` });
      await eventually(async () => expect(await stored()).to.have.length(2));
      const { width, color } = await pixelOf((await read(id)).bytes);
      expect([width, isNear(color, RED)]).to.deep.equal([16, true]);
    } finally {
      await other.stop();
    }
  });

  it('are those of QR codes too', async () => {
    site.answer('/favicon.ico', { body: await square(48, BLUE, 'webp') });
    const { body } = await world.api.post('/qrcodes', { type: 'url', url: `${site.url}/code` });
    const { color } = await pixelOf((await read(body.id)).bytes);
    expect(isNear(color, BLUE), String(color)).to.equal(true);
    const { body: text } = await world.api.post('/qrcodes', { type: 'text', text: 'a' });
    expect((await iconOf(text.id)).status).to.equal(204);
  });

  it('are read for links that are there already, when somebody asks', async () => {
    site.answer('/favicon.ico', { body: await square(32, RED) });
    const { id } = await link(site.url);
    await wasRead();
    await stored().delete();
    expect((await iconOf(id)).status).to.equal(204);
    await read(id);
  });

  it('are read again after weeks, and stay while the site is away', async () => {
    site.answer('/favicon.ico', { body: await square(32, RED) });
    const { id } = await link(site.url);
    await read(id);
    const makeOld = (days: number) =>
      stored().update({ read_at: db().raw('now() - make_interval(days => ?)', [days]) });
    await makeOld(29);
    await iconOf(id);
    site.answer('/favicon.ico', { status: 500 });
    await makeOld(31);
    expect((await iconOf(id)).status).to.equal(200);
    await eventually(() => expect(site.requests('/favicon.ico')).to.equal(2));
    await eventually(async () => {
      const [{ read_at: at, png }] = await stored();
      expect(Date.now() - at.getTime()).to.be.below(60_000);
      expect(png).not.to.equal(null);
    });
    site.answer('/favicon.ico', { body: await square(32, BLUE) });
    await makeOld(31);
    await eventually(async () => {
      const { color } = await pixelOf((await iconOf(id)).bytes);
      expect(isNear(color, BLUE)).to.equal(true);
    });
  });

  it('are remembered as missing', async () => {
    const { id } = await link(site.url);
    expect((await wasRead()).png).to.equal(null);
    const before = site.requests();
    for (let n = 0; n < 3; n += 1) expect((await iconOf(id)).status).to.equal(204);
    await link(`${site.url}/another`);
    expect(site.requests()).to.equal(before);
    site.answer('/favicon.ico', { body: await square(32, RED) });
    await stored().update({ read_at: db().raw("now() - interval '2 days'") });
    await read(id);
  });

  it('are drawn anew: an SVG without its script, as a PNG', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><script>alert(1)</script>
      <rect width="10" height="10" fill="rgb(220,20,30)" onload="alert(2)"/></svg>`;
    page('<link rel="icon" type="image/svg+xml" href="logo.svg">');
    site.answer('/logo.svg', { type: 'image/svg+xml', body: svg });
    const { id } = await link(site.url);
    const { bytes, headers } = await read(id);
    expect(headers.get('content-type')).to.equal('image/png');
    expect(bytes.subarray(1, 4).toString()).to.equal('PNG');
    expect(bytes.toString('latin1')).not.to.contain('alert');
    expect(isNear((await pixelOf(bytes)).color, RED)).to.equal(true);
  });

  it('of a site that redirects to another one are its own', async () => {
    const other = await Site.start();
    try {
      other.answer('/', { type: 'text/html', body: '<link rel="icon" href="/other.png">' });
      other.answer('/other.png', { body: await square(32, BLUE) });
      const location = `http://localhost:${other.port}/`;
      site.answer('/', { status: 302, headers: { location } });
      site.answer('/favicon.ico', { body: await square(32, RED) });
      const { id } = await link(site.url);
      expect(isNear((await pixelOf((await read(id)).bytes)).color, RED)).to.equal(true);
      expect([other.requests('/'), other.requests('/other.png')]).to.deep.equal([1, 0]);
    } finally {
      await other.stop();
    }
  });

  it('of sites that never respond leave slots to others, and are tried again in an hour', async () => {
    let [open, most] = [0, 0];
    const wait = (_: unknown, response: ServerResponse) => {
      open += 1;
      most = Math.max(most, open);
      response.on('close', () => {
        open -= 1;
      });
    };
    site.answer('/', wait);
    site.answer('/favicon.ico', wait);
    const worlds = await Promise.all(Array.from({ length: 12 }, () => aWorkspace()));
    await Promise.all(worlds.map(({ api }) => api.post('/links', { url: site.url })));
    const { id } = await link(site.url);
    await eventually(() => expect(open).to.equal(6));
    const other = await Site.start();
    try {
      const logo = other.answer('/logo.png', { type: 'image/png', body: await square(32, RED) });
      const made = await world.api.post('/qrcodes', { type: 'url', url: site.url, logo });
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
    } finally {
      await other.stop();
    }
    // Nothing remembers a miss for a day that may be due to a moment.
    const hours = async () =>
      (Date.now() - ((await wasRead()) as unknown as { read_at: Date }).read_at.getTime()) /
      3_600_000;
    expect(await hours()).to.be.within(22.9, 23.1);
    expect(most).to.equal(6);
    site.answer('/', { status: 404 });
    site.answer('/favicon.ico', { body: await square(32, RED) });
    expect((await iconOf(id)).status).to.equal(204);
    await stored().update({ read_at: db().raw("read_at - interval '61 minutes'") });
    await iconOf(id);
    await read(id);
  });

  it('are limited to 512 KiB in a data URI too', async () => {
    const uri = `data:image/png;base64,${Buffer.alloc(512 * 1024 + 1).toString('base64')}`;
    const thrown = await readIcon(uri, 1_000).catch(({ message }: Error) => message);
    expect(thrown).to.equal('must not be larger than 524288 bytes');
  });

  describe('of hostile sites are none:', () => {
    const cases: [string, () => Promise<void>][] = [
      [
        'a file that is too large',
        async () => {
          site.answer('/favicon.ico', { body: Buffer.alloc(3 * 1024 * 1024, 1) });
        },
      ],
      [
        'a file that never ends',
        async () => {
          site.answer('/favicon.ico', (_, response) => {
            const timer = setInterval(() => response.write(Buffer.alloc(64 * 1024)), 5);
            response.on('close', () => clearInterval(timer));
          });
        },
      ],
      [
        'a page that never ends',
        async () => {
          site.answer('/', (_, response) => {
            response.writeHead(200, { 'content-type': 'text/html' });
            const timer = setInterval(() => response.write('<meta name=a content=b>'), 5);
            response.on('close', () => clearInterval(timer));
          });
        },
      ],
      [
        'an image of 10,000 px',
        async () => {
          site.answer('/favicon.ico', { body: await square(10_000, RED) });
        },
      ],
      [
        'a private address behind a redirect',
        async () => {
          const headers = { location: 'http://10.0.0.1/icon.png' };
          site.answer('/favicon.ico', { status: 302, headers });
        },
      ],
      [
        'a private address in the page',
        async () => {
          page('<link rel="icon" href="http://169.254.169.254/latest/meta-data/icon.png">');
        },
      ],
      [
        'a file of the machine',
        async () => {
          page('<link rel="icon" href="file:///etc/hostname">');
        },
      ],
      [
        'an SVG with entities',
        async () => {
          const body =
            '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>';
          site.answer('/favicon.ico', { body });
        },
      ],
      [
        'a page instead of an image',
        async () => {
          site.answer('/favicon.ico', { type: 'text/html', body: '<h1>Not found</h1>' });
        },
      ],
      [
        'an ICO of nothing',
        async () => {
          site.answer('/favicon.ico', { body: ico([{ side: 16, data: Buffer.alloc(60) }]) });
        },
      ],
    ];
    for (const [name, set] of cases) {
      it(name, async function () {
        this.timeout(60_000);
        await set();
        const { id } = await link(site.url);
        const row = await eventually(async () => {
          const [found] = (await stored()) as { png: Buffer | null }[];
          expect(found).not.to.equal(undefined);
          return found!;
        }, 50_000);
        expect(row.png).to.equal(null);
        expect((await iconOf(id)).status).to.equal(204);
      });
    }
  });

  it('refuse a query that is none', async () => {
    const { id } = await link('https://example.com');
    expect((await world.api.get(`/links/${id}/icon`, { size: '64' })).status).to.equal(422);
    expect((await world.api.get(`/links/${id}/icon`, { host: 'a'.repeat(300) })).status).to.equal(
      422,
    );
    expect((await world.api.get('/links/link_none/icon')).status).to.equal(404);
  });

  it('are not read where the operator switched them off', async () => {
    const { id } = await link(site.url);
    await wasRead();
    await stored().delete();
    const settings = { DESTINATION_ICONS: 'off', API_PORT: '0', HEALTH_PORT: '0' };
    const api = new OneProcess('api', settings);
    try {
      const { port } = await api.logged('API is listening');
      const before = site.requests();
      const answer = await fetch(`http://127.0.0.1:${String(port)}/links/${id}/icon`, {
        headers: { authorization: `Bearer ${world.apiKey}` },
      });
      expect(answer.status).to.equal(204);
      // The next icon is read after the one that would have been.
      site.answer('/favicon.ico', { body: await square(32, RED) });
      expect([site.requests(), await stored()]).to.deep.equal([before, []]);
      await read(id);
    } finally {
      await api.stop();
    }
  });
});
