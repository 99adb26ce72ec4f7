import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Servers, startServers } from '../../scripts/embedded/servers.ts';
import { migrateLatest } from '../../scripts/migrations.ts';
import { connectDb, execute, type Knex, rows } from '../../src/infra/db.ts';
import { connectRedis, type Redis } from '../../src/infra/redis.ts';
import { createWorkspace } from '../../src/workspaces/commands.ts';
import { postgresAdminUrl, redisAdminUrl } from '../support/private-admin.ts';
import { withoutServers } from '../support/without-servers.ts';

/*
 * Tests the damage that an injected SQL statement or Redis command can do to the private servers,
 * and through them to the machine.
 */

describe('private servers', function () {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'shortlinks-private-'));
  let servers: Servers;

  const start = async () => {
    servers = await startServers({ dataDir, env: withoutServers() });
  };
  before(start);
  after(async () => {
    await servers?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function withPostgres<T>(url: string, work: (db: Knex) => Promise<T>): Promise<T> {
    const db = connectDb(url, 1, 'test');
    try {
      return await work(db);
    } finally {
      await db.destroy();
    }
  }

  const refusalOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: Error & { code?: string }) => error.code ?? error.message,
    );

  async function expectAnOrdinaryRole(): Promise<void> {
    await withPostgres(servers.databaseUrl, async (db) => {
      const [role] = await rows(
        db,
        `SELECT rolname AS name, rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls AS may
           FROM pg_roles WHERE rolname = current_user`,
      );
      expect(role).to.deep.equal({ name: 'shortlinks', may: false });
      for (const statement of [
        "COPY (SELECT 1) TO PROGRAM 'true'",
        "SELECT pg_read_file('postgresql.conf')",
        "ALTER SYSTEM SET work_mem = '1MB'",
      ]) {
        expect(await refusalOf(execute(db, statement)), statement).to.equal('42501');
      }
    });
  }

  it('give the service a role of Postgres that runs no program and reads no file', async () => {
    await expectAnOrdinaryRole();
    await migrateLatest(servers);
    const { mode } = statSync(path.join(dataDir, 'postgres-superuser.password'));
    expect(mode & 0o077).to.equal(0);
  });

  it('take the rights of a superuser from the role that an earlier version made, and keep the data', async () => {
    const { id, apiKey } = await withPostgres(servers.databaseUrl, (db) =>
      createWorkspace(db, { slug: 'kept', plan: 'pro' }),
    );
    expect(apiKey).to.be.a('string');
    const password = new URL(servers.databaseUrl).password;
    await withPostgres(postgresAdminUrl(servers.databaseUrl, dataDir), async (db) => {
      await execute(db, 'REASSIGN OWNED BY shortlinks TO postgres');
      await execute(db, 'DROP OWNED BY shortlinks');
      await execute(db, 'DROP ROLE shortlinks');
      await execute(db, 'CREATE ROLE other SUPERUSER');
      await execute(db, 'SET SESSION AUTHORIZATION other');
      await execute(db, 'ALTER ROLE postgres RENAME TO shortlinks');
      await execute(db, `ALTER ROLE shortlinks PASSWORD '${password}'`);
      await execute(db, 'RESET SESSION AUTHORIZATION');
      await execute(db, 'DROP ROLE other');
    });
    await servers.stop();
    await start();
    await expectAnOrdinaryRole();
    await withPostgres(servers.databaseUrl, async (db) => {
      const owners = await rows(
        db,
        `SELECT DISTINCT relowner::regrole::text AS owner FROM pg_class
          WHERE relnamespace = 'public'::regnamespace
         UNION
         SELECT proowner::regrole::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
      );
      expect(owners).to.deep.equal([{ owner: 'shortlinks' }]);
      expect(await rows(db, 'SELECT id FROM workspaces')).to.deep.equal([{ id }]);
      await db.schema.table('workspaces', (table) => table.integer('one_more'));
    });
    await migrateLatest(servers);
  });

  it('give the service an account of Redis that empties, configures and stops nothing', async () => {
    const redis = connectRedis(servers.redisUrl, 'wait');
    const ask = (one: Redis, command: string) => {
      const [name = '', ...args] = command.split(' ');
      return refusalOf(one.call(name, args));
    };
    for (const command of [
      'FLUSHALL',
      'FLUSHDB',
      'CONFIG SET dir /tmp',
      'SHUTDOWN NOSAVE',
      'SAVE',
      'KEYS *',
      'REPLICAOF 127.0.0.1 1',
      'ACL LIST',
    ]) {
      expect(await ask(redis, command), command).to.match(/^NOPERM/);
    }
    redis.disconnect();
    const admin = connectRedis(redisAdminUrl(servers.redisUrl, dataDir), 'wait');
    expect(await ask(admin, 'FLUSHALL')).to.equal('done');
    admin.disconnect();
  });
});
