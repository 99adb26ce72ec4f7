import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { NO_PAGES, PAGES } from '../data/pages.ts';
import { type ApiAnswer, ApiClient } from '../support/client.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';

const NOTHING = {
  title: null,
  description: null,
  image: null,
  siteName: null,
  icon: null,
  video: null,
  canonical: null,
};

describe('GET /metatags', () => {
  const anyone = new ApiClient(undefined);
  let site: Site;
  /** On an address that nobody allowed. */
  let forbidden: Site;

  before(async () => {
    [site, forbidden] = [await Site.start(), await Site.start('127.0.0.2')];
  });
  after(() => Promise.all([site.stop(), forbidden.stop()]));

  // What one address may ask for is counted over all tests.
  const ask = (url: string | undefined, address = '198.51.100.60'): Promise<ApiAnswer> =>
    anyone.get('/metatags', { url }, { headers: { 'x-forwarded-for': address } });

  async function found(url: string): Promise<Record<string, unknown>> {
    const { status, body } = await ask(url);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  }

  async function refusal(url: string | undefined): Promise<string> {
    const { status, body } = await ask(url);
    expect(status, JSON.stringify(body)).to.equal(422);
    expect(body.error.code).to.equal('unprocessable_entity');
    return body.error.message;
  }

  describe('reads a page that', () => {
    for (const [at, { what, answer, found: expected }] of PAGES.entries()) {
      it(
        /^(has|is|says|turns|never|confuses|refreshes|nests|ends|calls) /.test(what)
          ? what
          : `is ${what}`,
        async () => {
          const url = site.answer(`/shapes/${at}`, answer);
          const addressed = Object.entries(expected).map(([name, value]) => [
            name,
            value?.replace('SITE', site.url).replace('PAGE', String(at)),
          ]);
          expect(await found(url)).to.deep.equal({
            url,
            ...NOTHING,
            ...Object.fromEntries(addressed),
          });
        },
      );
    }
  });

  describe('refuses', () => {
    for (const [at, { what, answer, why }] of NO_PAGES.entries()) {
      it(what, async () => {
        const message = await refusal(site.answer(`/others/${at}`, answer));
        expect(message).to.equal(`url: ${why}`);
      });
    }

    const bad: [url: string | undefined, message: RegExp][] = [
      [undefined, /^url is required$/],
      ['', /^url /],
      ['mailto:a@example.com', /^url must begin with http:\/\/ or https:\/\/$/],
      ['javascript:alert(1)', /^url must not use the scheme javascript:$/],
      ['http://', /^url must be a valid URL$/],
      ['nonsense', /^url must be a valid URL$/],
      ['http://10.0.0.1/', /^url: could not be fetched: it leads to a private address$/],
      [
        'http://169.254.169.254/latest/',
        /^url: could not be fetched: it leads to a private address$/,
      ],
      ['http://[::1]/', /^url: could not be fetched: it leads to a private address$/],
      ['http://a:b@example.com/', /^url: could not be fetched: it must not contain a user name/],
      ['http://8.8.8.8:6379/', /^url: could not be fetched: its port must be 80 or 443$/],
      ['https://nobody.invalid/', /^url: could not be fetched: its host is not known$/],
      ['nobody.invalid/path', /^url: could not be fetched: its host is not known$/],
      ['http://127.0.0.1:9/', /^url: could not be fetched: its host does not answer$/],
    ];
    for (const [url, message] of bad) {
      it(`"${url}"`, async () => expect(await refusal(url)).to.match(message));
    }

    it('any other parameter, and any other method', async () => {
      const headers = { 'x-forwarded-for': '198.51.100.60' };
      const { status, body } = await anyone.get('/metatags', { url: site.url, x: 1 }, { headers });
      expect([status, body.error.message]).to.deep.equal([422, 'x is not a known query parameter']);
      expect((await anyone.post('/metatags', {}, { headers })).status).to.equal(404);
    });

    it('a stream of bytes that never ends, without reading it', async () => {
      let sent = 0;
      const url = site.answer('/endless', (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' });
        const timer = setInterval(() => {
          sent += 1;
          response.write(Buffer.alloc(1_000));
        }, 50);
        response.on('close', () => clearInterval(timer));
      });
      expect(await refusal(url)).to.equal(
        'url: not a web page: its type is application/octet-stream',
      );
      expect(sent).to.be.below(20);
    });

    it('a head that comes too slowly', async () => {
      const url = site.answer('/slow-head', (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).write('<title>A</title>');
        const timer = setInterval(() => response.write('<!-- -->'), 100);
        response.on('close', () => clearInterval(timer));
      });
      expect(await refusal(url)).to.equal('url: could not be fetched: it took longer than 5 s');
    });

    it('a host that says nothing', async () => {
      const url = site.answer('/silent', { delayMs: 10_000 });
      expect(await refusal(url)).to.equal('url: could not be fetched: it took longer than 5 s');
    });

    it('what is no HTTP', async () => {
      const server = createServer();
      server.on('connection', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      const { port } = server.address() as AddressInfo;
      expect(await refusal(`http://127.0.0.1:${port}/`)).to.equal(
        'url: could not be fetched: its host does not answer',
      );
      server.close();
    });
  });

  describe('follows', () => {
    const redirect = (path: string, location: string, status = 302) =>
      site.answer(path, { status, headers: { location } });

    it('redirects, relative ones too, and resolves against where they lead', async () => {
      const first = redirect('/r1', '/deep/r2', 301);
      redirect('/deep/r2', './r3?a=1', 307);
      redirect('/deep/r3', '../final/page#part', 308);
      site.answer('/final/page', {
        type: 'text/html',
        body: '<title>End</title><link rel=icon href=i.png>',
      });
      expect(await found(first)).to.deep.equal({
        ...NOTHING,
        url: `${site.url}/final/page`,
        title: 'End',
        icon: `${site.url}/final/i.png`,
      });
    });

    it('five redirects, and no sixth', async () => {
      for (let at = 0; at < 6; at += 1) redirect(`/hop${at}`, `/hop${at + 1}`);
      site.answer('/hop6', { type: 'text/html', body: '<title>End</title>' });
      expect((await found(`${site.url}/hop1`))['title']).to.equal('End');
      expect(await refusal(`${site.url}/hop0`)).to.equal(
        'url: could not be fetched: it redirects more than 5 times',
      );
      expect(await refusal(redirect('/loop', '/loop'))).to.equal(
        'url: could not be fetched: it redirects more than 5 times',
      );
    });

    it('no redirect to a private address', async () => {
      for (const to of [`${forbidden.url}/`, 'http://169.254.169.254/', 'http://0x7f000002/']) {
        expect(await refusal(redirect(`/private${to.length}`, to))).to.equal(
          'url: could not be fetched: it leads to a private address',
        );
      }
      expect(forbidden.requests()).to.equal(0);
    });

    it('no refresh, and fetches nothing that a page names', async () => {
      const url = site.answer('/refreshing', {
        type: 'text/html',
        body: '<meta http-equiv=refresh content="0;url=/there"><link rel=icon href=/named.ico><script src=/named.js></script>',
      });
      await found(url);
      for (const path of ['/there', '/named.ico', '/named.js', '/favicon.ico']) {
        expect(site.requests(path), path).to.equal(0);
      }
    });
  });

  it('takes a page as soon as its head is over, however slowly the rest comes', async () => {
    for (const end of ['</head>', '<body class="a">']) {
      const url = site.answer(`/slow${end.length}`, (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        // In two pieces, since it may be cut anywhere.
        response.write(`<head><title>A</title>${end.slice(0, 4)}`);
        setTimeout(() => response.write(`${end.slice(4)}<p>`), 50);
      });
      const began = Date.now();
      expect((await found(url))['title']).to.equal('A');
      expect(Date.now() - began).to.be.below(3_000);
    }
  });

  it('takes no more than a mebibyte of a head that never ends', async () => {
    let sent = 0;
    const url = site.answer('/endless-head', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<title>A</title>');
      const timer = setInterval(() => {
        sent += 200_000;
        response.write(`<!--${' '.repeat(200_000)}-->`);
      }, 5);
      response.on('close', () => clearInterval(timer));
    });
    expect((await found(url))['title']).to.equal('A');
    expect(sent).to.be.below(8_000_000);
  });

  it('is of an image the image itself', async () => {
    const url = site.answer('/photo', { type: 'image/png', body: Buffer.alloc(100) });
    expect(await found(url)).to.deep.equal({ url, ...NOTHING, image: url });
  });

  it('completes an address without a scheme, and leaves its fragment out', async () => {
    // Nobody answers there by TLS: that it was tried is what is asked here.
    expect(await refusal(`127.0.0.1:${site.port}/`)).to.match(/could not be fetched: its /);
    const url = site.answer('/fragment', { type: 'text/html', body: '<title>A</title>' });
    expect((await found(`${url}#a`))['url']).to.equal(url);
    expect((await found(`${url}#b`))['url']).to.equal(url);
    expect(site.requests('/fragment')).to.equal(1);
  });

  describe('keeps', () => {
    it('what it found for an hour, and says how long', async () => {
      const url = site.answer('/kept', { type: 'text/html', body: '<title>One</title>' });
      const first = await ask(url);
      expect(first.body.title).to.equal('One');
      const [, seconds] = /^public, max-age=(\d+)$/.exec(first.headers.get('cache-control')!)!;
      expect(Number(seconds)).to.be.within(3_590, 3_600);
      site.answer('/kept', { type: 'text/html', body: '<title>Two</title>' });
      expect((await ask(url)).body.title).to.equal('One');
      expect(site.requests('/kept')).to.equal(1);
    });

    it('what it could not read for a minute only, and has nobody keep that', async () => {
      const url = site.answer('/failing', { status: 503 });
      const { status, headers } = await ask(url);
      expect([status, headers.get('cache-control')]).to.deep.equal([422, 'no-store']);
      await refusal(url);
      expect(site.requests('/failing')).to.equal(1);
    });

    it('one reading for all who ask at once', async () => {
      const url = site.answer('/popular', {
        type: 'text/html',
        body: '<title>A</title>',
        delayMs: 300,
      });
      const answers = await Promise.all(Array.from({ length: 30 }, () => ask(url)));
      expect(answers.map(({ body }) => body.title)).to.deep.equal(Array(30).fill('A'));
      expect(site.requests('/popular')).to.equal(1);
    });

    it('one failure for all who ask at once', async () => {
      const url = site.answer('/unpopular', { status: 404, delayMs: 300 });
      const answers = await Promise.all(Array.from({ length: 10 }, () => ask(url)));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(10).fill(422));
      expect(site.requests('/unpopular')).to.equal(1);
    });
  });

  it('lets one address ask so often a minute, and others go on', async () => {
    const url = site.answer('/limited', { type: 'text/html', body: '<title>A</title>' });
    expect((await ask(url, '192.0.2.61')).headers.get('ratelimit-limit')).to.equal('300');
    const answers = await Promise.all(Array.from({ length: 305 }, () => ask(url, '192.0.2.61')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).to.be.within(1, 6);
    expect(Number(refused[0]!.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await ask(url, '192.0.2.62')).status).to.equal(200);
  });

  it('leaves no job behind', async () => {
    const metrics = await (
      await fetch(`${stack().runner.healthUrlOf('worker_metatags')}/metrics`)
    ).text();
    expect(metrics).not.to.match(/dead_letters\w*\{queue="metatags"/);
  });
});
