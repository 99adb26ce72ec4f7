import { expect } from 'chai';
import fc from 'fast-check';
import { db } from '../../src/infra/db.ts';
import type { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, visit, type World } from '../support/world.ts';
import { AGENTS } from './decisions/row.ts';

const A = 'https://example.com/a';
const B = 'https://example.com/b';
const C = 'https://example.com/c';
const NONE = { status: null, url: null, chosenBy: null, rule: null, variant: null };

/** Addresses of visitors, with the countries that the database of places of the tests has. */
const COUNTRIES = { DE: '192.0.2.1', JP: '198.51.100.7', BR: '203.0.113.9' } as const;

describe('a simulated visit', () => {
  let world: World;
  let api: ApiClient;

  before(async () => {
    world = await aWorkspace();
    ({ api } = world);
  });

  async function aLink(fields: object = {}): Promise<{ id: string; key: string }> {
    const { status, body } = await api.post('/links', { url: A, ...fields });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  }

  async function simulate(id: string, visitor: object = {}) {
    const { status, body } = await api.post(`/links/${id}/simulate`, visitor);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  }

  it('names the rule that matches, and why another visitor gets another destination', async () => {
    const evening = { from: '18:00', to: '23:00', timezone: 'Europe/Paris' };
    const { id } = await aLink({
      rules: [
        { value: { country: ['DE'] }, url: C },
        { value: { country: ['FR'], language: ['fr'], device: ['mobile'], time: evening }, url: B },
      ],
      ios: 'https://apps.example.com/app',
      geo: { JP: C },
    });
    const visitor = { country: 'fr', language: 'fr-FR', device: 'mobile', os: 'iOS' };
    const found = { answer: 'redirect', status: 302, variant: null };
    const at9pm = { ...visitor, time: '2026-11-29T21:00:00+01:00' };
    expect(await simulate(id, at9pm)).to.deep.equal({
      ...found,
      url: B,
      chosenBy: 'rule',
      rule: 1,
    });
    expect(await simulate(id, { ...visitor, time: '2026-11-29T12:00:00+01:00' })).to.deep.equal({
      ...found,
      url: 'https://apps.example.com/app',
      chosenBy: 'ios',
      rule: null,
    });
    const japanese = { country: 'JP', os: 'Windows' };
    expect(await simulate(id, japanese)).to.include({ url: C, chosenBy: 'geo' });
    expect(await simulate(id)).to.deep.equal({ ...found, url: A, chosenBy: 'link', rule: null });
  });

  it('reads device and system from a user agent, which given traits precede', async () => {
    const { id } = await aLink({
      android: B,
      rules: [{ value: { browser: ['firefox'] }, url: C }],
    });
    const phone = { userAgent: AGENTS.androidPhone };
    expect(await simulate(id, phone)).to.include({ url: B, chosenBy: 'android' });
    expect(await simulate(id, { ...phone, os: 'ios' })).to.include({ url: A, chosenBy: 'link' });
    expect(await simulate(id, { ...phone, browser: 'Firefox' })).to.include({ url: C, rule: 0 });
  });

  it('of a visitor without a device matches no rule about devices', async () => {
    const { id } = await aLink({
      rules: ['desktop', 'mobile'].map((device) => ({ value: { device: [device] }, url: B })),
    });
    expect(await simulate(id, { country: 'DE', os: 'iOS' })).to.include({ chosenBy: 'link' });
  });

  it('chooses the variant of an A/B test by place', async () => {
    const { id } = await aLink({
      testVariants: [
        { name: 'first', url: B, percentage: 30 },
        { name: 'second', url: C, percentage: 70 },
      ],
    });
    for (const [place, variant] of [
      [0, 'first'],
      [29.9, 'first'],
      [30, 'second'],
      [99.9, 'second'],
    ] as const) {
      expect(await simulate(id, { place })).to.include({ variant, chosenBy: 'test' });
    }
  });

  it('shows pages instead of the destination until they were passed', async () => {
    const { body: page } = await api.post('/pages', { title: 'Please read this' });
    const { id } = await aLink({ password: 'open', preRedirection: true, pageId: page.id });
    expect(await simulate(id)).to.deep.equal({ answer: 'password', ...NONE });
    expect(await simulate(id, { passed: true })).to.include({ answer: 'redirect', url: A });
    const open = await aLink({ preRedirection: true, pageId: page.id });
    expect(await simulate(open.id)).to.deep.equal({ answer: 'page', ...NONE });
  });

  it('has the time and the limits of the link', async () => {
    const year = new Date().getUTCFullYear() + 1;
    const { id } = await aLink({
      startsAt: `${year}-01-01T00:00:00Z`,
      expiresAt: `${year}-02-01T00:00:00Z`,
      expiredUrl: C,
    });
    expect(await simulate(id)).to.deep.equal({ answer: 'notStarted', ...NONE });
    const during = { time: `${year}-01-15T00:00:00Z` };
    expect(await simulate(id, during)).to.include({ answer: 'redirect', url: A });
    const after = { time: `${year}-02-01T00:00:00Z` };
    expect(await simulate(id, after)).to.deep.equal({
      ...NONE,
      answer: 'expired',
      status: 302,
      url: C,
    });
    const limited = await aLink({ maxVisits: 1 });
    expect(await simulate(limited.id)).to.include({ answer: 'redirect' });
    await visit(`/${limited.key}`, { host: world.domain });
    await eventually(async () => {
      expect(await simulate(limited.id)).to.include({ answer: 'expired' });
    });
  });

  it('has the blocklist of the operator', async () => {
    const blocked = await aLink();
    await db()('blocked_links').insert({
      record_id: blocked.id,
      project_id: world.projectId,
      short_link: `https://${world.domain}/${blocked.key}`,
      reason: 'test',
    });
    try {
      expect(await simulate(blocked.id)).to.deep.equal({ answer: 'blocked', ...NONE });
    } finally {
      await db()('blocked_links').where({ record_id: blocked.id }).delete();
    }
  });

  it('of a QR code shows its page, or its destination with the query', async () => {
    const { body: text } = await api.post('/qrcodes', { type: 'text', text: 'Hello' });
    const shown = await api.post(`/qrcodes/${text.id}/simulate`, {});
    expect(shown.body).to.deep.equal({ answer: 'displayPage', ...NONE });
    const { body: code } = await api.post('/qrcodes', { type: 'url', url: A });
    const { body } = await api.post(`/qrcodes/${code.id}/simulate`, { query: 'qr=1&x=%C3%A9' });
    expect(body).to.include({ answer: 'redirect', url: `${A}?x=%C3%A9` });
  });

  it('counts nothing', async () => {
    const link = await aLink({ trackConversion: true });
    const { url } = await simulate(link.id, { userAgent: AGENTS.macChrome });
    expect(url).to.equal(A);
    await visit(`/${link.key}`, { host: world.domain });
    await eventually(async () => {
      const { body } = await api.get(`/links/${link.id}`);
      expect(body.clicks).to.equal(1);
    });
    const { body: events } = await api.get('/events', { event: 'clicks', linkId: link.id });
    expect(events).to.have.lengthOf(1);
  });

  const REFUSED: [what: string, body: object, message: RegExp][] = [
    ['an unknown field', { contry: 'FR' }, /contry/],
    ['an unknown country', { country: 'ZZ' }, /^country must be/],
    ['an unknown device', { device: 'fridge' }, /^device must be/],
    ['a time that is none', { time: 'tomorrow' }, /^time must be/],
    ['30 February', { time: '2026-02-30T00:00:00Z' }, /^time must be/],
    ['a query with its question mark', { query: '?a=1' }, /^query must be/],
    ['a query with a fragment', { query: 'a=1#x' }, /^query must be/],
    ['a place of 100', { place: 100 }, /^place must be/],
    ['a text as a boolean', { passed: 'yes' }, /^passed must be/],
    ['an empty city', { city: '' }, /^city must/],
  ];
  for (const [what, body, message] of REFUSED) {
    it(`is refused with ${what}`, async () => {
      const { id } = await aLink();
      const answer = await api.post(`/links/${id}/simulate`, body);
      expect(answer.status, JSON.stringify(answer.body)).to.equal(422);
      expect(answer.body.error.message).to.match(message);
    });
  }

  it('needs the scope, and a record of the workspace', async () => {
    const { id } = await aLink();
    const reader = await world.withScopes('qrcodes.read');
    expect((await reader.post(`/links/${id}/simulate`, {})).status).to.equal(403);
    const other = await aWorkspace();
    expect((await other.api.post(`/links/${id}/simulate`, {})).status).to.equal(404);
    expect((await other.api.post(`/qrcodes/${id}/simulate`, {})).status).to.equal(404);
  });

  it('leads where a real visit leads, for random rules and visitors', async () => {
    const country = fc.constantFrom('DE', 'JP', 'BR');
    const language = fc.constantFrom('de', 'de-AT', 'ja', 'en', 'pt-BR');
    const agent = fc.constantFrom(...(Object.keys(AGENTS) as (keyof typeof AGENTS)[]));
    const query = fc.constantFrom(undefined, 'a=1', 'a=2&b', 'ref=x', 'a=1&a=2');
    const conditions = fc
      .record(
        {
          country: fc.uniqueArray(country, { minLength: 1, maxLength: 2 }),
          language: fc.uniqueArray(language, { minLength: 1, maxLength: 2 }),
          device: fc.constantFrom(['mobile'], ['desktop', 'tablet'], ['smarttv']),
          os: fc.constantFrom(['ios'], ['Mac OS', 'Windows'], ['android']),
          query: fc.constantFrom({ a: ['1'] }, { b: true }, { ref: ['x', 'y'] }),
        },
        { requiredKeys: [] },
      )
      .filter((when) => Object.keys(when).length > 0);
    const link = fc.record(
      {
        rules: fc.array(conditions, { maxLength: 4 }),
        ios: fc.constant('https://ios.example.com/'),
        android: fc.constant('https://android.example.com/'),
        geo: fc.constant({ JP: 'https://jp.example.com/?a=0' }),
        forwardQuery: fc.boolean(),
      },
      { requiredKeys: ['rules'] },
    );
    const visitor = fc.record({ country, language, agent, query });
    await fc.assert(
      fc.asyncProperty(
        link,
        fc.array(visitor, { minLength: 1, maxLength: 4 }),
        async (made, all) => {
          const rules = made.rules.map((value, at) => ({
            value,
            url: `https://example.com/r${at}`,
          }));
          const { id, key } = await aLink({ ...made, rules });
          for (const { country: code, language: spoken, agent: name, query: sent } of all) {
            const answer = await visit(`/${key}${sent === undefined ? '' : `?${sent}`}`, {
              host: world.domain,
              userAgent: AGENTS[name],
              headers: { 'x-forwarded-for': COUNTRIES[code], 'accept-language': spoken },
            });
            const simulated = await simulate(id, {
              country: code,
              language: spoken,
              userAgent: AGENTS[name],
              ...(sent !== undefined && { query: sent }),
            });
            expect(simulated.url).to.equal(answer.headers['location']);
            expect(simulated.status).to.equal(answer.status);
            if (simulated.chosenBy === 'rule') {
              const at = Number(/\/r(\d+)/.exec(simulated.url)![1]);
              expect(simulated.rule).to.equal(at);
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
