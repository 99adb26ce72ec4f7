import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Servers, serversEnv, startServers } from '../../scripts/embedded/servers.ts';
import { reloadConfig } from '../../src/config.ts';
import { startClickHouse } from './clickhouse-server.ts';
import { shareService } from './global-setup.ts';
import { MailServer } from './mail-server.ts';
import { mmdb } from './mmdb.ts';
import { NameServer } from './name-server.ts';
import { Pgbouncer } from './pgbouncer.ts';
import { allowDatabases } from './private-admin.ts';
import { type Layout, type Service, startService } from './service.ts';
import { Site } from './site.ts';
import { Topology } from './topology.ts';

/*
 * A whole service for a test run, with real servers in a separate folder: every process of the
 * Procfile, the redirect process twice. Tests share it, and each creates its own workspace.
 */

/** The running service. */
export interface Stack extends Service {
  dns: NameServer;
  /** The source of exchange rates. */
  rates: Site;
  mail: MailServer;
  dataDir: string;
}

let running: (Stack & { stores: Stores }) | undefined;

/** The servers of the service, chosen by environment variables of npm scripts. */
interface Stores {
  servers: Servers;
  /** Further settings of the processes; tests start others without them. */
  settings?: Record<string, string>;
  layout?: Layout;
  stop(): Promise<void>;
}

/** True if the service under test runs as on several machines. */
export const isTopology = (): boolean => process.env['TEST_TOPOLOGY'] !== undefined;

async function startStores(dataDir: string): Promise<Stores> {
  const clickhouseServers = process.env['TEST_CLICKHOUSE'];
  if (isTopology()) {
    // Postgres has a separate account.
    chmodSync(dataDir, 0o711);
    const hasClickHouse = clickhouseServers !== undefined;
    const topology = await Topology.start(dataDir, { hasClickHouse });
    const { servers, settings } = topology;
    if (hasClickHouse) process.env['EVENTS_URL'] = topology.clickhouse!.url;
    return { servers, settings, layout: await topology.layout(), stop: () => topology.stop() };
  }
  const servers = await startServers({ dataDir });
  await allowDatabases(servers.databaseUrl, dataDir);
  const pgbouncer =
    process.env['TEST_PGBOUNCER'] === undefined
      ? undefined
      : await Pgbouncer.start(servers.databaseUrl);
  const clickhouse =
    clickhouseServers === undefined ? undefined : await startClickHouse(Number(clickhouseServers));
  if (clickhouse !== undefined) process.env['EVENTS_URL'] = clickhouse.url;
  return {
    servers: { ...servers, ...(pgbouncer && { databaseUrl: pgbouncer.url }) },
    async stop() {
      await pgbouncer?.stop();
      await clickhouse?.stop();
      await servers.stop();
    },
  };
}

/** The service under test. */
export function stack(): Stack {
  if (running === undefined) throw new Error('the service is not running');
  return running;
}

/** Places of documentation ranges (RFC 5737, RFC 3849). */
export const PLACES = [
  { cidr: '192.0.2.0/24', record: place('DE', 'Berlin', 'Berlin') },
  { cidr: '198.51.100.0/24', record: place('JP', 'Tokyo', 'Tokyo') },
  { cidr: '203.0.113.0/24', record: place('BR', 'São Paulo', 'São Paulo') },
  { cidr: '198.19.0.0/24', record: place('DE', 'Berlin', 'Berlin (Bezirk Mitte)') },
  { cidr: '2001:db8::/32', record: place('FR', 'Île-de-France', 'Paris') },
];

function place(country_code: string, state1: string, city: string) {
  return { country_code, state1, city };
}

async function start(): Promise<void> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'shortlinks-test-'));
  const geoFile = path.join(dataDir, 'places.mmdb');
  writeFileSync(geoFile, mmdb(PLACES));
  const dns = await NameServer.start();
  const rates = await Site.start();
  const mail = await MailServer.start();
  const settings = {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    CORS_ORIGINS: 'https://app.listed.test',
    LIVE_CHECK_SECONDS: '1',
    TRUST_PROXY: '127.0.0.1,cloudflare',
    OUTBOUND_ALLOW: '127.0.0.1',
    GEOIP_DB: geoFile,
    DNS_SERVERS: dns.address,
    DNS_TARGET: 'links.target.example',
    RATES_URL: failingTwice(rates),
    // The file of rates is from 2024.
    RATES_MAX_AGE_DAYS: '0',
    SMTP_URL: mail.url('none'),
    MAIL_FROM: 'Short links <links@mail.test>',
    SECURITY_CONTACT: 'mailto:security@example.com',
    // On a busy machine, a write can take longer than the default 10 s.
    WRITE_WAIT_MS: '60000',
  };
  Object.assign(process.env, settings);
  // The certificate of the mail server. A process reads the variable when it starts, so the tests'
  // own process cannot.
  const trusting = {
    SMTP_URL: mail.url('starttls'),
    NODE_EXTRA_CA_CERTS: path.resolve('test/data/tls/localhost.crt'),
  };
  const stores = await startStores(dataDir);
  const { servers, layout } = stores;
  Object.assign(process.env, serversEnv(servers));
  reloadConfig();
  try {
    running = {
      ...(await startService(
        servers,
        { ...settings, ...trusting, ...stores.settings },
        'Procfile',
        layout,
      )),
      dns,
      mail,
      rates,
      dataDir,
      stores,
    };
    // A standby may answer the queries after a test's own write to Postgres.
    if (isTopology()) process.env['PGOPTIONS'] = '-c synchronous_commit=remote_apply';
  } catch (error) {
    await dns.stop();
    await mail.stop();
    await rates.stop();
    await stores.stop();
    throw error;
  }
}

/**
 * A source of exchange rates that is unavailable at first, as may happen when the service starts.
 */
function failingTwice(site: Site): string {
  return site.answer('/rates.xml', (_request, response) => {
    const isUp = site.requests('/rates.xml') > 2;
    response
      .writeHead(isUp ? 200 : 503)
      .end(isUp ? readFileSync('test/data/eurofxref-daily.xml') : '');
  });
}

async function stop(): Promise<void> {
  if (running === undefined) return;
  await running.runner.stop();
  await running.dns.stop();
  await running.rates.stop();
  await running.mail.stop();
  await running.stores.stop();
  rmSync(running.dataDir, { recursive: true, force: true });
}

shareService({ start, stop });
