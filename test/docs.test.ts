import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { architecturePicture } from '../scripts/architecture.ts';
import { configurationPage, readmePage } from '../scripts/docs.ts';
import { GROUPS } from '../src/events/query/groups/index.ts';

describe('generated pages', () => {
  it('are up to date: docs/configuration.md', () => {
    expect(readFileSync('docs/configuration.md', 'utf8'), 'run `npm run docs`').to.equal(
      configurationPage(),
    );
  });

  it('are up to date: the processes of README.md', () => {
    const readme = readFileSync('README.md', 'utf8');
    expect(readme, 'run `npm run docs`').to.equal(readmePage(readme)).and.contain('`worker_bulk`');
  });

  it('are up to date: docs/architecture.svg, drawn from the Procfile, the queues and the imports', () => {
    const picture = readFileSync('docs/architecture.svg', 'utf8');
    expect(picture, 'run `npm run docs`').to.equal(architecturePicture());
    for (const line of readFileSync('Procfile', 'utf8').trim().split('\n')) {
      expect(picture).to.contain(`>${line.slice(0, line.indexOf(':'))}</text>`);
    }
  });

  it('are up to date: docs/openapi.json', () => {
    const before = readFileSync('docs/openapi.json', 'utf8');
    // The page shows defaults, so a separate process without the settings of this one builds it.
    const program = `
      for (const name of Object.keys(process.env)) if (/URL|PORT|DIR|KEY$/.test(name)) delete process.env[name];
      const { openApiPage } = await import('./dist/scripts/docs.js');
      process.stdout.write(openApiPage());`;
    const now = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    });
    // A diff of two megabytes would help nobody.
    expect(now === before, 'run `npm run docs`').to.equal(true);
  });
});

describe('docs/analytics.md', () => {
  it('has every group in its table', () => {
    const [, table] = /^## Groups$([^]*?)^## /m.exec(readFileSync('docs/analytics.md', 'utf8'))!;
    const missing = Object.keys(GROUPS).filter((name) => !table!.includes(`\`${name}\``));
    expect(missing, 'add them to the table "Groups" of docs/analytics.md').to.deep.equal([]);
  });
});
