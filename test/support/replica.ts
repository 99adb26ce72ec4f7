import { expect } from 'chai';
import { freePort } from '../../scripts/ports.ts';
import { eventually } from './eventually.ts';
import { RedisNode } from './redis-node.ts';

const SYNC_MS = 60_000;

/** A replica of another Redis server. */
export class Replica extends RedisNode {
  readonly #primary: URL;

  /** @param primary URL with an account that may replicate */
  constructor(port: number, primary: string) {
    const url = new URL(primary);
    super(port, [
      `masteruser ${url.username}`,
      `masterauth ${url.password}`,
      `replicaof ${url.hostname} ${url.port}`,
      'save ""',
    ]);
    this.#primary = url;
  }

  /** Resolves once it has the data of its primary. */
  override async start(): Promise<void> {
    await super.start();
    await this.inSync();
  }

  /** Resolves once it has the data of its primary. */
  async inSync(): Promise<void> {
    await eventually(async () => {
      const info = await this.cli('info', 'replication');
      expect(info).to.match(/^role:slave[^]*^master_link_status:up/m);
    }, SYNC_MS);
  }

  /** Disconnects it from its primary, or reconnects them. */
  async setCut(isCut: boolean): Promise<void> {
    const { hostname, port } = this.#primary;
    await this.cli('replicaof', hostname, isCut ? String(await freePort()) : port);
  }
}
