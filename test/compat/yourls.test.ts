import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { expect } from 'chai';
import { JSDOM } from 'jsdom';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Body = any;

/* Sends requests as the plug-ins, bookmarklets and apps of YOURLS do. */
describe('the API of YOURLS', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const url = () => `${stack().apiUrl}/compat/yourls/yourls-api.php`;

  async function get(parameters: Record<string, string>): Promise<Response> {
    return fetch(`${url()}?${new URLSearchParams({ signature: world.apiKey, ...parameters })}`);
  }

  /** Sends a form, which can be longer than a request line. */
  async function post(parameters: Record<string, string>): Promise<string> {
    const body = new URLSearchParams({ signature: world.apiKey, ...parameters });
    return (await fetch(url(), { method: 'POST', body })).text();
  }

  /** Shortens a URL as in messages of YOURLS. */
  const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 55)}[...]` : text);

  async function json(parameters: Record<string, string>): Promise<Body> {
    const response = await get({ format: 'json', ...parameters });
    expect(response.headers.get('content-type')).to.match(/^application\/json/);
    const body = (await response.json()) as Body;
    expect(response.status).to.equal(Number(body.statusCode ?? body.errorCode ?? 200));
    return body;
  }

  it('makes short URLs with keyword and title', async () => {
    const made = await json({ action: 'shorturl', url: A, keyword: 'spring', title: 'Spring' });
    const { date, ...link } = made.url;
    expect(date).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect({ ...made, url: link }).to.deep.equal({
      url: { keyword: 'spring', url: A, title: 'Spring', ip: '' },
      status: 'success',
      code: '',
      message: `${A} added to database`,
      title: 'Spring',
      shorturl: `https://${world.domain}/spring`,
      errorCode: '',
      statusCode: '200',
    });
    expect((await world.visit('/spring')).headers.location).to.equal(A);
  });

  it('has one short URL for a destination, and one destination for a keyword', async () => {
    const { shorturl } = await json({ action: 'shorturl', url: A, keyword: 'spring' });
    const again = await json({ action: 'shorturl', url: A });
    expect(again).to.include({ status: 'fail', code: 'error:url', shorturl, statusCode: '400' });
    expect(again.url).to.include({ keyword: 'spring', url: A });
    const taken = await json({ action: 'shorturl', url: `${A}/b`, keyword: 'spring' });
    expect(taken).to.include({ status: 'fail', code: 'error:keyword', statusCode: '400' });
    for (const bad of ['', 'javascript:alert(1)']) {
      const answer = await json({ action: 'shorturl', url: bad });
      expect(answer).to.include({ status: 'fail', code: 'error:nourl', errorCode: '400' });
    }
  });

  it('has one short URL for a destination in each of its forms, of any length', async () => {
    const long = `https://example.com/?x=${'y'.repeat(20_000)}`;
    const made = new Map<string, Body>();
    for (const sent of [
      'https://example.com/größe',
      'https://example.com/a b',
      'example.com',
      long,
    ]) {
      made.set(sent, await json({ action: 'shorturl', url: sent }));
    }
    const newer = Array.from({ length: 100 }, (_, at) => ({ url: `https://example.com/${at}` }));
    await world.api.post('/links/bulk', newer);
    for (const [sent, ...forms] of [
      ['https://example.com/größe', 'https://example.com/gr%C3%B6%C3%9Fe'],
      ['https://example.com/a b', 'https://example.com/a%20b'],
      ['example.com', ' https://example.com '],
      [long],
    ]) {
      const { status, shorturl, url: link } = made.get(sent!);
      expect(status).to.equal('success');
      const short = shorturl.replace('https://', '');
      for (const url of [sent!, ...forms]) {
        const again = await post({ action: 'shorturl', url, keyword: 'other', format: 'json' });
        expect(JSON.parse(again)).to.deep.equal({
          status: 'fail',
          code: 'error:url',
          message: `${shortened(link.url)} already exists in database (short URL: ${short})`,
          errorCode: '400',
          statusCode: '400',
          url: { ...link, clicks: 0 },
          title: link.url,
          shorturl,
        });
      }
      expect(await post({ action: 'shorturl', url: sent!, format: 'simple' })).to.equal(shorturl);
      const xml = await post({ action: 'shorturl', url: sent!, format: 'xml' });
      expect(xml).to.contain('<code>error:url</code>').and.contain(`<shorturl>${shorturl}<`);
    }
    const archived = (await world.api.post('/links', { url: `${A}/old`, archived: true })).body;
    const { shorturl } = await json({ action: 'shorturl', url: `${A}/old` });
    expect(shorturl).to.equal(archived.shortLink);
  });

  it('refuses short URLs of the service as destinations', async () => {
    const other = await aWorkspace();
    const key = `open-${world.slug}`;
    await other.api.post('/links', { url: A, domain: 'localhost', key });
    await other.api.post('/links', { url: A, key: 'own' });
    await world.api.post('/qrcodes', { type: 'url', url: A, key: 'code' });
    const { shorturl } = await json({ action: 'shorturl', url: A, keyword: 'Spring' });
    const port = new URL(
      (await world.api.get('/links/availability', { key, domain: 'localhost' })).body.shortLink,
    ).port;
    for (const url of [
      shorturl,
      shorturl.replace('https', 'HTTP'),
      `${world.domain}/Spring/?x=1#top`,
      `${world.domain}/code`,
      `http://localhost:${port}/${key}`,
    ]) {
      const refused = await json({ action: 'shorturl', url, keyword: 'loop' });
      expect(refused, url).to.deep.equal({
        status: 'fail',
        code: 'error:noloop',
        message: 'URL is a short URL',
        errorCode: '400',
        statusCode: '400',
      });
      const simple = await get({ action: 'shorturl', url, format: 'simple' });
      expect(await simple.text()).to.equal('');
    }
    for (const url of [
      `https://${world.domain}/`,
      `https://${world.domain}/nothing`,
      `https://${world.domain}/spring`,
      `https://${world.domain}/_/report`,
      `http://localhost:1/${key}`,
      `https://${other.domain}/own`,
    ]) {
      expect(await json({ action: 'shorturl', url }), url).to.include({ status: 'success' });
    }
  });

  it('takes forms of both kinds, and a key as password', async () => {
    const fields = {
      username: 'anybody',
      password: world.apiKey,
      action: 'shorturl',
      url: A,
      format: 'simple',
    };
    const sent = await fetch(url(), { method: 'POST', body: new URLSearchParams(fields) });
    const short = await sent.text();
    expect(short).to.match(new RegExp(`^https://${world.domain}/\\w{7}$`));

    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('url', `${A}/ü?x=1&y=2`);
    const parts = await fetch(url(), { method: 'POST', body: form });
    expect([parts.status, await parts.text()]).to.satisfy(
      ([status, text]: [number, string]) => status === 200 && text.startsWith('https://'),
    );
  });

  it('expands, by keyword and by short URL', async () => {
    const { shorturl } = await json({ action: 'shorturl', url: A, keyword: 'spring' });
    for (const named of ['spring', shorturl]) {
      const found = await json({ action: 'expand', shorturl: named });
      expect(found).to.include({ keyword: 'spring', longurl: A, message: 'success' });
    }
    const simple = await get({ action: 'expand', shorturl: 'spring', format: 'simple' });
    expect(await simple.text()).to.equal(A);
    const none = await json({ action: 'expand', shorturl: 'none' });
    expect(none).to.deep.equal({
      keyword: 'none',
      message: 'Error: short URL not found',
      errorCode: '404',
    });
  });

  it('expands with and without scheme, domain and slash at the end', async () => {
    await json({ action: 'shorturl', url: A, keyword: 'spring' });
    await json({ action: 'shorturl', url: `${A}/b`, keyword: 'team/offer' });
    await json({ action: 'shorturl', url: `${A}/c`, keyword: `${world.domain}/odd` });
    const { domain } = world;
    for (const shorturl of [
      'spring/',
      ` ${domain}/spring`,
      `${domain}/spring/`,
      `${domain.toUpperCase()}:8080/spring?x=1#y`,
      `http://${domain}/spring//`,
      `HTTPS://${domain}/sprin%67`,
    ]) {
      const expanded = await json({ action: 'expand', shorturl });
      expect(expanded, shorturl).to.include({ keyword: 'spring', longurl: A });
      const { link } = await json({ action: 'url-stats', shorturl });
      expect(link, shorturl).to.include({ url: A });
    }
    for (const [shorturl, longurl] of [
      ['team/offer/', `${A}/b`],
      [`${domain}/team/offer`, `${A}/b`],
      // A keyword that looks like a short URL.
      [`${domain}/odd`, `${A}/c`],
    ] as const) {
      expect(await json({ action: 'expand', shorturl })).to.include({ longurl });
    }
    for (const shorturl of [
      '',
      '/',
      'https://',
      `${domain}/`,
      'other.test/spring',
      'a..b/spring',
    ]) {
      expect((await json({ action: 'expand', shorturl })).errorCode, shorturl).to.equal('404');
    }
  });

  it('counts: of a short URL, of all, the most, the least, the newest', async () => {
    for (const keyword of ['a', 'b', 'c']) {
      await json({ action: 'shorturl', url: `${A}/${keyword}`, keyword });
    }
    await world.visit('/b', { userAgent: browser(1) });
    await world.visit('/b', { userAgent: browser(2) });
    await world.visit('/c', { userAgent: browser(3) });
    await eventually(async () => {
      const { 'db-stats': totals } = await json({ action: 'db-stats' });
      expect(totals).to.deep.equal({ total_links: 3, total_clicks: 3 });
    });
    const { link } = await json({ action: 'url-stats', shorturl: 'b' });
    expect(link).to.include({ url: `${A}/b`, clicks: '2' });
    expect(await json({ action: 'url-stats', shorturl: 'none' })).to.include({ statusCode: '404' });

    const keys = async (parameters: Record<string, string>) => {
      const { links = {}, stats } = await json({ action: 'stats', ...parameters });
      expect(stats.total_links).to.equal(3);
      return Object.values<Body>(links).map(({ shorturl }) => shorturl.slice(-1));
    };
    expect(await keys({ filter: 'top', limit: '2' })).to.deep.equal(['b', 'c']);
    expect(await keys({ filter: 'top', limit: '2', start: '1' })).to.deep.equal(['c', 'a']);
    expect(await keys({ filter: 'bottom', limit: '2' })).to.deep.equal(['a', 'c']);
    expect(await keys({ filter: 'last', limit: '1' })).to.deep.equal(['c']);
    expect(await keys({ filter: 'rand', limit: '5' })).to.have.members(['a', 'b', 'c']);
    expect(await keys({})).to.deep.equal([]);
  });

  it('answers as XML by default, escaped', async () => {
    const title = 'a < b & "c" \u0001 😀';
    await json({ action: 'shorturl', url: `${A}?x=1&y=2`, keyword: 'x', title });
    const response = await get({ action: 'url-stats', shorturl: 'x' });
    expect(response.headers.get('content-type')).to.equal('application/xml; charset=utf-8');
    const { document } = new JSDOM(await response.text(), { contentType: 'text/xml' }).window;
    const text = (name: string) => document.querySelector(name)?.textContent;
    expect(text('root > link > url')).to.equal(`${A}?x=1&y=2`);
    expect(text('root > link > title')).to.equal('a < b & "c"  😀');
    expect(text('root > statusCode')).to.equal('200');
  });

  it('answers as JSONP to the names of functions only', async () => {
    const jsonp = (callback: string) => get({ action: 'version', format: 'jsonp', callback });
    const good = await jsonp('jQuery.cb_1$');
    expect(good.headers.get('content-type')).to.match(/^application\/javascript/);
    expect(good.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(good.headers.get('cross-origin-resource-policy')).to.equal('cross-origin');
    expect(await good.text()).to.match(/^\/\*\*\/jQuery\.cb_1\$\(\{"version":"[\d.]+"\}\)$/);
    for (const bad of ['', 'alert(1)//', 'a b', '1a', 'a.', 'x'.repeat(101), 'a\n', 'a;b']) {
      const answer = await jsonp(bad);
      expect(answer.status, bad).to.equal(400);
      expect(await answer.json()).to.have.property('error', 'Invalid callback parameter');
    }
    const title = '</script>\u2028';
    await json({ action: 'shorturl', url: A, keyword: 'x', title });
    const parameters = { action: 'expand', shorturl: 'x', format: 'jsonp', callback: 'f' };
    expect(await (await get(parameters)).text()).to.contain('\\u003c/script>\\u2028');
  });

  it('refuses JSONP to pages of its own origin, without a script in the refusal', async () => {
    const created = { action: 'shorturl', url: A, keyword: 'own', format: 'jsonp', callback: 'f' };
    for (const parameters of [created, { ...created, signature: 'sk_unknown' }]) {
      const query = new URLSearchParams({ signature: world.apiKey, ...parameters });
      const response = await fetch(`${url()}?${query}`, {
        headers: { 'sec-fetch-site': 'same-origin' },
      });
      expect(response.status).to.equal(403);
      expect(response.headers.get('content-type')).to.match(/^application\/json/);
      expect((await response.json()) as Body).to.include({ status: 'fail', errorCode: '403' });
    }
    expect((await world.visit('/own')).status).to.equal(404);
    for (const site of ['cross-site', 'same-site', 'none']) {
      const query = new URLSearchParams({ signature: world.apiKey, ...created, keyword: site });
      const response = await fetch(`${url()}?${query}`, { headers: { 'sec-fetch-site': site } });
      expect(await response.text()).to.match(/^\/\*\*\/f\(/);
    }
  });

  it('refuses requests without a key, with timed signatures, and unknown actions', async () => {
    for (const [parameters, message] of [
      [{ signature: '' }, /not known|log in|API key/],
      [{ signature: 'sk_unknown' }, /not known/],
      [{ signature: 'a'.repeat(32), timestamp: '1700000000' }, /id of the key.*yourls-api\.php/],
    ] as const) {
      const response = await get({ action: 'version', format: 'json', ...parameters });
      const body = (await response.json()) as Body;
      expect([response.status, body.errorCode]).to.deep.equal([403, '403']);
      expect(body.message).to.match(message);
    }
    const xml = await fetch(`${url()}?action=version`);
    expect(await xml.text()).to.contain('<errorCode>403</errorCode>');
    for (const action of ['none', 'constructor', '']) {
      expect(await json({ action })).to.include({
        errorCode: '400',
        message: 'Unknown or missing "action" parameter',
      });
    }
    expect(await json({ action: 'version', db: '1' })).to.have.keys('version', 'db_version');
  });
});

