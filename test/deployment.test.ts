import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { yieldsProcessor } from '../scripts/priority.ts';
import { parseProcfile } from '../scripts/procfile.ts';

interface Compose {
  services: Record<
    string,
    { command?: string[]; depends_on?: Record<string, unknown>; cpu_shares?: number }
  >;
}

describe('deployment', () => {
  const processes = parseProcfile(readFileSync('Procfile', 'utf8'));

  it('has a service of compose.yaml for each line of the Procfile', () => {
    const { services } = load(readFileSync('compose.yaml', 'utf8'), {
      schema: CORE_SCHEMA.withTags(mergeTag),
    }) as Compose;
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

  describe('units of systemd', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-systemd-'));
    const write = (...args: string[]) =>
      spawnSync(process.execPath, ['dist/scripts/systemd.js', ...args], { encoding: 'utf8' });

    before(() => {
      expect(write('--dir', folder, '--user', 'root').status).to.equal(0);
    });

    after(() => rmSync(folder, { recursive: true }));

    it('are one for each line of the Procfile, one for the schema and the target of all', () => {
      const templates = processes.map(({ name }) => `shortlinks-${name}@.service`);
      expect(readdirSync(folder)).to.have.members([
        'shortlinks.target',
        'shortlinks-migrate.service',
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

    it('are valid to systemd', function () {
      this.timeout(60_000);
      if (spawnSync('systemd-analyze', ['--version']).error !== undefined) this.skip();
      const units = readdirSync(folder).map((name) => path.join(folder, name));
      execFileSync('systemd-analyze', ['verify', '--man=no', ...units], {
        env: { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` },
        stdio: 'pipe',
      });
    });

    it('are not written without a folder', () => {
      const { status, stderr } = write();
      expect(status).to.equal(1);
      expect(stderr).to.match(/^Usage: npm run systemd -- --dir /);
    });
  });
});
