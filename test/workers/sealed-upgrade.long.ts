import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';

import { type Servers, startServers } from '../../scripts/embedded/servers.ts';
import { connectDb, type Knex } from '../../src/infra/db.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { Receiver, verify } from '../support/receiver.ts';
import { type Service, startService } from '../support/service.ts';
import { withoutServers } from '../support/without-servers.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

/*
 * Upgrades a database in which an earlier version sealed a text of every kind
 * (test/data/upgrades/README.md). Its texts are sealed again with another SECRET_KEY while the
 * service runs, and then the first key is removed.
 */

const FIRST = 'the-key-of-the-upgrade-fixtures-0123456789';
const SECOND = 'the-next-key-of-the-upgrade-fixtures-0123456789';
/** API key of the earlier version. */
const API_KEY = 'sk_yX0sVM9iIbVpm4VJztED3LwtYXqgu0ci';
const WEBHOOK_SECRETS = [
  'whsec_zQpxSHnvz13kb605p22SqWc0NL7XIpwRDQP1FidvXWI=',
  `whsec_${Buffer.from('the first secret of the webhook!').toString('base64')}`,
];
const DATABASE = 'upgrade_sealed';

/** Columns with sealed texts, each with the purpose that opens them. */
const COLUMNS = [
  ['links', 'password', 'password'],
  ['qrcodes', 'password', 'password'],
  ['webhooks', 'secret', 'webhook secret'],
  ['webhooks', 'previous_secret', 'webhook secret'],
  ['mails', 'content', 'mail'],
  ['imports', 'token', 'import'],
  ['imports', 'preview', 'import'],
  ['import_slices', 'rows', 'import'],
  ['import_errors', 'cells', 'import'],
] as const;

/** Script that prints the plain texts of all columns. */
const OPEN = `
  const { db, closeDb } = await import('${process.cwd()}/dist/src/infra/db.js');
  const { unseal } = await import('${process.cwd()}/dist/src/infra/seal.js');
  const opened = {};
  for (const [table, column, purpose] of ${JSON.stringify(COLUMNS)}) {
    const rows = await db()(table).whereNotNull(column).select('project_id', column);
    const texts = rows.map((row) => unseal({ purpose, owner: row.project_id }, row[column]));
    opened[table + '.' + column] = texts.toSorted();
  }
  console.log(JSON.stringify(opened));
  await closeDb();`;

/**
 * Moves all times outside of events and their counts, as if the earlier version had written its
 * last record now, since import files, previous secrets and others are deleted some time after they
 * were written.
 */
async function moveToNow(database: Knex): Promise<void> {
  await database.raw(`
    DO $$
    DECLARE
      age interval := (SELECT now() - max(created_at) FROM jobs);
      moved record;
    BEGIN
      FOR moved IN
        SELECT c.table_name, string_agg(format('%1$I = %1$I + $1', c.column_name), ', ') AS changes
          FROM information_schema.columns c
          JOIN pg_class t ON t.oid = format('%I.%I', c.table_schema, c.table_name)::regclass
         WHERE c.table_schema = 'public' AND c.data_type = 'timestamp with time zone'
           AND t.relkind = 'r' AND c.table_name !~ '^(event|rollup|record_rollup|counter)'
         GROUP BY c.table_name
      LOOP
        EXECUTE format('UPDATE %I SET %s', moved.table_name, moved.changes) USING age;
      END LOOP;
    END $$`);
}

