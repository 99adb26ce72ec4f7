import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { reloadConfig } from '../../src/config.ts';
import {
  type Fetched,
  type FetchOptions,
  FetchRefused,
  guardedFetch,
  isAllowed,
} from '../../src/infra/guarded-fetch.ts';
import { Site } from '../support/site.ts';

const LIMITS: FetchOptions = { maxBytes: 10_000, timeoutMs: 2_000 };
const PRIVATE = 'it leads to a private address';
const TOO_LARGE = 'it is larger than 10000 bytes';
const NO_ANSWER = 'its host does not answer';
const PORT = 'its port must be 80 or 443';

const get = (url: string, options: Partial<FetchOptions> = {}): Promise<Fetched> =>
  guardedFetch(url, { ...LIMITS, ...options });

/** Why it was refused; anything but a FetchRefused is a fault. */
async function refusal(url: string, options: Partial<FetchOptions> = {}): Promise<string> {
  try {
    const { status } = await get(url, options);
    return `not refused: ${status}`;
  } catch (error) {
    expect(error).to.be.instanceOf(FetchRefused);
    return (error as FetchRefused).message;
  }
}

describe('the guarded way out', () => {
  const outboundAllow = process.env['OUTBOUND_ALLOW'];
  let site: Site;
  /** On an address that nobody allowed. */
  let forbidden: Site;

  const allow = (list: string): void => {
    process.env['OUTBOUND_ALLOW'] = list;
    reloadConfig();
  };

  before(async () => {
    site = await Site.start('127.0.0.1');
    forbidden = await Site.start('127.0.0.2');
    forbidden.answer('/secret', { body: 'secret' });
  });
  beforeEach(() => {
    allow('127.0.0.1');
  });
  after(async () => {
    if (outboundAllow === undefined) delete process.env['OUTBOUND_ALLOW'];
    else process.env['OUTBOUND_ALLOW'] = outboundAllow;
    reloadConfig();
    await site.stop();
    await forbidden.stop();
  });

  describe('without an exception', () => {
    beforeEach(() => {
      allow('');
    });
    // The last two: IPv4-compatible (RFC 4291, 2.5.5.1), and not handed out by IANA, as only 2000::/3 is.
    const hosts = [
      '127.0.0.1 2130706433 0x7f.1 0177.0.0.1 127.1 0x7f000001 127.0.0.1. ０x7f.1',
      '１２７.0.0.1 %31%32%37.0.0.1 0 0.0.0.0 169.254.169.254 10.0.0.1 172.16.0.1',
      '172.31.255.255 192.168.1.1 100.64.0.1 192.0.0.8 192.0.2.1 198.51.100.1',
      '203.0.113.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 192.88.99.1 [::1]',
      '[::] [::ffff:10.0.0.1] [fd00::1] [::ffff:7f00:1] [64:ff9b::7f00:1]',
      '[64:ff9b:1::7f00:1] [2002:7f00:1::] [2001::1] [fe80::1] [fec0::1] [ff02::1]',
      '[2001:db8::1] [3fff::1] [100::1] [2001:2::1] [::ffff:0:7f00:1] [2001:20::1]',
      '[5f00::1] [::7f00:1] [4000::1] 168.63.129.16 [::ffff:168.63.129.16] [fd00:ec2::254]',
    ].flatMap((line) => line.split(' '));
    for (const host of hosts) {
      it(`refuses http://${host}`, async () => {
        expect(await refusal(`http://${host}:${site.port}/`)).to.equal(PRIVATE);
        expect(await refusal(`https://${host}/`)).to.equal(PRIVATE);
      });
    }

    for (const host of ['localhost', 'LOCALHOST']) {
      it(`refuses ${host} by what it resolves to`, async () => {
        expect(await refusal(`http://${host}:${site.port}/`)).to.equal(PRIVATE);
      });
    }

    it('asks nobody', () => expect(site.requests()).to.equal(0));

    it('lets public addresses through', () => {
      for (const address of ['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8']) {
        expect(isAllowed(address), address).to.equal(true);
      }
    });
  });

  describe('addresses', () => {
    const bad: [url: string, reason: string][] = [
      ['ftp://127.0.0.1/', 'it must begin with http:// or https://'],
      ['file:///etc/passwd', 'it must begin with http:// or https://'],
      ['data:text/plain,a', 'it must begin with http:// or https://'],
      ['javascript:1', 'it must begin with http:// or https://'],
      ['http://user@127.0.0.1/', 'it must not contain a user name or password'],
      ['http://:secret@127.0.0.1/', 'it must not contain a user name or password'],
      ['http://', 'it is no valid address'],
      ['//127.0.0.1', 'it is no valid address'],
      ['http://256.0.0.1/', 'it is no valid address'],
      ['http://127.0.0.1:70000/', 'it is no valid address'],
      ['', 'it is no valid address'],
      ['http://nobody.invalid/', 'its host is not known'],
    ];
    for (const [url, reason] of bad) {
      // A name server may be away: that is not this test's business.
      it(`refuses "${url}"`, async () => {
        expect(await refusal(url, { timeoutMs: 10_000 })).to.equal(reason);
      });
    }

    it('are fetched when the operator allows them, as address or as range', async () => {
      site.answer('/text', { headers: { 'Content-Type': 'text/plain' }, body: 'hello' });
      for (const list of ['127.0.0.1', '127.0.0.0/31', '::ffff:127.0.0.1,10.0.0.0/8']) {
        allow(list);
        const { status, headers, body, url } = await get(`${site.url}/text`);
        expect([status, headers['content-type'], body.toString()]).to.deep.equal([
          200,
          'text/plain',
          'hello',
        ]);
        expect(url).to.equal(`${site.url}/text`);
      }
      allow('127.0.0.2,fd00::/8');
      expect(await refusal(`${site.url}/text`)).to.equal(PRIVATE);
    });

    it('are fetched by name when every address of the name is allowed', async () => {
      allow('127.0.0.1,::1');
      site.answer('/name', { body: 'named' });
      expect((await get(`http://localhost:${site.port}/name`)).body.toString()).to.equal('named');
    });
  });

  describe('requests', () => {
    it('say little: no cookies, no encodings, one connection each', async () => {
      const seen: Record<string, unknown>[] = [];
      site.answer('/headers', ({ headers }, response) => {
        seen.push(headers);
        response.writeHead(200, { 'Set-Cookie': 'a=b' }).end();
      });
      await get(`${site.url}/headers`);
      await get(`${site.url}/headers`, { headers: { accept: 'image/*' } });
      expect(seen[0]).to.deep.equal({
        host: new URL(site.url).host,
        connection: 'close',
        'user-agent': 'Mozilla/5.0 (compatible; shortlinks/1.0)',
        'accept-encoding': 'identity',
      });
      expect(seen[1]).to.deep.equal({ ...seen[0], accept: 'image/*' });
    });

    it('keep the fragment of an address to themselves', async () => {
      const seen: (string | undefined)[] = [];
      site.answer('/fragment', ({ url }, response) => {
        seen.push(url);
        response.end();
      });
      await get(`${site.url}/fragment?a=b#c`);
      expect(seen).to.deep.equal(['/fragment?a=b']);
    });

    it('may send a body', async () => {
      site.answer('/hook', (request, response) => {
        response.writeHead(201);
        request.pipe(response);
      });
      const { status, body } = await get(`${site.url}/hook`, { method: 'POST', body: '{"a":1}' });
      expect([status, body.toString()]).to.deep.equal([201, '{"a":1}']);
    });

    it('report errors of the other side as they are', async () => {
      site.answer('/broken', { status: 503, body: 'later' });
      expect((await get(`${site.url}/broken`)).status).to.equal(503);
    });
  });

  describe('ports', () => {
    for (const port of [0, 1, 22, 25, 81, 444, 5432, 6379, 8080, 65535]) {
      it(`are those of the web, not ${port}`, async () => {
        for (const host of ['8.8.8.8', '[2606:4700:4700::1111]']) {
          expect(await refusal(`http://${host}:${port}/`), host).to.equal(PORT);
        }
      });
    }

    it('are those of the web after a redirect too', async () => {
      site.answer('/port', { status: 302, headers: { Location: 'https://8.8.8.8:6379/' } });
      expect(await refusal(`${site.url}/port`)).to.equal(PORT);
    });
  });

  describe('names', () => {
    const { lookup } = dns;
    let asked: string[];

    /** Lets every look-up give the next of these answers, the last one for ever. */
    const resolveTo = (...answers: string[][]): void => {
      asked = [];
      const fake = (
        name: string,
        _options: unknown,
        callback: (error: null, found: LookupAddress[]) => void,
      ): void => {
        const answer = answers[Math.min(asked.length, answers.length - 1)]!;
        asked.push(name);
        const found = answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        setImmediate(callback, null, found);
      };
      Object.assign(dns, { lookup: fake });
      syncBuiltinESMExports();
    };
    afterEach(() => {
      Object.assign(dns, { lookup });
      syncBuiltinESMExports();
    });

    it('are connected to where they were judged: one look-up for one connection', async () => {
      // The second answer is what a rebinding name server gives to whoever asks again.
      resolveTo(['127.0.0.1'], ['127.0.0.2']);
      site.answer('/rebind', { body: 'first' });
      const { body } = await get(`http://rebind.test:${site.port}/rebind`);
      expect([body.toString(), asked]).to.deep.equal(['first', ['rebind.test']]);
      expect(await refusal(`http://rebind.test:${site.port}/rebind`)).to.equal(PRIVATE);
    });

    it('are judged anew after a redirect, to the same name as well', async () => {
      resolveTo(['127.0.0.1'], ['127.0.0.2']);
      site.answer('/again', { status: 302, headers: { Location: '/again' } });
      const before = site.requests('/again');
      expect(await refusal(`http://rebind.test:${site.port}/again`)).to.equal(PRIVATE);
      expect([site.requests('/again') - before, asked.length]).to.deep.equal([1, 2]);
    });

    it('are refused when one of several addresses is forbidden', async () => {
      const before = [site.requests(), forbidden.requests()];
      for (const answer of [
        ['127.0.0.1', '127.0.0.2'],
        ['127.0.0.1', 'fe80::1%lo'],
        ['127.0.0.1', '::ffff:127.0.0.2'],
        ['8.8.8.8', '10.0.0.1'],
        ['64:ff9b::7f00:1'],
      ]) {
        resolveTo(answer);
        expect(await refusal(`http://mixed.test:${site.port}/`), answer.join()).to.equal(PRIVATE);
      }
      expect([site.requests(), forbidden.requests()]).to.deep.equal(before);
    });

    it('are asked at ports of the web only, unless every address is an allowed one', async () => {
      resolveTo(['8.8.8.8']);
      expect(await refusal('http://public.test:22/')).to.equal(PORT);
      resolveTo(['127.0.0.1', '8.8.8.8']);
      expect(await refusal(`http://mixed.test:${site.port}/`)).to.equal(PORT);
    });
  });

  describe('redirects', () => {
    const redirect = (path: string, to: string, status = 302): void => {
      site.answer(path, { status, headers: { Location: to } });
    };

    it('are followed, relative ones too', async () => {
      redirect('/1', '/2', 301);
      redirect('/2', `${site.url}/3`, 307);
      redirect('/3', './end?a=b', 308);
      site.answer('/end', { body: 'end' });
      const { body, url } = await get(`${site.url}/1`);
      expect([body.toString(), url]).to.deep.equal(['end', `${site.url}/end?a=b`]);
    });

    it('are counted', async () => {
      redirect('/loop', '/loop');
      expect(await refusal(`${site.url}/loop`)).to.equal('it redirects more than 3 times');
      expect(site.requests('/loop')).to.equal(4);
      expect(await refusal(`${site.url}/1`, { maxRedirects: 2 })).to.equal(
        'it redirects more than 2 times',
      );
    });

    it('are handed back when none may be followed', async () => {
      expect((await get(`${site.url}/1`, { maxRedirects: 0 })).status).to.equal(301);
    });

    it('lead nowhere that is forbidden', async () => {
      const targets: [to: string, reason: string][] = [
        [`${forbidden.url}/secret`, PRIVATE],
        [`http://0x7f000002:${forbidden.port}/secret`, PRIVATE],
        ['http://169.254.169.254/latest/meta-data/', PRIVATE],
        ['file:///etc/passwd', 'it must begin with http:// or https://'],
        ['http://a:b@127.0.0.1/', 'it must not contain a user name or password'],
        ['http://[', 'it redirects to no valid address'],
      ];
      for (const [to, reason] of targets) {
        redirect('/out', to);
        expect(await refusal(`${site.url}/out`), to).to.equal(reason);
      }
      // `localhost` is 127.0.0.1, so another address has to be the allowed one.
      allow('127.0.0.2');
      forbidden.answer('/out', {
        status: 302,
        headers: { Location: `http://localhost:${site.port}/` },
      });
      expect(await refusal(`${forbidden.url}/out`)).to.equal(PRIVATE);
      expect(forbidden.requests('/secret')).to.equal(0);
    });
  });

  describe('answers', () => {
    it('may be as large as is allowed, and no larger', async () => {
      site.answer('/fits', { body: Buffer.alloc(10_000) });
      site.answer('/large', { body: Buffer.alloc(10_001) });
      expect((await get(`${site.url}/fits`)).body).to.have.length(10_000);
      expect(await refusal(`${site.url}/large`)).to.equal(TOO_LARGE);
    });

    it('are cut off when they never end', async () => {
      const closed = new Promise((resolve) => {
        site.answer('/endless', (_, response) => {
          const timer = setInterval(() => response.write(Buffer.alloc(1_000)), 1);
          response.on('close', () => {
            clearInterval(timer);
            resolve(true);
          });
        });
      });
      expect(await refusal(`${site.url}/endless`)).to.equal(TOO_LARGE);
      // The connection is not left open either.
      expect(await closed).to.equal(true);
    });

    it('have one time limit for everything', async () => {
      site.answer('/silent', { delayMs: 1_500 });
      site.answer('/slow', (_, response) => {
        const timer = setInterval(() => response.write('.'), 50);
        response.on('close', () => clearInterval(timer));
      });
      site.answer('/hop', { status: 302, headers: { Location: '/hop' }, delayMs: 150 });
      site.answer('/stuck', (_, response) => {
        response.writeHead(302, { Location: '/text' }).write('a');
      });
      for (const path of ['/silent', '/slow', '/hop', '/stuck']) {
        const start = Date.now();
        expect(await refusal(`${site.url}${path}`, { timeoutMs: 400 }), path).to.equal(
          'it took longer than 0.4 s',
        );
        expect(Date.now() - start, path).to.be.within(390, 900);
      }
    });

    it('are not compressed', async () => {
      for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip', 'x-unknown']) {
        site.answer('/gzip', {
          headers: { 'Content-Encoding': encoding },
          body: gzipSync(Buffer.alloc(1_000_000)),
        });
        expect(await refusal(`${site.url}/gzip`), encoding).to.equal(
          'it is compressed in a way that was not asked for',
        );
      }
      site.answer('/gzip', { headers: { 'Content-Encoding': 'identity' }, body: 'plain' });
      expect((await get(`${site.url}/gzip`)).body.toString()).to.equal('plain');
    });
  });

  describe('sockets', () => {
    /** Answers every connection with these bytes and hangs up. */
    async function raw(bytes: string, hangUp = true): Promise<string> {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => (hangUp ? socket.end(bytes) : socket.write(bytes)));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      try {
        return await refusal(`http://127.0.0.1:${port}/`, { timeoutMs: 500 });
      } finally {
        server.close();
      }
    }

    it('may refuse, or speak something else', async () => {
      const gone = await Site.start();
      const { url } = gone;
      await gone.stop();
      expect(await refusal(url)).to.equal(NO_ANSWER);
      expect(await raw('SSH-2.0-OpenSSH_9.6\r\n')).to.equal(NO_ANSWER);
      expect(await raw('')).to.equal(NO_ANSWER);
      expect(await raw(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`)).to.equal(NO_ANSWER);
    });

    it('may lie about the length', async () => {
      const head = 'HTTP/1.1 200 OK\r\nContent-Length:';
      expect(await raw(`${head} 100\r\n\r\nshort`)).to.equal(NO_ANSWER);
      expect(await raw(`${head} 99999999\r\n\r\n${'a'.repeat(20_000)}`)).to.equal(TOO_LARGE);
      expect(await raw(`${head} 100\r\n\r\nshort`, false)).to.equal('it took longer than 0.5 s');
      expect(await raw(`${head} -1\r\n\r\nshort`)).to.equal(NO_ANSWER);
    });

    it('may speak HTTP where TLS is due', async () => {
      expect(await refusal(`https://127.0.0.1:${site.port}/`)).to.match(
        /^its (host does not answer|certificate is not valid)$/,
      );
    });
  });
});
