import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { checkPostgres, checkRedis } from '../../scripts/embedded/given.ts';
import { type Servers, startServers } from '../../scripts/embedded/servers.ts';
import { freePort } from '../../scripts/ports.ts';
import { connectDb, execute, type Knex, rows } from '../../src/infra/db.ts';
import { connectRedis, redisReady, type SingleRedis } from '../../src/infra/redis.ts';
import { postgresAdminUrl, redisAdminUrl } from '../support/private-admin.ts';
import { withoutServers } from '../support/without-servers.ts';

/*
 * Connects to Postgres and Redis over TLS. Their certificate is for `localhost`, signed by an
 * unknown authority; for 127.0.0.1, it has the wrong name.
 */

const AUTHORITY = path.resolve('test/data/tls/authority.crt');
const OTHER_AUTHORITY = path.resolve('test/data/tls/localhost.crt');
const CERTIFICATE = path.resolve('test/data/tls/signed.crt');
const KEY = path.resolve('test/data/tls/signed.key');

/** Superuser of the private Postgres. */
const OWNER = 'postgres';
const PASSWORD = 'a-password';

describe('TLS', function () {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'shortlinks-tls-'));
  let servers: Servers;
  let admin: Knex;

  before(async () => {
    servers = await startServers({ dataDir, env: withoutServers() });
    admin = connectDb(postgresAdminUrl(servers.databaseUrl, dataDir), 1, 'test');
    await execute(admin, `CREATE ROLE visitor LOGIN PASSWORD '${PASSWORD}'`);
    await write('signed.crt', readFileSync(CERTIFICATE, 'utf8'));
    await write('signed.key', readFileSync(KEY, 'utf8'));
    await execute(admin, "ALTER SYSTEM SET ssl_cert_file = 'signed.crt'");
    await execute(admin, "ALTER SYSTEM SET ssl_key_file = 'signed.key'");
  });

  after(async () => {
    await admin?.destroy();
    await servers?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Writes a file in the server's folder, as the server's account. */
  async function write(file: string, text: string): Promise<void> {
    const program = `umask 077; base64 -d > ${file}`;
    const encoded = Buffer.from(text).toString('base64');
    await execute(admin, `COPY (SELECT '${encoded}') TO PROGRAM '${program}'`);
  }

  /**
   * Configures the connections that the server accepts.
   * @param kind `host` for any, `hostssl` for encrypted, `hostnossl` for plain connections
   */
  async function serve(kind: 'host' | 'hostssl' | 'hostnossl', ssl: 'on' | 'off'): Promise<void> {
    const lines = [`${kind} all visitor all scram-sha-256`, `host all ${OWNER} all scram-sha-256`];
    await write('pg_hba.conf', `${lines.join('\n')}\n`);
    await execute(admin, `ALTER SYSTEM SET ssl = ${ssl}`);
    await execute(admin, 'SELECT pg_reload_conf()');
  }

  function postgresUrl(query: string, host: string): string {
    const url = new URL(`${servers.databaseUrl}?${query}`);
    Object.assign(url, { hostname: host, username: 'visitor', password: PASSWORD });
    return url.href;
  }

  /**
   * Resolves with true for a connection with TLS, with false for one without, or with the message
   * of the failure.
   */
  async function isEncrypted(query: string, host = 'localhost'): Promise<boolean | string> {
    let db: Knex | undefined;
    try {
      db = connectDb(postgresUrl(query, host), 1, 'test');
      const [found] = await rows<{ ssl: boolean }>(
        db,
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      return found!.ssl;
    } catch (error) {
      return (error as Error).message;
    } finally {
      await db?.destroy();
    }
  }

  describe('of Postgres means what it means to libpq', () => {
    const verified = `sslrootcert=${AUTHORITY}`;
    const others = `sslrootcert=${OTHER_AUTHORITY}`;
    const cases: {
      server: Parameters<typeof serve>;
      expected: [query: string, host: string, outcome: boolean | RegExp][];
    }[] = [
      {
        server: ['host', 'on'],
        expected: [
          ['', 'localhost', false],
          ['sslmode=disable', 'localhost', false],
          ['sslmode=allow', 'localhost', false],
          ['sslmode=prefer', 'localhost', true],
          ['sslmode=require', 'localhost', true],
          ['sslmode=require', '127.0.0.1', true],
          [`sslmode=require&${others}`, 'localhost', /unable to verify|self-signed|local issuer/],
          [`sslmode=require&${verified}`, '127.0.0.1', true],
          ['sslmode=no-verify', '127.0.0.1', true],
          ['sslmode=verify-ca', 'localhost', /sslmode=verify-ca needs sslrootcert/],
          [`sslmode=verify-ca&${verified}`, 'localhost', true],
          [`sslmode=verify-ca&${verified}`, '127.0.0.1', true],
          [`sslmode=verify-ca&${others}`, 'localhost', /unable to verify|self-signed|local issuer/],
          ['sslmode=verify-ca&sslrootcert=system', 'localhost', /needs sslmode=verify-full/],
          [`sslmode=verify-full&${verified}`, 'localhost', true],
          [`sslmode=verify-full&${verified}`, '127.0.0.1', /127\.0\.0\.1 is not in the cert/],
          ['sslmode=verify-full', 'localhost', /unable to verify|self-signed|local issuer/],
          [
            'sslmode=verify-full&sslrootcert=/nowhere',
            'localhost',
            /DATABASE_URL: sslrootcert: ENOENT/,
          ],
          ['sslmode=sometimes', 'localhost', /sslmode must be one of disable, allow, prefer/],
        ],
      },
      {
        server: ['hostssl', 'on'],
        expected: [
          ['sslmode=disable', 'localhost', /no pg_hba.conf entry/],
          ['sslmode=allow', 'localhost', true],
          ['sslmode=prefer', 'localhost', true],
        ],
      },
      {
        server: ['hostnossl', 'on'],
        expected: [
          ['sslmode=allow', 'localhost', false],
          ['sslmode=prefer', 'localhost', false],
          ['sslmode=require', 'localhost', /no pg_hba.conf entry/],
        ],
      },
      {
        server: ['host', 'off'],
        expected: [
          ['sslmode=allow', 'localhost', false],
          ['sslmode=prefer', 'localhost', false],
          ['sslmode=require', 'localhost', /does not support SSL/],
        ],
      },
    ];
    for (const { server, expected } of cases) {
      it(`${server[0]}, ssl ${server[1]}`, async () => {
        await serve(...server);
        for (const [query, host, outcome] of expected) {
          const found = await isEncrypted(query, host);
          const what = `${query} at ${host}`;
          if (typeof outcome === 'boolean') expect(found, what).to.equal(outcome);
          else expect(found, what).to.match(outcome);
        }
      });
    }

    it('for the check of npm start too', async () => {
      await serve('hostssl', 'on');
      await checkPostgres(postgresUrl(`sslmode=verify-full&${verified}`, 'localhost'));
      let message = '';
      await checkPostgres(postgresUrl(`sslmode=verify-full&${others}`, 'localhost')).catch(
        (error: Error) => {
          ({ message } = error);
        },
      );
      expect(message).to.match(/^DATABASE_URL: cannot reach Postgres at localhost:\d+ /);
    });
  });

  describe('of Redis', () => {
    let port: number;

    before(async () => {
      port = await freePort();
      const redis = connectRedis(redisAdminUrl(servers.redisUrl, dataDir), 'wait');
      const settings = {
        'tls-cert-file': CERTIFICATE,
        'tls-key-file': KEY,
        'tls-ca-cert-file': AUTHORITY,
        'tls-auth-clients': 'no',
        'tls-port': String(port),
      };
      for (const [name, value] of Object.entries(settings)) await redis.config('SET', name, value);
      redis.disconnect();
    });

    const cases: [query: string, host: string, failure?: RegExp][] = [
      ['', 'localhost', /unable to verify|self-signed|local issuer/],
      [`?ssl_ca_certs=${AUTHORITY}`, 'localhost'],
      [`?ssl_ca_certs=${AUTHORITY}`, '127.0.0.1', /127\.0\.0\.1 is not in the cert/],
      [`?ssl_ca_certs=${AUTHORITY}&ssl_check_hostname=false`, '127.0.0.1'],
      ['?ssl_cert_reqs=none', '127.0.0.1'],
      [
        `?ssl_ca_certs=${OTHER_AUTHORITY}`,
        'localhost',
        /unable to verify|self-signed|local issuer/,
      ],
      ['?ssl_cert_reqs=maybe', 'localhost', /ssl_cert_reqs must be none or required/],
    ];
    for (const [query, host, failure] of cases) {
      it(`rediss://${host}${query.replaceAll(/\/\S*\//g, '')} ${failure === undefined ? 'connects' : 'is refused'}`, async () => {
        const url = new URL(servers.redisUrl);
        const address = `rediss://:${url.password}@${host}:${port}/${query}`;
        let message = '';
        await checkRedis('REDIS_URL', address).catch((error: Error) => {
          ({ message } = error);
        });
        if (failure !== undefined) return expect(message).to.match(failure);
        expect(message).to.equal('');
        const redis = connectRedis(address, 'wait') as SingleRedis;
        await redisReady(redis);
        const copy = redis.duplicate();
        expect(await copy.ping()).to.equal('PONG');
        redis.disconnect();
        return copy.disconnect();
      });
    }
  });
});
