import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../scripts/ports.ts';
import { eventually } from './eventually.ts';
import { kill } from './kill.ts';

const READY_MS = 30_000;

/** True where the machine has a ClickHouse server. */
export const hasClickHouse = (): boolean =>
  spawnSync('clickhouse-server', ['--version']).error === undefined;

/** A ClickHouse server with files in a folder, which is removed when it stops unless it is to be kept. */
export class ClickHouseServer {
  /** For the setting EVENTS_URL. */
  readonly url: string;
  readonly #ports: { http: number; tcp: number };
  readonly #folder: string;
  readonly #isKept: boolean;
  #child: ChildProcess | undefined;

  private constructor(ports: { http: number; tcp: number }, keptIn?: string) {
    this.#ports = ports;
    this.#isKept = keptIn !== undefined;
    this.#folder = keptIn ?? mkdtempSync(path.join(tmpdir(), 'shortlinks-clickhouse-'));
    mkdirSync(this.#folder, { recursive: true });
    this.url = `clickhouse://default:se%40cret@127.0.0.1:${ports.http}/default`;
  }

  /**
   * Finds free ports; nothing is started yet.
   *
   * @param keptIn folder that is kept, and used again by the next run
   */
  static async prepare(keptIn?: string): Promise<ClickHouseServer> {
    return new ClickHouseServer({ http: await freePort(), tcp: await freePort() }, keptIn);
  }

  /** Resolves when it answers. It keeps its data over starts. */
  async start(): Promise<void> {
    const folder = this.#folder;
    const { http, tcp } = this.#ports;
    writeFileSync(
      path.join(folder, 'config.xml'),
      `<yandex>
  <logger><level>error</level><console>1</console></logger>
  <http_port>${http}</http_port><tcp_port>${tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
  <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><mark_cache_size>67108864</mark_cache_size>
  <users_config>users.xml</users_config>
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
    <password>se@cret</password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota>
  </default></users>
</yandex>`,
    );
    const child = spawn('clickhouse-server', [`--config-file=${folder}/config.xml`], {
      cwd: folder,
      stdio: 'ignore',
    });
    this.#child = child;
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error(`clickhouse-server ended: ${child.exitCode}`);
      const answer = await fetch(`http://127.0.0.1:${http}/ping`);
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`clickhouse-server answered ${answer.status}`);
    }, READY_MS);
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

  /** Ends it as an accident would. */
  kill(): Promise<void> {
    return kill(this.#child);
  }

  async stop(): Promise<void> {
    await this.kill();
    if (!this.#isKept) rmSync(this.#folder, { recursive: true, force: true });
  }
}
