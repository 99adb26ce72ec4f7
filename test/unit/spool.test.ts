import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeLog } from '../../src/infra/log.ts';
import type { Visit } from '../../src/queues/clicks.ts';
import { Spool } from '../../src/redirect/spool.ts';
import { VisitLog } from '../../src/redirect/visit-log.ts';
import { eventually } from '../support/eventually.ts';

const log = makeLog('test', 'silent');

const visit = (id: string): Visit => ({
  id,
  at: 1_700_000_000_000,
  projectId: 'proj_a',
  linkId: 'link_a',
  domain: 'acme.link',
  key: 'größe\u2028🎉',
  destination: 'https://example.com/',
  ip: '203.0.113.5',
  userAgent: 'Mozilla/5.0\n"quoted"',
  referer: '',
  via: 'link',
});
const visits = (count: number, prefix = 'v') =>
  Array.from({ length: count }, (_, i) => visit(`${prefix}${i}`));

/** A queue that remembers what it was given. */
function aQueue() {
  const jobs: Visit[][] = [];
  const deliver = async (batch: Visit[]) => {
    jobs.push(batch);
  };
  return { jobs, deliver, ids: () => jobs.flat().map(({ id }) => id) };
}

describe('the spool', () => {
  let folder: string;
  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), 'spool-')), 'spool');
  });
  afterEach(() => rm(path.dirname(folder), { recursive: true }));

  const files = () => readdir(folder).catch(() => []);
  const refuse = () => Promise.reject(new Error('away'));

  it('hands in every visit once, in jobs of at most 500, and leaves no file', async () => {
    const spool = new Spool(folder, log);
    const sent = visits(1_203);
    await Promise.all([
      spool.append(sent.slice(0, 1)),
      spool.append(sent.slice(1, 700)),
      spool.append(sent.slice(700)),
    ]);
    const queue = aQueue();
    expect(await spool.replay(queue.deliver)).to.equal(1_203);
    expect(queue.jobs.flat()).to.deep.equal(sent);
    expect(queue.jobs.every((job) => job.length <= 500)).to.equal(true);
    expect(await files()).to.deep.equal([]);
    expect(spool.hasVisits).to.equal(false);
  });

  it('has visits on the disk when append resolves', async () => {
    const spool = new Spool(folder, log);
    await spool.append(visits(2));
    const [file] = await files();
    const lines = (await readFile(path.join(folder, file!), 'utf8')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Visit).id)).to.deep.equal(['v0', 'v1']);
    await spool.close();
  });

  it('keeps everything when the queue refuses in mid-replay, and hands it in later', async () => {
    const spool = new Spool(folder, log);
    await spool.append(visits(1_200));
    let calls = 0;
    const failed = await spool
      .replay(() => {
        calls += 1;
        return calls > 1 ? refuse() : Promise.resolve();
      })
      .catch((error: Error) => error);
    expect(failed).to.be.an('error');
    const queue = aQueue();
    expect(await spool.replay(queue.deliver)).to.equal(1_200);
    expect(await files()).to.deep.equal([]);
  });

  it('takes what comes in during a replay into a new file', async () => {
    const spool = new Spool(folder, log);
    await spool.append(visits(3));
    const queue = aQueue();
    await spool.replay(async (batch) => {
      await spool.append(visits(1, 'late'));
      await queue.deliver(batch);
    });
    expect(queue.ids()).to.deep.equal(['v0', 'v1', 'v2']);
    await spool.replay(queue.deliver);
    expect(queue.ids()).to.deep.equal(['v0', 'v1', 'v2', 'late0']);
  });

  it('loses nothing when replays and writes go on at once', async () => {
    const spool = new Spool(folder, log);
    const queue = aQueue();
    const appended: Promise<void>[] = [];
    for (let i = 0; i < 200; i += 1) {
      appended.push(spool.append([visit(`v${i}`)]));
      if (i % 10 === 0) await spool.replay(queue.deliver);
    }
    await Promise.all(appended);
    await spool.replay(queue.deliver);
    expect(queue.ids().toSorted()).to.deep.equal(
      visits(200)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  it('adopts the files of a dead process and skips the line that its crash tore', async () => {
    const dead = new Spool(folder, log);
    await dead.append(visits(2));
    const { pid } = spawnSync(process.execPath, ['--version']);
    const [file] = await files();
    const left = path.join(folder, file!.replace(String(process.pid), String(pid)));
    await rename(path.join(folder, file!), left);
    await appendFile(left, '{"id":"torn');

    const spool = new Spool(folder, log);
    await spool.tend();
    const queue = aQueue();
    await spool.replay(queue.deliver);
    expect(queue.ids()).to.deep.equal(['v0', 'v1']);
    expect(await files()).to.deep.equal([]);
  });

  it('leaves the files of a living process alone', async () => {
    const name = `visits-${process.ppid}-abcdef-1.ndjson`;
    const alive = new Spool(folder, log);
    await alive.append(visits(1));
    await writeFile(path.join(folder, name), '');
    const spool = new Spool(folder, log);
    await spool.tend();
    expect(await files()).to.include(name);
    await alive.close();
  });

  it('writes anew what went to a file that another process adopted', async () => {
    const owner = new Spool(folder, log);
    await owner.append(visits(1, 'first'));
    const adopter = new Spool(folder, log);
    await adopter.tend();
    await owner.append(visits(1, 'second'));
    const queue = aQueue();
    await adopter.replay(queue.deliver);
    await owner.replay(queue.deliver);
    expect(new Set(queue.ids())).to.deep.equal(new Set(['first0', 'second0']));
    expect(await files()).to.deep.equal([]);
  });

  it('rejects when nothing can be written', async () => {
    await writeFile(folder, 'a file where the folder should be');
    const spool = new Spool(folder, log);
    expect(await spool.append(visits(1)).catch((error: Error) => error)).to.be.an('error');
  });
});

describe('the visit log', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'visits-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const spoolIn = (name = 'spool') => new Spool(path.join(root, name), log);
  const away = () => Promise.reject(new Error('away'));

  it('puts visits that come together into one job', async () => {
    const queue = aQueue();
    const visitLog = new VisitLog({
      ...queue,
      probe: async () => {},
      spool: spoolIn(),
      batchMs: 1,
      log,
    });
    await visitLog.start();
    await Promise.all(visits(20).map((one) => visitLog.record(one)));
    expect(queue.jobs).to.have.length(1);
    await visitLog.close();
  });

  it('makes visits safe on disk while the queue refuses, and hands them in when it is back', async () => {
    const queue = aQueue();
    let isAway = true;
    const visitLog = new VisitLog({
      deliver: (batch) => (isAway ? away() : queue.deliver(batch)),
      probe: () => (isAway ? away() : Promise.resolve()),
      spool: spoolIn(),
      batchMs: 1,
      log,
    });
    await visitLog.start();
    await Promise.all(visits(20).map((one) => visitLog.record(one)));
    expect(queue.jobs).to.have.length(0);
    isAway = false;
    await eventually(() => expect(queue.ids()).to.have.length(20));
    await visitLog.record(visit('later'));
    expect(queue.ids()).to.include('later');
    await visitLog.close();
  });

  it('spools a batch whose acknowledgement does not come, and asks nobody to wait for the next', async () => {
    const visitLog = new VisitLog({
      deliver: () => new Promise(() => {}),
      probe: async () => {},
      spool: spoolIn(),
      batchMs: 1,
      log,
    });
    await visitLog.start();
    await visitLog.record(visit('hung'));
    const start = performance.now();
    await visitLog.record(visit('next'));
    expect(performance.now() - start).to.be.below(300);
    const files = await readdir(path.join(root, 'spool'));
    const texts = await Promise.all(
      files.map((file) => readFile(path.join(root, 'spool', file), 'utf8')),
    );
    expect(texts.join('')).to.include('"hung"').and.include('"next"');
    await visitLog.close();
  });

  it('rejects when neither the queue nor the disk takes a visit', async () => {
    await writeFile(path.join(root, 'blocked'), '');
    const visitLog = new VisitLog({
      deliver: away,
      probe: away,
      spool: spoolIn('blocked'),
      batchMs: 1,
      log,
    });
    await visitLog.start();
    expect(await visitLog.record(visit('lost')).catch((error: Error) => error)).to.be.an('error');
    await visitLog.close();
  });

  it('makes what was gathered safe before it closes', async () => {
    const queue = aQueue();
    const visitLog = new VisitLog({
      ...queue,
      probe: async () => {},
      spool: spoolIn(),
      batchMs: 50,
      log,
    });
    await visitLog.start();
    const safe = visitLog.record(visit('last'));
    await visitLog.close();
    await safe;
    expect(queue.ids()).to.deep.equal(['last']);
  });
});
