import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePorts } from '../../scripts/ports.ts';

const run = promisify(execFile);
const SCRIPT = `import { freePorts, keepPort } from './dist/scripts/ports.js';
for (const port of JSON.parse(process.argv[1] ?? '[]')) keepPort(port);
console.log(JSON.stringify(await freePorts(100)));`;

async function portsOf(kept: number[] = [], env = process.env): Promise<number[]> {
  const args = ['--input-type=module', '-e', SCRIPT, JSON.stringify(kept)];
  return JSON.parse((await run(process.execPath, args, { env })).stdout) as number[];
}

describe('free ports', () => {
  it('are not given to two processes that both have not listened there yet', async () => {
    const elsewhere = Array.from({ length: 4 }, () => portsOf());
    const found = (await Promise.all([freePorts(100), ...elsewhere])).flat();
    expect(new Set(found).size).to.equal(500);
  });

  it('are none of the configured ones', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-ports-'));
    const kept = Array.from({ length: 6_000 }, (_, index) => 20_000 + index);
    try {
      const found = await portsOf(kept, { ...process.env, TMPDIR: folder });
      expect(found.filter((port) => kept.includes(port))).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
