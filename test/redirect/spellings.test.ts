import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { imported } from '../support/imports.ts';
import { aWorkspace, visit, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const FE0F = '\ufe0f';

const path = (key: string) => `/${encodeURIComponent(key)}`;

async function make({ api }: World, ...keys: string[]) {
  for (const key of keys) {
    const { status, body } = await api.post('/links', { url: `${A}?${encodeURI(key)}`, key });
    expect(status, `${key}: ${JSON.stringify(body)}`).to.equal(201);
  }
}

const locationOf = async (world: World, key: string, process?: 0 | 1) => {
  const options = process === undefined ? {} : { process };
  const { status, headers } = await world.visit(path(key), options);
  return status === 302 ? headers.location : status;
};

describe('an emoji with and without U+FE0F', () => {
  let world: World;
  before(async () => {
    world = await aWorkspace();
  });

  const pairs: [stored: string, visited: string][] = [
    ['❤️', '❤'],
    ['☀', '☀️'],
    ['☎️', '☎'],
    ['✈', '✈️'],
    ['1️⃣', '1⃣'],
    ['#⃣', '#️⃣'],
    ['❤️‍🔥', '❤‍🔥'],
    ['❤️/☀️', '❤/☀️'],
    ['a©', 'a©️'],
    ['plain', `plain${FE0F}`],
  ];
  for (const [stored, visited] of pairs) {
    it(`is one key: ${stored}`, async () => {
      await make(world, stored);
      const location = `${A}?${encodeURI(stored)}`;
      for (const process of [0, 1] as const) {
        expect(await locationOf(world, stored, process)).to.equal(location);
        expect(await locationOf(world, visited, process)).to.equal(location);
        expect(await locationOf(world, `${visited}.`, process)).to.equal(location);
      }
      const taken = await world.api.post('/links', { url: A, key: visited });
      expect(taken.status).to.equal(409);
      const query = { domain: world.domain, key: visited };
      expect((await world.api.get('/links/availability', query)).body.reason).to.equal('taken');
      expect((await world.api.get('/links/info', query)).body.key).to.equal(stored);
    });
  }

  it('is changed, moved to its other spelling, and deleted in both', async () => {
    await make(world, '✌️');
    const { body: link } = await world.api.get('/links/info', { domain: world.domain, key: '✌' });
    expect(await locationOf(world, '✌')).to.equal(`${A}?${encodeURI('✌️')}`);
    await world.api.patch(`/links/${link.id}`, { url: `${A}/2` });
    await eventually(async () => {
      for (const process of [0, 1] as const) {
        expect(await locationOf(world, '✌', process)).to.equal(`${A}/2`);
        expect(await locationOf(world, '✌️', process)).to.equal(`${A}/2`);
      }
    });
    const moved = await world.api.patch(`/links/${link.id}`, { key: '✌' });
    expect([moved.status, moved.body.key]).to.deep.equal([200, '✌']);
    await eventually(async () => {
      for (const process of [0, 1] as const) {
        expect(await locationOf(world, '✌', process)).to.equal(`${A}/2`);
        expect(await locationOf(world, '✌️', process)).to.equal(`${A}/2`);
      }
    });
    await world.api.delete(`/links/${link.id}`);
    await eventually(async () => {
      for (const process of [0, 1] as const) {
        expect(await locationOf(world, '✌', process)).to.equal(404);
        expect(await locationOf(world, '✌️', process)).to.equal(404);
      }
    });
    await make(world, '✌️');
    expect(await locationOf(world, '✌')).to.equal(`${A}?${encodeURI('✌️')}`);
  });

  it('is claimed once by links of one request', async () => {
    const links = ['✂️', '✂'].map((key) => ({ url: A, key }));
    const { body } = await world.api.post('/links/bulk', links);
    expect(body[0].key).to.equal('✂️');
    expect(body[1].error.code).to.equal('conflict');
  });

  it('stays two keys where both are there already', async () => {
    await make(world, '☂️');
    const { body: other } = await world.api.post('/links', { url: `${A}/other`, key: 'umbrella' });
    // Both spellings could be claimed before they were one key.
    await db()('claims')
      .where({ record_id: other.id })
      .update({ key: '☂', version: db().raw("nextval('lookup_version')") });
    await db()('links').where({ id: other.id }).update({ key: '☂' });
    expect(await locationOf(world, '☂️')).to.equal(`${A}?${encodeURI('☂️')}`);
    expect(await locationOf(world, '☂')).to.equal(`${A}/other`);
  });

  it('is one key of a flexible link', async () => {
    await world.api.post('/links', { url: A, key: '⛅️', flexible: true });
    expect((await world.visit(`${path('⛅')}/x`)).headers.location).to.equal(`${A}/x`);
  });
});

describe('a domain that ignores case', () => {
  let world: World;
  before(async () => {
    world = await aWorkspace();
    await make(world, 'Before', '❤️Mix');
    const { status, body } = await world.api.patch(`/domains/${world.domain}`, {
      caseSensitive: false,
    });
    expect([status, body.caseSensitive]).to.deep.equal([200, false]);
  });

  it('finds links by any spelling, those from before too', async () => {
    await make(world, 'Promo', 'STRAßE');
    await eventually(async () => {
      for (const process of [0, 1] as const) {
        for (const key of ['Before', 'BEFORE', 'before']) {
          expect(await locationOf(world, key, process), key).to.equal(`${A}?Before`);
        }
      }
    });
    for (const key of ['Promo', 'promo', 'PROMO', 'promo.', 'PROMO)']) {
      expect(await locationOf(world, key), key).to.equal(`${A}?Promo`);
      // From the memory of a process.
      expect(await locationOf(world, key, 0), key).to.equal(`${A}?Promo`);
      expect(await locationOf(world, key, 0), key).to.equal(`${A}?Promo`);
    }
    expect(await locationOf(world, 'straße')).to.equal(`${A}?${encodeURI('STRAßE')}`);
    expect(await locationOf(world, '❤MIX')).to.equal(`${A}?${encodeURI('❤️Mix')}`);
    expect(await locationOf(world, 'promos')).to.equal(404);
  });

  it('has one link for all spellings', async () => {
    await make(world, 'One');
    const { status, body } = await world.api.post('/links', { url: A, key: 'ONE' });
    expect([status, body.error.message]).to.deep.equal([
      409,
      `The key "ONE" is taken on ${world.domain}`,
    ]);
    const query = { domain: world.domain, key: 'oNE' };
    expect((await world.api.get('/links/availability', query)).body.reason).to.equal('taken');
    const { body: link } = await world.api.get('/links/info', query);
    expect(link).to.include({ key: 'One', shortLink: `https://${world.domain}/One` });
    const respelled = await world.api.patch(`/links/${link.id}`, { key: 'ONE' });
    expect([respelled.status, respelled.body.key]).to.deep.equal([200, 'ONE']);
    await eventually(async () => {
      for (const process of [0, 1] as const) {
        expect(await locationOf(world, 'one', process)).to.equal(`${A}?One`);
      }
    });
    await world.api.delete(`/links/${link.id}`);
    await eventually(async () => {
      for (const process of [0, 1] as const) {
        expect(await locationOf(world, 'One', process)).to.equal(404);
      }
    });
    await make(world, 'one');
  });

  it('finds flexible and wildcard links, statistics and previews', async () => {
    await world.api.post('/links', { url: A, key: 'Docs', flexible: true });
    await world.api.post('/links', { url: `${A}/w`, key: 'Wild/*', publicStats: true });
    expect((await world.visit('/DOCS/x')).headers.location).to.equal(`${A}/x`);
    expect((await world.visit('/wild/x')).headers.location).to.equal(`${A}/w/x`);
    await world.api.post('/links', { url: A, key: 'Public', publicStats: true });
    const stats = await world.visit('/_/stats/public');
    expect(stats.headers.location).to.match(/\/Public$/);
    expect((await world.visit('/PUBLIC+')).body).to.contain(A);
  });

  it('counts visits with the key of the link', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'Counted' });
    await world.visit('/counted', { userAgent: browser(1) });
    await world.visit('/COUNTED', { userAgent: browser(2) });
    await eventually(async () => {
      const { body } = await world.api.get('/events', { linkId: link.id });
      expect(body.map((event: { key: string }) => event.key)).to.deep.equal(['Counted', 'Counted']);
    });
  });

  it('reports rows of an import that differ by case only', async () => {
    await make(world, 'Mine');
    const one = await imported(
      world,
      ['url,key', `${A},MINE`, `${A},First`, `${A},fIRST`].join('\n'),
      { onConflict: 'fail-row' },
    );
    expect(one.counts).to.deep.equal({ created: 1, updated: 0, skipped: 0, refused: 2 });
    expect(one.errors.map(({ row }: { row: number }) => row)).to.deep.equal([2, 4]);
  });

  it('distinguishes case again once it is told to', async () => {
    const other = await aWorkspace();
    const { domain } = other;
    const set = (caseSensitive: boolean) =>
      other.api.patch(`/domains/${domain}`, { caseSensitive });
    await make(other, 'A');
    expect((await set(false)).status).to.equal(200);
    await eventually(async () => expect(await locationOf(other, 'a', 0)).to.equal(`${A}?A`));
    expect((await set(true)).status).to.equal(200);
    await eventually(async () => expect(await locationOf(other, 'a', 0)).to.equal(404));
    expect(await locationOf(other, 'A')).to.equal(`${A}?A`);
    const { body: link } = await other.api.get('/links/info', { domain, key: 'A' });
    await other.api.patch(`/links/${link.id}`, { url: `${A}/changed` });
    await make(other, 'B', 'b', 'C', 'c');
    const refused = await set(false);
    expect([refused.status, refused.body.error.message]).to.deep.equal([
      409,
      `caseSensitive must not be false while slugs of ${domain} differ by case only: ` +
        'change or delete one of "B" and "b", of "C" and "c"',
    ]);
    for (const key of ['B', 'b']) expect(await locationOf(other, key)).to.equal(`${A}?${key}`);
    for (const key of ['b', 'c']) {
      const { body: one } = await other.api.get('/links/info', { domain, key });
      await other.api.delete(`/links/${one.id}`);
    }
    expect((await set(false)).status).to.equal(200);
    // Not the destination that was cached under this spelling before.
    await eventually(async () => expect(await locationOf(other, 'a')).to.equal(`${A}/changed`));
    expect(await locationOf(other, 'b')).to.equal(`${A}?B`);
  });

  it('is one from its creation', async () => {
    const { api } = world;
    const slug = `ci.${world.domain}`;
    const { status, body } = await api.post('/domains', { slug, caseSensitive: false });
    expect([status, body.caseSensitive]).to.deep.equal([201, false]);
    const bad = await api.patch(`/domains/${slug}`, { caseSensitive: 'no' });
    expect([bad.status, bad.body.error.message]).to.deep.equal([
      422,
      'caseSensitive must be a boolean',
    ]);
  });

  it('leaves other domains as they are', async () => {
    const other = await aWorkspace();
    await make(other, 'Case', 'case');
    expect((await visit('/CASE', { host: other.domain })).status).to.equal(404);
  });
});
