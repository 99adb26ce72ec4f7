import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePorts } from '../../scripts/ports.ts';

const run = promisify(execFile);
const SCRIPT = `import { freePorts } from './dist/scripts/ports.js';
console.log(JSON.stringify(await freePorts(100)));`;

describe('free ports', () => {
  it('are not given to two processes that both have not listened there yet', async () => {
    const elsewhere = Array.from({ length: 4 }, async () => {
      const { stdout } = await run(process.execPath, ['--input-type=module', '-e', SCRIPT]);
      return JSON.parse(stdout) as number[];
    });
    const found = (await Promise.all([freePorts(100), ...elsewhere])).flat();
    expect(new Set(found).size).to.equal(500);
  });
});
