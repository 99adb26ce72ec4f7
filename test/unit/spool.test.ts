import { execFileSync, spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { makeLog } from '../../src/infra/log.ts';
import { registry } from '../../src/infra/metrics.ts';
import { VisitSpool } from '../../src/redirect/spool.ts';
import { VisitLog } from '../../src/redirect/visit-log.ts';
import type { Visit } from '../../src/visits/visit.ts';
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

/** Builds a queue that records its jobs. */
function aQueue() {
  const jobs: Visit[][] = [];
  const deliver = async (batch: Visit[]) => {
    jobs.push(batch);
  };
  return { jobs, deliver, ids: () => jobs.flat().map(({ id }) => id) };
}

/** Runs `work` with a limit on the file size, which makes writes fail as a full disk does. */
async function withFilesOf(bytes: number, work: () => Promise<void>): Promise<void> {
  const limit = (size: string) =>
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${size}:`]);
  const ignore = () => {};
  process.on('SIGXFSZ', ignore);
  limit(String(bytes));
  try {
    await work();
  } finally {
    limit('unlimited');
    process.off('SIGXFSZ', ignore);
  }
}

describe('the spool', () => {
  let folder: string;
  beforeEach(async () => {
    folder = path.join(await mkdtemp(path.join(tmpdir(), 'spool-')), 'spool');
  });
  afterEach(() => rm(path.dirname(folder), { recursive: true }));

  const files = () => readdir(folder).catch(() => []);
  const refuse = () => Promise.reject(new Error('away'));

  it('delivers every visit once, in jobs of at most 500, and leaves no file', async () => {
    const spool = new VisitSpool(folder, log);
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
    expect(spool.hasItems).to.equal(false);
  });

  it('has written visits to disk when append resolves', async () => {
    const spool = new VisitSpool(folder, log);
    await spool.append(visits(2));
    const [file] = await files();
    const lines = (await readFile(path.join(folder, file!), 'utf8')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Visit).id)).to.deep.equal(['v0', 'v1']);
    await spool.close();
  });

  it('keeps all visits when the queue fails during a replay, and delivers them later', async () => {
    const spool = new VisitSpool(folder, log);
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

  it('writes visits that arrive during a replay to a new file', async () => {
    const spool = new VisitSpool(folder, log);
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

  it('loses nothing during concurrent replays and writes', async () => {
    const spool = new VisitSpool(folder, log);
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

  it('adopts the files of a dead process and skips the line that its crash truncated', async () => {
    const dead = new VisitSpool(folder, log);
    await dead.append(visits(2));
    const { pid } = spawnSync(process.execPath, ['--version']);
    const [file] = await files();
    const left = path.join(folder, file!.replace(String(process.pid), String(pid)));
    await rename(path.join(folder, file!), left);
    await appendFile(left, '{"id":"torn');

    const spool = new VisitSpool(folder, log);
    await spool.maintain();
    const queue = aQueue();
    expect(Date.now() - spool.oldestAt!).to.be.within(-1, 60_000);
    await spool.replay(queue.deliver);
    expect(queue.ids()).to.deep.equal(['v0', 'v1']);
    expect(await files()).to.deep.equal([]);
    expect(spool.oldestAt).to.equal(undefined);
  });

  it('does not touch the files of a living process', async () => {
    const name = `visits-${process.ppid}-abcdef-1.ndjson`;
    const alive = new VisitSpool(folder, log);
    await alive.append(visits(1));
    await writeFile(path.join(folder, name), '');
    const spool = new VisitSpool(folder, log);
    await spool.maintain();
    expect(await files()).to.include(name);
    await alive.close();
  });

  it('writes again what went to a file that another process adopted', async () => {
    const owner = new VisitSpool(folder, log);
    await owner.append(visits(1, 'first'));
    const adopter = new VisitSpool(folder, log);
    await adopter.maintain();
    await owner.append(visits(1, 'second'));
    const queue = aQueue();
    await adopter.replay(queue.deliver);
    await owner.replay(queue.deliver);
    expect(new Set(queue.ids())).to.deep.equal(new Set(['first0', 'second0']));
    expect(await files()).to.deep.equal([]);
  });

  it('leaves no file when the disk is full, and keeps existing ones', async () => {
    const spool = new VisitSpool(folder, log);
    await spool.append(visits(2, 'first'));
    const refused: unknown[] = [];
    await withFilesOf(4_096, async () => {
      for (let n = 0; n < 50; n += 1) {
        refused.push(await spool.append(visits(40, `n${n}-`)).catch((error: Error) => error));
      }
    });
    for (const error of refused) expect(error).to.be.an('error').with.property('code', 'EFBIG');
    expect(await files()).to.have.lengthOf(1);
    await spool.append(visits(2, 'last'));
    const queue = aQueue();
    await spool.replay(queue.deliver);
    expect(queue.ids()).to.deep.equal(['first0', 'first1', 'last0', 'last1']);
    expect(await files()).to.deep.equal([]);
  });

  it('rejects when nothing can be written', async () => {
    await writeFile(folder, 'a file where the folder should be');
    const spool = new VisitSpool(folder, log);
    expect(await spool.append(visits(1)).catch((error: Error) => error)).to.be.an('error');
  });
});

describe('the visit log', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'visits-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const spoolIn = (name = 'spool') => new VisitSpool(path.join(root, name), log);
  const away = () => Promise.reject(new Error('away'));

  it('delivers concurrent visits in one job', async () => {
    const queue = aQueue();
    const visitLog = new VisitLog({
      ...queue,
      probe: async () => {},
      spool: spoolIn(),
      log,
    });
    await visitLog.start();
    await Promise.all(visits(20).map((one) => visitLog.record(one)));
    expect(queue.jobs).to.have.length(1);
    await visitLog.close();
  });

  it('sends a visit that comes alone at once, and gathers others while it is on its way', async () => {
    const jobs: string[][] = [];
    const acknowledge: (() => void)[] = [];
    const visitLog = new VisitLog({
      deliver: (batch) => {
        jobs.push(batch.map(({ id }) => id));
        return new Promise((resolve) => acknowledge.push(resolve));
      },
      probe: async () => {},
      spool: spoolIn(),
      log,
    });
    await visitLog.start();
    const answered: string[] = [];
    const record = (id: string) => visitLog.recordThen(visit(id), () => answered.push(id));
    record('lone');
    await eventually(() => expect(jobs).to.deep.equal([['lone']]));
    for (const id of ['b', 'c', 'd']) record(id);
    await new Promise(setImmediate);
    expect([jobs.length, answered]).to.deep.equal([1, []]);
    acknowledge.shift()!();
    await eventually(() => expect(jobs).to.deep.equal([['lone'], ['b', 'c', 'd']]));
    expect(answered).to.deep.equal(['lone']);
    acknowledge.shift()!();
    await eventually(() => expect(answered).to.deep.equal(['lone', 'b', 'c', 'd']));
    await visitLog.close();
  });

  it('writes visits to disk while the queue fails, and delivers them later', async () => {
    const queue = aQueue();
    let isAway = true;
    const visitLog = new VisitLog({
      deliver: (batch) => (isAway ? away() : queue.deliver(batch)),
      probe: () => (isAway ? away() : Promise.resolve()),
      spool: spoolIn(),
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

  it('spools an unacknowledged batch, and does not wait for the acknowledgement of the next', async () => {
    const delivered: string[] = [];
    const visitLog = new VisitLog({
      deliver: (batch) => {
        delivered.push(...batch.map(({ id }) => id));
        return new Promise(() => {});
      },
      probe: async () => {},
      spool: spoolIn(),
      log,
    });
    await visitLog.start();
    await visitLog.record(visit('hung'));
    await visitLog.record(visit('next'));
    expect(delivered).not.to.include('next');
    const files = await readdir(path.join(root, 'spool'));
    const texts = await Promise.all(
      files.map((file) => readFile(path.join(root, 'spool', file), 'utf8')),
    );
    expect(texts.join('')).to.include('"hung"').and.include('"next"');
    await visitLog.close();
  });

  it('keeps visits in memory while both queue and disk fail, and delivers them later', async () => {
    await writeFile(path.join(root, 'blocked'), '');
    const queue = aQueue();
    let isAway = true;
    const visitLog = new VisitLog({
      deliver: (batch) => (isAway ? away() : queue.deliver(batch)),
      probe: () => (isAway ? away() : Promise.resolve()),
      spool: spoolIn('blocked'),
      log,
    });
    await visitLog.start();
    for (const one of visits(30)) await visitLog.record(one);
    expect(visitLog.notes()).to.deep.equal({ visits: { held: 30, notRecorded: 0 } });
    isAway = false;
    await eventually(() => expect(queue.ids()).to.have.length(30));
    expect(visitLog.notes()).to.deep.equal({});
    await visitLog.close();
  });

  it('moves visits from memory to disk once it works again, also on close', async () => {
    const folder = path.join(root, 'blocked');
    await writeFile(folder, '');
    const means = { deliver: away, probe: away, log };
    const visitLog = new VisitLog({ ...means, spool: spoolIn('blocked') });
    await visitLog.start();
    for (const one of visits(3)) await visitLog.record(one);
    await rm(folder);
    await eventually(() => expect(visitLog.notes()).to.deep.equal({}));
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    for (const one of visits(3, 'late')) await visitLog.record(one);
    await rm(folder);
    await visitLog.close();
    const [file] = await readdir(folder);
    expect(await readFile(path.join(folder, file!), 'utf8')).to.contain('"late2"');
  });

  it('writes nothing more to a disk that hangs, and delays visitors only once', async () => {
    let appended = 0;
    let finish = () => {};
    class Hanging extends VisitSpool {
      override append(): Promise<void> {
        appended += 1;
        return new Promise((resolve) => {
          finish = resolve;
        });
      }
    }
    const spool = new Hanging(path.join(root, 'spool'), log);
    const visitLog = new VisitLog({ deliver: away, probe: away, spool, log });
    await visitLog.start();
    await visitLog.record(visit('first'));
    for (const one of visits(20)) await visitLog.record(one);
    // A batch is written after 1 ms, so a second one would have been appended by now.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(appended).to.equal(1);
    expect(visitLog.notes()).to.deep.equal({ visits: { held: 21, notRecorded: 0 } });
    finish();
    await eventually(() => expect(appended).to.equal(2));
    finish();
    await eventually(() => expect(visitLog.notes()).to.deep.equal({}));
    await visitLog.close();
  });

  it('uses a queue that is available again while the disk hangs, and closes', async () => {
    const hang = () => new Promise<never>(() => {});
    class Hanging extends VisitSpool {
      override get hasItems() {
        return true;
      }
      override append = hang;
      override maintain = hang;
      override replay = hang;
      override close = hang;
    }
    const queue = aQueue();
    let isAway = true;
    const visitLog = new VisitLog({
      deliver: (batch) => (isAway ? away() : queue.deliver(batch)),
      probe: () => (isAway ? away() : Promise.resolve()),
      spool: new Hanging(path.join(root, 'spool'), log),
      log,
    });
    await visitLog.start();
    await visitLog.record(visit('first'));
    isAway = false;
    await eventually(() => expect(queue.ids()).to.deep.equal(['first']));
    await visitLog.record(visit('next'));
    expect(queue.ids()).to.deep.equal(['first', 'next']);
    isAway = true;
    await visitLog.record(visit('held'));
    isAway = false;
    await visitLog.close();
    expect(queue.ids()).to.deep.equal(['first', 'next', 'held']);
  });

  it('uses the queue again while a replay hangs', async () => {
    class Unreadable extends VisitSpool {
      override replay(): Promise<number> {
        return new Promise(() => {});
      }
    }
    const queue = aQueue();
    let isAway = true;
    const visitLog = new VisitLog({
      deliver: (batch) => (isAway ? away() : queue.deliver(batch)),
      probe: () => (isAway ? away() : Promise.resolve()),
      spool: new Unreadable(path.join(root, 'spool'), log),
      log,
    });
    await visitLog.start();
    await visitLog.record(visit('spooled'));
    isAway = false;
    await eventually(async () => {
      await visitLog.record(visit('later'));
      expect(queue.ids()).to.include('later');
    });
    await visitLog.close();
  });

  it('counts visits above the limit of memory as not recorded', async () => {
    await writeFile(path.join(root, 'blocked'), '');
    const room = 10 * JSON.stringify(visit('v0')).length;
    const means = { deliver: away, probe: away, spool: spoolIn('blocked'), log };
    const visitLog = new VisitLog({ ...means, heldCharacters: room });
    await visitLog.start();
    await Promise.all(visits(9).map((one) => visitLog.record(one)));
    await Promise.all(visits(9, 'w').map((one) => visitLog.record(one)));
    expect(visitLog.notes()).to.deep.equal({ visits: { held: 10, notRecorded: 8 } });
    expect(await registry.getSingleMetricAsString('shortlinks_visits_not_recorded_total')).to.match(
      / 8$/,
    );
    await visitLog.close();
    expect(visitLog.notes()).to.deep.equal({ visits: { held: 0, notRecorded: 18 } });
  });

  it('logs every visit that was not recorded on close', async () => {
    await writeFile(path.join(root, 'blocked'), '');
    const lines: { count?: number; message: string }[] = [];
    const recording = Object.assign(Object.create(log) as typeof log, {
      error: ({ count }: { count?: number }, message: string) =>
        void lines.push({ ...(count === undefined ? {} : { count }), message }),
    });
    const spool = spoolIn('blocked');
    const means = { deliver: away, probe: away, spool, log: recording };
    const visitLog = new VisitLog({ ...means, heldCharacters: 1 });
    await visitLog.start();
    for (const one of visits(5)) await visitLog.record(one);
    await visitLog.close();
    const lost = lines.filter(({ message }) => message.includes('not recorded'));
    expect(lost.reduce((sum, { count = 0 }) => sum + count, 0)).to.equal(5);
  });

  it('delivers or spools pending visits on close', async () => {
    const queue = aQueue();
    const visitLog = new VisitLog({
      ...queue,
      probe: async () => {},
      spool: spoolIn(),
      log,
    });
    await visitLog.start();
    const safe = visitLog.record(visit('last'));
    await visitLog.close();
    await safe;
    expect(queue.ids()).to.deep.equal(['last']);
  });
});
