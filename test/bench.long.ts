import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
// Starts the servers of the tests.
import './support/servers.ts';

/** Runs `npm run bench`. */
function bench(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['dist/bench/main.js', ...args], { encoding: 'utf8' });
}

/** Finds a row of a Markdown table by its first cell, and returns its cells. */
function cells(output: string, what: string): string[] {
  const line = output.split('\n').find((some) => some.startsWith(`| ${what} `));
  return line === undefined
    ? []
    : line
        .slice(2, -2)
        .split('|')
        .map((cell) => cell.trim());
}

const MACHINE = {
  cpu: 'Some processor',
  cores: 2,
  memoryGiB: 4,
  system: 'Linux 6',
  node: '20.20.2',
  postgres: '18.0',
  redis: '7.0.15',
};

const row = (what: string, better: 'more' | 'less', ours: number[], figures?: number[]) => ({
  bench: 'lists',
  what,
  unit: better === 'more' ? '/s' : 'ms',
  better,
  ours,
  ...(figures && { baseline: { what: 'plain', figures } }),
});

describe('npm run bench', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'bench-test-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  function written(name: string, rows: object[]): string {
    const file = path.join(folder, name);
    const report = { commit: name, modified: false, date: '2026-01-01', machine: MACHINE, rows };
    writeFileSync(file, JSON.stringify(report));
    return file;
  }

  it('measures what is named, prints a table, and writes what it measured with the machine', () => {
    const file = path.join(folder, 'qr.json');
    const { status, stdout, stderr } = bench('qr', '--rounds', '1', '--json', file);
    expect(status, stderr).to.equal(0);
    expect(cells(stdout, 'what')).to.deep.equal([
      'what',
      'baseline',
      "baseline's figure",
      'ours',
      'ratio',
      'aim',
    ]);
    const report = JSON.parse(readFileSync(file, 'utf8')) as {
      commit: string;
      machine: typeof MACHINE;
      rows: ReturnType<typeof row>[];
    };
    // The commit is empty if the sources were unpacked without a repository.
    expect(report.commit).to.match(/^(?:[0-9a-f]{40})?$/);
    expect(report.machine).to.include.keys(Object.keys(MACHINE));
    expect(report.machine.node).to.equal(process.versions.node);
    const one = report.rows.find(({ what }) => what === 'QR code as PNG, 512 px, rounded')!;
    expect(one).to.include({ bench: 'qr', unit: 'ms', better: 'less' });
    expect(one.ours).to.have.length(1);
    expect(one.ours[0]).to.be.greaterThan(0);
    expect(one.baseline!.figures).to.have.length(1);
    expect(cells(bench('--table', file).stdout, one.what)).to.deep.equal(cells(stdout, one.what));
  });

  it('shows medians with their spread, and says which aim was missed', () => {
    const file = written('table.json', [
      { ...row('requests', 'more', [80, 90, 100], [100, 100, 100]), aim: { ratio: 0.95 } },
      { ...row('p99', 'less', [4, 6, 5]), aim: { ours: 5 } },
      { ...row('other', 'less', []), skipped: 'nginx is not installed' },
    ]);
    const { stdout } = bench('--table', file);
    expect(cells(stdout, 'requests').slice(1)).to.deep.equal([
      'plain',
      '100/s',
      '90/s',
      '0.9 (0.8 to 1)',
      'at least 0.95, missed',
    ]);
    expect(cells(stdout, 'p99').slice(3)).to.deep.equal(['5 ms (4 to 6)', '–', 'at most 5 ms']);
    expect(cells(stdout, 'other')[3]).to.equal('skipped: nginx is not installed');
  });

  it('compares two commits, and marks what is beyond the spread', () => {
    const before = written('before.json', [
      row('faster', 'more', [100, 110, 120], [200, 200, 200]),
      row('slower', 'less', [10, 11, 12]),
      row('much the same', 'more', [100, 110, 120], [100, 100, 100]),
      row('another day', 'more', [100, 110, 120], [100, 110, 120]),
      row('once', 'more', [100]),
      row('gone', 'more', [1, 1, 1]),
    ]);
    const after = written('after.json', [
      row('faster', 'more', [160, 170, 180], [200, 200, 200]),
      row('slower', 'less', [13, 14, 15]),
      row('much the same', 'more', [90, 105, 118], [100, 100, 100]),
      row('another day', 'more', [200, 220, 240], [200, 220, 240]),
      row('once', 'more', [200]),
    ]);
    const { status, stdout } = bench('--compare', before, after);
    expect(status).to.equal(0);
    expect(stdout).not.to.include('machines differ');
    expect(cells(stdout, 'faster').slice(2)).to.deep.equal([
      '110/s',
      '170/s',
      '0.55 (0.5 to 0.6)',
      '0.85 (0.8 to 0.9)',
      '+55%',
      'better',
    ]);
    expect(cells(stdout, 'slower').slice(-2)).to.deep.equal(['+27%', 'worse']);
    expect(cells(stdout, 'much the same').at(-1)).to.equal('no');
    expect(cells(stdout, 'another day').slice(-2)).to.deep.equal(['0%', 'no']);
    expect(cells(stdout, 'once').at(-1)).to.equal('unknown, one round');
    expect(cells(stdout, 'gone').slice(2, 4)).to.deep.equal(['1/s', 'not measured']);
  });

  it('refuses names, rounds and files that it does not know', () => {
    for (const args of [
      ['nothing'],
      ['lists', '--rounds', '0'],
      ['--compare', 'one.json'],
      ['--fast'],
    ]) {
      const { status, stderr } = bench(...args);
      expect(status).to.equal(1);
      expect(stderr).to.include('Usage:');
    }
    const { status, stderr } = bench('--table', path.join(folder, 'missing.json'));
    expect(status).to.equal(1);
    expect(stderr).to.include('missing.json could not be read');
  });
});