/* Requests as public plug-ins and nodes send them, in the form of their HTTP libraries. */
describe('clients of YOURLS', () => {
  let world: World;
  /** A key with which clients sign. */
  let key: { id: string; key: string };

  beforeEach(async () => {
    world = await aWorkspace();
    key = await aKey({ yourlsSignatures: true });
  });

  async function aKey(fields: object): Promise<{ id: string; key: string }> {
    const { status, body } = await world.api.post('/keys', { name: 'blog', ...fields });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  }

  const site = (path = '') => `${stack().apiUrl}/compat/yourls${path}`;
  const hashed = (algorithm: string, text: string) =>
    createHash(algorithm).update(text).digest('hex');
  const now = () => String(Math.trunc(Date.now() / 1_000));

  async function post(url: string, fields: Record<string, string>) {
    const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
    return { status: response.status, text: await response.text() };
  }

  /** Signs a request for the version. */
  async function signed(
    fields: Record<string, string>,
    id = key.id,
  ): Promise<{ status: number; body: Body }> {
    const form = { action: 'version', format: 'json', ...fields };
    const { status, text } = await post(site(`/${id}/yourls-api.php`), form);
    return { status, body: JSON.parse(text) };
  }

  it('n8n: GET with a JSON body', async () => {
    const n8n = async (query: Record<string, string>): Promise<Body> => {
      const parameters = new URLSearchParams({ ...query, signature: world.apiKey, format: 'json' });
      const { body } = await raw(`${site()}/yourls-api.php?${parameters}`, '{}');
      return JSON.parse(body);
    };
    const made = await n8n({ url: A, action: 'shorturl', keyword: 'n8n', title: 'From n8n' });
    expect(made).to.include({ status: 'success', title: 'From n8n' });
    const { shorturl } = made;
    expect(await n8n({ shorturl, action: 'expand' })).to.include({ longurl: A });
    expect((await n8n({ shorturl, action: 'url-stats' })).link).to.include({ clicks: '0' });
  });

  it('Better YOURLS: a form signed with MD5, for the short URL as text', async () => {
    const timestamp = now();
    const made = await post(site(`/${key.id}/yourls-api.php`), {
      title: 'A post',
      timestamp,
      signature: hashed('md5', timestamp + key.key),
      action: 'shorturl',
      url: A,
      format: 'JSON',
    });
    expect(made.status, made.text).to.equal(200);
    expect(made.text).to.match(new RegExp(`^https://${world.domain}/\\w{7}$`));
  });

  it('Mautic: forms signed with SHA-512', async () => {
    const mautic = async (fields: Record<string, string>): Promise<Body> => {
      const timestamp = now();
      const signature = hashed('sha512', timestamp + key.key);
      const form = { format: 'json', hash: 'sha512', timestamp, signature, ...fields };
      return JSON.parse((await post(site(`/${key.id}/yourls-api.php`), form)).text);
    };
    expect((await mautic({ action: 'version' })).version).to.match(/^1\./);
    const { shorturl } = await mautic({ action: 'shorturl', url: A });
    expect(shorturl).to.match(new RegExp(`^https://${world.domain}/`));
    expect((await mautic({ action: 'shorturl', url: A })).shorturl).to.equal(shorturl);
  });

  it('YOURLS Link Creator: forms with the key, for JSON', async () => {
    const form = { signature: world.apiKey, format: 'json' };
    const send = async (fields: Record<string, string>): Promise<Body> =>
      JSON.parse((await post(site('/yourls-api.php'), { ...form, ...fields })).text);
    const made = await send({ action: 'shorturl', url: A, title: 'Post', keyword: 'wp' });
    expect(made).to.include({ status: 'success', shorturl: `https://${world.domain}/wp` });
    expect((await send({ action: 'url-stats', shorturl: made.shorturl })).link.clicks).to.equal(
      '0',
    );
    expect((await send({ action: 'db-stats' }))['db-stats']).to.include({ total_links: 1 });
  });

  it('bookmarklets: signed JSONP', async () => {
    const timestamp = now();
    const query = new URLSearchParams({
      timestamp,
      signature: hashed('sha256', key.key + timestamp),
      action: 'shorturl',
      format: 'jsonp',
      callback: 'done',
      url: A,
    });
    const answer = await fetch(site(`/${key.id}/yourls-api.php?${query}`));
    expect(await answer.text()).to.match(/^\/\*\*\/done\(\{"url":/);
  });

  it('sign with every hash function, in both orders, within 12 hours', async () => {
    for (const hash of ['md5', 'sha1', 'sha256', 'sha384', 'sha512']) {
      const timestamp = now();
      for (const text of [timestamp + key.key, key.key + timestamp]) {
        const signature = hashed(hash, text);
        expect((await signed({ timestamp, signature })).status, hash).to.equal(200);
        expect((await signed({ timestamp, signature, hash })).status, hash).to.equal(200);
      }
    }
    for (const [hours, status] of [
      [-11, 200],
      [11, 200],
      [-13, 403],
      [13, 403],
    ] as const) {
      const timestamp = String(Number(now()) + hours * 3_600);
      const signature = hashed('md5', timestamp + key.key);
      expect((await signed({ timestamp, signature })).status, `${hours} h`).to.equal(status);
    }
  });

  it('get 403 for signatures of another key, text or hash, and of a key without them', async () => {
    const timestamp = now();
    const signature = hashed('md5', timestamp + key.key);
    const other = await aKey({});
    const rows: [fields: Record<string, string>, message: RegExp, id?: string][] = [
      [{ timestamp, signature: hashed('md5', timestamp + other.key) }, /is not of this key/],
      [{ timestamp: String(Number(timestamp) + 1), signature }, /is not of this key/],
      [{ timestamp, signature, hash: 'sha256' }, /is not of this key/],
      [{ timestamp, signature: `${signature}0` }, /is not of this key/],
      [{ timestamp, signature, hash: 'crc32' }, /hash must be one of md5, sha1/],
      [{ timestamp: 'today', signature }, /timestamp must be within 12 hours/],
      [{ timestamp, signature: hashed('md5', timestamp + other.key) }, /without signat/, other.id],
      [{ timestamp, signature }, /is not of this key/, 'key_unknown'],
      [{ timestamp, signature }, /is not of this key/, (await aWorkspace()).slug],
    ];
    for (const [fields, message, id] of rows) {
      const { status, body } = await signed(fields, id);
      expect(status, JSON.stringify(fields)).to.equal(403);
      expect(body.message).to.match(message);
    }
    expect((await signed({ timestamp, signature })).status).to.equal(200);
  });

  it('sign with the new key after a rotation, with no key after its revocation', async () => {
    const { body: rotated } = await world.api.post(`/keys/${key.id}/rotate`);
    expect(rotated.yourlsSignatures).to.equal(true);
    const timestamp = now();
    const by = (secret: string) => ({ timestamp, signature: hashed('md5', timestamp + secret) });
    expect((await signed(by(key.key))).status).to.equal(403);
    expect((await signed(by(rotated.key))).status).to.equal(200);
    await world.api.delete(`/keys/${key.id}`);
    const { status, body } = await signed(by(rotated.key));
    expect([status, body.message]).to.deep.equal([403, 'The API key has been revoked']);
  });

  it('may use only keys that were created for signatures', async () => {
    const list = (await world.api.get('/keys')).body as Body[];
    expect(list.map(({ yourlsSignatures }) => yourlsSignatures)).to.deep.equal([true, false]);
    const { status, body } = await world.api.patch(`/keys/${key.id}`, { yourlsSignatures: false });
    expect(status).to.equal(422);
    expect(body.error.message).to.match(/yourlsSignatures/);
    const stored = await db()('api_keys').where({ id: key.id }).first('sealed_key', 'hash');
    expect(stored.sealed_key).to.match(/^sealed:v2:/);
    expect(JSON.stringify(stored)).not.to.contain(key.key);
  });
});

/** Sends a GET with a JSON body, which fetch does not. */
async function raw(url: string, body: string): Promise<{ status: number; body: string }> {
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  const request = http.request(url, { method: 'GET', headers });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks = await response.toArray();
  return { status: response.statusCode!, body: Buffer.concat(chunks as Buffer[]).toString() };
}
