import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../src/api/openapi.ts';
import { routes } from '../src/api/routes.ts';
import { reloadConfig, SETTINGS } from '../src/config.ts';

/** What `docs/configuration.md` must hold. */
export function configurationPage(): string {
  const rows = Object.entries(SETTINGS).map(([name, setting]) => {
    const shown = 'shownDefault' in setting ? setting.shownDefault : String(setting.fallback);
    const secret = 'secret' in setting && setting.secret ? ' Never logged.' : '';
    return `| \`${name}\` | ${shown === '' ? 'unset' : shown} | ${setting.help}${secret} |`;
  });
  return `# Configuration

Everything is set through variables of the environment. They are read and checked once, when a process
starts; a malformed one ends it with a line that names the variable. This page is printed from
\`src/config.ts\` by \`npm run docs\`.

| variable | default | meaning |
|---|---|---|
${rows.join('\n')}
`;
}

/** What `docs/openapi.json` must hold. */
export function openApiPage(): string {
  return `${JSON.stringify(openApiDocument(routes), null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // The pages show defaults, whatever is set here.
  for (const name of Object.keys(SETTINGS)) delete process.env[name];
  reloadConfig();
  writeFileSync('docs/configuration.md', configurationPage());
  writeFileSync('docs/openapi.json', openApiPage());
}
