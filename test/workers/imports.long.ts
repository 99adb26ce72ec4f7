import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { newId } from '../../src/ids.ts';
import { pruneImports, resumeImports } from '../../src/imports/commands.ts';
import { runImport } from '../../src/imports/run.ts';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { imported, rest } from '../support/imports.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const CSV = { 'content-type': 'text/csv' };
const ROWS = 12_000;
/** Number of kills; each costs the time after which another worker takes over the job. */
const KILLS = 3;

const fileOf = (rows: number) =>
  [
    'url,key,tags',
    ...Array.from({ length: rows }, (_, n) => `https://example.com/${n},k-${n},tag ${n % 9}`),
  ].join('\n');

const countOf = async (world: World) => (await world.api.get('/links/count')).body;

async function stateOf(world: World, id: string) {
  const { status, body } = await world.api.get(`/imports/${id}`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
}

/**
 * Waits until an import is done.
 * @returns its end, in ms since 1970
 */
const endOf = (world: World, id: string): Promise<number> =>
  eventually(async () => {
    const { state, endedAt } = await stateOf(world, id);
    expect(state).to.equal('done');
    return Date.parse(endedAt);
  });

/**
 * Uploads a file.
 * @returns the id of the import
 */
async function upload(world: World, file: string, query = {}): Promise<string> {
  const { body } = await world.api.post('/imports', file, { headers: CSV, query });
  return body.id;
}

describe('imports in workers', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  it('that are killed again and again import and undo every row once', async function () {
    const id = await upload(world, fileOf(ROWS));
    for (let kill = 0, before = 0; kill < KILLS; kill += 1) {
      before = await eventually(async () => {
        const { counts } = await stateOf(world, id);
        expect(counts.created).to.be.above(before);
        return counts.created;
      });
      // The kill happens at a random moment of a slice.
      await pause(Math.random() * 300);
      await eventually(() => stack().signal('worker_bulk', 'SIGKILL'));
    }
    const done = await eventually(async () => {
      const one = await stateOf(world, id);
      expect(one.state).to.equal('done');
      return one;
    });
    expect(done.counts).to.deep.equal({ created: ROWS, updated: 0, skipped: 0, refused: 0 });
    expect((await world.api.get('/links/count')).body).to.equal(ROWS);
    const claims = await db()('claims')
      .where({ project_id: world.projectId })
      .count('* AS count')
      .first();
    expect(claims).to.deep.equal({ count: ROWS });
    expect((await world.api.get('/tags')).body).to.have.lengthOf(9);
    for (const n of [0, 499, 500, 777, ROWS - 1]) {
      expect((await world.visit(`/k-${n}`)).headers.location).to.equal(`https://example.com/${n}`);
    }

    await world.api.post(`/imports/${id}/undo`);
    await eventually(() => stack().signal('worker_bulk', 'SIGKILL'));
    const undone = await eventually(async () => {
      const one = await stateOf(world, id);
      expect(one.state).to.equal('undone');
      return one;
    });
    expect(undone.undo).to.deep.equal({ total: ROWS, deleted: ROWS, changed: 0, gone: 0 });
    expect((await world.api.get('/links/count')).body).to.equal(0);
    for (const n of [0, 499, 777, ROWS - 1]) {
      expect((await world.visit(`/k-${n}`)).status).to.equal(404);
    }
  });

  it('let other workspaces have their turns', async () => {
    const large = await upload(world, fileOf(ROWS));
    const other = await aWorkspace();
    const small = await upload(other, fileOf(600));
    const { body } = await other.api.post('/links/bulk', [
      { url: 'https://example.com/', key: 'x' },
    ]);
    expect(body[0].key).to.equal('x');
    expect(await endOf(other, small)).to.be.below(await endOf(world, large));
  });

  it('go on where their job was lost, and publish what a dead worker had committed', async () => {
    const id = await upload(world, fileOf(3), { dryRun: true });
    await eventually(async () => expect((await stateOf(world, id)).state).to.equal('checked'));
    // A lost job of the next slice leaves this state.
    await db()('imports')
      .where({ project_id: world.projectId, id })
      .update({ state: 'queued', position: 0 });
    await resumeImports();
    await eventually(async () => expect((await stateOf(world, id)).counts.created).to.equal(6));
    expect((await world.visit('/k-1')).status).to.equal(302);

    // A worker that died after committing a deletion leaves this state.
    const link = (await world.api.get('/links/info', { domain: world.domain, key: 'k-1' })).body;
    const [claim] = await db()('claims')
      .where({ project_id: world.projectId, record_id: link.id })
      .delete()
      .returning(['domain_id', 'version']);
    const changes = [{ name: `lk:${claim.domain_id}:k-1`, version: claim.version }];
    await db()('imports')
      .where({ project_id: world.projectId, id })
      .update({ changes: JSON.stringify(changes) });
    expect((await world.visit('/k-1')).status).to.equal(302);
    await runImport(
      {},
      {
        jobId: newId('job'),
        projectId: world.projectId,
        isRepeat: true,
        log: pino({ level: 'silent' }),
      },
    );
    expect((await world.visit('/k-1')).status).to.equal(404);
    const row = await db()('imports').where({ project_id: world.projectId, id }).first('changes');
    expect(row.changes).to.equal(null);
  });

  it('lose their file a day after their end, and can still be undone', async () => {
    const done = await upload(world, 'url,key\nhttps://example.com/,a\nhttps://example.com/,a b\n');
    const checked = await upload(world, fileOf(2), { dryRun: true });
    const fresh = await upload(world, fileOf(2), { dryRun: true });
    await eventually(async () => {
      const states = await Promise.all([done, checked, fresh].map((id) => stateOf(world, id)));
      expect(states.map(({ state }) => state)).to.deep.equal(['done', 'checked', 'checked']);
    });
    await db()('imports')
      .where({ project_id: world.projectId })
      .whereIn('id', [done, checked])
      .update({ ended_at: new Date(Date.now() - 24.1 * 3_600_000) });
    await pruneImports();
    const left = await db()('import_slices').where({ project_id: world.projectId });
    expect(left.map(({ import_id }) => import_id)).to.deep.equal([fresh]);
    expect((await world.api.download(`/imports/${done}/errors`)).status).to.equal(410);
    expect((await world.api.post(`/imports/${checked}/start`)).status).to.equal(409);
    expect((await stateOf(world, checked)).state).to.equal('cancelled');
    await world.api.post(`/imports/${done}/undo`);
    await eventually(async () => expect((await stateOf(world, done)).undo.deleted).to.equal(1));
  });

  it('of 10,000 rows take less than two minutes, are done one at a time, and can be cancelled', async function () {
    const rows = (name: string, count: number) =>
      [
        'url,key,title,tags',
        ...Array.from(
          { length: count },
          (_, n) => `https://example.com/${name}/${n},${name}-${n},Title ${n},${name} ${n % 7}`,
        ),
      ].join('\n');
    const began = performance.now();
    const first = await upload(world, rows('a', 10_000));
    const second = await upload(world, rows('b', 10_000));
    const done = await rest(world, first, 150_000);
    const seconds = (performance.now() - began) / 1_000;
    console.log(`      10,000 rows in ${seconds.toFixed(1)} s`);
    expect(done.counts).to.deep.equal({ created: 10_000, updated: 0, skipped: 0, refused: 0 });
    expect(seconds).to.be.below(120);
    expect((await stateOf(world, second)).counts.created).to.be.below(5_000);

    await eventually(async () => {
      expect((await stateOf(world, second)).counts.created).to.be.above(0);
    });
    const { status, body } = await world.api.post(`/imports/${second}/cancel`);
    expect(status).to.equal(200);
    expect(body.state).to.equal('cancelled');
    const made = body.counts.created;
    expect(made).to.be.below(10_000);
    // This import finishes after the cancelled one could have continued, so nothing of that is
    // created later.
    await imported(world, 'url,key\nhttps://example.com/,last\n');
    expect(await countOf(world)).to.equal(10_001 + made);
    expect((await world.api.post(`/imports/${second}/cancel`)).status).to.equal(409);
    const undone = (await world.api.post(`/imports/${second}/undo`)).body;
    await rest(world, undone.id);
    expect(await countOf(world)).to.equal(10_001);
  });
});
