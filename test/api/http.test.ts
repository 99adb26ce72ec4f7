import { type AddressInfo, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { createApiServer } from '../../src/api/server.ts';
import { listen } from '../../src/infra/listen.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

/** Sends raw bytes, and resolves with all bytes received until the server closes the connection. */
function exchange(
  text: string | Buffer,
  { ms = 20_000, url = stack().apiProcessUrl } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const end = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString());
    };
    const timer = setTimeout(end, ms);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      end();
    });
    socket.write(text);
  });
}

/** Splits a raw answer into its status, headers and body. */
function parsed(answer: string): {
  status: number;
  head: string;
  body: { error: { code: string; message: string } };
} {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) };
}

describe('malformed requests', () => {
  let world: World;
  before(async () => {
    world = await aWorkspace();
  });

  const host = () => new URL(stack().apiProcessUrl).host;
  const refused: [name: string, request: () => string | Buffer][] = [
    ['no HTTP', () => 'hello\r\n\r\n'],
    [
      'two Host headers',
      () => `GET /links HTTP/1.1\r\nHost: ${host()}\r\nHost: other.test\r\n\r\n`,
    ],
    ['no Host header', () => 'GET /links HTTP/1.1\r\n\r\n'],
    [
      'a target on another host',
      () => `GET http://other.test/links HTTP/1.1\r\nHost: ${host()}\r\n\r\n`,
    ],
    [
      'a path that is not percent-encoded',
      () =>
        Buffer.from(`GET /links/ext_gr\xc3\xb6\xdfe HTTP/1.1\r\nHost: ${host()}\r\n\r\n`, 'latin1'),
    ],
    ['a long request line', () => `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: ${host()}\r\n\r\n`],
    [
      'a long header',
      () => `GET / HTTP/1.1\r\nHost: ${host()}\r\nA: ${'a'.repeat(500_000)}\r\n\r\n`,
    ],
    [
      'two lengths',
      () =>
        `POST /links HTTP/1.1\r\nHost: ${host()}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    ],
    [
      'a length and chunks',
      () =>
        `POST /links HTTP/1.1\r\nHost: ${host()}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a tunnel', () => `CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n`],
    ['a null character in a header', () => `GET / HTTP/1.1\r\nHost: ${host()}\r\nA: \0\r\n\r\n`],
  ];
  for (const [name, request] of refused) {
    it(`get the error body: ${name}`, async () => {
      const { status, head, body } = parsed(await exchange(request(), { ms: 3_000 }));
      expect(status).to.equal(400);
      expect(body.error.code).to.equal('bad_request');
      expect(head).to.match(/^X-Request-Id: \S+$/im);
      expect(head).to.match(/^Content-Type: application\/json/im);
    });
  }

  it('are answered after the requests that came before them in the same packet', async () => {
    const request = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${world.apiKey}\r\n\r\n`;
    const answer = await exchange(
      `${request('/links')}${request('/tags')}${request('/nope')}GARBAGE\r\n\r\n`,
    );
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(statuses).to.deep.equal(['200', '200', '404', '400']);
  });

  it('may name their host in the request target', async () => {
    await world.api.post('/links', { url: A, externalId: 'größe' });
    const encoded = `/links/ext_${encodeURIComponent('größe')}`;
    for (const path of [encoded, `http://${host()}${encoded}`]) {
      const answer = await exchange(
        `GET ${path} HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${world.apiKey}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).to.match(/^HTTP\/1.1 200 /);
      expect(answer).to.contain('"externalId":"größe"');
    }
  });

  it('may have an unknown Expect header', async () => {
    const answer = await exchange(
      `GET /nope HTTP/1.1\r\nHost: ${host()}\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n`,
    );
    expect(parsed(answer).status).to.equal(404);
  });

  it('are ended when their body does not arrive', async () => {
    const server = createApiServer((request) => request.resume(), 2);
    await listen(server, 'API_PORT', 0, '127.0.0.1');
    try {
      const answer = await exchange(
        'POST /links HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{',
        { ms: 50_000, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      );
      const { status, body } = parsed(answer);
      expect(status).to.equal(400);
      expect(body.error).to.include({
        code: 'bad_request',
        message: 'The request must arrive within 2 s, its headers within 2 s',
      });
    } finally {
      server.close();
    }
  });

  it('log no error when their client disconnects', async () => {
    const before = stack().lines.length;
    const requestId = `gone-${Date.now()}`;
    await exchange(
      `POST /links HTTP/1.1\r\nHost: ${host()}\r\nAuthorization: Bearer ${world.apiKey}\r\n` +
        `X-Request-Id: ${requestId}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
      { ms: 300 },
    );
    // A second is longer than a log line takes, so nothing was logged.
    await pause(1_000);
    const logged = stack().lines.slice(before);
    expect(logged.filter((line) => line.includes(requestId))).to.deep.equal([]);
  });
});

describe('responses', () => {
  let world: World;
  before(async () => {
    world = await aWorkspace();
  });

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(stack().apiUrl + path, { method, headers });

  it('have WWW-Authenticate when the API key is missing', async () => {
    for (const headers of [
      {},
      { authorization: 'Bearer nobody' },
      { authorization: 'Basic YQ==' },
    ]) {
      const { status, headers: answered } = await get('/links', headers as Record<string, string>);
      expect(status).to.equal(401);
      expect(answered.get('www-authenticate')).to.equal('Bearer');
    }
  });

  it('say that idle connections are kept for longer than load balancers keep them', async () => {
    for (const url of [stack().apiUrl, `http://127.0.0.1:${stack().redirectPorts[0]}`]) {
      const { headers } = await fetch(`${url}/unknown`);
      expect(headers.get('keep-alive')).to.equal('timeout=75');
    }
  });

  it('have the request id, whatever their status', async () => {
    for (const path of ['/healthz', '/openapi.json', '/nope', '/stats/a/b', '/links/%E0']) {
      const answer = await get(path, { 'x-request-id': 'abc-1' });
      expect(answer.headers.get('x-request-id'), path).to.equal('abc-1');
    }
    const { headers } = await get('/nope', { 'x-request-id': 'not well formed' });
    expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
  });

  it('depend on the case of the path', async () => {
    const { status } = await world.api.get('/Links');
    expect(status).to.equal(404);
    expect((await world.api.get('/links')).status).to.equal(200);
  });

  it('are compressed on request, from 1 KiB', async () => {
    for (let i = 0; i < 4; i += 1)
      await world.api.post('/links', { url: A, title: 'x'.repeat(900) });
    const authorization = `Bearer ${world.apiKey}`;
    const { hostname, port } = new URL(stack().apiProcessUrl);
    /** Requests the raw body, which fetch would decompress. */
    const raw = (path: string, encoding: string) =>
      new Promise<{ head: string; body: Buffer }>((resolve, reject) => {
        const socket = connect(Number(port), hostname);
        const chunks: Buffer[] = [];
        socket.on('data', (chunk: Buffer) => chunks.push(chunk));
        socket.on('error', reject);
        socket.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const end = bytes.indexOf('\r\n\r\n');
          resolve({ head: bytes.subarray(0, end).toString(), body: bytes.subarray(end + 4) });
        });
        socket.write(
          `GET ${path} HTTP/1.0\r\nHost: ${hostname}\r\nAuthorization: ${authorization}\r\n` +
            `Accept-Encoding: ${encoding}\r\n\r\n`,
        );
      });
    const gzip = await raw('/links', 'gzip');
    expect(gzip.head).to.match(/^Content-Encoding: gzip$/im);
    expect(gzip.head).to.match(/^Vary: .*Accept-Encoding/im);
    expect(JSON.parse(gunzipSync(gzip.body).toString())).to.have.length(4);
    const brotli = await raw('/links', 'gzip, br');
    expect(brotli.head).to.match(/^Content-Encoding: br$/im);
    expect(JSON.parse(brotliDecompressSync(brotli.body).toString())).to.have.length(4);
    const file = await raw('/links/export', 'gzip');
    expect(file.head).to.match(/^Content-Encoding: gzip$/im);
    expect(gunzipSync(file.body).toString().split('\n')).to.have.length.greaterThan(4);
    for (const [path, encoding] of [
      ['/links', 'identity'],
      ['/links', ''],
      ['/links/count', 'gzip'],
      [`/qr?url=${A}`, 'gzip, br'],
      [`/qr?url=${A}&format=svg`, 'gzip, br'],
    ] as const) {
      expect((await raw(path, encoding)).head, path).not.to.match(/^Content-Encoding/im);
    }
  });
});

