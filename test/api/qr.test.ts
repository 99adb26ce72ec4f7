import { expect } from 'chai';
import sharp from 'sharp';
import { ApiClient } from '../support/client.ts';
import { DECODERS, toPixels } from '../support/decoders.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';

const URL_A = 'https://example.com/a';

describe('GET /qr', () => {
  const anyone = new ApiClient(undefined);
  const from = (address: string, headers: Record<string, string> = {}) => ({
    headers: { 'x-forwarded-for': address, ...headers },
  });
  // Other tests have used up what this machine's own address may ask for.
  const here = '198.51.100.20';
  const qr = (query: Record<string, string | number>, headers: Record<string, string> = {}) =>
    anyone.download('/qr', { url: URL_A, ...query }, from(here, headers));

  /** How many pictures worker_qr has drawn. */
  async function drawn(): Promise<number> {
    const metrics = await (
      await fetch(`${stack().runner.healthUrlOf('worker_qr')}/metrics`)
    ).text();
    const count = /job_seconds_count\{queue="qr",job="qr.render",outcome="done"\} (\d+)/.exec(
      metrics,
    );
    return Number(count?.[1] ?? 0);
  }

  it('draws any URL for anybody, and may be kept for a day', async () => {
    const { status, headers, bytes } = await qr({});
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('image/png');
    expect(headers.get('cache-control')).to.equal('public, max-age=86400');
    expect(headers.get('etag')).to.match(/^"[\w-]{43}"$/);
    expect((await DECODERS['ZXing']!(await toPixels(bytes)))?.toString()).to.equal(URL_A);
    const again = await qr({}, { 'if-none-match': headers.get('etag')! });
    expect(again.status).to.equal(304);
  });

  it('takes size, level, colours, margin, pattern, frame and format', async () => {
    const { bytes } = await qr({
      size: 400,
      level: 'Q',
      fgColor: '1A2B3C',
      bgColor: '#FFFBEB',
      margin: 6,
      pattern: 'rounded',
      shape: 'octagon/dot',
      frame: 'label-bottom',
      frameText: 'Scan',
      format: 'webp',
    });
    const { format, width, height } = await sharp(bytes).metadata();
    expect([format, width]).to.deep.equal(['webp', 400]);
    expect(height).to.be.greaterThan(400);
    expect((await DECODERS['ZBar']!(await toPixels(bytes)))?.toString()).to.equal(URL_A);
  });

  it('draws a picture once, however many ask for it at once', async () => {
    const before = await drawn();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => qr({ size: 777, pattern: 'dots' })),
    );
    await qr({ size: 777, pattern: 'dots' });
    expect((await drawn()) - before).to.equal(1);
    expect(new Set(answers.map(({ bytes }) => bytes.toString('base64'))).size).to.equal(1);
  });

  it('draws a logo, which it fetches once', async () => {
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

  const REFUSED: [query: Record<string, string | number>, message: RegExp][] = [
    [{ url: '' }, /^url is not allowed to be empty/],
    [{ url: 'javascript:alert(1)' }, /^url must not use the scheme/],
    [{ size: 20 }, /^size must be at least/],
    [{ size: 100_000 }, /^size must be less than or equal to 4096/],
    [{ margin: 2 }, /^margin must be greater than or equal to 4/],
    [{ format: 'gif' }, /^format must be one of/],
    [{ fgColor: 'EEEEEE' }, /^fgColor and bgColor must differ more/],
    [
      { logo: 'http://169.254.169.254/latest' },
      /^logo could not be fetched: it leads to a private address/,
    ],
    [{ colour: 'red' }, /^colour is not a known query parameter/],
  ];
  for (const [query, message] of REFUSED) {
    it(`refuses ${JSON.stringify(query)}`, async () => {
      const { status, body } = await anyone.get('/qr', { url: URL_A, ...query }, from(here));
      expect(status).to.equal(422);
      expect(body.error.message).to.match(message);
    });
  }

  it('lets one address send so many requests a minute, and others go on', async () => {
    const ask = (address: string) => anyone.download('/qr', { url: URL_A }, from(address));
    const { headers } = await ask('192.0.2.77');
    expect(headers.get('ratelimit-limit')).to.equal('300');
    const answers = await Promise.all(Array.from({ length: 305 }, () => ask('192.0.2.77')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).to.be.within(1, 6);
    expect(Number(refused[0]!.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await ask('192.0.2.78')).status).to.equal(200);
  });
});
