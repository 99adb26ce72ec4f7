import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../scripts/ports.ts';
import { eventually } from './eventually.ts';
import { kill } from './kill.ts';

const READY_MS = 30_000;
const PASSWORD = 'se@cret';
/** Name of the cluster in the configuration of its servers. */
const CLUSTER = 'events';

interface Ports {
  http: number;
  tcp: number;
  /** Port on which replicas fetch from each other. */
  between: number;
}

/** True if the machine has a ClickHouse server. */
export const hasClickHouse = (): boolean =>
  spawnSync('clickhouse-server', ['--version']).error === undefined;

/** Servers that store events, described by one value of EVENTS_URL. */
export interface EventsServer {
  readonly url: string;
  /** Resolves once all answer. They keep their data over restarts. */
  start(): Promise<void>;
  /** Adds a database. @returns the value of EVENTS_URL for it */
  addDatabase(name: string): Promise<string>;
  /** Kills one, like an accident. */
  kill(): Promise<void>;
  /** Ends all and removes their files. */
  stop(): Promise<void>;
}

/**
 * A ClickHouse server with files in a folder, which is removed when it stops unless it is to be
 * kept.
 */
export class ClickHouseServer implements EventsServer {
  /** URL for the setting EVENTS_URL. */
  readonly url: string;
  readonly tcpPort: number;
  readonly #ports: Ports;
  readonly #folder: string;
  readonly #isKept: boolean;
  #child: ChildProcess | undefined;
  #cluster = '';
  #keeper = '';