describe('CORS', () => {
  const LISTED = 'https://app.listed.test';
  const OTHER = 'https://app.other.test';
  let world: World;
  before(async () => {
    world = await aWorkspace();
  });

  const ask = (
    path: string,
    origin: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ) => fetch(stack().apiUrl + path, { method, headers: { origin, ...headers } });

  it('allows any origin on endpoints without a key', async () => {
    for (const path of [`/qr?url=${A}`, '/openapi.json', '/healthz', '/stats/a/b']) {
      const { headers } = await ask(path, OTHER);
      expect(headers.get('access-control-allow-origin'), path).to.equal('*');
    }
  });

  it('allows the configured origins on endpoints with a key', async () => {
    const authorization = `Bearer ${world.apiKey}`;
    const { status, headers } = await ask('/links', LISTED, { authorization });
    expect(status).to.equal(200);
    expect(headers.get('access-control-allow-origin')).to.equal(LISTED);
    expect(headers.get('vary')).to.contain('Origin');
    const refused = await ask('/links', LISTED);
    expect(refused.status).to.equal(401);
    expect(refused.headers.get('access-control-allow-origin')).to.equal(LISTED);
    const other = await ask('/links', OTHER, { authorization });
    expect(other.headers.get('access-control-allow-origin')).to.equal(null);
    expect(other.headers.get('vary')).to.contain('Origin');
  });

  it('lets programs read every header that is meant for clients', async () => {
    /**
     * Headers that browser scripts can always read (Fetch, "CORS-safelisted response-header name").
     */
    const safelisted = ['cache-control', 'content-length', 'content-type'];
    /** Headers for browsers, proxies and connections, which scripts do not need. */
    const others =
      /^(access-control-.*|connection|content-encoding|content-security-policy|date|keep-alive|transfer-encoding|vary|x-content-type-options)$/;
    const limited = await aWorkspace();
    await limited.set({ requestsPerMinute: 1 });
    const tag = { name: 'exposed' };
    const json = { 'content-type': 'application/json' };
    const as = (apiKey: string) => ({ origin: LISTED, authorization: `Bearer ${apiKey}` });
    const send = (path: string, apiKey = world.apiKey) =>
      fetch(stack().apiUrl + path, { headers: as(apiKey) });
    const create = () =>
      fetch(`${stack().apiUrl}/tags`, {
        method: 'POST',
        headers: { ...as(world.apiKey), ...json, 'idempotency-key': tag.name },
        body: JSON.stringify(tag),
      });
    const answers = [
      await create(),
      await create(),
      await send('/audit-log?limit=1'),
      await send('/links/export'),
      await send('/links', 'sk_unknown'),
      await send('/links', limited.apiKey),
      await send('/links', limited.apiKey),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 200, 200, 401, 200, 429]);
    const sent = new Set<string>();
    for (const { headers } of answers) {
      const exposed = headers.get('access-control-expose-headers')!.toLowerCase().split(', ');
      for (const name of headers.keys()) {
        if (safelisted.includes(name) || others.test(name)) continue;
        sent.add(name);
        expect(exposed, `${name} of ${headers.get('x-request-id')}`).to.include(name);
      }
    }
    expect([...sent].toSorted()).to.deep.equal([
      'content-disposition',
      'etag',
      'idempotent-replayed',
      'link',
      'location',
      'ratelimit',
      'ratelimit-limit',
      'ratelimit-policy',
      'ratelimit-remaining',
      'ratelimit-reset',
      'retry-after',
      'www-authenticate',
      'x-next-cursor',
      'x-request-id',
    ]);
  });

  it('answers preflight requests', async () => {
    const wanted = {
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type,if-match',
    };
    const { status, headers } = await ask('/links/link_1', LISTED, wanted, 'OPTIONS');
    expect(status).to.equal(204);
    expect(headers.get('access-control-allow-origin')).to.equal(LISTED);
    expect(headers.get('access-control-allow-methods')).to.contain('PATCH');
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'Prefer']) {
      expect(headers.get('access-control-allow-headers')).to.contain(name);
    }
    const other = await ask('/links/link_1', OTHER, wanted, 'OPTIONS');
    expect(other.status).to.equal(204);
    expect(other.headers.get('access-control-allow-origin')).to.equal(null);
    expect(other.headers.get('access-control-allow-methods')).to.equal(null);
    const plain = await ask('/tags', OTHER, {}, 'OPTIONS');
    expect(plain.headers.get('allow')).to.equal('GET, HEAD, OPTIONS, POST');
    const picture = { 'access-control-request-method': 'GET' };
    const open = await ask('/qr', OTHER, picture, 'OPTIONS');
    expect(open.headers.get('access-control-allow-origin')).to.equal('*');
    expect((await ask('/nope', LISTED, wanted, 'OPTIONS')).status).to.equal(404);
  });
});

