import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { hashSync } from '@node-rs/argon2';
import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { newId } from '../../src/ids.ts';
import { connectRedis, type Redis } from '../../src/infra/redis.ts';
import { hashToken, newToken } from '../../src/infra/secrets.ts';
import { addSession } from '../../src/users/commands.ts';
import { stepAt, totpCode } from '../../src/users/second-factor/totp.ts';
import { linesOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { OwnService } from '../support/own-service.ts';

/*
 * Sends a secret to every route that accepts one. Afterwards, none of them may be in a file of the
 * stores (tables, write-ahead log, append-only file, server logs), in a key of Redis, or in the
 * output of the processes. The service has its own servers, so that all their files can be read.
 */

const destination = (secret: string) => ({
  method: 'POST',
  body: {
    type: 'redis',
    name: 'stream',
    settings: { url: 'rediss://redis.example:443', stream: 's' },
    secret,
  },
});
const LINK = { url: 'https://example.com/' };

/** Prefix of every secret of this run, so that one search finds them all. */
const MARK = `zq${randomBytes(12).toString('hex')}`;
const secretOf = (name: string) => `${MARK} ${name}`;
const WEBHOOK_SECRET = `whsec_${randomBytes(32).toString('base64')}`;

interface Sent {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

interface Setup {
  secret: string;
  setup: string;
}

describe('secrets', function () {
  const own = new OwnService();

  before(() => own.start({ LOG_LEVEL: 'trace', SMTP_URL: '' }));
  after(() => own.stop());

  // oxlint-disable-next-line typescript/no-explicit-any -- looks into bodies of every shape
  async function send(route: string, { method = 'GET', body, headers }: Sent = {}): Promise<any> {
    const answer = await fetch(own.service.apiUrl + route, {
      method,
      headers: {
        authorization: `Bearer ${own.apiKey}`,
        'idempotency-key': randomBytes(8).toString('hex'),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
  }

  const ROUTES: Record<string, (password: string) => Promise<unknown>> = {
    'post /links': async (password) => {
      const made = await send('/links', { method: 'POST', body: { ...LINK, key: 'a', password } });
      expect(made.password).to.equal(password);
    },
    'put /links/upsert': (password) =>
      send('/links/upsert', { method: 'PUT', body: { ...LINK, key: 'b', password } }),
    'patch /links/{linkId}': async (password) => {
      const { id } = await send('/links', { method: 'POST', body: { ...LINK, key: 'c' } });
      const changed = await send(`/links/${id}`, { method: 'PATCH', body: { password } });
      expect(changed.password).to.equal(password);
      const at = new Date(Date.now() + 86_400_000).toISOString();
      const later = await send(`/links/${id}`, { method: 'PATCH', body: { password, at } });
      expect(later.changes).to.deep.equal({ hasPassword: true });
    },
    'post /links/bulk/check': async (password) => {
      const links = [
        { ...LINK, key: 'check', password },
        { ...LINK, key: 'check', passwort: password },
      ];
      const answer = await send('/links/bulk/check', { method: 'POST', body: links });
      expect(answer).to.have.length(2);
    },
    'post /links/bulk': async (password) => {
      const links = [
        { ...LINK, key: 'd', password },
        { ...LINK, key: 'd', password },
        { ...LINK, key: 'e', passwort: password },
        password,
      ];
      const answer = await send('/links/bulk', { method: 'POST', body: links });
      expect(answer[0].password).to.equal(password);
      expect(answer.slice(1).map((item: { link: unknown }) => item.link)).to.deep.equal(
        links.slice(1),
      );
      const headers = { prefer: 'respond-async' };
      const again = [{ ...LINK, key: 'f', password }, ...links.slice(1)];
      const { id } = await send('/links/bulk', { method: 'POST', body: again, headers });
      await eventually(async () => {
        const { status, result } = await send(`/jobs/${id}`);
        expect(status).to.equal('done');
        expect(result[0].password).to.equal(password);
        expect(result[2].link).to.deep.equal(links[2]);
      });
    },
    'patch /links/bulk': async (password) => {
      const linkIds = ['link_none', (await send('/links?pageSize=1'))[0].id];
      const body = { linkIds, data: { password } };
      const answer = await send('/links/bulk', { method: 'PATCH', body });
      expect(answer[0].link).to.equal('link_none');
      expect(answer[1].password).to.equal(password);
    },
    'post /qrcodes': (password) =>
      send('/qrcodes', { method: 'POST', body: { type: 'url', ...LINK, key: 'g', password } }),
    'post /reports': async (password) => {
      const { url } = await send('/reports', { method: 'POST', body: { name: 'a', password } });
      sessions.push(new URL(url).pathname.split('/').at(-1)!);
      const form = { method: 'POST', body: new URLSearchParams({ password }) };
      const answer = await fetch(own.service.apiUrl + new URL(url).pathname, {
        ...form,
        redirect: 'manual',
      });
      expect(answer.status).to.equal(303);
    },
    'patch /reports/{id}': async (password) => {
      const { id } = await send('/reports', { method: 'POST', body: { name: 'b' } });
      await send(`/reports/${id}`, { method: 'PATCH', body: { password } });
      const { url } = await send(`/reports/${id}/rotate`, { method: 'POST' });
      sessions.push(new URL(url).pathname.split('/').at(-1)!);
    },
    'patch /qrcodes/{qrcodeId}': async (password) => {
      const body = { type: 'url', ...LINK, key: 'h' };
      const { id } = await send('/qrcodes', { method: 'POST', body });
      const changed = await send(`/qrcodes/${id}`, { method: 'PATCH', body: { password } });
      expect(changed.password).to.equal(password);
      const at = new Date(Date.now() + 86_400_000).toISOString();
      await send(`/qrcodes/${id}`, { method: 'PATCH', body: { password, at } });
    },
    'post /qrcodes/bulk': async (password) => {
      const code = { type: 'url', ...LINK, key: 'i', password };
      const codes = [code, code, { ...code, type: 'none' }];
      const answer = await send('/qrcodes/bulk', { method: 'POST', body: codes });
      expect(answer[0].password).to.equal(password);
      expect(answer[1].qrcode).to.deep.equal(code);
      expect(answer[2].qrcode).to.deep.equal(codes[2]);
    },
    'patch /qrcodes/bulk': async (password) => {
      const qrcodeIds = ['qr_none', (await send('/qrcodes?pageSize=1'))[0].id];
      const body = { qrcodeIds, data: { password } };
      const answer = await send('/qrcodes/bulk', { method: 'PATCH', body });
      expect(answer[0].qrcode).to.equal('qr_none');
      expect(answer[1].password).to.equal(password);
    },
    'post /webhooks': async (password) => {
      const webhook = { name: 'w', url: 'https://example.com/', kinds: ['link.created'] };
      const body = { ...webhook, secret: WEBHOOK_SECRET };
      const made = await send('/webhooks', { method: 'POST', body });
      expect(made.secret).to.equal(WEBHOOK_SECRET);
      // The API refuses this secret, which is malformed.
      await send('/webhooks', { method: 'POST', body: { ...webhook, secret: password } });
    },
    'patch /webhooks/{id}': async (password) => {
      const webhook = { name: 'c', url: 'https://example.com/', kinds: ['link.created'] };
      const { id } = await send('/webhooks', { method: 'POST', body: webhook });
      const credentials = {
        headers: { 'x-token': password },
        basicAuth: { username: 'a', password },
      };
      const changed = await send(`/webhooks/${id}`, { method: 'PATCH', body: credentials });
      expect(JSON.stringify(changed)).not.to.contain(password);
    },
    'post /integrations': async (secret) => {
      const body = { type: 'shopify', name: 'shop', secret };
      expect((await send('/integrations', { method: 'POST', body })).type).to.equal('shopify');
    },
    'patch /integrations/{id}': async (secret) => {
      const body = { type: 'stripe', name: 'shop', secret: `${secret} before` };
      const { id } = await send('/integrations', { method: 'POST', body });
      const changed = await send(`/integrations/${id}`, { method: 'PATCH', body: { secret } });
      expect(changed.id).to.equal(id);
    },
    'post /destinations': async (secret) => {
      expect((await send('/destinations', destination(secret))).hasSecret).to.equal(true);
    },
    'patch /destinations/{id}': async (secret) => {
      const { id } = await send('/destinations', destination(`${secret} before`));
      const changed = await send(`/destinations/${id}`, { method: 'PATCH', body: { secret } });
      expect(changed.id).to.equal(id);
    },
    'post /auth/sign-in': async (password) => {
      const [user] = await own.db('workspace_users');
      const [{ email }] = await own.db('users').where({ id: user.user_id });
      await own
        .db('users')
        .where({ email })
        .update({ password_hash: hashSync(password) });
      await signIn('/auth/sign-in', { email, password });
      await send('/auth/sign-in', { method: 'POST', body: { email, password: `${password}!` } });
    },
    'patch /me': async (password) => {
      const [user] = await own.db('users');
      await own.db('users').where({ id: user.id }).update({ password_hash: null });
      const [token, id] = [newToken(), newId('session')];
      sessions.push(token);
      const hash = hashToken(token);
      const session = { id, hash, method: 'password' as const, userAgent: '', network: '' };
      await addSession(own.db, user.id, session);
      const headers = {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        cookie: `session=${token}`,
      };
      const patch = (body: object) =>
        fetch(`${own.service.apiUrl}/me`, { method: 'PATCH', headers, body: JSON.stringify(body) });
      expect((await patch({ password })).status).to.equal(200);
      const changed = { password: `${password} again`, currentPassword: password };
      expect((await patch(changed)).status).to.equal(200);
    },
    'post /auth/links': async (token) => {
      const [user] = await own.db('users');
      const hash = hashToken(token);
      const expires_at = new Date(Date.now() + 60_000);
      await own.db('sign_in_links').insert({ hash, user_id: user.id, expires_at });
      await signIn('/auth/links', { token });
    },
    'post /auth/links/lookup': async (token) => {
      const [user] = await own.db('users');
      const expires_at = new Date(Date.now() + 60_000);
      await own
        .db('sign_in_links')
        .insert({ hash: hashToken(token), user_id: user.id, expires_at });
      expect((await signInPost('/auth/links/lookup', { token })).status).to.equal(200);
    },
    'post /auth/password-resets/lookup': async (token) => {
      await resetWith(token);
      const answer = await signInPost('/auth/password-resets/lookup', { token });
      expect(answer.status).to.equal(200);
    },
    'post /auth/password-resets/complete': async (password) => {
      const token = newToken();
      sessions.push(token);
      await resetWith(token);
      const answer = await signInPost('/auth/password-resets/complete', { token, password });
      expect(answer.status).to.equal(204);
    },
    'post /invitations/lookup': async () => {
      const token = await invited('lookup@example.com');
      expect((await signInPost('/invitations/lookup', { token })).status).to.equal(200);
    },
    'post /invitations/accept': async (password) => {
      const token = await invited('accept@example.com');
      await signIn('/invitations/accept', { token, name: 'Ada', password });
    },
    'patch /imports/{id}': async (password) => {
      const file = `url,key,secret\nhttps://example.com/,mine,${password}\nhttps://,yours,${password}\n`;
      const headers = { 'content-type': 'text/csv' };
      const { id } = await send('/imports?dryRun=true', { method: 'POST', body: file, headers });
      const hasEnded = (wanted: string) =>
        eventually(async () => {
          const { state, counts } = await send(`/imports/${id}`);
          expect(state).to.equal(wanted);
          return counts;
        });
      await hasEnded('checked');
      const body = { mapping: { secret: 'password' } };
      await send(`/imports/${id}`, { method: 'PATCH', body });
      await hasEnded('checked');
      await send(`/imports/${id}/start`, { method: 'POST' });
      expect(await hasEnded('done')).to.include({ created: 1, refused: 1 });
      expect(await send(`/imports/${id}/errors`)).to.contain(password);
    },
    'post /imports/fetch': async (token) => {
      const body = { source: 'yourls', url: 'http://127.0.0.1:9', token };
      const { id } = await send('/imports/fetch', { method: 'POST', body });
      await send(`/imports/${id}/cancel`, { method: 'POST' });
    },
    'post /exports': async (passphrase) => {
      const { url } = await send('/exports', {
        method: 'POST',
        body: { type: 'workspace', passphrase },
      });
      const [header, ...lines] = linesOf(Buffer.from(await (await fetch(url)).arrayBuffer()));
      expect(header.passwords).not.to.equal(null);
      expect(JSON.stringify(lines)).to.contain('"hasPassword":true').and.not.contain(MARK);
    },
    'get /links': (password) => find('/links', password),
    'get /links/count': (password) => find('/links/count', password),
    'get /qrcodes': (password) => find('/qrcodes', password),
    'get /qrcodes/count': (password) => find('/qrcodes/count', password),
    'get /links/export': async (password) => {
      await find('/links/export', password);
      const headers = { prefer: 'respond-async' };
      await send(`/links/export?password=${encodeURIComponent(password)}`, { headers });
    },
    'get /qrcodes/export': (password) => find('/qrcodes/export', password),
  };

  /** Creates a password reset with a token. */
  async function resetWith(token: string): Promise<void> {
    const [user] = await own.db('users');
    await own.db('password_resets').insert({
      hash: hashToken(token),
      user_id: user.id,
      job_id: newId('job'),
      password_version: user.password_version,
      expires_at: new Date(Date.now() + 60_000),
    });
  }

  /** Sets up a second factor, and uses a recovery code. */
  async function useSecondFactor(): Promise<void> {
    const [userId, id, token] = [newId('user'), newId('session'), newToken()];
    const email = `${userId}@people.test`;
    const email_verified_at = new Date();
    await own.db('users').insert({ id: userId, email, name: 'Ada', email_verified_at });
    const session = { id, hash: hashToken(token), method: 'password' as const };
    await addSession(own.db, userId, { ...session, userAgent: '', network: '' });
    const post = async (route: string, body?: object) => {
      const headers = { ...FROM_CONSOLE, cookie: `session=${token}` };
      const sent = { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) };
      const answer = await fetch(own.service.apiUrl + route, sent);
      expect(answer.ok).to.equal(true);
      return answer.status === 204 ? undefined : answer.json();
    };
    const { secret, setup } = (await post('/me/second-factor/setup')) as Setup;
    const code = totpCode(secret, stepAt(Date.now()));
    const made = await post('/me/second-factor', { setup, code });
    const { recoveryCodes } = made as { recoveryCodes: string[] };
    await post('/me/second-factor/remove', { code: recoveryCodes[0] });
    sessions.push(token, secret, ...recoveryCodes);
  }

  /** Tokens of sessions and invitations, which are secrets too. */
  const sessions: string[] = [];

  /** Creates an invitation, and resolves with its token. */
  async function invited(email: string): Promise<string> {
    const made = await send('/invitations', { method: 'POST', body: { email, role: 'viewer' } });
    const token = new URL(made.url).hash.slice(1);
    sessions.push(token);
    return token;
  }

  const FROM_CONSOLE = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const signInPost = (path: string, body: object) =>
    fetch(own.service.apiUrl + path, {
      method: 'POST',
      headers: FROM_CONSOLE,
      body: JSON.stringify(body),
    });

  /** Signs in, uses the session and signs out. */
  async function signIn(route: string, body: object): Promise<void> {
    const answer = await signInPost(route, body);
    expect(answer.status).to.equal(200);
    const cookie = answer.headers.get('set-cookie')!.split(';')[0]!;
    sessions.push(cookie.split('=')[1]!);
    expect((await fetch(`${own.service.apiUrl}/me`, { headers: { cookie } })).status).to.equal(200);
    const headers = { ...FROM_CONSOLE, cookie };
    await fetch(`${own.service.apiUrl}/auth/sign-out`, { method: 'POST', headers });
  }

  const find = (route: string, password: string) =>
    send(`${route}?password=${encodeURIComponent(password)}`);

  it('are sent to every route that accepts one', () => {
    const has = (names: RegExp, schema?: { describe(): object }) =>
      names.test(JSON.stringify(schema?.describe() ?? {}));
    // A name is that of a field, not a value such as the type of an API key.
    // The token in the URL of an export is a signature, which no store contains.
    const taking = routes
      .filter(
        ({ body, query }) =>
          has(/"(password|passphrase|secret|token)":/, body) || has(/"(password|secret)":/, query),
      )
      .map(({ method, path: route }) => `${method} ${route}`);
    expect(Object.keys(ROUTES).toSorted()).to.deep.equal(taking.toSorted());
  });

  it('are found in no store and no log', async () => {
    for (const [name, give] of Object.entries(ROUTES)) await give(secretOf(name));
    await useSecondFactor();
    const { id, key } = await send('/keys', { method: 'POST', body: { name: 'a' } });
    const rotated = await send(`/keys/${id}/rotate`, { method: 'POST' });
    await send('/links', { headers: { authorization: `Bearer ${rotated.key}` } });
    await unlock('/a', secretOf('post /links'));
    await unlock('/a', secretOf('wrong'));
    await send('/links', { headers: { authorization: `Bearer ${secretOf('key')}` } });

    const redis = connectRedis(own.redisUrl, 'wait');
    try {
      const others = [own.apiKey, key, rotated.key, ...sessions];
      const secrets = [MARK, WEBHOOK_SECRET.slice(6), ...others];
      const has = (text: Buffer | string) => secrets.some((secret) => text.includes(secret));
      expect(own.service.lines.filter(has), 'logged').to.deep.equal([]);
      expect(await keysWith(redis, has), 'in Redis').to.deep.equal([]);
      expect(await tablesWith(secrets), 'in Postgres').to.deep.equal([]);
      const files = own.folders.flatMap(filesBelow).filter((file) => has(read(file)));
      expect(files, 'in files').to.deep.equal([]);
    } finally {
      redis.disconnect();
    }
    // This proves that the search finds existing texts.
    const written = own.folders.flatMap(filesBelow).filter((file) => read(file).includes(LINK.url));
    expect(written.filter((file) => file.endsWith('.aof'))).to.not.deep.equal([]);
    expect(written.filter((file) => file.includes('pg_wal'))).to.not.deep.equal([]);
    expect(await tablesWith(['https://example.com/'])).to.include('links');
  });

  /** Submits a password on the page of a link. */
  function unlock(key: string, password: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: own.service.redirectPorts[0],
          path: key,
          method: 'POST',
          headers: { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' },
        },
        (response) => response.resume().on('end', resolve),
      );
      outgoing.on('error', reject);
      outgoing.end(new URLSearchParams({ password }).toString());
    });
  }

  /** Lists the tables with a row that contains one of some texts in any column. */
  async function tablesWith(parts: string[]): Promise<string[]> {
    const { rows } = await own.db.raw<{ rows: { name: string }[] }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const found = await Promise.all(
      rows.map(async ({ name }) => {
        const sql = `SELECT 1 FROM ${name} AS t, unnest(?::text[]) AS sought (part)
                      WHERE strpos(t::text, sought.part) > 0 LIMIT 1`;
        const answer = await own.db.raw<{ rows: unknown[] }>(sql, [parts]);
        return answer.rows.length > 0 ? [name] : [];
      }),
    );
    return found.flat();
  }
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return filesBelow(file);
    return stat?.isFile() ? [file] : [];
  });
}

/** Reads a file; one that no longer exists counts as empty. */
function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Lists the keys of Redis that contain a text in their name or value. */
async function keysWith(redis: Redis, has: (text: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = '0'; ; ) {
    const [next, keys] = await redis.scan(cursor, 'COUNT', '1000');
    for (const key of keys) if (has(`${key} ${await valueOf(redis, key)}`)) found.push(key);
    if (next === '0') return found;
    cursor = next;
  }
}

async function valueOf(redis: Redis, key: string): Promise<string> {
  switch (await redis.type(key)) {
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return JSON.stringify(await redis.lrange(key, '0', '-1'));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, '0', '-1'));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return '';
  }
}
