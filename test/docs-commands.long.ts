import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { marked, type Tokens } from 'marked';
import { optionsOf } from '../scripts/cli-options.ts';
import { freePorts } from '../scripts/ports.ts';
import { SETTINGS } from '../src/config.ts';
import { addDomainNow } from '../src/domains/commands.ts';
import { db, execute } from '../src/infra/db.ts';
import { eventually } from './support/eventually.ts';
import { PEER_APIS, PeerServer } from './support/peers.ts';
import { aPerson } from './support/people.ts';
import { reference } from './support/reference.ts';
import { Site } from './support/site.ts';
import { stack } from './support/stack.ts';
import { withoutServers } from './support/without-servers.ts';
import { aWorkspace, visit, type World } from './support/world.ts';

/*
 * Runs every code block of the guides, in the order of its guide: commands with bash, requests with
 * the API, configurations with the programs that read them. The first word after the fence is the
 * language. A block that is not run here states the reason: `not run: <reason>`, or `run by <file
 * of a test>`.
 */

interface Block {
  language: string;
  note: string;
  text: string;
}

const GUIDES = [
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .toSorted(),
];

const ALL_FILES = ['README.md', ...GUIDES];

/** Extracts all code of a file: blocks, and inline code between backticks. */
function codeOf(file: string): string[] {
  const code: string[] = [];
  void marked.walkTokens(marked.lexer(readFileSync(file, 'utf8')), (token) => {
    if (token.type === 'code' || token.type === 'codespan')
      code.push((token as Tokens.Codespan).text);
  });
  return code;
}

/** Requests to the redirect server and a receiver of webhooks, and those that OAuth defines. */
const NOT_OF_THE_API = [
  'GET /_/domains/ask?domain=go.acme.test',
  'POST /hooks',
  'POST /oauth/register',
  'POST /oauth/token',
  'POST /oauth/revoke',
];

