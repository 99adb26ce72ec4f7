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
  /** Site on an address that OUTBOUND_ALLOW does not list. */
  let forbidden: Site;

  before(async () => {
    [site, forbidden] = [await Site.start(), await Site.start('127.0.0.2')];
  });
  after(() => Promise.all([site.stop(), forbidden.stop()]));

  // Requests of all tests share the limit of a client address.
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
        expect(message).to.equal(`url ${why}`);
      });
    }

    const bad: [url: string | undefined, message: RegExp][] = [
      [undefined, /^url is required$/],
      ['', /^url /],
      ['mailto:a@example.com', /^url must begin with http:\/\/ or https:\/\/$/],
      ['javascript:alert(1)', /^url must not use the scheme javascript:$/],
      ['http://', /^url must be a valid URL$/],
      ['nonsense', /^url must be a valid URL$/],
      ['http://10.0.0.1/', /^url must not point to a private IP address$/],
      ['http://169.254.169.254/latest/', /^url must not point to a private IP address$/],
      ['http://[::1]/', /^url must not point to a private IP address$/],
      ['http://a:b@example.com/', /^url must not contain a user name/],
      ['http://8.8.8.8:6379/', /^url must use port 80 or 443$/],
      ['https://nobody.invalid/', /^url must have a host name that exists$/],
      ['nobody.invalid/path', /^url must have a host name that exists$/],
      ['http://127.0.0.1:9/', /^url must have a host that responds over HTTP$/],
    ];
    for (const [url, message] of bad) {
      it(`"${url}"`, async () => expect(await refusal(url)).to.match(message));
    }

    it('other parameters and methods', async () => {
      const headers = { 'x-forwarded-for': '198.51.100.60' };
      const { status, body } = await anyone.get('/metatags', { url: site.url, x: 1 }, { headers });
      expect([status, body.error.message]).to.deep.equal([422, 'x is not a known query parameter']);
      expect((await anyone.post('/metatags', {}, { headers })).status).to.equal(404);
    });

    it('an endless body, without reading it', async () => {
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
        'url must respond with a web page, not application/octet-stream',
      );
      expect(sent).to.be.below(20);
    });

    it('a head that arrives too slowly', async () => {
      const url = site.answer('/slow-head', (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).write('<title>A</title>');
        const timer = setInterval(() => response.write('<!-- -->'), 100);
        response.on('close', () => clearInterval(timer));
      });
      expect(await refusal(url)).to.equal('url must respond completely within 5 s');
    });

    it('a host that does not respond', async () => {
      const url = site.answer('/silent', { delayMs: 10_000 });
      expect(await refusal(url)).to.equal('url must respond completely within 5 s');
    });

    it('a response that is not HTTP', async () => {
      const server = createServer();
      server.on('connection', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      const { port } = server.address() as AddressInfo;
      expect(await refusal(`http://127.0.0.1:${port}/`)).to.equal(
        'url must have a host that responds over HTTP',
      );
      server.close();
    });
  });

  describe('follows', () => {
    const redirect = (path: string, location: string, status = 302) =>
      site.answer(path, { status, headers: { location } });

    it('redirects, relative ones too, and resolves URLs against the last one', async () => {
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

    it('five redirects, not six', async () => {
      for (let at = 0; at < 6; at += 1) redirect(`/hop${at}`, `/hop${at + 1}`);
      site.answer('/hop6', { type: 'text/html', body: '<title>End</title>' });
      expect((await found(`${site.url}/hop1`))['title']).to.equal('End');
      expect(await refusal(`${site.url}/hop0`)).to.equal('url must not redirect more than 5 times');
      expect(await refusal(redirect('/loop', '/loop'))).to.equal(
        'url must not redirect more than 5 times',
      );
    });

    it('no redirect to a private address', async () => {
      for (const to of [`${forbidden.url}/`, 'http://169.254.169.254/', 'http://0x7f000002/']) {
        expect(await refusal(redirect(`/private${to.length}`, to))).to.equal(
          'url must not point to a private IP address',
        );
      }
      expect(forbidden.requests()).to.equal(0);
    });

    it('no meta refresh, and fetches nothing that a page links to', async () => {
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

  it('reads a page as soon as its head is complete, however slowly the rest arrives', async () => {
    for (const end of ['</head>', '<body class="a">']) {
      const url = site.answer(`/slow${end.length}`, (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        // A server can split a tag at any byte.
        response.write(`<head><title>A</title>${end.slice(0, 4)}`);
        setTimeout(() => response.write(`${end.slice(4)}<p>`), 50);
      });
      // The response never ends, so waiting for its end would time out and find nothing.
      expect((await found(url))['title']).to.equal('A');
    }
  });

  it('reads at most 1 MiB of an endless head', async () => {
    let sent = 0;
    const url = site.answer('/endless-head', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('<title>A</title>');
      const comment = `<!--${' '.repeat(200_000)}-->`;
      // Sends at the speed of the reader, so that bytes buffered here do not count as sent.
      const send = () =>
        response.write(comment, (error) => {
          if (error) return;
          sent += comment.length;
          send();
        });
      send();
    });
    expect((await found(url))['title']).to.equal('A');
    expect(sent).to.be.below(8_000_000);
  });

  it('returns the URL of an image as its image', async () => {
    const url = site.answer('/photo', { type: 'image/png', body: Buffer.alloc(100) });
    expect(await found(url)).to.deep.equal({ url, ...NOTHING, image: url });
  });

  it('completes a URL without a scheme, and removes its fragment', async () => {
    // The site does not speak TLS, so this refusal proves that HTTPS was tried.
    expect(await refusal(`127.0.0.1:${site.port}/`)).to.match(
      /^url must have a (host that responds over HTTP|valid TLS certificate)$/,
    );
    const url = site.answer('/fragment', { type: 'text/html', body: '<title>A</title>' });
    expect((await found(`${url}#a`))['url']).to.equal(url);
    expect((await found(`${url}#b`))['url']).to.equal(url);
    expect(site.requests('/fragment')).to.equal(1);
  });

  describe('caches', () => {
    it('metadata for an hour, with the remaining time in Cache-Control', async () => {
      const url = site.answer('/kept', { type: 'text/html', body: '<title>One</title>' });
      const first = await ask(url);
      expect(first.body.title).to.equal('One');
      const [, seconds] = /^public, max-age=(\d+)$/.exec(first.headers.get('cache-control')!)!;
      expect(Number(seconds)).to.be.within(3_590, 3_600);
      site.answer('/kept', { type: 'text/html', body: '<title>Two</title>' });
      expect((await ask(url)).body.title).to.equal('One');
      expect(site.requests('/kept')).to.equal(1);
    });

    it('errors for a minute, and lets no other cache store them', async () => {
      const url = site.answer('/failing', { status: 503 });
      const { status, headers } = await ask(url);
      expect([status, headers.get('cache-control')]).to.deep.equal([422, 'no-store']);
      await refusal(url);
      expect(site.requests('/failing')).to.equal(1);
    });

    it('one reading for concurrent requests', async () => {
      const url = site.answer('/popular', {
        type: 'text/html',
        body: '<title>A</title>',
        delayMs: 300,
      });
      const answers = await Promise.all(Array.from({ length: 30 }, () => ask(url)));
      expect(answers.map(({ body }) => body.title)).to.deep.equal(Array(30).fill('A'));
      expect(site.requests('/popular')).to.equal(1);
    });

    it('one failure for concurrent requests', async () => {
      const url = site.answer('/unpopular', { status: 404, delayMs: 300 });
      const answers = await Promise.all(Array.from({ length: 10 }, () => ask(url)));
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(10).fill(422));
      expect(site.requests('/unpopular')).to.equal(1);
    });
  });

  it('limits requests per client address and minute', async () => {
    const url = site.answer('/limited', { type: 'text/html', body: '<title>A</title>' });
    expect((await ask(url, '192.0.2.61')).headers.get('ratelimit-limit')).to.equal('300');
    const answers = await Promise.all(Array.from({ length: 305 }, () => ask(url, '192.0.2.61')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).to.be.within(1, 6);
    expect(Number(refused[0]!.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await ask(url, '192.0.2.62')).status).to.equal(200);
  });

  it('leaves no job in the queue', async () => {
    const metrics = await stack().metrics('worker_metatags');
    expect(metrics).to.match(/dead_letters_total\{queue="metatags",job_name="page.read"\} 0/);
    expect(metrics).not.to.match(/dead_letters_total\{queue="metatags"[^}]*\} [1-9]/);
  });
});
