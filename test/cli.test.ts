import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { newId } from '../src/ids.ts';
import { ApiClient } from './support/client.ts';
import { visit } from './support/world.ts';

const run = promisify(execFile);

/** Runs the CLI as an operator does; the environment points at the servers of the tests. */
async function cli(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, ['dist/scripts/cli.js', ...args]);
    return { code: 0, output: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout, errors: stderr };
  }
}

const aSlug = () => `cli-${newId('workspace').slice(5).toLowerCase()}`;

describe('the CLI', function () {
  this.timeout(60_000);

  it('makes a workspace whose key works at once, and a domain by the operator’s word', async () => {
    const slug = aSlug();
    const made = JSON.parse(
      (await cli('workspace', 'create', '--slug', slug, '--plan', 'business', '--json')).output,
    );
    expect(made).to.have.all.keys('id', 'slug', 'plan', 'apiKey');
    expect(made).to.include({ slug, plan: 'business' });
    const api = new ApiClient(made.apiKey);
    const domain = JSON.parse(
      (
        await cli(
          'domain',
          'add',
          '--workspace',
          slug,
          '--slug',
          `Go.${slug}.test`,
          '--verified',
          '--json',
        )
      ).output,
    );
    expect(domain).to.include({ slug: `go.${slug}.test`, verified: true });
    await api.post('/links', { url: 'https://example.com', key: 'a', domain: domain.slug });
    expect((await visit('/a', { host: domain.slug })).status).to.equal(302);
  });

  it('makes keys with scopes and an end, and revokes them', async () => {
    const slug = aSlug();
    await cli('workspace', 'create', '--slug', slug);
    const { id, apiKey } = JSON.parse(
      (
        await cli(
          'key',
          'create',
          '--workspace',
          slug,
          '--scopes',
          'tags.read',
          '--expires',
          '2099-01-01',
          '--json',
        )
      ).output,
    );
    const api = new ApiClient(apiKey);
    expect((await api.get('/tags')).status).to.equal(200);
    expect((await api.get('/links')).status).to.equal(403);
    await cli('key', 'revoke', '--workspace', slug, '--id', id);
    expect((await api.get('/tags')).status).to.equal(401);
  });

  it('sets plan and limits', async () => {
    const slug = aSlug();
    await cli('workspace', 'create', '--slug', slug);
    const { output } = await cli(
      'workspace',
      'set',
      '--workspace',
      slug,
      '--plan',
      'pro',
      '--requests-per-minute',
      '7',
      '--click-dedupe-seconds',
      '0',
      '--json',
    );
    expect(JSON.parse(output)).to.include({
      plan: 'pro',
      requestsPerMinute: 7,
      clickDedupeSeconds: 0,
    });
  });

  const wrong: [args: string[], message: string][] = [
    [[], 'Usage'],
    [['workspace', 'make'], 'Usage'],
    [['workspace', 'create'], '--slug is required'],
    [['workspace', 'create', '--slug', 'A b'], '--slug may have'],
    [['workspace', 'create', '--slug', 'x', '--plan', 'gold'], '--plan must be one of'],
    [['key', 'create', '--workspace', 'nobody-there'], 'There is no workspace'],
    [['key', 'create', '--workspace', 'x', '--scopes', 'all'], '--scopes: "all" is none of'],
    [['domain', 'add', '--workspace', 'x', '--slug', 'a b'], '--slug must be a host name'],
    [['workspace', 'create', '--slug', 'x', '--colour', 'red'], '--colour is not an option'],
  ];
  it('says in one line what is wrong, and ends with 1', async () => {
    for (const [args, message] of wrong) {
      const { code, output, errors } = await cli(...args);
      expect(code, args.join(' ')).to.equal(1);
      expect(output).to.equal('');
      expect(errors).to.contain(message);
      expect(errors).not.to.match(/\n\s+at /);
    }
  });
});
