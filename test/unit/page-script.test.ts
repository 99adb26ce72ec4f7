import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';

describe('the script of web pages', () => {
  it('is smaller than the guide says, one script without modules', () => {
    const script = readFileSync('dist/programs/page-script.js');
    // docs/page-script.md
    expect(gzipSync(script, { level: 9 }).length).to.be.below(1_024);
    expect(script.toString()).to.not.match(/\b(?:import|export)\b|sourceMappingURL/);
  });
});
