import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { configurationPage } from '../scripts/docs.ts';

describe('generated pages', () => {
  it('are as the code says: docs/configuration.md', () => {
    expect(readFileSync('docs/configuration.md', 'utf8'), 'run `npm run docs`').to.equal(
      configurationPage(),
    );
  });

  it('are as the code says: docs/openapi.json', () => {
    const before = readFileSync('docs/openapi.json', 'utf8');
    // In a process of its own: the page shows defaults, and this process has settings.
    const program = `
      for (const name of Object.keys(process.env)) if (/URL|PORT|DIR|KEY$/.test(name)) delete process.env[name];
      const { openApiPage } = await import('./dist/scripts/docs.js');
      process.stdout.write(openApiPage());`;
    const now = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    });
    expect(JSON.parse(before), 'run `npm run docs`').to.deep.equal(JSON.parse(now));
  });
});
