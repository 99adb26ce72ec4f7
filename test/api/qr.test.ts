import { expect } from 'chai';
import sharp from 'sharp';
import { ApiClient } from '../support/client.ts';
import { DECODERS, toPixels } from '../support/decoders.ts';
import { eventually } from '../support/eventually.ts';
import { noise } from '../support/noise.ts';
import { isDrawing, withDescendants } from '../support/processes.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';

const URL_A = 'https://example.com/a';

describe('GET /qr', () => {
  const anyone = new ApiClient(undefined);
  const from = (address: string, headers: Record<string, string> = {}) => ({
    headers: { 'x-forwarded-for': address, ...headers },
  });
  // Other tests have used up the limit of this machine's address.
  const here = '198.51.100.20';
  const qr = (query: Record<string, string | number>, headers: Record<string, string> = {}) =>
    anyone.download('/qr', { url: URL_A, ...query }, from(here, headers));

  /** Counts the images that worker_qr has rendered. */
  async function drawn(): Promise<number> {
    const counts = await stack().metric(
      'worker_qr',
      'shortlinks_job_duration_seconds_count{queue="qr",job_name="qr.render",outcome="done"}',
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  it('renders any URL without a key, and may be cached for a day', async () => {
    const { status, headers, bytes } = await qr({});
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('image/png');
    expect(headers.get('cache-control')).to.equal('public, max-age=86400');
    expect(headers.get('etag')).to.match(/^"[\w-]{43}"$/);
    expect(headers.get('content-disposition')).to.equal('inline; filename="qr-code.png"');
    expect((await DECODERS['ZXing']!(await toPixels(bytes)))?.toString()).to.equal(URL_A);
    const again = await qr({}, { 'if-none-match': headers.get('etag')! });
    expect(again.status).to.equal(304);
  });

  it('accepts size, level, colours, margin, pattern, frame and format', async () => {
    const { bytes } = await qr({
      size: 400,
      level: 'q',
      fgColor: '1A2B3C',
      bgColor: 'rgb(255 251 235)',
      margin: 6,
      pattern: 'rounded',
      shape: 'octagon/dot',
      frame: 'label-bottom',
      frameText: 'Scan',
      frameColor: '',
      logo: '',
      format: 'webp',
    });
    const { format, width, height } = await sharp(bytes).metadata();
    expect([format, width]).to.deep.equal(['webp', 400]);
    expect(height).to.be.greaterThan(400);
    expect((await DECODERS['ZBar']!(await toPixels(bytes)))?.toString()).to.equal(URL_A);
  });

  it('draws two lines of text in any script, and an icon', async () => {
    const text = 'メニュー\nقائمة الطعام';
    const { status, bytes } = await qr({ frame: 'ticket', frameText: text, frameIcon: 'menu' });
    expect(status).to.equal(200);
    for (const [name, decode] of Object.entries(DECODERS)) {
      expect((await decode(await toPixels(bytes)))?.toString(), name).to.equal(URL_A);
    }
    const plain = await qr({ frame: 'ticket', frameText: 'Menu' });
    const heights = [bytes, plain.bytes].map(async (png) => (await sharp(png).metadata()).height);
    const [two, one] = await Promise.all(heights);
    expect(two).to.be.above(one!);
  });

  it('renders an image once for concurrent requests', async () => {
    const before = await drawn();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => qr({ size: 777, pattern: 'dots' })),
    );
    await qr({ size: 777, pattern: 'dots' });
    expect((await drawn()) - before).to.equal(1);
    expect(new Set(answers.map(({ bytes }) => bytes.toString('base64'))).size).to.equal(1);
  });

  it('renders a logo, which is fetched once', async () => {
    const site = await Site.start();
    try {
      const logo = site.answer('/logo.png', {
        type: 'image/png',
        body: await sharp({ create: { width: 30, height: 30, channels: 3, background: '#0a0' } })
          .png()
          .toBuffer(),
      });
      const [first, second] = [await qr({ logo }), await qr({ logo, size: 600 })];
      expect([first.status, second.status]).to.deep.equal([200, 200]);
      expect((await DECODERS['ZXing']!(await toPixels(second.bytes)))?.toString()).to.equal(URL_A);
      expect(site.requests('/logo.png')).to.equal(1);
    } finally {
      await site.stop();
    }
  });

  it('draws one SVG at a time, and answers 200, 422 or 503', async () => {
    const svgOf = (content: string) =>
      `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64">${content}</svg>`)}`;
    const endless = (n: number) => {
      const levels = Array.from({ length: 5 }, (_, level) => {
        const uses = `<use href="#g${level}"/>`.repeat(13);
        return `<g id="g${level + 1}">${uses}</g>`;
      });
      return svgOf(
        `<defs><circle id="g0" r="${60 + n}"/>${levels.join('')}</defs><use href="#g5"/>`,
      );
    };
    const worker = stack().runner.pidOf('worker_images');
    const children = () => withDescendants(worker).filter(({ id }) => isDrawing(id)).length;
    const counts: number[] = [];
    const counting = setInterval(() => counts.push(children()), 20);
    try {
      const get = (src: string, n: number) =>
        anyone.download('/qr', { url: URL_A, src }, from(`203.0.113.${n}`));
      const [valid, ...bad] = await Promise.all([
        get(svgOf('<circle cx="32" cy="32" r="30" fill="#0a0"/>'), 10),
        ...Array.from({ length: 5 }, (_, n) => get(endless(n + 1), 20 + n)),
      ]);
      expect(valid!.status).to.be.oneOf([200, 503]);
      for (const { status, headers } of bad) {
        expect(status).to.be.oneOf([422, 503]);
        if (status === 503) expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
      }
    } finally {
      clearInterval(counting);
    }
    expect(Math.max(...counts)).to.equal(1);
    // The child process still renders the other images for some seconds.
    await eventually(() => expect(children()).to.equal(0));
  });

  const REFUSED: [query: Record<string, string | number>, message: RegExp][] = [
    [{ url: '' }, /^url must not be empty/],
    [{ url: 'javascript:alert(1)' }, /^url must not use the scheme/],
    [{ size: 20 }, /^size must be at least/],
    [{ size: 100_000 }, /^size must be at most 4096/],
    [{ margin: 2 }, /^margin must be at least 4/],
    [{ format: 'gif' }, /^format must be one of/],
    [{ fgColor: 'EEEEEE' }, /^fgColor and bgColor must differ more/],
    [{ logo: 'http://169.254.169.254/latest' }, /^logo must not point to a private IP address/],
    [{ colour: 'red' }, /^colour is not a known query parameter/],
  ];
  for (const [query, message] of REFUSED) {
    it(`refuses ${JSON.stringify(query)}`, async () => {
      const { status, body } = await anyone.get('/qr', { url: URL_A, ...query }, from(here));
      expect(status).to.equal(422);
      expect(body.error.message).to.match(message);
    });
  }

  it('limits requests per client address and minute', async () => {
    const ask = (address: string) => anyone.download('/qr', { url: URL_A }, from(address));
    const { headers } = await ask('192.0.2.77');
    expect(headers.get('ratelimit-limit')).to.equal('300');
    const answers = await Promise.all(Array.from({ length: 305 }, () => ask('192.0.2.77')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).to.be.within(1, 6);
    expect(Number(refused[0]!.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await ask('192.0.2.78')).status).to.equal(200);
  });

  it('limits new images per client address and minute, not those that were shown lately', async () => {
    const ask = async (n: number, address: string) => {
      const src = await noise(8, n);
      return anyone.download('/qr', { url: URL_A, src }, from(address));
    };
    for (let n = 0; n < 10; n += 1) expect((await ask(n, '192.0.2.81')).status).to.equal(200);
    const refused = await ask(10, '192.0.2.81');
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await ask(0, '192.0.2.81')).status).to.equal(200);
    expect((await ask(10, '192.0.2.82')).status).to.equal(200);
  });

  it('returns 503 while the worker is overloaded, and works again afterwards', async () => {
    const url = `${URL_A}?${Date.now()}`;
    stack().signal('worker_qr', 'SIGSTOP');
    try {
      const { status, body, headers } = await anyone.get('/qr', { url }, from(here));
      expect(status).to.equal(503);
      expect(body.error.code).to.equal('service_unavailable');
      expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
    } finally {
      stack().signal('worker_qr', 'SIGCONT');
    }
    await eventually(async () =>
      expect((await anyone.download('/qr', { url }, from(here))).status).to.equal(200),
    );
  });
});