describe('API keys', () => {
  it('with a write scope may read', async () => {
    const world = await aWorkspace();
    const writer = await world.withScopes('tags.write');
    expect((await writer.get('/tags')).status).to.equal(200);
    expect((await writer.post('/tags', { name: 'a' })).status).to.equal(201);
    expect((await writer.get('/links')).status).to.equal(403);
    const reader = await world.withScopes('tags.read');
    expect((await reader.post('/tags', { name: 'b' })).status).to.equal(403);
  });

  it('may read the jobs of their own requests, and no others', async () => {
    const world = await aWorkspace();
    const writer = await world.withScopes('links.write');
    const other = await world.withScopes('links.write');
    const reader = await world.withScopes('jobs.read');
    const headers = { prefer: 'respond-async' };
    for (const extra of [{}, { 'idempotency-key': 'own-job' }]) {
      const { status, headers: answered } = await writer.post(
        '/links',
        { url: A },
        { headers: { ...headers, ...extra } },
      );
      expect(status).to.equal(202);
      const location = answered.get('location')!;
      await eventually(async () => {
        const job = await writer.get(location);
        expect(job.status).to.equal(200);
        expect(job.body.status).to.equal('done');
      });
      expect((await reader.get(location)).status).to.equal(404);
      expect((await other.get(location)).status).to.equal(403);
      const stranger = await (await aWorkspace()).withScopes('links.write');
      expect((await stranger.get(location)).status).to.equal(403);
    }
    expect((await writer.get('/jobs/job_000000000000000000000000')).status).to.equal(403);
    expect((await writer.get(`/jobs/job_${'0'.repeat(46)}`)).status).to.equal(403);
  });
});
