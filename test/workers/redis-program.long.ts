import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { RedisProgram } from '#redis-program';

const SCRIPT = `
  import { unpacked, unpackWithApt } from './scripts/redis-program.mjs';
  const lines = [];
  const problem = await unpackWithApt((line) => lines.push(line));
  console.log(JSON.stringify({ lines, problem, program: await unpacked() }));`;

const UNPACKING = 'Redis is missing: unpacking it with apt-get …';

interface Unpacked {
  lines: string[];
  problem?: { text: string };
  program?: RedisProgram;
  /** Files that remain in the cache. */
  left: string[];
}

/** Returns dpkg's record of a package whose version differs from the candidate's. */
const installed = (name: string) =>
  `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 5:9.9.9-1\nMaintainer: nobody\nDescription: x\n`;

/*
 * Tests the server that apt unpacks for `npm start`, on machines that already have parts of it. The
 * machines differ by their apt configuration; the packages are real.
 */
describe('a Redis server that apt unpacks', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-redis-'));
  const inFolder = (...names: string[]) => path.join(folder, ...names);
  let runs = 0;

  /**
   * Unpacks a server.
   * @param settings lines of the apt configuration
   */
  async function unpackOn(settings: readonly string[], cache = newCache()): Promise<Unpacked> {
    const file = inFolder(`apt-${runs}.conf`);
    writeFileSync(file, settings.map((setting) => `${setting};\n`).join(''));
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', SCRIPT],
      { env: { ...process.env, XDG_CACHE_HOME: cache, APT_CONFIG: file } },
    );
    expect(stderr).to.equal('');
    const left = readdirSync(path.join(cache, 'shortlinks'));
    return { ...(JSON.parse(stdout) as Omit<Unpacked, 'left'>), left };
  }

  function newCache(): string {
    runs += 1;
    return inFolder(`cache-${runs}`);
  }

  function expectRuns(program: RedisProgram | undefined): void {
    const { command, env } = program!;
    const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', env });
    expect(stdout).to.match(/\bv=[6-9]\./);
  }

  before(function () {
    const isDebian = ['apt-get', 'dpkg-deb'].every(
      (name) => spawnSync(name, ['--version']).status === 0,
    );
    const reached = () => spawnSync('apt-get', ['download', 'redis-tools'], { cwd: folder });
    if (!isDebian || !existsSync('/var/lib/apt/lists') || reached().status !== 0) this.skip();
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [what, names] of [
    ['its program, in another version', ['redis-tools']],
    [
      'it, and libraries that it needs',
      ['libjemalloc2', 'libatomic1', 'redis-tools', 'redis-server'],
    ],
  ] as const) {
    it(`runs where the system has ${what}`, async () => {
      const status = inFolder(`status-${runs}`);
      writeFileSync(status, names.map((name) => `${installed(name)}\n`).join(''));
      const { program, lines, left } = await unpackOn([`Dir::State::status "${status}"`]);
      expectRuns(program);
      expect(lines).to.deep.equal([UNPACKING]);
      expect(left).to.deep.equal(['redis']);
    });
  }

  it('runs where the lists of packages are missing, without changing those of the system', async () => {
    const lists = inFolder('lists');
    mkdirSync(path.join(lists, 'partial'), { recursive: true });
    const { program, lines } = await unpackOn([`Dir::State::lists "${lists}"`]);
    expectRuns(program);
    expect(lines).to.deep.equal([UNPACKING, 'Fetching the lists of packages …']);
    expect(readdirSync(lists)).to.deep.equal(['partial']);
  });

  it('is unpacked once for two commands at once', async () => {
    const cache = newCache();
    const both = await Promise.all([unpackOn([], cache), unpackOn([], cache)]);
    for (const { program } of both) expectRuns(program);
    const unpacking = both.flatMap(({ lines }) => lines).filter((line) => line === UNPACKING);
    expect(unpacking).to.have.length(1);
  });

  it('is not kept where no list has it', async () => {
    const sources = ['Dir::Etc::sourcelist "/dev/null"', 'Dir::Etc::sourceparts "/dev/null"'];
    const { problem, program, left } = await unpackOn(sources);
    expect(program).to.equal(undefined);
    expect(problem).to.deep.equal({ text: 'apt-get has none' });
    expect(left).to.deep.equal([]);
  });
});
