import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { freePorts } from '../../scripts/ports.ts';
import { eventually } from './eventually.ts';
import { RedisNode } from './redis-node.ts';

const NAME = 'main';
const PASSWORD = 'of-the-servers';
/** Arguments of redis-cli. */
export const AUTHENTICATED = ['-a', PASSWORD];
/** Time without an answer after which a server counts as down, in ms. */
const DOWN_MS = 1_000;
/**
 * Time for which a primary has had no replica when it is killed, in ms, less than the time after
 * which it counts as down.
 */
const AHEAD_MS = 700;
const START_MS = 30_000;
/**
 * Time limit of a failover, in ms: a sentinel whose clock has jumped, as after a suspension, does
 * nothing for 30 s.
 */
const FAILOVER_MS = 60_000;

/** A Redis primary, two replicas, and three sentinels that promote one of them. */
export class Sentinels {
  readonly #servers: RedisNode[] = [];
  readonly #sentinels: RedisNode[] = [];

  /** Resolves once the sentinels know all servers and each other. */
  async start(): Promise<void> {
    const [first = 0, ...ports] = await freePorts(6);
    for (const port of [first, ...ports.slice(0, 2)]) {
      const server = new RedisNode(port, [
        `requirepass ${PASSWORD}`,
        `masterauth ${PASSWORD}`,
        'appendonly yes',
        // A replaced primary that does not know about it must accept no write.
        'min-replicas-to-write 1',
        'repl-diskless-sync-delay 0',
        ...(port === first ? [] : [`replicaof 127.0.0.1 ${first}`]),
      ]);
      this.#servers.push(server);
      await server.start();
    }
    for (const port of ports.slice(2)) {
      const sentinel = new RedisNode(port, [
        `sentinel monitor ${NAME} 127.0.0.1 ${first} 2`,
        `sentinel auth-pass ${NAME} ${PASSWORD}`,
        `sentinel down-after-milliseconds ${NAME} ${DOWN_MS}`,
        `sentinel failover-timeout ${NAME} 5000`,
      ]);
      this.#sentinels.push(sentinel);
      await sentinel.start('sentinel');
    }
    await eventually(async () => {
      for (const sentinel of this.#sentinels) {
        const { replicas, others } = await stateOf(sentinel);
        expect([replicas, others]).to.deep.equal([2, 2]);
      }
    }, START_MS);
  }

  get url(): string {
    const hosts = this.#sentinels.map(({ port }) => `127.0.0.1:${port}`);
    return `redis+sentinel://:${PASSWORD}@${hosts.join(',')}/${NAME}`;
  }

  /** Returns the writable server. */
  async primary(): Promise<RedisNode> {
    const { port } = await stateOf(this.#sentinels[0]!);
    return this.#servers.find((server) => server.port === port)!;
  }

  /**
   * Kills the primary while its replicas lack the last confirmed writes. @returns as {@link
   * stopPrimary}
   */
  async killPrimaryAhead(): Promise<RedisNode> {
    const primary = await this.primary();
    const replicas = this.#servers.filter((server) => server !== primary);
    for (const replica of replicas) replica.freeze();
    try {
      await delay(AHEAD_MS);
      await primary.kill();
    } finally {
      for (const replica of replicas) replica.goOn();
    }
    return this.#replaced(primary);
  }

  /** Stops the primary in order. @returns the server, once another one is writable in its place */
  async stopPrimary(): Promise<RedisNode> {
    const primary = await this.primary();
    await primary.kill('SIGTERM');
    return this.#replaced(primary);
  }

  async #replaced(ended: RedisNode): Promise<RedisNode> {
    await eventually(async () => {
      for (const sentinel of this.#sentinels) {
        expect((await stateOf(sentinel)).port).not.to.equal(ended.port);
      }
    }, FAILOVER_MS);
    // The new primary refuses writes until a replica follows it.
    await this.#hasReplicas(1);
    return ended;
  }

  /** Restarts a replaced server. Resolves once the primary has both replicas. */
  async startAgain(server: RedisNode): Promise<void> {
    await server.start();
    await this.#hasReplicas(this.#servers.length - 1);
  }

  async #hasReplicas(count: number): Promise<void> {
    await eventually(async () => {
      const primary = await this.primary();
      const state = await primary.cli(...AUTHENTICATED, 'info', 'replication');
      expect(state.match(/state=online/g)).to.have.length(count);
    }, FAILOVER_MS);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sentinels, ...this.#servers].map((node) => node.stop()));
  }
}

async function stateOf(sentinel: RedisNode) {
  const lines = (await sentinel.cli('sentinel', 'master', NAME)).split('\n');
  const valueOf = (field: string) => Number(lines[lines.indexOf(field) + 1]);
  return {
    port: valueOf('port'),
    replicas: valueOf('num-slaves'),
    others: valueOf('num-other-sentinels'),
  };
}
