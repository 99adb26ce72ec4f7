import { hash } from '@node-rs/argon2';
import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { cacheRedis } from '../../src/infra/redis.ts';
import { CHANGED, decodeLink, encodeLink, linkName } from '../../src/lookup/codec.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type VisitAnswer, type World } from '../support/world.ts';

const SECRET = 'https://secret.example.com/hidden-path';
const RIGHT = { password: 'open sesame' };
const WRONG = { password: 'open barley' };

/** Reads the cookies of an answer as a browser sends them back. */
const cookiesOf = ({ headers }: VisitAnswer): string =>
  (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ');

describe('the password of a link', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  /** Creates a protected link with metadata that only an open link shows. */
  async function locked(key: string, fields: object = {}) {
    const { status, body } = await world.api.post('/links', {
      url: SECRET,
      key,
      password: RIGHT.password,
      title: 'Hidden title',
      description: 'Hidden words',
      image: 'https://secret.example.com/hidden.png',
      proxy: true,
      publicStats: true,
      ...fields,
    });
    expect(status).to.equal(201);
    return body;
  }

  /** Every test uses a separate address, since attempts are counted per address. */
  const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });

  it('is requested by a page with a form, which reveals nothing about the link', async () => {
    await locked('a');
    const { status, headers, body } = await world.visit('/a?x=1');
    expect(status).to.equal(403);
    expect(headers['content-security-policy']).to.contain("default-src 'none'");
    expect(body).to.match(/<form method="post" action="\/a\?x=1">/);
    expect(body).to.match(/<input [^>]*type="password"/);
    expect(JSON.stringify(headers) + body).not.to.match(
      /secret|hidden[- ](title|words|path|\.png)/i,
    );
  });

  it('redirects with the query once it is right, and again without the form', async () => {
    await locked('b');
    const opened = await world.visit('/b?x=1', { form: RIGHT, ...from('192.0.2.1') });
    expect(opened.status).to.equal(303);
    expect(opened.headers.location).to.equal('/b?x=1');
    const [cookie] = opened.headers['set-cookie'] ?? [];
    expect(cookie).to.match(/; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/);
    const headers = { cookie: cookiesOf(opened) };
    for (const process of [0, 1] as const) {
      const { status, headers: answer } = await world.visit('/b?x=1', { headers, process });
      expect([status, answer.location]).to.deep.equal([302, `${SECRET}?x=1`]);
    }
    expect((await world.visit('/b+', { headers })).body).to.contain(SECRET);
  });

  it('sets a cookie with Secure only for https', async () => {
    await locked('secure');
    const headers = { 'x-forwarded-for': '192.0.2.2', 'x-forwarded-proto': 'https' };
    const { headers: answer } = await world.visit('/secure', { form: RIGHT, headers });
    expect(answer['set-cookie']?.[0]).to.match(/; Secure(;|$)/);
  });

  it('unlocks this link under this password only, for an hour at most', async () => {
    const link = await locked('c');
    await locked('d');
    const opened = await world.visit('/c', { form: RIGHT, ...from('192.0.2.3') });
    const cookie = cookiesOf(opened);
    const [name, value] = cookie.split('=') as [string, string];
    const other = (await world.api.get('/links/info', { domain: world.domain, key: 'd' })).body.id;
    const [until, signature] = value.split('.') as [string, string];
    for (const forged of [
      `unlock_${other}=${value}`,
      `${name}=${until}`,
      `${name}=${until}.`,
      `${name}=zzzzzzzz.${signature}`,
      `${name}=${until}.${signature.slice(0, -1)}`,
      `${name}=`,
      `${name}="${'x'.repeat(3_000)}"`,
    ]) {
      for (const path of ['/c', '/d']) {
        const { status } = await world.visit(path, { headers: { cookie: forged } });
        expect(status, `${path} ${forged.slice(0, 60)}`).to.equal(403);
      }
    }
    expect((await world.visit('/c', { headers: { cookie } })).status).to.equal(302);
    await world.api.patch(`/links/${link.id}`, { password: 'another' });
    expect((await world.visit('/c', { headers: { cookie } })).status).to.equal(403);
  });

  it('shows an error at the field when it is wrong, and does not redirect', async () => {
    await locked('e');
    const { status, body, headers } = await world.visit('/e', {
      form: WRONG,
      ...from('192.0.2.4'),
    });
    expect(status).to.equal(403);
    expect(headers['set-cookie']).to.equal(undefined);
    expect(body).to.contain('aria-invalid="true"').and.to.contain('This password is not right.');
    expect(body).not.to.contain(WRONG.password);
  });

  it('can be tried five times a minute by one visitor for one link, across all processes', async () => {
    await locked('f');
    await locked('g');
    const tries = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        world.visit('/f', { form: WRONG, process: (at % 2) as 0 | 1, ...from('192.0.2.5') }),
      ),
    );
    expect(tries.filter(({ status }) => status === 403)).to.have.lengthOf(5);
    const late = await world.visit('/f', { form: RIGHT, ...from('192.0.2.5') });
    expect(late.status).to.equal(429);
    expect(Number(late.headers['retry-after'])).to.be.within(1, 60);
    // Other links and other visitors are not affected.
    expect((await world.visit('/g', { form: RIGHT, ...from('192.0.2.5') })).status).to.equal(303);
    expect((await world.visit('/f', { form: RIGHT, ...from('192.0.2.6') })).status).to.equal(303);
  });

  it('is limited for a whole IPv6 network as for one visitor', async () => {
    await locked('h');
    for (let at = 1; at <= 5; at += 1) {
      const { status } = await world.visit('/h', { form: WRONG, ...from(`2001:db8:1:2::${at}`) });
      expect(status).to.equal(403);
    }
    const same = await world.visit('/h', { form: RIGHT, ...from('2001:db8:1:2:ffff::9') });
    expect(same.status).to.equal(429);
    const other = await world.visit('/h', { form: RIGHT, ...from('2001:db8:1:3::1') });
    expect(other.status).to.equal(303);
  });

  it('can be wrong thirty times a minute from one network, across all links', async () => {
    const keys = Array.from({ length: 7 }, (_, at) => `all-${at}`);
    for (const key of keys) await locked(key);
    const at = (key: string, form: object, ip = '192.0.2.12') =>
      world.visit(`/${key}`, { form: form as Record<string, string>, ...from(ip) });
    // Correct passwords are not counted.
    for (const key of keys) expect((await at(key, RIGHT)).status).to.equal(303);
    for (const key of keys.slice(0, 6)) {
      for (let i = 0; i < 5; i += 1) expect((await at(key, WRONG)).status).to.equal(403);
    }
    const late = await at('all-6', RIGHT);
    expect(late.status).to.equal(429);
    expect(Number(late.headers['retry-after'])).to.be.within(1, 60);
    expect((await at('all-6', RIGHT, '192.0.2.13')).status).to.equal(303);
  });

  it('resets the count of wrong tries once it was right', async () => {
    await locked('i');
    for (let round = 0; round < 3; round += 1) {
      for (let at = 0; at < 4; at += 1) {
        const { status } = await world.visit('/i', { form: WRONG, ...from('192.0.2.7') });
        expect(status).to.equal(403);
      }
      const { status } = await world.visit('/i', { form: RIGHT, ...from('192.0.2.7') });
      expect(status).to.equal(303);
    }
  });

  const COMPOSED = 'Größe é'.normalize('NFC');
  const DECOMPOSED = COMPOSED.normalize('NFD');
  const PARTLY = `Größe ${DECOMPOSED.at(-2)}${DECOMPOSED.at(-1)}`;

  it('opens in each Unicode form, whichever it was set in', async () => {
    const forms = [COMPOSED, DECOMPOSED, PARTLY];
    expect(new Set(forms).size).to.equal(3);
    for (const [at, stored] of forms.entries()) {
      const { password } = await locked(`form-${at}`, { password: stored });
      expect(password).to.equal(stored);
      for (const [visitor, typed] of forms.entries()) {
        const visitorAt = from(`192.0.2.${20 + visitor}`);
        const { status } = await world.visit(`/form-${at}`, {
          form: { password: typed },
          ...visitorAt,
        });
        expect(status, `${at} ${visitor}`).to.equal(303);
      }
      const wrong = await world.visit(`/form-${at}`, {
        form: { password: 'Grosse e' },
        ...from('192.0.2.24'),
      });
      expect(wrong.status).to.equal(403);
      const query = { password: stored, pageSize: 1, domain: world.domain };
      for (const form of forms) {
        const { body } = await world.api.get('/links', { ...query, password: form });
        expect(body.length, form).to.equal(1);
      }
    }
  });

  it('opens after an update from a version that hashed it as it was set', async () => {
    const stored = [DECOMPOSED, PARTLY];
    for (const [at, password] of stored.entries()) {
      const { id } = await locked(`old-${at}`, { password });
      const claim = (await db()('claims')
        .where({ project_id: world.projectId, record_id: id })
        .first())!;
      const entry = decodeLink(claim.entry as string);
      const old = encodeLink({ ...entry, passwordHash: await hash(password, { timeCost: 1 }) });
      await db()('claims')
        .where({ project_id: world.projectId, record_id: id })
        .update({ entry: old });
      const name = linkName(claim.domain_id as string, `old-${at}`);
      await cacheRedis().del(name);
      await cacheRedis().publish(CHANGED, name);
    }
    const opens = async (at: number, password: string, ip: string) =>
      (await world.visit(`/old-${at}`, { form: { password }, ...from(ip) })).status;
    await eventually(async () => expect(await opens(0, DECOMPOSED, '192.0.2.30')).to.equal(303));
    expect(await opens(0, COMPOSED, '192.0.2.31')).to.equal(303);
    expect(await opens(1, PARTLY, '192.0.2.32')).to.equal(303);
    expect(await opens(0, 'Grosse e', '192.0.2.33')).to.equal(403);
  });

  it('is not read from the address', async () => {
    await locked('j');
    expect((await world.visit('/j?password=open%20sesame')).status).to.equal(403);
  });

  it('expires with the link', async () => {
    const end = Date.now() + 300;
    await locked('k', { expiresAt: new Date(end).toISOString() });
    await eventually(() => expect(Date.now()).to.be.at.least(end));
    const { status } = await world.visit('/k', { form: RIGHT, ...from('192.0.2.8') });
    expect(status).to.equal(303);
    expect((await world.visit('/k')).status).to.equal(410);
  });

  const bodies: [what: string, body: string, headers: Record<string, string>, status: number][] = [
    ['JSON', '{"password":"open sesame"}', { 'content-type': 'application/json' }, 400],
    ['nothing', '', {}, 403],
    ['another field', 'pass=open+sesame', {}, 403],
    ['more than a form may have', `password=${'x'.repeat(600_000)}`, {}, 413],
    ['a very long password', `password=${'ö'.repeat(20_000)}`, {}, 403],
    ['broken encoding', 'password=%E0%A4%A&%=%', {}, 403],
  ];
  for (const [what, body, headers, status] of bodies) {
    it(`is refused when the form is ${what}`, async () => {
      const key = `odd-${what.replaceAll(/\W/g, '-')}`;
      await locked(key);
      const sent = { ...headers, 'x-forwarded-for': '192.0.2.9' };
      const answer = await world.visit(`/${key}`, { body, headers: sent });
      expect(answer.status).to.equal(status);
      expect(answer.headers['set-cookie']).to.equal(undefined);
    });
  }

  it('protects the page of a QR code and its file', async () => {
    const { status } = await world.api.post('/qrcodes', {
      type: 'vcard',
      vcard: { firstName: 'Hidden', lastName: 'Person' },
      key: 'card',
      password: RIGHT.password,
    });
    expect(status).to.equal(201);
    for (const path of ['/card', '/_/file/card', '/card+']) {
      const answer = await world.visit(path);
      expect(answer.status, path).to.equal(403);
      expect(answer.body).not.to.contain('Hidden');
    }
    const opened = await world.visit('/_/file/card', { form: RIGHT, ...from('192.0.2.10') });
    expect(opened.headers.location).to.equal('/card');
    const headers = { cookie: cookiesOf(opened) };
    expect((await world.visit('/_/file/card', { headers })).body).to.contain('Hidden');
  });

  it('has a page in the visitor’s language', async () => {
    await locked('l');
    const headers = { 'accept-language': 'ja,en;q=0.5' };
    const { body } = await world.visit('/l', { headers });
    expect(body).to.contain('<html lang="ja">').and.to.contain('パスワード');
  });

  it('counts a visit when it redirects, not before', async () => {
    const link = await locked('m');
    const userAgent = browser(77);
    await world.visit('/m', { userAgent });
    const opened = await world.visit('/m', { form: RIGHT, userAgent, ...from('192.0.2.11') });
    const clicks = async () => (await world.api.get(`/links/${link.id}`)).body.clicks;
    expect(await clicks()).to.equal(0);
    await world.visit('/m', { userAgent, headers: { cookie: cookiesOf(opened) } });
    await eventually(async () => expect(await clicks()).to.equal(1));
  });
});
