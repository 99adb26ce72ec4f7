import { type ExecFileOptions, execFile, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { keepRejected } from '../src/events/ingest/rejected-visits.ts';
import { newId } from '../src/ids.ts';
import { browser } from './support/browser.ts';
import { ApiClient } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { aBrowser, aPerson, signedInClient, tokenOf, tokenSet } from './support/people.ts';
import { stack } from './support/stack.ts';
import { withoutServers } from './support/without-servers.ts';
import { aWorkspace, visit } from './support/world.ts';

const run = promisify(execFile);

interface End {
  code: number;
  output: string;
  errors: string;
}

/** Line in which a command names its servers. */
const SERVERS = /^Uses Postgres (?:at|of) \S.* and Redis (?:at|of) \S.*\.\n/;

/** Runs the CLI as an operator does; its environment names the servers of the tests. */
const cli = (...args: string[]): Promise<End> =>
  ended(process.execPath, ['dist/programs/cli.js', ...args]);

async function ended(program: string, args: string[], options: ExecFileOptions = {}): Promise<End> {
  try {
    const { stdout, stderr } = await run(program, args, { ...options, encoding: 'utf8' });
    return { code: 0, output: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout, errors: stderr };
  }
}

const aSlug = () => `cli-${newId('workspace').slice(5).toLowerCase()}`;

describe('the CLI', function () {
  it('creates a workspace whose key works at once, and a domain verified by the operator', async () => {
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

  it('imports the export of another service, shows what it will do, and undoes it', async () => {
    const slug = aSlug();
    const made = JSON.parse((await cli('workspace', 'create', '--slug', slug, '--json')).output);
    const workspace = ['--workspace', slug, '--json'];
    const file = ['--file', 'test/data/peers/yourls.csv', ...workspace];
    const imported = async (...args: string[]) => {
      const { code, output, errors } = await cli('import', ...args);
      expect(code, errors).to.equal(0);
      return JSON.parse(output);
    };
    const checked = await imported(...file, '--dry-run', '--source', 'yourls');
    expect(checked).to.include({ state: 'checked', source: 'yourls', created: 2, refused: 0 });
    const api = new ApiClient(made.apiKey);
    expect((await api.get('/links/count')).body).to.equal(0);
    const done = await imported('start', '--id', checked.id, ...workspace);
    expect(done).to.include({ state: 'done', created: 2 });
    expect((await api.get('/links')).body.map(({ key }: { key: string }) => key)).to.have.members([
      'ozh',
      'Ozh-2',
    ]);
    expect(await imported(...file)).to.include({ state: 'done', created: 0, skipped: 2 });
    const undone = await imported('undo', '--id', checked.id, ...workspace);
    expect(undone.undo).to.include({ deleted: 2 });
    const keyless = path.join(mkdtempSync(path.join(tmpdir(), 'keyless-')), 'keyless.csv');
    writeFileSync(keyless, 'url\nhttps://example.com/\n');
    const refused = await cli('import', '--file', keyless, ...workspace);
    expect(refused.code).to.equal(2);
    const rule = '--allow-random-keys is required: the only row has no key';
    expect(refused.errors).to.contain(rule);
    const warned = await imported('--file', keyless, '--dry-run', ...workspace);
    expect(Object.keys(warned)[0]).to.equal('warnings');
    expect(warned.warnings[0].message).to.match(/^The only row has no key: /);
    const notStarted = await cli('import', 'start', '--id', warned.id, ...workspace);
    expect(notStarted.errors).to.contain(rule);
    const allowed = ['--id', warned.id, '--allow-random-keys', ...workspace];
    expect(await imported('start', ...allowed)).to.include({ state: 'done', created: 1 });
    const polr = ['--source', 'polr', '--token-file', keyless];
    expect((await cli('import', ...polr, ...workspace)).errors).to.contain(
      '--source must be one of bitly, dub, kutt, shlink, shortio, yourls',
    );
    const nowhere = await cli('import', '--workspace', slug, '--file', 'nowhere.csv');
    expect(nowhere.code).to.equal(2);
    expect(nowhere.errors).to.contain('--file must be a file: nowhere.csv');
  });

  it('exports a workspace into a file, and imports it into another one', async () => {
    const [from, to] = [aSlug(), aSlug()];
    const keys: string[] = [];
    for (const slug of [from, to]) {
      const { output } = await cli('workspace', 'create', '--slug', slug, '--json');
      keys.push(JSON.parse(output).apiKey);
    }
    const domain = `go.${from}.test`;
    await cli('domain', 'add', '--workspace', from, '--slug', domain, '--verified');
    const link = { url: 'https://example.com/', key: 'a', domain, password: 'pw' };
    expect((await new ApiClient(keys[0]!).post('/links', link)).status).to.equal(201);
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-cli-'));
    try {
      const secret = path.join(folder, 'secret.txt');
      writeFileSync(secret, 'correct horse\n');
      const file = path.join(folder, 'acme.jsonl.gz');
      const given = ['--passphrase-file', secret, '--json'];
      const exported = await cli('export', '--workspace', from, '--to', file, ...given);
      expect(exported.code, exported.errors).to.equal(0);
      expect(JSON.parse(exported.output)).to.include({ file, domain: 1, link: 1 });
      const source = ['--source', 'workspace', '--file', file, ...given];
      const imported = await cli('import', '--workspace', to, ...source);
      expect(imported.code, imported.errors).to.equal(0);
      expect(JSON.parse(imported.output)).to.include({ state: 'done', created: 2, refused: 0 });
      const [moved] = (await new ApiClient(keys[1]!).get('/links')).body;
      expect(moved).to.include({ key: 'a', domain, password: 'pw' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('creates keys with scopes and an expiry, and revokes them', async () => {
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

  it('creates publishable keys for the origins of pages', async () => {
    const { slug, apiKey } = await aWorkspace();
    const create = ['key', 'create', '--workspace', slug, '--name', 'Shop', '--origins'];
    const origins = 'https://SHOP.example/, http://localhost:8080,https://shop.example';
    const { output } = await cli(...create, origins, '--json');
    const made = JSON.parse(output);
    expect(made).to.have.all.keys('id', 'publicKey', 'origins');
    expect(made.publicKey).to.match(/^pk_\w{32}$/);
    const { body } = await new ApiClient(apiKey).get(`/keys/${made.id}`);
    expect(body).to.deep.include({
      name: 'Shop',
      type: 'publishable',
      publicKey: made.publicKey,
      origins: ['https://shop.example', 'http://localhost:8080'],
      scopes: ['conversions.write'],
    });
    const lead = (origin: string) =>
      fetch(`${stack().apiUrl}/track/lead`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${made.publicKey}`,
          'content-type': 'application/json',
          origin,
        },
        body: '{}',
      });
    expect((await lead('https://shop.example')).status).to.equal(422);
    expect((await lead('https://other.example')).status).to.equal(403);
    const entries = (await new ApiClient(apiKey).get('/audit-log')).body;
    expect(entries.map(({ action }: { action: string }) => action)).to.include('apiKey.create');
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

  it('lists and retries dead letters', async () => {
    const slug = aSlug();
    const made = await cli('workspace', 'create', '--slug', slug, '--plan', 'business', '--json');
    const { id: projectId, apiKey } = JSON.parse(made.output);
    const came = {
      id: newId('event'),
      at: Date.now(),
      projectId,
      linkId: '',
      domain: 'x.test',
      key: '_root',
      destination: 'https://example.com/',
      ip: '192.0.2.1',
      userAgent: browser(),
      referer: '',
      via: 'link' as const,
    };
    const { id } = await keepRejected(came, new Error('refused'), null);
    const dead = (...args: string[]) => cli('dead-letters', ...args, '--workspace', slug, '--json');
    const [letter] = JSON.parse((await dead('list')).output);
    expect(letter).to.deep.include({
      id,
      workspace: slug,
      message: 'refused',
      attempts: 1,
      visit: came,
    });
    const retried = JSON.parse((await dead('retry', '--id', id)).output);
    expect(retried).to.deep.equal({ stored: 1, rejected: 0 });
    expect(JSON.parse((await dead('list')).output)).to.deep.equal([]);
    expect((await new ApiClient(apiKey).get('/analytics')).body.clicks).to.equal(1);
  });

  it('lets blocks be built again, and lists workspaces whose blocks are to be built', async () => {
    const slug = aSlug();
    await cli('workspace', 'create', '--slug', slug);
    const { output } = await cli('blocks', 'rebuild', '--workspace', slug, '--json');
    const pending = JSON.parse(output).find((one: { workspace: string }) => one.workspace === slug);
    expect(pending).to.deep.equal({ workspace: slug, blocks: 1 });
    const left = async () => JSON.parse((await cli('blocks', 'pending', '--json')).output);
    await eventually(async () => {
      const names = (await left()).map(({ workspace }: { workspace: string }) => workspace);
      expect(names).not.to.include(slug);
    });
  });

  it('creates, lists, disables and enables people, and makes addresses that sign them in once', async () => {
    const slug = aSlug();
    await cli('workspace', 'create', '--slug', slug);
    const email = `${newId('user')}@people.test`;
    const user = async (command: string, ...args: string[]) =>
      JSON.parse((await cli('user', command, '--email', email, ...args, '--json')).output);
    const of = ['--name', 'Ada', '--workspace', slug, '--role', 'viewer'];
    const made = await user('create', ...of);
    expect(made.signIn).to.match(/^http:\/\/localhost:\d+\/console\/sign-in#[\w-]{43}$/);
    const signedIn = await aBrowser().post('/auth/links', { token: tokenOf(made.signIn) });
    expect(signedIn.body).to.include({ email, name: 'Ada', isOperator: false });
    expect(signedIn.body.workspaces).to.have.length(1);
    const api = signedInClient(tokenSet(signedIn)!);

    await user('set', '--operator', 'true');
    expect((await api.get('/me')).body.isOperator).to.equal(true);
    const listed = JSON.parse((await cli('user', 'list', '--json')).output);
    expect(listed.find((one: { email: string }) => one.email === email)).to.include({
      isOperator: true,
      isVerified: true,
      isDisabled: false,
      hasPassword: false,
    });
    expect(await user('sign-out')).to.include({ endedSessions: 1 });
    expect((await api.get('/me')).status).to.equal(401);

    const { signIn } = await user('link');
    await user('disable');
    expect((await aBrowser().post('/auth/links', { token: tokenOf(signIn) })).status).to.equal(401);
    await user('enable');
    const { signIn: another } = await user('link');
    const again = await aBrowser().post('/auth/links', { token: tokenOf(another) });
    expect(again.status).to.equal(200);

    const person = await aPerson({ isVerified: false });
    const vouched = await cli('user', 'vouch', '--email', person.email, '--json');
    expect(JSON.parse(vouched.output)).to.deep.equal({ id: person.userId, isVerified: true });
    expect((await person.api.get('/me')).status).to.equal(200);
  });

  describe('mcp', () => {
    const target = () => ['--url', stack().apiUrl];

    /** Connects the official client to the command, as a local agent does. */
    async function connect(args: string[], env: Record<string, string> = {}) {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: ['dist/programs/cli.js', 'mcp', ...args],
        env: { PATH: process.env['PATH']!, ...env },
        stderr: 'pipe',
      });
      const client = new Client({ name: 'test', version: '1' });
      // A line on standard output that is no message.
      const faults: Error[] = [];
      // oxlint-disable-next-line prefer-add-event-listener -- a client is no event target
      client.onerror = (error) => faults.push(error);
      await client.connect(transport);
      return { client, faults };
    }

    it('serves the tools of the key over standard input and output', async () => {
      const world = await aWorkspace();
      const { client, faults } = await connect([], {
        API_URL: stack().apiUrl,
        API_KEY: world.apiKey,
      });
      expect(client.getServerVersion()).to.include({ name: 'shortlinks' });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).to.include('createLink');
      const url = 'https://example.com/a';
      const made = await client.callTool({ name: 'createLink', arguments: { url } });
      const { id } = made.structuredContent as { id: string };
      expect((await world.api.get(`/links/${id}`)).body.url).to.equal(url);
      const refused = await client.callTool({ name: 'createLink', arguments: { url: 'a b' } });
      expect(refused.isError).to.equal(true);
      await client.close();
      expect(faults).to.deep.equal([]);
    });

    it('reads the key from a file, and gives errors of the service to the agent', async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'mcp-'));
      const file = path.join(folder, 'key.txt');
      writeFileSync(file, 'sk_wrong\n');
      try {
        const refused = await connect([...target(), '--key-file', file]).catch(String);
        expect(refused).to.contain('The API key is not known');
      } finally {
        rmSync(folder, { recursive: true });
      }
      const silent = await connect(['--url', 'http://127.0.0.1:9'], { API_KEY: 'a' }).catch(String);
      expect(silent).to.contain('http://127.0.0.1:9/mcp does not answer');
    });

    it('ends with its input, and writes messages only', async () => {
      const { apiKey } = await aWorkspace();
      const message = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/list' });
      const { status, stdout } = spawnSync(
        process.execPath,
        ['dist/programs/cli.js', 'mcp', ...target()],
        {
          env: { ...process.env, API_KEY: apiKey },
          input: `${message}\nnot a message\n`,
          encoding: 'utf8',
        },
      );
      expect(status).to.equal(0);
      const lines = stdout.trim().split('\n');
      expect(lines).to.have.length(1);
      expect(JSON.parse(lines[0]!)).to.have.nested.property('result.tools');
      expect(JSON.parse(lines[0]!).id).to.equal('a');
    });
  });

  it('lists its commands, and shows the options of each, with exit code 0', async () => {
    const { output: json } = await cli('list', '--json');
    const commands = JSON.parse(json) as { name: string; summary: string; usage: string }[];
    expect(commands.map(({ name }) => name)).to.include.members(['workspace create', 'backup']);
    for (const args of [[], ['list'], ['--help']]) {
      const { code, output, errors } = await cli(...args);
      expect([code, errors], args.join(' ')).to.deep.equal([0, '']);
      for (const { name, summary } of commands)
        expect(output).to.contain(name).and.contain(summary);
    }
    const { summary, usage } = commands.find(({ name }) => name === 'key create')!;
    for (const args of [
      ['help', 'key', 'create'],
      ['key', 'create', '--help'],
    ]) {
      const { code, output, errors } = await cli(...args);
      expect([code, errors]).to.deep.equal([0, '']);
      expect(output).to.equal(`${summary}.\n\nUsage: npm run cli -- key create ${usage}\n`);
    }
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await cli('--version')).to.deep.equal({ code: 0, output: `${version}\n`, errors: '' });
  });

  it('prints records as lines, and lists as tables without control characters', async () => {
    const slug = aSlug();
    const { output: made } = await cli('workspace', 'create', '--slug', slug, '--plan', 'pro');
    expect(made)
      .to.match(/^id {6}proj_\w+\nslug {4}/)
      .and.contain('\nplan    pro\napiKey  ');
    const email = `${newId('user')}@people.test`;
    await cli('user', 'create', '--email', email, '--name', 'A\u001b[31mda');
    const { output: table } = await cli('user', 'list');
    const [head = '', ...rows] = table.split('\n');
    expect(head).to.match(/^id +email +name +/);
    const row = rows.find((line) => line.includes(email))!;
    expect(row).to.contain('A\\u001b[31mda');
    expect(row.indexOf(email)).to.equal(head.indexOf('email'));
    const none = await cli('dead-letters', 'list', '--workspace', slug);
    expect(none.output).to.equal('There are none.\n');
  });

  const wrong: [args: string[], message: string][] = [
    [['workspace'], 'There is no command "workspace". There are: workspace create, workspace set.'],
    [['workspace', 'make'], 'There is no command "workspace make".'],
    [['--verbose'], 'There is no option "--verbose".'],
    [['workspace', 'create', '--slug'], "Option '--slug <value>' argument missing"],
    [['workspace', 'create', '--slug', 'A b'], '--slug must be 1 to 48'],
    [['workspace', 'create', '--slug', 'admin'], '--slug must not be "admin"'],
    [['workspace', 'create', '--slug', 'x', '--plan', 'gold'], '--plan must be one of'],
    [['key', 'create', '--workspace', 'x', '--scopes', 'all'], 'not "all"'],
    [
      ['key', 'create', '--workspace', 'x', '--origins', 'a.example'],
      '--origins must be the origin',
    ],
    [['key', 'create', '--workspace', 'x', '--origins', ''], '--origins must be the origin'],
    [
      ['key', 'create', '--workspace', 'x', '--scopes', '*', '--origins', 'https://a.example'],
      'cannot have --scopes',
    ],
    [
      [
        'key',
        'create',
        '--workspace',
        'x',
        '--origins',
        Array.from({ length: 21 }, (_, n) => `https://s${n}.example`).join(','),
      ],
      '--origins must have at most 20 origins',
    ],
    [['domain', 'add', '--workspace', 'x', '--slug', 'a b'], '--slug must be a host name'],
    [['workspace', 'create', '--slug', 'x', '--colour', 'red'], "Unknown option '--colour'."],
    [['backup'], '--to is required'],
    [['mcp', '--url', 'nowhere'], '--url or API_URL must be'],
    [['mcp', '--key-file', '/nowhere'], '--key-file must be a file'],
  ];
  const wrongOfPeople: typeof wrong = [
    [['user', 'create', '--email', 'nobody', '--name', 'x'], '--email must be an email address'],
    [['user', 'create', '--email', 'a@b.test'], '--name is required'],
    [['user', 'create', '--email', 'a@b.test', '--name', 'x', '--role', 'owner'], '--workspace'],
  ];
  for (const [name, cases] of [
    ['wrong usage', wrong],
    ['wrong usage about people', wrongOfPeople],
  ] as const) {
    it(`reports ${name} with a hint, and exits with 2`, async () => {
      const ends = await Promise.all(cases.map(([args]) => cli(...args)));
      for (const [at, [args, message]] of cases.entries()) {
        const { code, output, errors } = ends[at]!;
        expect([code, output], args.join(' ')).to.deep.equal([2, '']);
        const [first, hint, ...rest] = errors.replace(SERVERS, '').split('\n');
        expect(first).to.contain(message);
        expect(hint).to.match(/^Try "npm run cli -- (list|help [\w -]+)"\.$/);
        expect(rest).to.deep.equal(['']);
      }
    });
  }

  it('sends a test mail, and shows what the mail server answers', async () => {
    const { mail } = stack();
    const send = (to: string, SMTP_URL: string) =>
      ended(process.execPath, ['dist/programs/cli.js', 'mail', 'test', '--to', to], {
        env: { ...process.env, SMTP_URL },
      });
    const plain = mail.url('none');
    const refusals = [
      ['refused@mail.test', plain, 'No such person'],
      ['a@mail.test', mail.url('none', { password: 'wrong' }), 'Wrong account'],
      // No process of the tests trusts the certificate.
      ['a@mail.test', mail.url('tls'), 'certificate'],
      ['a@mail.test', 'smtp://localhost:1', 'ECONNREFUSED'],
    ] as const;
    const [sent, none, ...refused] = await Promise.all([
      send('first@mail.test', plain),
      send('a@mail.test', ''),
      ...refusals.map(([to, url]) => send(to, url)),
    ]);
    expect([sent!.code, sent!.errors]).to.deep.equal([0, '']);
    expect(sent!.output).to.contain('250');
    const [received] = await mail.arrived('first@mail.test');
    expect(received!.headers.get('subject')).to.equal('Test of the mail server');
    expect([none!.code, none!.errors]).to.deep.equal([
      1,
      'Set SMTP_URL and MAIL_FROM: without them, no email is sent\n',
    ]);
    for (const [at, { code, output, errors }] of refused.entries()) {
      expect([code, output]).to.deep.equal([1, '']);
      expect(errors).to.match(/^localhost:\d+ did not accept the email: [^\n]+\n$/);
      expect(errors).to.contain(refusals[at]![2]);
      expect(errors).not.to.contain('p@ss word').and.not.contain('wrong');
    }
  });

  it('reports refusals in one line, or as JSON, and exits with 1', async () => {
    const refused: [args: string[], code: string, message: string][] = [
      [['key', 'create', '--workspace', 'nobody-there'], 'not_found', 'There is no workspace'],
      [['user', 'link', '--email', 'nobody@people.test'], 'not_found', 'There is no account'],
      [['restore', '--from', '/nowhere'], 'setup', '/nowhere is no complete backup'],
    ];
    for (const [args, , message] of refused) {
      const plain = await cli(...args);
      expect([plain.code, plain.output], args.join(' ')).to.deep.equal([1, '']);
      expect(plain.errors.replace(SERVERS, ''))
        .to.match(/^[^\n]+\n$/)
        .and.contain(message);
    }
    const [args, code, message] = refused[0]!;
    const json = await cli(...args, '--json');
    expect([json.code, json.output]).to.deep.equal([1, '']);
    const { error } = JSON.parse(json.errors);
    expect(error.code).to.equal(code);
    expect(error.message).to.contain(message);
    const usage = await cli('workspace', 'create', '--json');
    expect(usage.code).to.equal(2);
    expect(JSON.parse(usage.errors)).to.deep.equal({
      error: {
        code: 'usage',
        message: '--slug is required',
        hint: 'npm run cli -- help workspace create',
      },
    });
  });
});

describe('commands of an operator', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-cli-'));
  const { DATA_DIR: _, SECRET_KEY: __, ...bare } = withoutServers();
  const script = (name: string) => path.resolve(`dist/programs/${name}.js`);
  const create = ['workspace', 'create', '--slug', 'nobodys'];

  after(() => rmSync(folder, { recursive: true }));

  it('say which servers they use, without passwords', async () => {
    const { code, errors } = await cli('host', 'list');
    expect(code, errors).to.equal(0);
    expect(errors).to.match(SERVERS);
    const { password } = new URL(process.env['DATABASE_URL']!);
    expect(errors).not.to.contain(password);
  });

  it('make no servers where there is no installation', async () => {
    const dataDir = path.join(folder, 'nothing');
    mkdirSync(dataDir);
    const programs = [
      [script('cli'), ...create],
      [script('cli'), 'backup', '--to', path.join(folder, 'backup')],
      [script('migrate')],
      [script('migrate'), 'status'],
    ];
    for (const args of programs) {
      const { code, output, errors } = await ended(process.execPath, args, {
        env: { ...bare, DATA_DIR: dataDir },
      });
      expect([code, output], args.join(' ')).to.deep.equal([1, '']);
      expect(errors).to.equal(
        `There is no installation in ${dataDir}, and DATABASE_URL and REDIS_URL are not set: run this with the settings of your installation, or make private servers by "npm start".\n`,
      );
      expect(readdirSync(dataDir)).to.deep.equal([]);
    }
    const { errors } = await ended(process.execPath, [script('cli'), ...create], {
      env: {
        ...bare,
        DATA_DIR: dataDir,
        DATABASE_URL: process.env['DATABASE_URL'],
        SECRET_KEY: process.env['SECRET_KEY'],
      },
    });
    expect(errors).to.contain(', and REDIS_URL is not set: ');
  });

  it('use no private servers by themselves on a machine with units of systemd', async function () {
    const units = path.join(folder, 'systemd', 'system');
    mkdirSync(units, { recursive: true });
    writeFileSync(path.join(units, 'shortlinks.target'), '');
    const inside = (...command: string[]) => [
      '--mount',
      '--map-root-user',
      'sh',
      '-c',
      'mount --bind "$0" /etc/systemd && exec "$@"',
      path.dirname(units),
      ...command,
    ];
    if (!existsSync('/etc/systemd') || spawnSync('unshare', inside('true')).status !== 0) {
      this.skip();
    }
    for (const name of ['postgres', 'redis']) {
      mkdirSync(path.join(folder, '.data', name), { recursive: true });
    }
    const args = inside(process.execPath, script('cli'), ...create);
    const { code, errors } = await ended('unshare', args, { cwd: folder, env: bare });
    expect(code).to.equal(1);
    expect(errors).to.match(
      /^\/etc\/systemd\/system\/shortlinks\.target belongs to an installation, and DATABASE_URL and REDIS_URL are not set here: /,
    );
    expect(readdirSync(path.join(folder, '.data'))).to.have.members(['postgres', 'redis']);
  });
});
