import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Servers } from '../../scripts/embedded/servers.ts';
import { freePorts } from '../../scripts/ports.ts';
import { parseProcfile } from '../../scripts/procfile.ts';
import { ClickHouseCluster } from './clickhouse-server.ts';
import { Haproxy, hasHaproxy } from './haproxy.ts';
import { hasPostgresPair, PostgresPair } from './postgres-pair.ts';
import { RedisCluster } from './redis-cluster.ts';
import type { Layout } from './service.ts';

/**
 * Hosts that only redirect: their addresses, and the numbers of their accounts if each has its own.
 */
export const REDIRECT_HOSTS = [
  { address: '127.0.0.2', account: 61_002 },
  { address: '127.0.0.3', account: 61_003 },
] as const;
/** Folder and account of the machine with the second process of each other kind. */
const SECOND_MACHINE = { folder: 'machine-2', account: 61_004 } as const;
const SECRET_KEY = 'the-key-of-all-hosts-of-the-topology';
/** True if all servers of a topology can be started. */
export const hasTopology = (): boolean => hasPostgresPair() && hasHaproxy();

/**
 * A service on several machines, as far as one machine can imitate them: a Redis Cluster of three
 * primaries with a replica each, a Postgres with a synchronous standby, optionally two ClickHouse
 * servers with the visits, two hosts that only redirect, two processes of each other kind, and
 * haproxy in front of them.
 */
export class Topology {
  readonly redis: RedisCluster;
  readonly postgres: PostgresPair;
  readonly haproxy: Haproxy;
  readonly clickhouse: ClickHouseCluster | undefined;
  /** Settings of all processes. */
  readonly settings: Record<string, string>;
  readonly #dataDir: string;

  private constructor(
    dataDir: string,
    servers: {
      redis: RedisCluster;
      postgres: PostgresPair;
      haproxy: Haproxy;
      clickhouse: ClickHouseCluster | undefined;
    },
  ) {
    this.#dataDir = dataDir;
    this.redis = servers.redis;
    this.postgres = servers.postgres;
    this.haproxy = servers.haproxy;
    this.clickhouse = servers.clickhouse;
    this.settings = {
      CACHE_REDIS_URL: this.redis.url,
      REDIS_WAIT_REPLICAS: '1',
      QUEUE_SHARDS: '3',
      // A promoted server is not queried.
      DATABASE_READ_URLS: `${this.postgres.standby.url},${this.postgres.primary.url}`,
      ...(this.clickhouse && { EVENTS_URL: this.clickhouse.url }),
    };
  }

  /**
   * Starts the servers, with their data in a folder that the account of Postgres can enter.
   *
   * @param options.hasClickHouse false if visits are stored in Postgres
   */
  static async start(dataDir: string, { hasClickHouse = false } = {}): Promise<Topology> {
    const haproxy = await Haproxy.prepare();
    const redis = new RedisCluster();
    const clickhouse = hasClickHouse ? await ClickHouseCluster.prepare() : undefined;
    const [postgres] = await Promise.all([
      PostgresPair.start(dataDir, 'max_connections = 500'),
      redis.start(),
      clickhouse?.start(),
    ]);
    await postgres.synchronize();
    return new Topology(dataDir, { redis, postgres, haproxy, clickhouse });
  }

  get servers(): Servers {
    return {
      databaseUrl: this.postgres.url,
      redisUrl: this.redis.url,
      secretKey: SECRET_KEY,
      dataDir: this.#dataDir,
      keepRunning() {},
      stop: () => this.stop(),
      abandon() {},
    };
  }

  /** Account of the machine with the second process of each kind, if it has its own. */
  readonly secondMachine = SECOND_MACHINE.account;

  /** Returns the folder of a redirect host. */
  folderOf({ address }: (typeof REDIRECT_HOSTS)[number]): string {
    return path.join(this.#dataDir, address);
  }

  /**
   * Returns the processes of a service on it.
   *
   * @param options.procfile file with the processes; `Procfile.small` has fewer
   * @param options.hasAccounts gives each machine its own account, which distinguishes their
   *   connections
   */
  async layout({
    procfile = 'Procfile',
    hasAccounts = false,
  }: {
    procfile?: string;
    hasAccounts?: boolean;
  } = {}): Promise<Layout> {
    const { haproxy } = this;
    const ports = await freePorts(REDIRECT_HOSTS.length + 2);
    const redirects = REDIRECT_HOSTS.map((host, n) => ({ ...host, port: ports[n]! }));
    const apiPorts = ports.slice(REDIRECT_HOSTS.length);
    const second = path.join(this.#dataDir, SECOND_MACHINE.folder);
    const folders = REDIRECT_HOSTS.map((host) => ({ ...host, folder: this.folderOf(host) }));
    for (const { folder, account } of [...folders, { ...SECOND_MACHINE, folder: second }]) {
      mkdirSync(folder, { recursive: true });
      if (hasAccounts) chownSync(folder, account, account);
    }
    const specs = parseProcfile(readFileSync(procfile, 'utf8'));
    const envOf: Layout['envOf'] = {};
    const processes = specs.flatMap(({ name, command }) =>
      [1, 2].map((n) => {
        const instance = `${name}.${n}`;
        const host = name === 'redirect' ? redirects[n - 1] : undefined;
        const account = host?.account ?? (n === 2 ? SECOND_MACHINE.account : undefined);
        envOf[instance] = {
          ...(host && {
            DATABASE_URL: 'none',
            DATABASE_READ_URLS: '',
            HOST: host.address,
            REDIRECT_PORT: String(host.port),
            DATA_DIR: this.folderOf(host),
          }),
          ...(name === 'api' && { API_PORT: String(apiPorts[n - 1]) }),
          ...(hasAccounts && host === undefined && n === 2 && { DATA_DIR: second }),
        };
        const as = hasAccounts && account !== undefined ? `${asAccount(account)} ` : '';
        return { name: instance, command: `${as}${command}` };
      }),
    );
    return {
      apiPort: haproxy.apiPort,
      apiProcessPort: apiPorts[0]!,
      redirectPort: haproxy.redirectPort,
      redirectPorts: haproxy.redirectPorts,
      processes,
      scale: {},
      envOf,
      publish: () =>
        haproxy.start(
          apiPorts.map((port) => `127.0.0.1:${port}`),
          redirects.map(({ address, port }) => `${address}:${port}`),
        ),
    };
  }

  async stop(): Promise<void> {
    await this.haproxy.stop();
    await this.clickhouse?.stop();
    await this.postgres.stop();
    await this.redis.stop();
  }
}

const asAccount = (account: number): string =>
  `setpriv --reuid ${account} --regid ${account} --clear-groups`;
