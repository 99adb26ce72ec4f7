import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { LogFile } from '../../scripts/log-file.ts';
import { eventually } from '../support/eventually.ts';

describe('a log file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-log-'));
  const place = path.join(folder, 'api.log');

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('that cannot be written counts lost lines, and continues when it can be written again', async function () {
    const said: string[] = [];
    mkdirSync(place);
    const file = new LogFile(place, (line) => said.push(line));
    file.write('one');
    await eventually(() => expect(said).to.have.length(1));
    file.write('two');
    expect(said[0]).to.match(/api\.log is not written: EISDIR/);

    rmdirSync(place);
    await eventually(() => {
      file.write('three');
      expect(said).to.have.length(2);
    });
    const lost = Number(/is written again; (\d+) lines are missing$/.exec(said[1]!)?.[1]);
    expect(lost).to.be.at.least(2);
    await eventually(() => {
      const lines = readFileSync(place, 'utf8').trim().split('\n');
      expect(lines[0]).to.equal('three');
      expect(lines).to.include(`${lost} lines are missing here`);
    });
  });
});