  private constructor(ports: Ports, keptIn?: string) {
    this.#ports = ports;
    this.tcpPort = ports.tcp;
    this.#isKept = keptIn !== undefined;
    this.#folder = keptIn ?? mkdtempSync(path.join(tmpdir(), 'shortlinks-clickhouse-'));
    mkdirSync(this.#folder, { recursive: true });
    this.url = `clickhouse://default:se%40cret@127.0.0.1:${ports.http}/default`;
  }

  /**
   * Finds free ports without starting anything.
   *
   * @param keptIn folder that is kept for the next run
   */
  static async prepare(keptIn?: string): Promise<ClickHouseServer> {
    const [http, tcp, between] = [await freePort(), await freePort(), await freePort()];
    return new ClickHouseServer({ http, tcp, between }, keptIn);
  }

  /**
   * Makes it a node of a cluster; a running server reads that within two seconds.
   *
   * @param zookeeperPort port of the ZooKeeper for replication between the nodes of a shard, which
   *   a running server does not read
   */
  join(shards: readonly (readonly ClickHouseServer[])[], zookeeperPort?: number): void {
    const replica = ({ tcpPort }: ClickHouseServer) =>
      `<replica><host>127.0.0.1</host><port>${tcpPort}</port><user>default</user><password>${PASSWORD}</password></replica>`;
    const copies = `<internal_replication>${zookeeperPort !== undefined}</internal_replication>`;
    this.#cluster = shards
      .map((replicas) => `<shard>${copies}${replicas.map(replica).join('')}</shard>`)
      .join('\n    ');
    if (zookeeperPort !== undefined) {
      const shard = shards.findIndex((replicas) => replicas.includes(this));
      this.#keeper = `<zookeeper><node><host>127.0.0.1</host><port>${zookeeperPort}</port></node></zookeeper>
  <macros><shard>${shard}</shard><replica>${this.tcpPort}</replica></macros>`;
    }
    this.#configure();
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && !this.#child.killed;
  }

  /** Resolves once it answers. It keeps its data over restarts. */
  async start(): Promise<void> {
    const folder = this.#folder;
    this.#configure();
    const child = spawn('clickhouse-server', [`--config-file=${folder}/config.xml`], {
      cwd: folder,
      stdio: 'ignore',
    });
    this.#child = child;
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`clickhouse-server ended: ${child.exitCode}`);
      const answer = await fetch(`http://127.0.0.1:${this.#ports.http}/ping`);
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`clickhouse-server answered ${answer.status}`);
    }, READY_MS);
  }

  #configure(): void {
    const folder = this.#folder;
    const { http, tcp, between } = this.#ports;
    writeFileSync(
      path.join(folder, 'config.xml'),
      `<yandex>
  <logger><level>error</level><console>1</console></logger>
  <http_port>${http}</http_port><tcp_port>${tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
  <interserver_http_port>${between}</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>
  <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><mark_cache_size>67108864</mark_cache_size>
  <users_config>users.xml</users_config>
  <remote_servers><${CLUSTER}>
    ${this.#cluster}
  </${CLUSTER}></remote_servers>
  ${this.#keeper}
  <default_profile>default</default_profile><default_database>default</default_database>
</yandex>`,
    );
    writeFileSync(
      path.join(folder, 'users.xml'),
      `<yandex>
  <profiles><default>
    <low_cardinality_max_dictionary_size>1000000</low_cardinality_max_dictionary_size>
    <low_cardinality_use_single_dictionary_for_part>1</low_cardinality_use_single_dictionary_for_part>
  </default></profiles><quotas><default></default></quotas>
  <users><default>
    <password>${PASSWORD}</password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota>
  </default></users>
</yandex>`,
    );
  }

  /** Adds a database. @returns the value of EVENTS_URL for it */
  async addDatabase(name: string): Promise<string> {
    const url = new URL(this.url.replace('clickhouse:', 'http:'));
    const answer = await fetch(`${url.origin}/?user=${url.username}&password=${url.password}`, {
      method: 'POST',
      body: `CREATE DATABASE ${name}`,
    });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.body?.cancel();
    return this.url.replace(/default$/, name);
  }

  /** Suspends it, so that it keeps its connections without answering, until {@link resume}. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Kills it, like an accident. */
  kill(): Promise<void> {
    return kill(this.#child);
  }

  async stop(): Promise<void> {
    await this.kill();
    if (!this.#isKept) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Several ClickHouse servers in a cluster. */
export class ClickHouseCluster implements EventsServer {
  readonly nodes: readonly ClickHouseServer[];
  readonly #isReplicated: boolean;

  private constructor(shards: readonly (readonly ClickHouseServer[])[], zookeeperPort?: number) {
    this.nodes = shards.flat();
    this.#isReplicated = zookeeperPort !== undefined;
    for (const node of this.nodes) node.join(shards, zookeeperPort);
  }

  /**
   * Finds free ports without starting anything.
   *
   * @param options.zookeeperPort port of the ZooKeeper for replicated tables
   */
  static async prepare({
    shards = 2,
    replicas = 1,
    zookeeperPort,
  }: {
    shards?: number;
    replicas?: number;
    zookeeperPort?: number;
  } = {}): Promise<ClickHouseCluster> {
    const nodes: ClickHouseServer[][] = [];
    for (let shard = 0; shard < shards; shard += 1) {
      const ofShard: ClickHouseServer[] = [];
      while (ofShard.length < replicas) ofShard.push(await ClickHouseServer.prepare());
      nodes.push(ofShard);
    }
    return new ClickHouseCluster(nodes, zookeeperPort);
  }

  /** URL for the setting EVENTS_URL. */
  get url(): string {
    return this.urlOf(this.nodes.map(({ url }) => url));
  }

  /** Starts the nodes that do not run. Resolves once all answer. */
  async start(): Promise<void> {
    const others = this.nodes.filter((node) => !node.isRunning);
    await Promise.all(others.map((node) => node.start()));
  }

  /** Kills one node, like an accident. */
  async kill(): Promise<void> {
    await this.nodes.at(-1)!.kill();
  }

  /** Adds a database to all nodes. @returns the value of EVENTS_URL for it */
  async addDatabase(name: string): Promise<string> {
    return this.urlOf(await Promise.all(this.nodes.map((node) => node.addDatabase(name))));
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  /** Returns the value of EVENTS_URL for servers with these URLs. */
  urlOf([first, ...others]: readonly string[]): string {
    const [url, ...rest] = [first!, ...others].map((one) => new URL(one));
    const hosts = [url!, ...rest].map(({ host }) => host).join(',');
    return `${url!.href.replace(url!.host, hosts)}?cluster=${CLUSTER}${this.#isReplicated ? '&replicated=1' : ''}`;
  }
}

/** Starts the servers for the events of tests: one, or a cluster of several. */
export async function startClickHouse(count: number): Promise<EventsServer> {
  const server =
    count === 1
      ? await ClickHouseServer.prepare()
      : await ClickHouseCluster.prepare({ shards: count });
  await server.start();
  return server;
}
