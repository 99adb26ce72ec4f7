import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { yieldsProcessor } from '../scripts/priority.ts';
import { parseProcfile } from '../scripts/procfile.ts';
import { SETTINGS } from '../src/config.ts';
// Starts the servers of the tests.
import './support/servers.ts';

interface Container {
  command?: string[];
  depends_on?: Record<string, unknown>;
  cpu_shares?: number;
  cap_drop?: string[];
  cap_add?: string[];
  privileged?: boolean;
  security_opt?: string[];
  read_only?: boolean;
  tmpfs?: string[];
  volumes?: string[];
  user?: string;
  mem_limit?: string;
  shm_size?: string;
  environment?: Record<string, string>;
}

interface Compose {
  services: Record<string, Container>;
}

/** Highest exposure of a unit by `systemd-analyze security`, in tenths: 0 is none, 100 full. */
const MOST_EXPOSURE = 25;

describe('deployment', () => {
  const processes = parseProcfile(readFileSync('Procfile', 'utf8'));
  const { services } = load(readFileSync('compose.yaml', 'utf8'), {
    schema: CORE_SCHEMA.withTags(mergeTag),
  }) as Compose;

  it('has a service of compose.yaml for each line of the Procfile', () => {
    const { postgres: _, redis: __, migrate: ___, ...ours } = services;
    const commands = Object.entries(ours).map(([name, { command = [] }]) => ({
      name,
      command: command.join(' '),
    }));
    expect(commands).to.deep.equal(processes);
    for (const [name, { depends_on: needs = {}, cpu_shares: shares }] of Object.entries(ours)) {
      expect(needs).to.have.property('migrate');
      expect(shares, name).to.equal(yieldsProcessor(name) ? 102 : undefined);
    }
  });

  it('gives containers no capability, no setuid program, no file of the image and limited memory', () => {
    for (const [name, container] of Object.entries(services)) {
      expect(container, name).to.deep.include({
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        read_only: true,
      });
      expect(container, name).not.to.have.any.keys('cap_add', 'privileged');
      expect(container.mem_limit, name).to.match(/^[1-4]g$/);
    }
    // These images start as root, which needs capabilities to switch accounts.
    expect(services['postgres']!.user).to.equal('postgres');
    expect(services['redis']!.user).to.equal('redis');
  });

  it('gives the Redis of compose.yaml a password, which all processes send', () => {
    const { command = [], environment } = services['redis']!;
    const password = command[command.indexOf('--requirepass') + 1];
    expect(password).to.match(/^\$\{REDIS_PASSWORD:\?/);
    expect(environment).to.deep.equal({ REDISCLI_AUTH: password });
    for (const name of ['migrate', ...processes.map((process) => process.name)]) {
      const url = services[name]!.environment!['REDIS_URL'];
      expect(url, name).to.equal(`redis://:${password}@redis:6379`);
    }
  });

  it('gives the Postgres of compose.yaml the connections that all processes may open', () => {
    const [, connections] = /max_connections=(\d+)/.exec(services['postgres']!.command!.join(' '))!;
    const api = 3;
    const needed = processes.length * SETTINGS.DATABASE_POOL.fallback + api;
    expect(Number(connections)).to.be.above(needed);
    expect(services['postgres']!.shm_size).to.equal('256m');
  });

  it('makes backups of compose where the spool is', () => {
    const [, name] =
      /docker compose run [^]*? (\w+) \\\n +node dist\/programs\/cli\.js backup/.exec(
        readFileSync('docs/backups.md', 'utf8'),
      )!;
    expect(services[name!]?.volumes).to.include('spool:/data');
  });

  describe('units of systemd', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-systemd-'));
    const write = (...args: string[]) =>
      spawnSync(process.execPath, ['dist/programs/systemd.js', ...args], { encoding: 'utf8' });

    before(() => {
      expect(write('--dir', folder, '--user', 'root').status).to.equal(0);
    });

    after(() => rmSync(folder, { recursive: true }));

    it('are one for each line of the Procfile, one for the schema and the target of all', () => {
      const templates = processes.map(({ name }) => `shortlinks-${name}@.service`);
      expect(readdirSync(folder)).to.have.members([
        'shortlinks.target',
        'shortlinks-migrate.service',
        'shortlinks-backup.service',
        'shortlinks-backup.timer',
        ...templates,
      ]);
      const target = readFileSync(path.join(folder, 'shortlinks.target'), 'utf8');
      for (const { name, command } of processes) {
        expect(target).to.match(new RegExp(`^Wants=shortlinks-${name}@\\d+\\.service$`, 'm'));
        const unit = readFileSync(path.join(folder, `shortlinks-${name}@.service`), 'utf8');
        expect(unit).to.contain(`ExecStart=${command.replace('node', process.execPath)}\n`);
        expect(/^Nice=(\d+)$/m.exec(unit)?.[1], name).to.equal(
          yieldsProcessor(name) ? '10' : undefined,
        );
      }
    });

    it('have a backup with the settings, the folder and the spool of the processes', async function () {
      const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
      const backup = read('shortlinks-backup.service');
      const [settings] = /^User=[^]*?(?=\n\[Install\]|\n\n)/m.exec(
        read('shortlinks-redirect@.service'),
      )!;
      expect(backup).to.contain(settings);
      expect(settings).to.contain('\nEnvironment=DATA_DIR=%S/shortlinks\n');
      const [, app] = /^WorkingDirectory=(.*)$/m.exec(settings)!;
      const [, command] = /^ExecStart=(.*)$/m.exec(backup)!;
      const backups = mkdtempSync(path.join(tmpdir(), 'shortlinks-backups-'));
      try {
        const [program, ...args] = command!
          .replace('/var/backups/shortlinks', `${backups}/new`)
          .split(' ');
        await promisify(execFile)(program!, args, { cwd: app! });
        const [written] = readdirSync(path.join(backups, 'new'));
        expect(written).to.match(/^\d{4}-\d\d-\d\dT\d{6}$/);
      } finally {
        rmSync(backups, { recursive: true });
      }
    });

    it('are valid to systemd', function () {
      if (spawnSync('systemd-analyze', ['--version']).error !== undefined) this.skip();
      const units = readdirSync(folder).map((name) => path.join(folder, name));
      execFileSync('systemd-analyze', ['verify', '--man=no', ...units], {
        env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
        stdio: 'pipe',
      });
    });

    it('take secrets from files by the addition of the guide', function () {
      if (spawnSync('systemd-analyze', ['--version']).error !== undefined) this.skip();
      const guide = readFileSync('docs/systemd.md', 'utf8');
      const [, text] = /^```ini run by test\/deployment\.long\.ts\n([^]*?)^```/m.exec(guide)!;
      const addition = path.join(folder, 'shortlinks-.service.d');
      mkdirSync(addition);
      // systemd reports the last, unknown line only if it reads the file for the unit.
      writeFileSync(path.join(addition, 'secrets.conf'), `${text}Unknown=yes\n`);
      const unit = path.join(folder, 'shortlinks-api@.service');
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
        encoding: 'utf8',
        env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
      });
      rmSync(addition, { recursive: true });
      const told = new Set(
        stderr
          .trim()
          .split('\n')
          .map((line) => line.replace(/^\S+ /, '')),
      );
      expect([...told]).to.deep.equal(["Unknown key 'Unknown' in section [Service], ignoring."]);
      const variables = [...text!.matchAll(/^Environment=(\w+)_FILE=%d\//gm)].map(
        ([, name]) => name,
      );
      expect(variables).to.have.length(2);
      for (const name of variables) {
        expect(SETTINGS).to.have.nested.property(`${name}.secret`, true);
      }
    });

    it('give processes no more of the machine than they need', function () {
      const confined = ['CapabilityBoundingSet=', 'UMask=0077', 'MemoryMax=2G'];
      const services = readdirSync(folder).filter((name) => name.endsWith('.service'));
      for (const name of services) {
        const lines = readFileSync(path.join(folder, name), 'utf8').split('\n');
        expect(lines, name).to.include.members(confined);
      }
      if (spawnSync('systemd-analyze', ['--version']).error !== undefined) this.skip();
      for (const name of services) {
        const unit = path.join(folder, name);
        const args = ['security', '--offline=true', `--threshold=${MOST_EXPOSURE}`, unit];
        const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
        expect(status, stdout).to.equal(0);
      }
    });

    it('are not written without a folder', () => {
      const { status, stderr } = write();
      expect(status).to.equal(1);
      expect(stderr).to.match(/^Usage: npm run systemd -- --dir /);
    });
  });
});
