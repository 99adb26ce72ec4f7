import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { createApiKey, revokeApiKey } from '../../src/workspaces/api-keys.ts';
import { isTopology, stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

const TRIES = 200;
/** Keys that one network may try in a minute before it is slowed down. */
const LIMIT = 100;

/** Number of look-ups of keys in Postgres: scans of the index on their hashes. */
async function lookUps(): Promise<number> {
  await db().raw('SELECT pg_stat_clear_snapshot()');
  const { rows } = await db().raw<{ rows: [{ scans: number }] }>(
    "SELECT sum(idx_scan)::bigint AS scans FROM pg_stat_user_indexes WHERE relname = 'api_keys'",
  );
  return rows[0].scans;
}

const ask = (apiKey: string, from: string, path = '/tags') =>
  fetch(stack().apiProcessUrl + path, {
    headers: { authorization: `Bearer ${apiKey}`, 'x-forwarded-for': from },
  });

describe('unknown API keys', () => {
  it('are looked up a few at a time for one network', async () => {
    const network = (n: number) => `2001:db8:77:1::${n.toString(16)}`;
    const before = await lookUps();
    const tried = async (n: number) => ask(`sk_${newId('job')}`, network(n));
    for (let n = 0; n < LIMIT; n += 1) expect((await tried(n)).status).to.equal(401);

    const answers = await Promise.all(Array.from({ length: TRIES }, (_, n) => tried(n)));

    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).to.be.greaterThan(TRIES * 0.8);
    expect(answers.filter(({ status }) => status === 401).length).to.equal(TRIES - refused.length);
    const [first] = refused;
    const { error } = (await first!.json()) as { error: { message: string } };
    expect(error.message).to.contain(`in ${first!.headers.get('retry-after')} s`);
    expect((await lookUps()) - before).to.be.lessThan(LIMIT + TRIES * 0.3);
  });

  it('do not lock out valid keys of the same network, cached or not', async () => {
    const { apiKey, slug } = await aWorkspace();
    const from = '2001:db8:77:2::1';
    expect((await ask(apiKey, from)).status).to.equal(200);
    for (let n = 0; n < LIMIT + 5; n += 1) await ask(`sk_${newId('job')}`, from);
    const stranger = Array.from({ length: 10 }, () => ask(`sk_${newId('job')}`, from));
    const young = await createApiKey(db(), { workspace: slug, name: 'young', scopes: ['*'] });
    expect((await ask(apiKey, from)).status).to.equal(200);
    expect((await ask(young.apiKey, from)).status).to.equal(200);
    await Promise.all(stranger);
  });

  it('are looked up once when one is repeated', async () => {
    const unknown = `sk_${newId('job')}`;
    for (let n = 0; n < TRIES; n += 1) {
      expect((await ask(unknown, '2001:db8:77:3::1')).status).to.equal(401);
    }
  });
});

describe('revoked and expired API keys', () => {
  it('are cached for a while, and refused with their own reason', async () => {
    const { slug } = await aWorkspace();
    const settings = { workspace: slug, name: 'k', scopes: ['*'] };
    const revoked = await createApiKey(db(), settings);
    await revokeApiKey(db(), slug, revoked.id);
    const expired = await createApiKey(db(), { ...settings, expiresAt: new Date(0) });
    for (const [{ apiKey, id }, why] of [
      [revoked, 'revoked'],
      [expired, 'expired'],
    ] as const) {
      const refusal = async () => {
        const answer = await ask(apiKey, '2001:db8:77:4::1');
        expect(answer.status).to.equal(401);
        return ((await answer.json()) as { error: { message: string } }).error.message;
      };
      expect(await refusal()).to.contain(why);
      // The key would be let in if it was looked up again.
      await db()('api_keys').where({ id }).update({ revoked_at: null, expires_at: null });
      expect(await refusal()).to.contain(why);
    }
  });
});

describe('pagination', () => {
  it('ends at row 100,000; that of events then names the cursor', async () => {
    const { api } = await aWorkspace();
    for (const path of ['/links', '/qrcodes', '/domains', '/tags']) {
      const { status, body } = await api.get(`${path}?page=1000000`);
      expect(status, path).to.equal(422);
      expect(body.error.message).to.equal(
        'page must not reach further than row 100000; use filters instead',
      );
    }
    const { status, body } = await api.get('/events?page=1001&limit=100');
    expect(status).to.equal(422);
    expect(body.error.message).to.contain('follow cursor');
    expect((await api.get('/events?page=1000&limit=100')).status).to.equal(200);
  });
});

describe('slow queries', () => {
  it('of one workspace wait for each other, and do not delay other workspaces', async () => {
    const [hostile, regular] = [await aWorkspace(), await aWorkspace()];
    const flood = Array.from({ length: 60 }, () => hostile.api.get('/analytics?interval=90d'));
    const { status } = await regular.api.get('/analytics?interval=90d');
    expect(status).to.equal(200);
    const statuses = new Set((await Promise.all(flood)).map((answer) => answer.status));
    expect([...statuses].filter((one) => one !== 200 && one !== 429)).to.deep.equal([]);
  });

  it('are refused at their time limit with a suggestion', async function () {
    // The standby is asked, where nothing is locked.
    if (isTopology()) this.skip();
    const { api } = await aWorkspace();
    await db().transaction(async (trx) => {
      // Counts of links wait for this lock.
      await trx.raw('LOCK TABLE links IN ACCESS EXCLUSIVE MODE');
      const { status, body } = await api.get('/links/count');
      expect(status).to.equal(422);
      expect(body.error.message).to.contain('took too long');
      // The caller of this one could do nothing about it.
      expect((await api.get('/links/nope')).status).to.equal(500);
    });
  });
});
