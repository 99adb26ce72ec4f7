import { readFileSync } from 'node:fs';
import { hashSync } from '@node-rs/argon2';
import { expect } from 'chai';
import { Agent, fetch } from 'undici';
import { newId } from '../../src/ids.ts';
import { OwnService } from '../support/own-service.ts';
import { TlsProxy } from '../support/tls-proxy.ts';

const PASSWORD = 'correct horse battery staple';

describe('sessions over https', function () {
  const own = new OwnService();
  let proxy: TlsProxy;
  const trusting = new Agent({ connect: { ca: readFileSync('test/data/tls/localhost.crt') } });

  before(async () => {
    proxy = await TlsProxy.start();
    await own.start({ BASE_URL: proxy.origin, TRUST_PROXY: '127.0.0.1' });
    proxy.target = own.service.apiUrl;
  });
  after(async () => {
    await trusting.close();
    await proxy.stop();
    await own.stop();
  });

  const ask = (path: string, cookie: string, body?: object) =>
    fetch(proxy.origin + path, {
      dispatcher: trusting,
      headers: { cookie, origin: proxy.origin, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });

  it('have a cookie that browsers keep for this host alone, and end with it', async () => {
    const email = 'ada@people.test';
    const id = newId('user');
    await own.db('users').insert({ id, email, name: 'Ada', password_hash: hashSync(PASSWORD) });
    const entered = await ask('/auth/sign-in', '', { email, password: PASSWORD });
    expect(entered.status).to.equal(200);
    const [set] = entered.headers.getSetCookie();
    expect(set).to.match(
      /^__Host-session=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const cookie = set!.split(';')[0]!;
    expect((await ask('/me', cookie)).status).to.equal(200);
    // The prefix __Host- keeps an attacker who can set cookies over HTTP from planting a session.
    expect((await ask('/me', cookie.replace('__Host-', ''))).status).to.equal(401);
    const left = await ask('/auth/sign-out', cookie, {});
    expect(left.status).to.equal(204);
    expect(left.headers.getSetCookie()).to.deep.equal([
      '__Host-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
    expect((await ask('/me', cookie)).status).to.equal(401);
  });
});
