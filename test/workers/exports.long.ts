import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { resumeExports } from '../../src/exports/qrcodes/create.ts';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { endOfExport, exported, unzipped } from '../support/exports.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const CODES = 1_000;
/** Number of kills; each costs the time after which another worker takes over the job. */
const KILLS = 2;

describe('exports of QR codes in workers', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
    for (let first = 0; first < CODES; first += 100) {
      const codes = Array.from({ length: 100 }, (_, n) => ({
        type: 'url',
        url: `https://example.com/${first + n}`,
        key: `k-${first + n}`,
        pattern: 'rounded',
      }));
      expect((await world.api.post('/qrcodes/bulk', codes)).status).to.equal(200);
    }
  });

  const progressOf = async (id: string) => (await world.api.get(`/exports/${id}/progress`)).body;

  for (const format of ['svg', 'sheet']) {
    it(`that are killed again and again have each code once (${format})`, async () => {
      const whole = await exported(world.api, { format });
      const { body } = await world.api.post('/exports', { type: 'qrcodes', format });
      for (let kill = 0, before = 0; kill < KILLS; kill += 1) {
        before = await eventually(async () => {
          const { done } = await progressOf(body.id);
          expect(done).to.be.above(before);
          return done;
        });
        // The kill happens at a random moment of a part.
        await pause(Math.random() * 200);
        await eventually(() => stack().signal('worker_qr', 'SIGKILL'));
      }
      const record = await endOfExport(world.api, body.id);
      expect(record).to.include({ state: 'done', total: CODES, done: CODES, failed: 0 });
      const bytes = Buffer.from(await (await fetch(record.url)).arrayBuffer());
      if (format === 'sheet') {
        const pages = bytes.toString('latin1').match(/\/Type \/Page /g);
        expect(pages).to.have.length(Math.ceil(CODES / 12));
        return;
      }
      const [files, others] = [unzipped(bytes), unzipped(whole.bytes)];
      expect(Object.keys(files)).to.deep.equal(Object.keys(others));
      expect(Object.keys(files)).to.have.length(CODES);
      for (const [name, content] of Object.entries(files)) {
        expect(content.equals(others[name]!), name).to.equal(true);
      }
    });
  }

  it('go on where their job was lost, and draw single images meanwhile', async () => {
    const { body } = await world.api.post('/exports', { type: 'qrcodes', size: 1_024 });
    const [code] = (await world.api.get('/qrcodes', { pageSize: '1' })).body;
    const image = await world.api.download(`/qrcodes/${code.id}/image`, { size: '301' });
    expect(image.status).to.equal(200);
    // The image did not wait for the export.
    expect((await progressOf(body.id)).state).to.be.oneOf(['queued', 'running']);
    await world.api.post(`/exports/${body.id}/cancel`);
    const [first] = await db()('qrcodes').where({ project_id: world.projectId }).limit(1);
    const { record } = await exported(world.api, { qrcodeIds: [first.id] });
    // A lost job leaves this state.
    await db()('export_parts').where({ export_id: record.id }).delete();
    await db()('exports').where({ id: record.id }).update({ state: 'queued', done: 0, bytes: 0 });
    await resumeExports();
    expect((await endOfExport(world.api, record.id)).done).to.equal(1);
  });
});
