import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import sharp from 'sharp';
import { eventually } from '../support/eventually.ts';
import { Receiver } from '../support/receiver.ts';
import { Started } from '../support/started.ts';
import { Visitors } from '../support/traffic.ts';

const ROWS = 4_000;
const PATIENCE_MS = 45_000;
const SETTINGS = {
  WORKER_PROCESSES: 'one',
  OUTBOUND_ALLOW: '127.0.0.1',
  // On a busy machine, a new process can take longer than the default 10 s.
  WRITE_WAIT_MS: '60000',
};

describe('npm start with one process for all workers', function () {
  const started = new Started();
  let receiver: Receiver;
  /** The import under way when the process was killed, and the number of links after its end. */
  let interrupted: { id: string; links: number };

  before(async () => {
    receiver = await Receiver.start();
    await started.start(SETTINGS);
    const webhook = { name: 'all', url: receiver.url, kinds: ['link.created'] };
    expect((await call('/webhooks', webhook)).status).to.equal(201);
  });

  after(async () => {
    await started.remove();
    await receiver.stop();
  });

  async function call(path: string, body?: unknown) {
    const answer = await fetch(`${started.apiUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${started.apiKey}`,
        'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  }

  const json = async (path: string, body?: unknown) =>
    JSON.parse((await call(path, body)).body.toString());

  const clicks = async (): Promise<number> =>
    (await json('/analytics?groupBy=count&interval=24h')).clicks;

  /** Reads the names and ids of the service's processes. */
  function processes(): Map<string, number> {
    const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' });
    const rows = lines.split('\n').map((line) => line.trim().split(/\s+/));
    const ours = rows.filter(([, parent]) => Number(parent) === started.child.pid);
    return new Map(ours.map(([pid, , name = '']) => [name, Number(pid)]));
  }

  const urls = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      url: 'https://example.com/',
      key: `${prefix}${n}`,
    }));

  /** Creates a link, and waits for it. */
  async function create(key: string): Promise<void> {
    const { status } = await call('/links', { url: 'https://example.com/', key });
    expect(status).to.equal(201);
  }

  /**
   * Imports links whose keys have a prefix.
   * @returns the id of the import
   */
  async function importLinks(prefix: string): Promise<string> {
    const lines = urls(prefix, ROWS).map(({ url, key }) => `${url},${key}`);
    return (await json('/imports', ['url,key', ...lines].join('\n'))).id;
  }

  const imported = (id: string) =>
    eventually(async () => {
      const { state, counts } = await json(`/imports/${id}`);
      expect({ state, created: counts.created }).to.deep.equal({ state: 'done', created: ROWS });
    }, PATIENCE_MS);

  /** Waits until the webhook has received one request for the creation of each link. */
  const told = (keys: readonly string[]) =>
    eventually(
      () =>
        expect(receiver.received.map(({ body }) => body.data.key)).to.include.members([...keys]),
      PATIENCE_MS,
    );

  it('writes, imports, draws, counts and tells webhooks', async () => {
    expect([...processes().keys()]).to.include.members(['api', 'redirect', 'worker_all']);
    const id = await importLinks('import-');
    await create('one');
    expect(await json('/links/bulk', urls('m-', 50))).to.have.length(50);
    const picture = await call('/qr?url=https%3A%2F%2Fexample.com%2F&size=600&format=webp');
    expect(picture.status).to.equal(200);
    const { format, width } = await sharp(picture.body).metadata();
    expect([format, width]).to.deep.equal(['webp', 600]);
    const visitors = new Visitors('small', [started.redirectPort], ['one', 'm-7'], 100);
    await eventually(() => expect(visitors.tally.answered.size).to.be.above(50));
    const { answered } = await visitors.stop();
    await imported(id);
    await told(['one']);
    await eventually(async () => expect(await clicks()).to.equal(answered.size), PATIENCE_MS);
  });

  it('loses nothing when that process is killed in the middle of it all', async () => {
    const before = await clicks();
    const visitors = new Visitors('killed', [started.redirectPort], ['one'], 100);
    const links = await json('/links/count');
    const id = await importLinks('kill-');
    interrupted = { id, links: links + ROWS + 100 + 1 };
    const created = async () => (await json(`/imports/${id}`)).counts.created;
    await eventually(async () => expect(await created()).to.be.above(0));
    const bulk = json('/links/bulk', urls('b-', 100));
    const pid = processes().get('worker_all')!;
    process.kill(pid, 'SIGKILL');
    expect(await created()).to.be.below(ROWS);
    await create('after');
    expect(processes().get('worker_all')).not.to.equal(pid);
    expect(await bulk).to.have.length(100);
    await told(['after']);
    const { answered, cut } = await visitors.stop();
    await eventually(
      async () =>
        expect((await clicks()) - before).to.be.within(answered.size, answered.size + cut.size),
      PATIENCE_MS,
    );
  });

  it('finishes what is under way before it ends', async () => {
    const before = await clicks();
    const visitors = new Visitors('ending', [started.redirectPort], ['one'], 100);
    await eventually(() => expect(visitors.tally.answered.size).to.be.above(50));
    const last = urls('last-', 20);
    const answers = last.map((link) => call('/links', link));
    await Promise.race(answers);
    const code = started.stop();
    for (const { status } of await Promise.all(answers)) expect(status).to.be.oneOf([201, 202]);
    const { answered, cut } = await visitors.stop();
    expect(await code).to.equal(0);
    await started.start(SETTINGS);
    await eventually(async () => {
      const kept = await json('/links?search=last-&pageSize=100');
      expect(kept.map(({ key }: { key: string }) => key)).to.have.members(
        last.map(({ key }) => key),
      );
    }, PATIENCE_MS);
    await told(last.map(({ key }) => key));
    interrupted.links += last.length;
    await eventually(
      async () =>
        expect((await clicks()) - before).to.be.within(answered.size, answered.size + cut.size),
      PATIENCE_MS,
    );
  });

  // Another worker takes over the job of a dead one after about 15 s.
  it('goes on with the import that was cut off', async () => {
    await imported(interrupted.id);
    expect(await json('/links/count')).to.equal(interrupted.links);
  });
});
