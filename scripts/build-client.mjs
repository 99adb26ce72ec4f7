// Builds the package of clients/typescript: generates its functions and types from docs/openapi.json, and compiles them
// with its own files to clients/typescript/dist, from where `npm pack` takes them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const CLIENT = path.join(ROOT, 'clients', 'typescript');
const GENERATED = path.join(CLIENT, 'src', 'generated');

const reference = JSON.parse(readFileSync(path.join(ROOT, 'docs', 'openapi.json'), 'utf8'));
// The client waits for writes that the API has only accepted, so no function returns this answer.
for (const operation of Object.values(reference.paths).flatMap(Object.values)) {
  if (operation.responses?.['202']?.$ref === '#/components/responses/Accepted') {
    delete operation.responses['202'];
  }
}

rmSync(path.join(CLIENT, 'dist'), { recursive: true, force: true });
rmSync(GENERATED, { recursive: true, force: true });
const folder = mkdtempSync(path.join(tmpdir(), 'client-'));
try {
  const settings = path.join(folder, 'settings.json');
  const input = path.join(folder, 'openapi.json');
  writeFileSync(input, JSON.stringify(reference));
  const plugins = [
    // All functions throw the errors of the API.
    { name: '@hey-api/client-fetch', throwOnError: true },
    '@hey-api/sdk',
    '@hey-api/typescript',
  ];
  writeFileSync(settings, JSON.stringify({ input, output: GENERATED, plugins }));
  run(path.join(ROOT, 'generators', 'node_modules', '.bin', 'openapi-ts'), '-f', settings);
  run(path.join(ROOT, 'node_modules', '.bin', 'tsc'), '-p', CLIENT);
} finally {
  rmSync(folder, { recursive: true });
}

function run(program, ...parameters) {
  execFileSync(program, parameters, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}
