import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import type { RedisProgram } from '../../scripts/embedded/redis-program.ts';

const SCRIPT = `
  import { unpacked, unpackWithApt } from './dist/scripts/embedded/redis-program.js';
  const lines = [];
  unpackWithApt((line) => lines.push(line));
  console.log(JSON.stringify({ lines, program: unpacked() }));`;

/** As dpkg knows it: a package in a version that is not the candidate's. */
const installed = (name: string) =>
  `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: 5:9.9.9-1\nMaintainer: nobody\nDescription: x\n`;

/*
 * The server that apt unpacks for `npm start`, on machines that have parts of it already. They differ by the configuration of
 * apt; the packages are real ones.
 */
describe('a Redis server that apt unpacks', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-redis-'));
  const inFolder = (...names: string[]) => path.join(folder, ...names);
  let runs = 0;

  /** @param settings of apt */
  function unpackOn(settings: readonly string[]) {
    runs += 1;
    const cache = inFolder(`cache-${runs}`);
    const file = inFolder(`apt-${runs}.conf`);
    writeFileSync(file, settings.map((setting) => `${setting};\n`).join(''));
    const env = { ...process.env, XDG_CACHE_HOME: cache, APT_CONFIG: file };
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
      encoding: 'utf8',
      env,
    });
    expect(stderr).to.equal('');
    const left = readdirSync(path.join(cache, 'shortlinks'));
    return { ...(JSON.parse(stdout) as { lines: string[]; program?: RedisProgram }), left };
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
    it(`runs where the system has ${what}`, () => {
      const status = inFolder(`status-${runs}`);
      writeFileSync(status, names.map((name) => `${installed(name)}\n`).join(''));
      const { program, lines, left } = unpackOn([`Dir::State::status "${status}"`]);
      expectRuns(program);
      expect(lines).to.deep.equal([]);
      expect(left).to.deep.equal(['redis']);
    });
  }

  it('runs where the lists of packages are missing, without changing those of the system', () => {
    const lists = inFolder('lists');
    mkdirSync(path.join(lists, 'partial'), { recursive: true });
    const { program, lines } = unpackOn([`Dir::State::lists "${lists}"`]);
    expectRuns(program);
    expect(lines).to.deep.equal(['Fetching the lists of packages …']);
    expect(readdirSync(lists)).to.deep.equal(['partial']);
  });

  it('is not kept where no list has it', () => {
    const sources = ['Dir::Etc::sourcelist "/dev/null"', 'Dir::Etc::sourceparts "/dev/null"'];
    const { program, left } = unpackOn(sources);
    expect(program).to.equal(undefined);
    expect(left).to.deep.equal([]);
  });
});
