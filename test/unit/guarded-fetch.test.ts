import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  deflateSync,
  gzipSync,
} from 'node:zlib';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { get, REASONS, refusal } from '../support/outbound.ts';
import { keepSettings, setSettings } from '../support/settings.ts';
import { Site } from '../support/site.ts';

const { PRIVATE, SILENT, TOO_LARGE, ENCODING, DAMAGED } = REASONS;

describe('outbound requests', () => {
  let restore: () => void;
  let site: Site;
  /** Site on an address that OUTBOUND_ALLOW does not list. */
  let forbidden: Site;

  const allow = (list: string): void => setSettings({ OUTBOUND_ALLOW: list });

  before(async () => {
    restore = keepSettings();
    site = await Site.start('127.0.0.1');
    forbidden = await Site.start('127.0.0.2');
    setSettings({ DNS_SERVERS: '' });
    forbidden.answer('/secret', { body: 'secret' });
  });
  beforeEach(() => {
    allow('127.0.0.1');
  });
  after(async () => {
    restore();
    await site.stop();
    await forbidden.stop();
  });

  describe('addresses', () => {
    it('are fetched when the operator allows their address or range', async () => {
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
    it('send no cookies and no encodings, on one connection each', async () => {
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

    it('do not send the fragment of a URL', async () => {
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

    it('return error statuses', async () => {
      site.answer('/broken', { status: 503, body: 'later' });
      expect((await get(`${site.url}/broken`)).status).to.equal(503);
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

    it('are followed before their body has arrived', async () => {
      site.answer('/stuck', (_, response) => {
        response.writeHead(302, { Location: '/end' }).write('a');
      });
      expect((await get(`${site.url}/stuck`)).url).to.equal(`${site.url}/end`);
    });

    it('send headers to the same origin only', async () => {
      const seen: Record<string, unknown>[] = [];
      const note: RequestListener = (request, response) => {
        seen.push(request.headers);
        response.end();
      };
      allow('127.0.0.1,127.0.0.2');
      site.answer('/mine', note);
      forbidden.answer('/theirs', note);
      redirect('/same', '/mine');
      redirect('/other', `${forbidden.url}/theirs`);
      const headers = { authorization: 'Bearer secret', cookie: 'a=b', 'x-signature': 'secret' };
      for (const keepAlive of [false, true]) {
        await get(`${site.url}/same`, { headers, keepAlive });
        expect(seen.pop()).to.include(headers);
        await get(`${site.url}/other`, { headers, keepAlive });
        expect(seen.pop()).to.not.have.any.keys(Object.keys(headers));
      }
    });

    it('are limited', async () => {
      redirect('/loop', '/loop');
      expect(await refusal(`${site.url}/loop`)).to.equal('must not redirect more than 3 times');
      expect(site.requests('/loop')).to.equal(4);
      expect(await refusal(`${site.url}/1`, { maxRedirects: 2 })).to.equal(
        'must not redirect more than 2 times',
      );
    });

    it('are returned when none may be followed', async () => {
      expect((await get(`${site.url}/1`, { maxRedirects: 0 })).status).to.equal(301);
    });

    it('are not followed to forbidden addresses', async () => {
      const targets: [to: string, reason: string][] = [
        [`${forbidden.url}/secret`, PRIVATE],
        [`http://0x7f000002:${forbidden.port}/secret`, PRIVATE],
        ['http://169.254.169.254/latest/meta-data/', PRIVATE],
        ['file:///etc/passwd', 'must begin with http:// or https://'],
        ['http://a:b@127.0.0.1/', 'must not contain a user name or password'],
        ['http://[', 'must not redirect to an invalid URL'],
      ];
      for (const [to, reason] of targets) {
        redirect('/out', to);
        expect(await refusal(`${site.url}/out`), to).to.equal(reason);
      }
      // `localhost` is 127.0.0.1, so another address must be the allowed one.
      allow('127.0.0.2');
      forbidden.answer('/out', {
        status: 302,
        headers: { Location: `http://localhost:${site.port}/` },
      });
      expect(await refusal(`${forbidden.url}/out`)).to.equal(PRIVATE);
      expect(forbidden.requests('/secret')).to.equal(0);
    });
  });

  describe('responses', () => {
    it('may be as large as the limit', async () => {
      site.answer('/fits', { body: Buffer.alloc(10_000) });
      site.answer('/large', { body: Buffer.alloc(10_001) });
      expect((await get(`${site.url}/fits`)).body).to.have.length(10_000);
      expect(await refusal(`${site.url}/large`)).to.equal(TOO_LARGE);
    });

    it('are aborted when they are endless', async () => {
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
      // The client must close the connection too.
      expect(await closed).to.equal(true);
    });

    it('have one timeout for everything', async () => {
      site.answer('/silent', { delayMs: 5_000 });
      site.answer('/slow', (_, response) => {
        const timer = setInterval(() => response.write('.'), 50);
        response.on('close', () => clearInterval(timer));
      });
      site.answer('/hop', { status: 302, headers: { Location: '/hop' }, delayMs: 150 });
      for (const path of ['/silent', '/slow', '/hop']) {
        expect(await refusal(`${site.url}${path}`, { timeoutMs: 400 }), path).to.equal(
          'must respond completely within 0.4 s',
        );
      }
    });

    it('are not compressed unless requested', async () => {
      for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip', 'x-unknown']) {
        site.answer('/gzip', {
          headers: { 'Content-Encoding': encoding },
          body: gzipSync(Buffer.alloc(1_000_000)),
        });
        expect(await refusal(`${site.url}/gzip`), encoding).to.equal(ENCODING);
      }
      site.answer('/gzip', { headers: { 'Content-Encoding': 'identity' }, body: 'plain' });
      expect((await get(`${site.url}/gzip`)).body.toString()).to.equal('plain');
    });

    it('that are too large may be truncated', async () => {
      const body = Buffer.from('0123456789'.repeat(2_000));
      for (const [size, expected] of [
        [9_999, 9_999],
        [10_000, 10_000],
        [10_001, 10_000],
        [20_000, 10_000],
      ] as const) {
        site.answer('/cut', { body: body.subarray(0, size) });
        const cut = await get(`${site.url}/cut`, { overflow: 'cut' });
        expect(cut.body.equals(body.subarray(0, expected)), String(size)).to.equal(true);
      }
    });

    it('are truncated when endless, and their connection is closed', async () => {
      const closed = endless('/never', Buffer.alloc(999, 'a'));
      const { body } = await get(`${site.url}/never`, { overflow: 'cut' });
      expect(body.toString()).to.equal('a'.repeat(10_000));
      await closed;
    });

    it('are read up to the piece that was enough', async () => {
      const closed = endless('/until', Buffer.from('some'), Buffer.from('more'));
      const pieces: string[] = [];
      const { body } = await get(`${site.url}/until`, {
        isEnough: (piece) => {
          pieces.push(piece.toString());
          return pieces.join('').includes('moresome');
        },
      });
      expect(body.toString()).to.equal(pieces.join(''));
      expect(body.toString()).to.match(/^somemoresome/);
      await closed;
    });

    it('do not hide errors in our own code', async () => {
      site.answer('/text', { body: 'hello' });
      const isEnough = (piece: Buffer) =>
        (piece as unknown as { nothing: Buffer }).nothing.includes('a');
      const fault: unknown = await get(`${site.url}/text`, { isEnough }).catch((error) => error);
      expect(fault).to.be.instanceOf(TypeError);
    });
  });

  /**
   * Serves a path that repeats these pieces without end.
   * @returns resolves when its connection closes
   */
  function endless(path: string, ...pieces: Buffer[]): Promise<void> {
    return new Promise((resolve) => {
      site.answer(path, (_, response) => {
        let sent = 0;
        const timer = setInterval(() => response.write(pieces[sent++ % pieces.length]), 1);
        response.on('close', () => {
          clearInterval(timer);
          resolve();
        });
      });
    });
  }

  describe('compressed responses', () => {
    const compressed = true;
    const text = Buffer.from('Grüße, 世界! '.repeat(200));
    const encodings: [name: string, compress: (body: Buffer) => Buffer][] = [
      ['gzip', gzipSync],
      ['x-gzip', gzipSync],
      ['GZIP ', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ];
    const answer = (encoding: string, body: Buffer): string =>
      site.answer('/compressed', { headers: { 'Content-Encoding': encoding }, body });

    it('are requested', async () => {
      const seen: unknown[] = [];
      site.answer('/asked', ({ headers }, response) => {
        seen.push(headers['accept-encoding']);
        response.end();
      });
      await get(`${site.url}/asked`, { compressed });
      expect(seen).to.deep.equal(['gzip, deflate, br']);
    });

    for (const [encoding, compress] of encodings) {
      it(`are decompressed: "${encoding}"`, async () => {
        const { body } = await get(answer(encoding, compress(text)), { compressed });
        expect(body.equals(text)).to.equal(true);
      });

      it(`are refused when damaged or truncated: "${encoding}"`, async () => {
        const whole = compress(text);
        const damaged = Buffer.from(whole);
        damaged.fill(0xff, 1, 12);
        for (const body of [damaged, whole.subarray(0, -3), whole.subarray(0, 5), text]) {
          expect(await refusal(answer(encoding, body), { compressed })).to.equal(DAMAGED);
        }
      });

      it(`may be as large as the limit after decompression: "${encoding}"`, async () => {
        const url = answer(encoding, compress(Buffer.alloc(10_000)));
        expect((await get(url, { compressed })).body).to.have.length(10_000);
        answer(encoding, compress(Buffer.alloc(10_001)));
        expect(await refusal(url, { compressed })).to.equal(TOO_LARGE);
        expect((await get(url, { compressed, overflow: 'cut' })).body).to.have.length(10_000);
      });
    }

    it('of several or unknown encodings are refused', async () => {
      for (const encoding of [
        'gzip, gzip',
        'gzip,br',
        'identity, gzip',
        'zstd',
        'compress',
        'constructor',
        '__proto__',
        'toString',
      ]) {
        const url = answer(encoding, gzipSync(gzipSync(text)));
        expect(await refusal(url, { compressed }), encoding).to.equal(ENCODING);
      }
      site.answer('/twice', (_, response) => {
        response.writeHead(200, ['Content-Encoding', 'gzip', 'Content-Encoding', 'gzip']);
        response.end(gzipSync(gzipSync(text)));
      });
      expect(await refusal(`${site.url}/twice`, { compressed })).to.equal(ENCODING);
    });

    it('may be uncompressed or empty', async () => {
      expect((await get(answer('identity', text), { compressed })).body.equals(text)).to.equal(
        true,
      );
      const headers = { 'Content-Encoding': 'gzip' };
      const nothing = site.answer('/nothing', { status: 204, headers });
      expect((await get(nothing, { compressed })).status).to.equal(204);
      const empty = site.answer('/empty', { headers: { ...headers, 'Content-Length': '0' } });
      expect((await get(empty, { compressed })).body).to.have.length(0);
    });

    it('have a timeout when they stop arriving', async () => {
      site.answer('/stops', (_, response) => {
        response.writeHead(200, { 'Content-Encoding': 'gzip' });
        response.write(gzipSync(text).subarray(0, 20));
      });
      expect(await refusal(`${site.url}/stops`, { compressed, timeoutMs: 300 })).to.equal(
        'must respond completely within 0.3 s',
      );
      site.answer('/breaks', (_, response) => {
        response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': '1000' });
        response.write(gzipSync(text).subarray(0, 20), () => response.destroy());
      });
      expect(await refusal(`${site.url}/breaks`, { compressed })).to.equal(SILENT);
    });
  });

  describe('decompression bombs', () => {
    const MIB = 1024 * 1024;
    const options = { compressed: true, maxBytes: 2 * MIB, timeoutMs: 20_000 };
    const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
    const makers = {
      gzip: createGzip,
      deflate: createDeflate,
      br: () => createBrotliCompress(quick),
    };
    const bombs: [encoding: string, bomb: Buffer][] = [];

    function* zeros(mebibytes: number): Generator<Buffer> {
      const piece = Buffer.alloc(MIB);
      for (let at = 0; at < mebibytes; at += 1) yield piece;
    }

    before(async function () {
      for (const [encoding, make] of Object.entries(makers)) {
        const packed = pipeline(Readable.from(zeros(1_024)), make(), () => {});
        bombs.push([encoding, Buffer.concat(await packed.toArray())]);
      }
    });

    /** Runs `work`, and measures its peak memory in MiB and its time in ms. */
    async function measure<T>(
      work: () => Promise<T>,
    ): Promise<{ result: T; mib: number; ms: number }> {
      const used = () => process.memoryUsage().rss / MIB;
      const [before, start] = [used(), Date.now()];
      let most = before;
      const timer = setInterval(() => (most = Math.max(most, used())), 2);
      try {
        const result = await work();
        most = Math.max(most, used());
        return { result, mib: most - before, ms: Date.now() - start };
      } finally {
        clearInterval(timer);
      }
    }

    it('of 1 GiB are refused or truncated, in little time and memory', async () => {
      for (const [encoding, body] of bombs) {
        expect(body.length, encoding).to.be.below(2 * MIB);
        const url = site.answer('/bomb', { headers: { 'Content-Encoding': encoding }, body });
        const refused = await measure(() => refusal(url, options));
        expect(refused.result, encoding).to.equal('must not be larger than 2 MiB');
        const cut = await measure(() => get(url, { ...options, overflow: 'cut' }));
        expect(cut.result.body, encoding).to.have.length(2 * MIB);
        for (const { mib, ms } of [refused, cut]) {
          expect(mib, encoding).to.be.below(100);
          expect(ms, encoding).to.be.below(15_000);
        }
      }
    });

    it('that decompress to nothing and never end are refused', async () => {
      // The compressed data after the gzip header are empty blocks (RFC 1951, 3.2.4).
      const block = Buffer.from([0, 0, 0, 0xff, 0xff]);
      const blocks = Buffer.concat(Array.from({ length: 10_000 }, () => block));
      site.answer('/nothing', (_, response) => {
        response.writeHead(200, { 'Content-Encoding': 'gzip' });
        response.write(gzipSync('').subarray(0, 10));
        pipeline(
          Readable.from(
            (function* () {
              for (;;) yield blocks;
            })(),
          ),
          response,
          () => {},
        );
      });
      const { result, mib, ms } = await measure(() => refusal(`${site.url}/nothing`, options));
      expect(result).to.equal('must not be larger than 2 MiB');
      expect(mib).to.be.below(100);
      expect(ms).to.be.below(20_000);
    });
  });

  describe('reused connections', () => {
    const keepAlive = true;
    /** Connections of sequential requests; one can still be busy when its answer has been read. */
    const MOST = 2;
    let own: Site;

    beforeEach(async () => {
      own = await Site.start('127.0.0.1');
      own.answer('/text', { body: 'hello' });
    });
    afterEach(() => own.stop());

    const hello = async (): Promise<void> => {
      const { body } = await get(`${own.url}/text`, { keepAlive });
      expect(body.toString()).to.equal('hello');
    };

    it('serve one request after the other, also compressed ones and those with a body', async () => {
      for (let at = 0; at < 5; at += 1) await hello();
      own.answer('/gzip', { headers: { 'Content-Encoding': 'gzip' }, body: gzipSync('hello') });
      for (let at = 0; at < 3; at += 1) {
        await get(`${own.url}/gzip`, { keepAlive, compressed: true });
        await get(`${own.url}/text`, { keepAlive, method: 'POST', body: 'a'.repeat(5_000) });
      }
      expect(own.connections).to.be.at.most(MOST);
    });

    it('are used only by requests with keepAlive', async () => {
      await hello();
      await get(`${own.url}/text`);
      await hello();
      expect(own.connections).to.equal(2);
    });

    it('are limited per origin', async () => {
      own.answer('/slow', { delayMs: 300 });
      // The test counts connections, since a busy machine can multiply the time.
      const all = Array.from({ length: 650 }, () =>
        get(`${own.url}/slow`, { keepAlive, timeoutMs: 120_000 }),
      );
      const statuses = (await Promise.all(all)).map(({ status }) => status);
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
      expect(own.connections).to.equal(600);
    });

    it('are closed when a response was not read to its end, and the next one is right', async () => {
      own.answer('/endless', (_, response) => {
        const timer = setInterval(() => response.write('x'.repeat(1_000)), 1);
        response.on('close', () => clearInterval(timer));
      });
      own.answer('/silent', () => {});
      own.answer('/zip', { headers: { 'Content-Encoding': 'gzip' }, body: 'x'.repeat(50_000) });
      own.answer('/odd', {
        headers: { 'Content-Encoding': '__proto__' },
        body: 'x'.repeat(50_000),
      });
      own.answer('/away', (_, response) => {
        response.writeHead(302, { Location: '/text' }).write('x'.repeat(1_000));
      });
      const compressed = true;
      const cases: [path: string, options: Parameters<typeof get>[1], said: string][] = [
        ['/endless', {}, TOO_LARGE],
        ['/endless', { timeoutMs: 20, maxBytes: 1e9 }, 'must respond completely within 0.02 s'],
        ['/endless', { overflow: 'cut' }, 'not refused: 200'],
        ['/endless', { isEnough: () => true }, 'not refused: 200'],
        ['/endless', { headersOnly: true }, 'not refused: 200'],
        ['/silent', { timeoutMs: 20 }, 'must respond completely within 0.02 s'],
        ['/zip', { compressed }, DAMAGED],
        ['/zip', {}, ENCODING],
        ['/odd', { compressed }, ENCODING],
        ['/away', {}, 'not refused: 200'],
        ['/away', { maxRedirects: 0, headersOnly: true }, 'not refused: 302'],
      ];
      for (const [path, options, said] of cases) {
        const label = `${path} ${JSON.stringify(options)}`;
        expect(await refusal(`${own.url}${path}`, { keepAlive, ...options }), label).to.equal(said);
        await hello();
        await eventually(async () => expect(await own.open(), label).to.be.at.most(MOST));
      }
    });

    it('are reopened after the server has closed them', async () => {
      await hello();
      own.hangUp();
      await eventually(async () => expect(await own.open()).to.equal(0));
      await hello();
      expect(own.connections).to.equal(2);
    });

    it('do not take unsolicited data as a response', async () => {
      let connections = 0;
      const server = createServer((socket) => {
        connections += 1;
        socket.on('error', () => {});
        const one = (text: string) => `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n${text}`;
        socket.on('data', () => socket.write(one('right') + one('wrong')));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as { port: number };
      for (let at = 0; at < 3; at += 1) {
        const { body } = await get(`http://127.0.0.1:${port}/`, { keepAlive });
        expect(body.toString()).to.equal('right');
      }
      expect(connections).to.equal(3);
      server.close();
    });
  });

  describe('servers', () => {
    /** Answers every connection with these bytes and closes it. */
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

    it('may refuse connections, or respond with another protocol', async () => {
      const gone = await Site.start();
      const { url } = gone;
      await gone.stop();
      expect(await refusal(url)).to.equal(SILENT);
      expect(await raw('SSH-2.0-OpenSSH_9.6\r\n')).to.equal(SILENT);
      expect(await raw('')).to.equal(SILENT);
      expect(await raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\n\r\n')).to.equal(SILENT);
      expect(await raw(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(100_000)}\r\n\r\n`)).to.equal(SILENT);
    });

    it('may send a wrong Content-Length', async () => {
      const head = 'HTTP/1.1 200 OK\r\nContent-Length:';
      expect(await raw(`${head} 100\r\n\r\nshort`)).to.equal(SILENT);
      expect(await raw(`${head} 99999999\r\n\r\n${'a'.repeat(20_000)}`)).to.equal(TOO_LARGE);
      expect(await raw(`${head} 100\r\n\r\nshort`, false)).to.equal(
        'must respond completely within 0.5 s',
      );
      expect(await raw(`${head} -1\r\n\r\nshort`)).to.equal(SILENT);
    });

    it('may speak HTTP where TLS is expected', async () => {
      expect(await refusal(`https://127.0.0.1:${site.port}/`)).to.match(
        /^must have a (host that responds over HTTP|valid TLS certificate)$/,
      );
    });
  });
});
