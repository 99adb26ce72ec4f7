import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { db, execute } from '../../src/infra/db.ts';
import { claimNames } from '../../src/short-links/claims.ts';
import { settled } from '../support/bulk-changes.ts';
import { eventually } from '../support/eventually.ts';
import { imported } from '../support/imports.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const LINKS = 1_500;
/** Number of kills in each direction; each costs the time after which another worker takes over. */
const KILLS = 1;
/** Time for a bulk change of all links, in ms. */
const LONG_MS = 500_000;

describe('bulk changes in workers', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const stateOf = async (id: string) => (await world.api.get(`/bulk-changes/links/${id}`)).body;

  /** Counts the entries of histories by action. */
  const entries = async () => {
    const rows = (await db()('record_changes')
      .where({ project_id: world.projectId })
      .groupBy('action')
      .select('action')
      .count('* AS count')) as { action: string; count: number }[];
    return Object.fromEntries(rows.map(({ action, count }) => [action, count]));
  };

  /** Kills the worker at random moments of slices. */
  async function killing(id: string, doneOf: (one: Awaited<ReturnType<typeof stateOf>>) => number) {
    for (let kill = 0, before = 0; kill < KILLS; kill += 1) {
      before = await eventually(async () => {
        const done = doneOf(await stateOf(id));
        expect(done).to.be.above(before);
        return done;
      });
      await pause(Math.random() * 300);
      await eventually(() => stack().signal('worker_bulk', 'SIGKILL'));
    }
  }

  it('that are killed again and again change and undo every link once', async function () {
    this.timeout(2 * LONG_MS);
    const file = [
      'url,key',
      ...Array.from({ length: LINKS }, (_, n) => `https://old.test/${n}?utm_source=a,k-${n}`),
    ].join('\n');
    expect((await imported(world, file)).counts.created).to.equal(LINKS);
    const { body } = await world.api.post('/bulk-changes/links', {
      filter: '',
      data: { utm_source: 'b' },
      replace: { find: 'old.test', with: 'new.test', in: 'host' },
    });
    await killing(body.id, ({ counts }) => counts.changed);
    const done = await settled(world.api, body.id, 'links', LONG_MS);
    expect(done.counts).to.deep.equal({ changed: LINKS, unchanged: 0, refused: 0 });
    expect(await entries()).to.deep.equal({ updated: LINKS });
    const count = async (query: string) =>
      (await world.api.get('/links/count', { search: query })).body;
    expect(await count('//new.test/')).to.equal(LINKS);
    for (const n of [0, 99, 100, 1_234, LINKS - 1]) {
      const { headers } = await world.visit(`/k-${n}`);
      expect(headers.location).to.equal(`https://new.test/${n}?utm_source=b`);
    }

    await world.api.post(`/bulk-changes/links/${body.id}/undo`);
    await killing(body.id, ({ undo }) => undo.undone);
    const undone = await settled(world.api, body.id, 'links', LONG_MS);
    expect(undone.undo).to.deep.equal({
      total: LINKS,
      undone: LINKS,
      changed: 0,
      gone: 0,
      refused: 0,
    });
    expect(await entries()).to.deep.equal({ updated: LINKS, reverted: LINKS });
    expect(await count('//old.test/')).to.equal(LINKS);
    for (const n of [0, 99, 100, 1_234, LINKS - 1]) {
      const { headers } = await world.visit(`/k-${n}`);
      expect(headers.location).to.equal(`https://old.test/${n}?utm_source=a`);
    }
  });

  it('and other bulk writes free the same left names without a deadlock', async function () {
    this.timeout(LONG_MS);
    const { id: domain_id } = (await db()('domains').where({ slug: world.domain }).first('id')) as {
      id: string;
    };
    const keys = Array.from({ length: 60 }, (_, n) => `left-${n}`);
    for (let round = 0; round < 10; round += 1) {
      await execute(
        db(),
        `INSERT INTO claims (domain_id, key, project_id, record_id, entry, free_at)
         SELECT ?, key, ?, ?, '', now() - interval '1 hour' FROM unnest(?::text[]) AS key
         ON CONFLICT (domain_id, key) DO UPDATE SET free_at = excluded.free_at, entry = ''`,
        [domain_id, world.projectId, newId('link'), keys],
      );
      const write = (order: readonly string[]) =>
        db().transaction(async (trx) => {
          const claims = order.map((key) => ({
            project_id: world.projectId,
            record_id: newId('link'),
            domain_id,
            key,
            entry: 'x',
          }));
          return (await claimNames(trx, claims)).size;
        });
      const sizes = await Promise.all([write(keys), write(keys.toReversed()), write(keys)]);
      expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(keys.length);
    }
  });
});
