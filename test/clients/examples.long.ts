import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Examples, KEY_PLACEHOLDER } from '../../src/docs/examples/index.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';
import { type Project, projectWithClient } from './own-client.ts';

const run = promisify(execFile);

/** Reads and writes that succeed in a new workspace, in this order. */
const SAMPLE = [
  'POST /tags',
  'GET /tags',
  'POST /folders',
  'POST /links',
  'GET /links',
  'GET /links/count',
  'GET /links/availability',
  'PUT /links/upsert',
  'DELETE /links/bulk',
  'GET /links/export',
  'GET /qr',
  'POST /qrcodes',
  'GET /qrcodes',
  'POST /pages',
  'POST /customers',
  'GET /events',
  'GET /analytics',
  'POST /keys',
  'GET /audit-log',
  'GET /places/cities',
  'GET /workspace',
];

const isThere = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

const fileOf = (operation: string) => operation.replaceAll(/\W+/g, '-').replace(/-$/, '');

describe('the examples of the reference', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-examples-'));
  let examples: Record<string, Examples>;
  let project: Project;

  before(async () => {
    const response = await fetch(`${stack().apiUrl}/docs/examples.json`);
    expect(response.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    examples = (await response.json()) as Record<string, Examples>;
    const files = Object.entries(examples).map(([name, { TypeScript }]) => [
      `${fileOf(name)}.ts`,
      TypeScript,
    ]);
    project = await projectWithClient(Object.fromEntries(files));
  });

  after(() => {
    project.remove();
    rmSync(folder, { recursive: true });
  });

  /** Writes the sample, for a new workspace. @returns the files in its order */
  async function filesFor(language: keyof Examples, extension: string): Promise<string[]> {
    const { servers } = (await (await fetch(`${stack().apiUrl}/openapi.json`)).json()) as {
      servers: { url: string }[];
    };
    const { apiKey } = await aWorkspace();
    return SAMPLE.map((operation) => {
      const file = path.join(folder, `${fileOf(operation)}.${extension}`);
      const text = examples[operation]![language].replace(KEY_PLACEHOLDER, apiKey).replaceAll(
        servers[0]!.url,
        stack().apiUrl,
      );
      writeFileSync(file, text);
      return file;
    });
  }

  async function expectSuccess(program: string, args: readonly string[], files: readonly string[]) {
    for (const file of files) {
      const { stdout, stderr } = await run(program, [...args, file], { cwd: folder });
      expect(`${stdout}${stderr}`, file).not.to.match(/"error": ?\{|\[error\]|Warning|Error/);
    }
  }

  it('work as commands of curl', async () => {
    await expectSuccess('sh', [], await filesFor('curl', 'sh'));
  });

  it('are programs for the types of the client, and work', async () => {
    // Compiled for every operation before the tests.
    const files = await filesFor('TypeScript', 'ts');
    const own = await projectWithClient(
      Object.fromEntries(files.map((file) => [path.basename(file), readFileSync(file, 'utf8')])),
    );
    try {
      const built = files.map((file) => path.join(own.folder, 'dist', path.basename(file, '.ts')));
      await expectSuccess(
        process.execPath,
        [],
        built.map((file) => `${file}.js`),
      );
    } finally {
      own.remove();
    }
  });

  it('are valid in Python, and work with the package requests', async function () {
    if (!isThere('python3', '--version')) this.skip();
    for (const [operation, { Python }] of Object.entries(examples))
      writeFileSync(path.join(folder, `${fileOf(operation)}.py`), Python);
    const compiled = Object.keys(examples).map((operation) => `${fileOf(operation)}.py`);
    await run('python3', ['-m', 'py_compile', ...compiled], { cwd: folder });
    if (!isThere('python3', '-c', 'import requests')) this.skip();
    await expectSuccess('python3', [], await filesFor('Python', 'py'));
  });

  it('are valid in PHP, and work with its extension for curl', async function () {
    if (!isThere('php', '--version')) this.skip();
    for (const [operation, { PHP }] of Object.entries(examples)) {
      const file = path.join(folder, `${fileOf(operation)}.php`);
      writeFileSync(file, PHP);
      await run('php', ['-l', file]);
    }
    if (!isThere('php', '-r', 'curl_init() || exit(1);')) this.skip();
    await expectSuccess('php', [], await filesFor('PHP', 'php'));
  });
});