describe('texts that an earlier version sealed', function () {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-sealed-'));
  const settings = {
    DATA_DIR: folder,
    LOG_LEVEL: 'error',
    OUTBOUND_ALLOW: '127.0.0.1',
    // No server listens on this port, so the mail waits.
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'links@acme.test',
  };
  let database: Knex;
  let servers: Servers;
  let service: Service | undefined;
  let receiver: Receiver;
  let keyOfJob: string;

  before(async () => {
    const url = await createDatabase(DATABASE);
    const dump = gunzipSync(readFileSync('test/data/upgrades/0a748ee.sql.gz')).toString();
    const restoring = connectDb(url, 1, 'test');
    await restoring.raw(dump.replaceAll('?', '\\?'));
    await restoring.destroy();
    database = connectDb(url, 2, 'test');
    await moveToNow(database);
    servers = await startServers({
      dataDir: folder,
      env: { ...withoutServers(), DATABASE_URL: url, SECRET_KEY: FIRST },
    });
    receiver = await Receiver.start();
  });

  after(async () => {
    await service?.runner.stop();
    await receiver?.stop();
    await servers?.stop();
    await database?.destroy();
    await dropDatabase(DATABASE);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Restarts the service with these keys. */
  async function start(secretKey: string, otherSecretKey?: string): Promise<void> {
    await service?.runner.stop();
    const keys = { secretKey, ...(otherSecretKey === undefined ? {} : { otherSecretKey }) };
    service = await startService(
      { ...servers, ...keys },
      { ...settings, CACHE_REDIS_URL: servers.redisUrl },
      'Procfile.small',
    );
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- looks into bodies of every shape
  async function send(method: string, route: string, body?: object, headers = {}): Promise<any> {
    const answer = await fetch(service!.apiUrl + route, {
      method,
      headers: {
        authorization: `Bearer ${API_KEY}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect(answer.status, text).to.be.below(202);
    return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
  }

  /** Runs a program with these keys. */
  async function run(keys: Record<string, string>, ...args: string[]): Promise<string> {
    const { DATABASE_URL: _, ...env } = withoutServers();
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: {
        ...env,
        DATABASE_URL: servers.databaseUrl,
        REDIS_URL: servers.redisUrl,
        DATA_DIR: folder,
        ...keys,
      },
    });
    return stdout;
  }

  const open = async (keys: Record<string, string>) =>
    JSON.parse(await run(keys, '--input-type=module', '-e', OPEN)) as Record<string, string[]>;

  /**
   * Expects every answer with a formerly sealed text to have the text that the earlier version
   * received.
   */
  async function everythingIsAnswered(): Promise<void> {
    const passwords = new Map<string, string>();
    for (const list of ['/links?pageSize=100', '/qrcodes?pageSize=100']) {
      for (const { key, password } of await send('GET', list)) passwords.set(key, password);
    }
    expect(passwords.get('key-7')).to.equal('open sesame');
    expect(passwords.get('kept')).to.equal('kept password');
    expect(passwords.get('code-1')).to.equal('open code');
    const again = await send(
      'POST',
      '/keys',
      { name: 'kept' },
      { 'idempotency-key': 'key-of-the-fixture' },
    );
    keyOfJob ??= again.key;
    expect([again.key, again.name]).to.deep.equal([keyOfJob, 'kept']);
    expect(await database('api_keys').where({ name: 'kept' })).to.have.length(1);
    const imports = await send('GET', '/imports');
    const { id } = imports.find(({ source }: { source: string }) => source === 'csv');
    expect(await send('GET', `/imports/${id}/errors`)).to.contain('refused password');
    expect(JSON.stringify(await send('GET', `/imports/${id}`))).to.contain('i1');
    const [{ id: webhook }] = await send('GET', '/webhooks');
    await send('PATCH', `/webhooks/${webhook}`, { url: receiver.url, enabled: true });
    const seen = receiver.received.length;
    await send('POST', `/webhooks/${webhook}/test`, { kind: 'link.created' });
    await eventually(() => expect(receiver.received).to.have.length.above(seen));
    const { raw, headers } = receiver.received.at(-1)!;
    for (const secret of WEBHOOK_SECRETS) {
      expect(() => verify(secret, { raw, headers })).not.to.throw();
    }
  }

  it('stay readable, also after SECRET_KEY is replaced while the service runs', async () => {
    await start(FIRST);
    const opened = await open({ SECRET_KEY: FIRST });
    for (const [column, texts] of Object.entries(opened))
      expect(texts, column).to.have.length.above(0);
    await everythingIsAnswered();

    await start(SECOND, FIRST);
    await everythingIsAnswered();
    const both = { SECRET_KEY: SECOND, SECRET_KEY_OTHER: FIRST };
    const args = ['dist/programs/cli.js', 'secrets', 'rewrite', '--json'];
    const { rewritten, jobsLeft } = JSON.parse(await run(both, ...args));
    for (const [column, texts] of Object.entries(opened)) {
      expect(rewritten[column], column).to.equal(texts.length);
    }
    expect(rewritten['jobs.outcome']).to.be.at.least(2);
    expect(jobsLeft).to.equal(0);
    await everythingIsAnswered();

    await start(SECOND);
    expect(await open({ SECRET_KEY: SECOND })).to.deep.equal(opened);
    await everythingIsAnswered();
  });

  it('of an import are its links afterwards', async () => {
    const imports = await send('GET', '/imports');
    const { id } = imports.find(({ source }: { source: string }) => source === 'csv');
    await send('POST', `/imports/${id}/start`);
    await eventually(async () => {
      const link = await send('GET', '/links/info?domain=go.acme.test&key=i1');
      expect(link.password).to.equal('import password');
    });
  });
});
