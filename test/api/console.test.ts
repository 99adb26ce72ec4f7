import { readdirSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { stack } from '../support/stack.ts';

interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a path unchanged, since `fetch` would resolve `..`. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  const { hostname, port } = new URL(stack().apiUrl);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks),
        }),
      );
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Fetches the script that index.html loads. */
async function script(): Promise<string> {
  const { body } = await get('/console');
  const page = body.toString();
  expect(page).to.match(/<script type="module" crossorigin src="\/console\/assets\//);
  // The entry itself is a few lines; most of the script is preloaded.
  const paths = [...page.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+\.js)"/g)];
  const scripts = await Promise.all(
    paths.map(async ([, path]) => ({ path: path!, size: (await get(path!)).body.length })),
  );
  return scripts.toSorted((one, other) => other.size - one.size)[0]!.path;
}

describe('the console', () => {
  for (const path of [
    '/console',
    '/console/',
    '/console/sign-in',
    '/console/acme/links?search=a',
    // A workspace can have this slug if it was created before the slug was reserved.
    '/console/assets/links',
  ]) {
    it(`answers ${path} with the application, asked for anew each time`, async () => {
      const { status, headers, body } = await get(path);
      expect(status).to.equal(200);
      expect(headers['content-type']).to.equal('text/html; charset=utf-8');
      expect(headers['cache-control']).to.equal('no-cache');
      expect(body.toString()).to.match(/<div id="root">/);
    });
  }

  it('forbids scripts and styles that are not files of its own, frames, and other hosts', async () => {
    const { headers, body } = await get('/console');
    expect(headers['content-security-policy']).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers['x-content-type-options']).to.equal('nosniff');
    expect(headers['referrer-policy']).to.equal('same-origin');
    expect(headers['cross-origin-opener-policy']).to.equal('same-origin');
    expect(body.toString()).not.to.match(/<style|<script(?![^>]*src=)|style="|https?:/);
  });

  it('answers an asset with its type, for a year', async () => {
    const { status, headers } = await get(await script());
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/javascript; charset=utf-8');
    expect(headers['cache-control']).to.equal('public, max-age=31536000, immutable');
  });

  it('sends what the client accepts: brotli, gzip, or neither', async () => {
    const path = await script();
    const plain = await get(path);
    const gzip = await get(path, { 'accept-encoding': 'gzip' });
    const brotli = await get(path, { 'accept-encoding': 'gzip, br' });
    expect(plain.headers['content-encoding']).to.equal(undefined);
    expect(gzip.headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(brotli.headers).to.include({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(gunzipSync(gzip.body).equals(plain.body)).to.equal(true);
    expect(brotliDecompressSync(brotli.body).equals(plain.body)).to.equal(true);
    expect(brotli.body.length).to.be.below(plain.body.length / 2);
  });

  it('answers 304 to who has it already', async () => {
    const { etag } = (await get('/console')).headers;
    const again = await get('/console', { 'if-none-match': etag! });
    expect(again.status).to.equal(304);
    expect(again.body.length).to.equal(0);
  });

  it('answers HEAD without a body', async () => {
    const { status, headers, body } = await get('/console', {}, 'HEAD');
    expect(status).to.equal(200);
    expect(Number(headers['content-length'])).to.be.above(0);
    expect(body.length).to.equal(0);
  });

  it('answers 404 for an asset that does not exist', async () => {
    const { status, headers, body } = await get('/console/assets/index-00000000.js');
    expect(status).to.equal(404);
    expect(headers['cache-control']).to.equal('no-store');
    expect(JSON.parse(body.toString()).error.code).to.equal('not_found');
  });

  for (const path of [
    '/console/../package.json',
    '/console/assets/../../package.json',
    '/console/assets/..%2f..%2f..%2fpackage.json',
    '/console/%2e%2e/%2e%2e/package.json',
    '/console/assets/%5c..%5c..%5cpackage.json',
    '/console/assets/index.html%00.js',
  ]) {
    it(`gives no file outside its folder for ${path}`, async () => {
      const { body } = await get(path);
      expect(body.toString()).not.to.contain('"name": "shortlinks"');
    });
  }

  it('has a type for each of its files', () => {
    const types = /\.(?:css|html|js|json|png|svg|wasm|woff2?)(?:\.br|\.gz)?$/;
    const files = readdirSync('dist/console', { recursive: true, withFileTypes: true });
    const unknown = files.filter((file) => file.isFile() && !types.test(file.name));
    expect(unknown.map(({ name }) => name)).to.deep.equal([]);
  });
});