/** Replaces path parameters and external ids by asterisks, and removes the query. */
const shapeOf = (asked: string): string =>
  asked.replace(/[?#].*$/, '').replaceAll(/\{\w+\}|ext_\S*/g, '*');

function blocksOf(file: string): Block[] {
  const blocks: Block[] = [];
  void marked.walkTokens(marked.lexer(readFileSync(file, 'utf8')), (token) => {
    if (token.type !== 'code') return;
    const { lang = '', text } = token as Tokens.Code;
    const [language = '', ...words] = lang.split(' ');
    blocks.push({ language, note: words.join(' '), text });
  });
  return blocks;
}

/**
 * Returns true for a block that need not run here; no other block can have words after its
 * language.
 */
function isExcused({ note }: Block): boolean {
  if (note === '') return false;
  const [, program] = /^run by (test\/\S+\.ts)$/.exec(note) ?? [];
  if (program !== undefined) return existsSync(program);
  return /^not run: \S.{8,}$/.test(note);
}

/** Addresses, domains and folders of the guides, each with its replacement in this run. */
type Names = [from: string | RegExp, to: string][];

/** Preparation of a guide's blocks: records to create, and replacements. */
interface Preparation {
  before?: (run: GuideRun) => Promise<Names | undefined>;
  /** Does the steps between blocks that a reader does elsewhere. */
  between?: (run: GuideRun) => Promise<void>;
  /** Checks the effects of the blocks. */
  after?: (run: GuideRun) => Promise<void>;
}

/** A reader who runs the blocks of one guide, in a separate folder and workspace. */
class GuideRun {
  folder = '';
  world!: World;
  /** Output of the last block, and of all blocks. */
  output = '';
  seen = '';
  readonly #names: Names = [];
  readonly #ends: (() => unknown)[] = [];

  async prepare({ before }: Preparation): Promise<void> {
    this.folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-guide-'));
    this.world = await aWorkspace();
    const { domain, slug } = this.world;
    for (const name of ['node_modules', 'ops']) symlinkSync(path.resolve(name), this.path(name));
    for (const name of ['etc/systemd/system', 'srv/shortlinks', 'var/lib/shortlinks', 'tmp']) {
      mkdirSync(this.path(name), { recursive: true });
    }
    this.#names.push(
      [/(?<=^|[\s"'=>])\/(?=(?:etc|srv|tmp|var)\/)/gm, `${this.folder}/`],
      [/<API_KEY>|\$API_KEY/g, this.world.apiKey],
      ['$API_URL', stack().apiUrl],
      [/https:\/\/api\.(?:example\.com|acme\.test)|http:\/\/localhost:3000/g, stack().apiUrl],
      ['http://localhost:3001', `http://127.0.0.1:${stack().redirectPort}`],
      ['--workspace acme', `--workspace ${slug}`],
      ['--slug acme', `--slug new-${slug}`],
      ['go.acme.test', `go.${domain}`],
      ['acme.link', domain],
    );
    this.#names.push(...((await before?.(this)) ?? []));
  }

  async end(): Promise<void> {
    for (const end of this.#ends) await end();
    rmSync(this.folder, { recursive: true });
  }

  atEnd(end: () => unknown): void {
    this.#ends.push(end);
  }

  path(...names: string[]): string {
    return path.join(this.folder, ...names);
  }

  /** Applies the replacements of this run, and replaces elided ids by the latest printed ones. */
  filled(text: string): string {
    let filled = text;
    for (const [from, to] of this.#names) filled = filled.replaceAll(from, to);
    const ids = [...this.seen.matchAll(/\b[a-z]+_[\w-]{6,}/g)].map(([id]) => id);
    const [, latest = ''] = [...this.seen.matchAll(/"id":\s*"([^"]+)"/g)].at(-1) ?? [];
    return filled.replaceAll('{id}', latest).replaceAll(/\b([a-z]+_)…/g, (left, prefix: string) => {
      return ids.findLast((id) => id.startsWith(prefix)) ?? left;
    });
  }

  /**
   * Runs a program.
   * @throws Error with the program's output, if it fails
   */
  async program(
    name: string,
    args: string[],
    env: NodeJS.ProcessEnv = process.env,
    input = args.join(' '),
  ): Promise<void> {
    const options = { cwd: this.folder, env, maxBuffer: 2 ** 26 };
    const { code, output, errors } = await new Promise<{
      code: unknown;
      output: string;
      errors: string;
    }>((resolve) => {
      execFile(name, args, options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? error?.signal, output: stdout, errors: stderr }),
      );
    });
    this.note(output);
    expect(code ?? 0, `${input}\n${output}${errors}`).to.equal(0);
  }

  note(output: string): void {
    this.output = output;
    this.seen += `${output}\n`;
  }

  file(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }
}

/**
 * Shell functions that replace commands which would not end, or which need something that a test
 * lacks.
 */
const SHELL = `
set -eo pipefail
curl() {
  if [ "$1" = -N ]; then command curl -sS --max-time 3 "$@" || [ $? = 28 ]
  else command curl -sS --fail-with-body "\${@/#-fsS/-s}"; fi
}
npm() {
  while [[ $1 = run || $1 = -s || $1 = --silent ]]; do shift; done
  local script=$1; shift
  if [ "$1" = -- ]; then shift; fi
  if [ "$script" != start ]; then
    local file="$PROJECT/dist/programs/$script.js"
    [ -e "$file" ] || file="$PROJECT/dist/scripts/$script.js"
    node "$file" "$@"; return
  fi
  coproc node "$PROJECT/dist/programs/start.js" 2>&1
  local line pid=$COPROC_PID
  while read -r line <&"\${COPROC[0]}"; do
    echo "$line"
    if [[ $line = *"Ctrl-C stops everything"* ]]; then kill "$pid"; fi
  done
  wait "$pid"
}
docker() { [ "$1 $2 $3" = "compose exec api" ]; shift 3; "$@"; }
systemctl() {
  if [ "$1" = daemon-reload ]; then return; fi
  [ "$1 $2" = "enable --now" ]; shift 2; command systemctl --root=. enable "$@"
}
`;

/** Programs that a block can need and a machine can lack. */
const PROGRAMS = ['promtool', 'systemctl', 'openssl'];

type Runner = (run: GuideRun, text: string, file: string) => Promise<void>;

/** Runners of blocks by language. */
const RUNNERS: Record<string, { needs?: string; run: Runner }> = {
  sh: {
    async run(run, text) {
      const env = /\brestore\b/.test(text) ? anotherInstallation(run) : process.env;
      const script = `${SHELL}${text}`;
      await run.program('bash', ['-c', script], { ...env, PROJECT: process.cwd() }, text);
    },
  },
  http: {
    async run(run, text) {
      for (const one of text.split(/^(?=(?:GET|POST|PUT|PATCH|DELETE) )/m)) {
        const [, method, route, body = ''] = /^(\w+) (\S+)\s*([^]*)$/.exec(one)!;
        const headers = {
          authorization: `Bearer ${run.world.apiKey}`,
          'idempotency-key': randomUUID(),
          ...(body === '' ? {} : { 'content-type': 'application/json' }),
        };
        // The key makes it safe to repeat a request that a busy machine has delayed.
        const answer = await eventually(async () => {
          const answered = await fetch(stack().apiUrl + route, {
            method: method!,
            headers,
            ...(body === '' ? {} : { body }),
          });
          expect(answered.status, one).not.to.equal(503);
          return answered;
        });
        run.note(await answer.text());
        expect(answer.ok, `${one}\n${run.output}`).to.equal(true);
      }
    },
  },
  // JSON blocks show the answer to the previous block.
  json: {
    async run(run, text) {
      expectShape(JSON.parse(text), JSON.parse(run.output), 'the answer');
    },
  },
  js: {
    run: (run, text) => run.program(process.execPath, ['--input-type=module', '-e', text]),
  },
  sql: {
    async run(_run, text) {
      const trx = await db().transaction();
      try {
        await execute(trx, text);
      } finally {
        await trx.rollback();
      }
    },
  },
  env: {
    async run(_run, text) {
      for (const line of text.split('\n')) expect(SETTINGS).to.have.property(line.split('=')[0]!);
    },
  },
  crontab: {
    run: (run, text, file) =>
      RUNNERS['sh']!.run(run, text.replace(/^(\S+ ){5}/, '').replaceAll('\\%', '%'), file),
  },
  nginx: { needs: 'nginx', run: throughNginx },
  caddyfile: { needs: 'caddy', run: throughCaddy },
  // Text blocks are not run.
  text: { run: async () => undefined },
};

/** Returns the settings of an empty installation. */
function anotherInstallation(run: GuideRun): NodeJS.ProcessEnv {
  const { SECRET_KEY: _, ...env } = withoutServers();
  return { ...env, DATA_DIR: run.path('restored') };
}

/** Expects the members and types of the example; lists are compared by their first element. */
function expectShape(example: unknown, actual: unknown, at: string): void {
  if (Array.isArray(actual) && actual.length > 0) {
    expectShape(Array.isArray(example) ? example[0] : example, actual[0], `${at}[0]`);
  } else if (typeof example === 'object' && typeof actual === 'object' && example && actual) {
    expect(Object.keys(actual), at).to.have.members(Object.keys(example));
    for (const [name, value] of Object.entries(example)) {
      expectShape(value, (actual as Record<string, unknown>)[name], `${at}.${name}`);
    }
  } else if (example !== null && actual !== null)
    expect(typeof actual, at).to.equal(typeof example);
}

const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;

/**
 * Sends a request over TLS to a proxy on loopback, without verification of its certificate.
 * @returns status and `Location`
 */
function overTls(port: number, host: string, route: string): Promise<[number, string | undefined]> {
  return new Promise((resolve, reject) => {
    request(
      {
        host: '127.0.0.1',
        port,
        path: route,
        servername: host,
        rejectUnauthorized: false,
        headers: { host },
      },
      (response) => {
        response.resume();
        resolve([response.statusCode ?? 0, response.headers.location]);
      },
    )
      .on('error', reject)
      .end();
  });
}

/** Expects a proxy to serve the API and a short domain. */
async function expectProxied({ world }: GuideRun, port: number): Promise<void> {
  await world.api.post('/links', { url: 'https://example.com/proxied', key: 'proxied' });
  await eventually(async () => {
    expect(await overTls(port, 'api.acme.test', '/healthz')).to.deep.equal([200, undefined]);
  });
  const answer = await overTls(port, world.domain, '/proxied');
  expect(answer).to.deep.equal([302, 'https://example.com/proxied']);
}

const toStack = (text: string): string =>
  text
    .replaceAll('127.0.0.1:3000', new URL(stack().apiUrl).host)
    .replaceAll('127.0.0.1:3010', new URL(stack().apiUrl).host)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${stack().redirectPort}`)
    .replaceAll('127.0.0.1:3011', `127.0.0.1:${stack().redirectPorts[1]}`);

/** Starts a proxy, which stops with the guide. An early exit is reported with its output. */
function startProxy(run: GuideRun, name: string, args: string[]): void {
  const child = execFile(name, args, {
    cwd: run.folder,
    env: { ...process.env, HOME: run.folder },
  });
  child.stderr?.on('data', (text: string) => run.note(text));
  run.atEnd(async () => {
    if (child.exitCode !== null) throw new Error(`${name} has ended:\n${run.seen}`);
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
  });
}

async function throughNginx(run: GuideRun, text: string): Promise<void> {
  const [port] = await freePorts(1);
  const servers = toStack(text)
    .replaceAll(`${run.folder}/etc/ssl/acme.crt`, path.resolve('test/data/tls/localhost.crt'))
    .replaceAll(`${run.folder}/etc/ssl/acme.key`, path.resolve('test/data/tls/localhost.key'))
    .replaceAll('listen 443', `listen 127.0.0.1:${port}`);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${name};`,
  );
  const file = run.file(
    'nginx.conf',
    `daemon off; pid nginx.pid; error_log stderr; events {} http { access_log off; ${folders.join(' ')} ${servers} }`,
  );
  await run.program('nginx', ['-t', '-p', run.folder, '-c', file]);
  startProxy(run, 'nginx', ['-p', run.folder, '-c', file]);
  await expectProxied(run, port!);
}

async function throughCaddy(run: GuideRun, text: string): Promise<void> {
  const [port, plain] = await freePorts(2);
  const settings = `{\n  https_port ${port}\n  http_port ${plain}\n  admin off\n  local_certs\n  skip_install_trust\n`;
  const file = run.file('Caddyfile', toStack(text).replace('{\n', settings));
  const config = ['--adapter', 'caddyfile', '--config', file];
  await run.program('caddy', ['adapt', '--validate', ...config]);
  startProxy(run, 'caddy', ['run', ...config]);
  await expectProxied(run, port!);
  const refused = await overTls(port!, `not-${run.world.domain}`, '/').catch(
    () => 'no certificate',
  );
  expect(refused).to.equal('no certificate');
}

/** Clicks a link, and resolves with the click id. */
async function aClick({ world }: GuideRun): Promise<string> {
  await world.api.post('/links', {
    url: 'https://shop.example/',
    key: 'shop',
    trackConversion: true,
  });
  const { headers } = await world.visit('/shop');
  return new URL(headers.location!).searchParams.get('click_id')!;
}

async function aCustomer(run: GuideRun): Promise<void> {
  const answer = await run.world.api.post('/track/lead', {
    clickId: await aClick(run),
    eventName: 'Sign up',
    customerExternalId: 'user-1042',
    customerEmail: 'ada@example.com',
    customerName: 'Ada',
  });
  expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
}

const PREPARATIONS: Record<string, Preparation> = {
  // A visitor reports a link before the operator's blocks.
  'docs/abuse.md': {
    async before({ world }) {
      const { body: link } = await world.api.post('/links', {
        url: 'https://bad.test',
        key: 'prize',
      });
      const form = { link: link.shortLink, category: 'phishing' };
      expect((await visit('/_/report', { host: world.domain, form })).status).to.equal(200);
      const { api } = await aPerson({ isOperator: true });
      const report = await eventually(async () => {
        const { body } = await api.get('/admin/abuse-reports', { search: world.domain });
        expect(body).to.have.length(1);
        return body[0];
      });
      const answer = { decision: 'block-link', note: 'Copy of a sign-in page' };
      await api.put(`/admin/abuse-reports/${report.id}/answer`, answer);
      expect((await visit('/prize', { host: world.domain })).status).to.equal(403);
      return [['link_…', link.id]];
    },
    async after({ world, seen }) {
      expect(seen).to.contain('malware.example');
      await eventually(async () =>
        expect((await visit('/prize', { host: world.domain })).status).to.equal(302),
      );
    },
  },
  'docs/analytics.md': {
    async before(run) {
      const clickId = await aClick(run);
      await run.world.api.post('/customers', { externalId: 'guest-7' });
      let visitor = 0;
      const visits = setInterval(() => {
        visitor += 1;
        void visit('/shop', {
          host: run.world.domain,
          headers: { 'x-forwarded-for': `192.0.2.${visitor}` },
        });
      }, 200);
      run.atEnd(() => clearInterval(visits));
      return [['clk_…', clickId]];
    },
    async after({ seen }) {
      expect(seen).to.match(/^event: click\ndata: \{.*"country":"DE"/m);
    },
  },
  'docs/backups.md': {
    async after(run) {
      expect(run.seen)
        .to.contain('Ctrl-C stops everything')
        .and.match(/stopped\s*$/);
      expect(readdirSync(run.path('var/backups/shortlinks'))).to.have.length(3);
    },
  },
  'docs/concepts.md': {
    before: async (run) => [['clk_…', await aClick(run)]],
  },
  // The reader creates the DNS record of the new domain between blocks.
  'docs/domains.md': {
    async between({ world }) {
      const { body: domains } = await world.api.get('/domains');
      for (const { verification } of domains) {
        if (verification !== null) stack().dns.records.set(verification.name, verification.value);
      }
    },
    async after({ seen }) {
      expect(seen).to.match(/^location: https:\/\/acme\.test\/spring/im);
    },
  },
  'docs/imports.md': { before: async (run) => withLinks(run) },
  'docs/metatags.md': {
    async before(run) {
      const site = await Site.start();
      run.atEnd(() => site.stop());
      const page = site.answer('/', { type: 'text/html', body: '<title>Example Domain</title>' });
      return [['url=example.com', `url=${page}`]];
    },
    async after({ seen }) {
      expect(seen).to.contain('"title":"Example Domain"');
    },
  },
  'docs/migrate.md': {
    async before(run) {
      run.file('key.txt', 'token-1\n');
      const names: Names = await withLinks(run);
      for (const [source, api] of Object.entries(PEER_APIS)) {
        const domain = `${source}.${run.world.domain}`;
        await addDomainNow(run.world.projectId, { slug: domain }, true);
        const peer = await PeerServer.start(api(domain, 3));
        run.atEnd(() => peer.close());
        names.push(
          [
            new RegExp(`--source ${source}( --url \\S+)?`, 'g'),
            `--source ${source} --url ${peer.url}`,
          ],
          [
            `"source":"${source}","token":"dub_…"`,
            `"source":"${source}","token":"token-1","url":"${peer.url}"`,
          ],
        );
      }
      return names;
    },
    async after({ world }) {
      expect((await world.api.get('/links/count', { showArchived: 'true' })).body).to.equal(18);
    },
  },
  'docs/operations.md': {
    async before(run) {
      const site = await Site.start();
      run.atEnd(() => site.stop());
      const month = new Date().toISOString().slice(0, 7);
      site.answer(`/free/dbip-city-lite-${month}.mmdb.gz`, { body: gzipSync('places') });
      return [['https://download.db-ip.com', site.url]];
    },
    async after(run) {
      expect(readFileSync(run.path('var/lib/shortlinks/places.mmdb'), 'utf8')).to.equal('places');
    },
  },
  'docs/workspaces.md': {
    async before({ world }) {
      const { body } = await world.api.post('/links', { url: 'https://example.com/' });
      await world.api.patch(`/links/${body.id}`, { title: 'Example' });
      return undefined;
    },
  },
  'docs/privacy.md': {
    async before(run) {
      await aCustomer(run);
      return undefined;
    },
    async after({ seen, world }) {
      expect(seen).to.contain('"name":"Ada"').and.contain('"eventName":"Sign up"');
      expect((await world.api.get('/customers/ext_user-1042')).status).to.equal(404);
      const { body } = await world.api.get('/events', { event: 'leads', interval: 'all' });
      expect(JSON.stringify(body)).to.contain('Sign up').and.not.contain('Ada');
    },
  },
};

/** Writes a file of links in Dub's export format. */
async function withLinks(run: GuideRun): Promise<Names> {
  run.file('links.csv', readFileSync('test/data/peers/dub.csv', 'utf8'));
  return [];
}

describe('commands of the guides', () => {
  it('are each run, or say why not', () => {
    const left = GUIDES.flatMap((file) =>
      blocksOf(file)
        .filter((block) => !isExcused(block))
        .filter(({ language, note }) => note !== '' || !Object.hasOwn(RUNNERS, language))
        .map(({ language, note, text }) => `${file}: ${language} ${note}: ${text.split('\n')[0]}`),
    );
    const hint = `after a fence stands one of ${Object.keys(RUNNERS).join(', ')}, or "<language> run by test/….ts", or "<language> not run: <reason>"`;
    expect(left, hint).to.deep.equal([]);
  });

  it('are those that the test of the README finds', () => {
    for (const { language, note } of blocksOf('README.md')) {
      expect([language, note]).to.deep.equal(['sh', '']);
    }
  });

  it('exist, and take the options that the text gives them', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
    const list = spawnSync(process.execPath, ['dist/programs/cli.js', 'list', '--json']).stdout;
    const commands = (JSON.parse(list.toString()) as { name: string; usage: string }[]).map(
      ({ name, usage }) => ({ name, options: [...optionsOf(usage).keys(), 'json', 'help'] }),
    );
    const faults = ALL_FILES.flatMap((file) => codeOf(file)).flatMap((code) =>
      [...code.matchAll(/npm run (?:-s |--silent )?([\w:-]+)(?: -- ([^\n&|;)]*))?/g)].flatMap(
        ([call, script = '', words = '']) => {
          if (!Object.hasOwn(scripts, script)) return [call];
          if (script !== 'cli' || words === '' || /^(list|help|--)/.test(words)) return [];
          const { options } =
            commands.findLast(({ name }) => `${words} `.startsWith(`${name} `)) ?? {};
          const given = [...words.matchAll(/--([a-z-]+)/g)].map(([, name]) => name!);
          return options !== undefined && given.every((name) => options.includes(name))
            ? []
            : [call];
        },
      ),
    );
    expect(faults).to.deep.equal([]);
  });

  it('of the text are endpoints of the reference', () => {
    const known = new Set(
      Object.entries(reference().paths).flatMap(([route, methods]) =>
        Object.keys(methods).map((method) => shapeOf(`${method.toUpperCase()} ${route}`)),
      ),
    );
    // These guides show endpoints of other services.
    const others = new Set(['docs/compat.md', 'docs/migrate.md']);
    const faults = ALL_FILES.filter((file) => !others.has(file)).flatMap((file) =>
      codeOf(file)
        .flatMap(
          (code) => /^(?:GET|POST|PUT|PATCH|DELETE) +\/\S+/.exec(code.replace('\n', ' ')) ?? [],
        )
        .filter((asked) => !NOT_OF_THE_API.includes(asked) && !known.has(shapeOf(asked)))
        .map((asked) => `${file}: ${asked}`),
    );
    expect(faults).to.deep.equal([]);
  });

  for (const file of GUIDES) {
    const blocks = blocksOf(file).filter((block) => !isExcused(block) && block.language !== 'text');
    if (blocks.length === 0) continue;
    describe(file, function () {
      const run = new GuideRun();
      const preparation = PREPARATIONS[file] ?? {};

      before(() => run.prepare(preparation));
      after(() => run.end());

      for (const { language, text } of blocks) {
        const [first] = text.split('\n');
        it(`${language}: ${first}`, async function () {
          const { needs, run: start } = RUNNERS[language]!;
          const programs = PROGRAMS.filter((name) => language === 'sh' && text.includes(name));
          for (const name of [...programs, ...(needs === undefined ? [] : [needs])]) {
            if (!hasProgram(name)) this.skip();
          }
          await start(run, run.filled(text), file);
          await preparation.between?.(run);
        });
      }

      if (preparation.after !== undefined) {
        it('has the effects that it names', () => preparation.after!(run));
      }
    });
  }
});
