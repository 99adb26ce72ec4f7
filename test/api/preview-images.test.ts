import { expect } from 'chai';
import sharp, { type Create } from 'sharp';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const plain = (width: number, height: number, background: Create['background'] = 'red') =>
  sharp({ create: { width, height, channels: 3, background } });

const svg = (content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">${content}</svg>`;
const GREEN = '<rect width="40" height="20" fill="#0f0"/>';

const NO_IMAGE = 'url must be an image (PNG, JPEG, WebP, GIF, AVIF or SVG)';
const DAMAGED = 'url must be an image whose file is not damaged';

describe('GET /metatags/image', () => {
  let site: Site;
  /** Site on an address that OUTBOUND_ALLOW does not list. */
  let forbidden: Site;
  let world: World;

  before(async () => {
    [site, forbidden] = [await Site.start(), await Site.start('127.0.0.2')];
    world = await aWorkspace();
  });
  after(() => Promise.all([site.stop(), forbidden.stop()]));

  const get = (url: string, headers: Record<string, string> = {}) =>
    world.api.download('/metatags/image', { url }, { headers });

  async function found(url: string): Promise<Buffer> {
    const { status, bytes } = await get(url);
    expect(status, bytes.toString('latin1', 0, 200)).to.equal(200);
    return bytes;
  }

  async function refusal(url: string): Promise<string> {
    const { status, body } = await world.api.get('/metatags/image', { url });
    expect(status, JSON.stringify(body)).to.equal(422);
    expect(body.error.code).to.equal('unprocessable_entity');
    return body.error.message;
  }

  describe('answers with a small WebP', () => {
    it('of a large photograph, turned as it says, without its metadata', async () => {
      const body = await plain(1_200, 2_400)
        .withExif({ IFD0: { Copyright: 'somebody' } })
        .withMetadata({ orientation: 6 })
        .jpeg()
        .toBuffer();
      const url = site.answer('/photo', { type: 'image/jpeg', body });
      const { status, headers, bytes } = await get(url);
      expect(status).to.equal(200);
      const { format, width, height, exif, orientation } = await sharp(bytes).metadata();
      expect({ format, width, height, exif, orientation }).to.deep.equal({
        format: 'webp',
        width: 800,
        height: 400,
        exif: undefined,
        orientation: undefined,
      });
      expect(Object.fromEntries(headers)).to.include({
        'content-type': 'image/webp',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      });
      expect(headers.get('cache-control')).to.match(/^private, max-age=3\d{3}$/);
    });

    it('of an image whose host calls it a page, and does not enlarge it', async () => {
      const body = await plain(40, 20).png().toBuffer();
      const bytes = await found(site.answer('/liar', { type: 'text/html', body }));
      const { format, width, height } = await sharp(bytes).metadata();
      expect([format, width, height]).to.deep.equal(['webp', 40, 20]);
    });

    it('of an SVG, of which no script runs and nothing is loaded', async () => {
      const hostile =
        `<script>fetch('${site.url}/scripted')</script><image href="${site.url}/linked" width="9" height="9"/>` +
        `<foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"/></foreignObject>`;
      const body = svg(GREEN + hostile);
      const bytes = await found(site.answer('/scripts.svg', { type: 'image/svg+xml', body }));
      expect((await sharp(bytes).metadata()).format).to.equal('webp');
      expect(bytes.toString('latin1')).not.to.contain('script');
      const [, green] = await sharp(bytes).raw().toBuffer();
      expect(green).to.be.greaterThan(220);
      expect([site.requests('/scripted'), site.requests('/linked')]).to.deep.equal([0, 0]);
    });

    it('of the first frame of an animation', async () => {
      const frames = ['red', 'blue'].map((color) => plain(8, 8, color).png().toBuffer());
      const body = await sharp(await Promise.all(frames), { join: { animated: true } })
        .gif()
        .toBuffer();
      const bytes = await found(site.answer('/moving.gif', { type: 'image/gif', body }));
      const [red] = await sharp(bytes).raw().toBuffer();
      expect((await sharp(bytes).metadata()).pages).to.equal(undefined);
      expect(red).to.be.greaterThan(220);
    });
  });

  describe('refuses', () => {
    const addresses: [url: string, message: string][] = [
      ['data:image/png;base64,AAAA', 'url must not use the scheme data:'],
      ['mailto:a@example.com', 'url must begin with http:// or https://'],
      ['http://10.0.0.1/a.png', 'url must not point to a private IP address'],
      ['http://169.254.169.254/latest/', 'url must not point to a private IP address'],
      ['http://[::1]/a.png', 'url must not point to a private IP address'],
      ['http://a:b@example.com/a.png', 'url must not contain a user name or password'],
      ['http://8.8.8.8:6379/', 'url must use port 80 or 443'],
      ['https://nobody.invalid/a.png', 'url must have a host name that exists'],
      ['nonsense', 'url must be a valid URL'],
    ];
    for (const [url, message] of addresses) {
      it(`"${url}"`, async () => expect(await refusal(url)).to.equal(message));
    }

    it('a redirect to a private address', async () => {
      const url = site.answer('/inwards', {
        status: 302,
        headers: { location: `${forbidden.url}/` },
      });
      expect(await refusal(url)).to.equal('url must not point to a private IP address');
      expect(forbidden.requests()).to.equal(0);
    });

    const bodies: [what: string, body: () => Buffer | string | Promise<Buffer>, message: string][] =
      [
        ['a page', () => '<!doctype html><img src="/a.png">', NO_IMAGE],
        ['a page that claims to be an SVG', () => `<p>${svg(GREEN)}`, NO_IMAGE],
        ['nothing', () => '', NO_IMAGE],
        ['a damaged image', async () => (await png(400, 400)).subarray(0, 300), DAMAGED],
        [
          'an SVG whose entities become gigabytes',
          () => `<!DOCTYPE svg [<!ENTITY a "${'a'.repeat(1_000)}">]>${svg('<text>&a;</text>')}`,
          'url must not be an SVG with entities',
        ],
        [
          'an image of 10,000 × 10,000 px',
          () => png(10_000, 10_000),
          'url must not have more than 25 million pixels',
        ],
        [
          'a file of more than 5 MiB',
          () => Buffer.alloc(5 * 1024 * 1024 + 1, '\x89PNG\r\n\x1a\n', 'latin1'),
          'url must not be larger than 5 MiB',
        ],
      ];
    for (const [at, [what, body, message]] of bodies.entries()) {
      it(what, async () => {
        const url = site.answer(`/bad/${at}`, { type: 'image/svg+xml', body: await body() });
        expect(await refusal(url)).to.equal(message);
      });
    }
    const png = (width: number, height: number) => plain(width, height).png().toBuffer();

    it('an error of the host', async () => {
      const url = site.answer('/gone', { status: 404, body: await png(4, 4) });
      expect(await refusal(url)).to.equal('url must respond with status 200, not 404');
    });

    it('a host that responds too slowly', async () => {
      const url = site.answer('/slow', (_request, response) => {
        response.writeHead(200, { 'content-type': 'image/png' }).write('\x89PNG');
        const timer = setInterval(() => response.write('x'), 100);
        response.on('close', () => clearInterval(timer));
      });
      expect(await refusal(url)).to.equal('url must respond completely within 5 s');
    });

    it('callers without a key, and keys without the scope', async () => {
      const path = `/metatags/image?url=${encodeURIComponent(site.url)}`;
      expect((await fetch(stack().apiUrl + path)).status).to.equal(401);
      const api = await world.withScopes('tags.read');
      expect((await api.get('/metatags/image', { url: site.url })).status).to.equal(403);
    });
  });

  it('fetches an image once for concurrent and later requests, and says when a client has it', async () => {
    const body = await plain(40, 20).png().toBuffer();
    const url = site.answer('/popular.png', { body, delayMs: 200 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => get(url)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const etag = answers[0]!.headers.get('etag')!;
    expect((await get(url)).headers.get('etag')).to.equal(etag);
    const known = await get(url, { 'if-none-match': etag });
    expect([known.status, known.bytes.length]).to.deep.equal([304, 0]);
    expect(site.requests('/popular.png')).to.equal(1);
  });

  it('keeps images and metadata of one address apart', async () => {
    const url = site.answer('/both', {
      type: 'image/png',
      body: await plain(4, 4).png().toBuffer(),
    });
    const headers = { 'x-forwarded-for': '198.51.100.64' };
    expect((await world.api.get('/metatags', { url }, { headers })).body.image).to.equal(url);
    expect((await sharp(await found(url)).metadata()).format).to.equal('webp');
  });

  it('has a limit of its own by workspace, and leaves that of the workspace alone', async () => {
    const limited = await aWorkspace();
    await limited.set({ requestsPerMinute: 20 });
    const url = site.answer('/limited.png', { body: await plain(4, 4).png().toBuffer() });
    const ask = async () => {
      const { status, headers } = await limited.api.download('/metatags/image', { url });
      expect(headers.get('ratelimit-limit'), `answer ${status}`).to.equal('300');
      return status;
    };
    const statuses: number[] = [];
    // On a busy machine, the first 300 requests can take longer than the minute of the limit.
    while (!statuses.includes(429) && statuses.length < 1_200) {
      statuses.push(...(await Promise.all(Array.from({ length: 50 }, ask))));
    }
    expect(statuses).to.include(429);
    expect(statuses.indexOf(429)).to.be.at.least(250);
    expect((await limited.api.get('/tags')).status).to.equal(200);
    expect((await get(url)).status).to.equal(200);
  });
});
