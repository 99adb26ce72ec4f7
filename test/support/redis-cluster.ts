import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { freePorts } from '../../scripts/ports.ts';
import { slotOf } from '../../src/infra/redis-topology.ts';
import { eventually } from './eventually.ts';
import { RedisNode } from './redis-node.ts';

const PASSWORD = 'of-the-cluster';
const AUTHENTICATED = ['-a', PASSWORD, '--no-auth-warning'];
/** Time without an answer after which a node counts as down, in ms. */
const NODE_TIMEOUT_MS = 2_000;
/**
 * Time for which a primary has had no replica when it is killed, in ms, less than the time after
 * which it counts as down.
 */
const AHEAD_MS = 1_000;
const READY_MS = 60_000;

const PRIMARIES = 3;

/** A Redis Cluster of three primaries, by default with a replica each. */
export class RedisCluster {
  readonly #nodes: RedisNode[] = [];
  readonly #busPorts: number[] = [];
  readonly #replicas: number;

  constructor({ replicas = 1 }: { replicas?: number } = {}) {
    this.#replicas = replicas;
  }

  /** Resolves once all nodes know each other, and all slots have a node. */
  async start(): Promise<void> {
    const count = PRIMARIES * (1 + this.#replicas);
    const ports = await freePorts(2 * count);
    this.#busPorts.push(...ports.slice(count));
    for (const port of ports.slice(0, count)) {
      const node = new RedisNode(port, [
        'cluster-enabled yes',
        `cluster-port ${ports[count + this.#nodes.length]}`,
        `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
        `requirepass ${PASSWORD}`,
        `masterauth ${PASSWORD}`,
        'appendonly yes',
        'repl-diskless-sync-delay 0',
      ]);
      this.#nodes.push(node);
      await node.start();
    }
    const addresses = this.#nodes.map(({ port }) => `127.0.0.1:${port}`);
    await this.#ask(this.#nodes[0]!, [
      '--cluster',
      'create',
      ...addresses,
      '--cluster-replicas',
      String(this.#replicas),
      '--cluster-yes',
    ]);
    await this.settled();
  }

  get url(): string {
    const hosts = this.#nodes.slice(0, PRIMARIES).map(({ port }) => `127.0.0.1:${port}`);
    return `redis+cluster://:${PASSWORD}@${hosts.join(',')}`;
  }

  get nodes(): readonly RedisNode[] {
    return this.#nodes;
  }

  /** Port on which other nodes reach a node. */
  busPortOf(node: RedisNode): number {
    return this.#busPorts[this.#nodes.indexOf(node)]!;
  }

  /** Returns the primary of a key. */
  async primaryOf(key: string): Promise<RedisNode> {
    const { port } = await this.#owner(key);
    return this.#nodes.find((node) => node.port === port)!;
  }

  /**
   * Kills the primary of a key while its replica lacks the last confirmed writes.
   *
   * @returns the killed node, once its replica has taken over
   */
  async killPrimaryOf(key: string): Promise<RedisNode> {
    const killed = await this.primaryOf(key);
    const replica = await this.#replicaOf(killed);
    replica.freeze();
    try {
      await delay(AHEAD_MS);
      await killed.kill();
    } finally {
      replica.goOn();
    }
    await eventually(async () => {
      expect((await this.primaryOf(key)).port).not.to.equal(killed.port);
    }, READY_MS);
    await this.settled(killed);
    return killed;
  }

  /** Restarts a killed node; resolves once it is a replica with all data. */
  async startAgain(node: RedisNode): Promise<void> {
    await node.start();
    await eventually(async () => {
      expect(await this.#ask(node, ['info', 'replication'])).to.match(
        /^role:slave[^]*^master_link_status:up/m,
      );
    }, READY_MS);
  }

  /** Makes the replica of a key's primary take over in order. */
  async failOver(key: string): Promise<void> {
    const replica = await this.#replicaOf(await this.primaryOf(key));
    await this.#ask(replica, ['cluster', 'failover']);
    await eventually(async () => {
      expect((await this.primaryOf(key)).port).to.equal(replica.port);
    }, READY_MS);
  }

  /**
   * Moves the slot of a key to another primary, with all its keys, without a failover meanwhile.
   */
  async moveSlotOf(key: string): Promise<void> {
    // A promoted replica would not know about the move, and lack keys. On a busy machine, nodes may
    // be silent for long.
    await this.#setEach('cluster-replica-no-failover', 'yes');
    await this.#moveSlotOf(key);
    await this.#setEach('cluster-replica-no-failover', 'no');
  }

  /**
   * Moves slots from one primary to another with redis-cli, which chooses the slots, as operators
   * do.
   */
  async reshard(slots: number): Promise<void> {
    const primaries = (await this.#list()).filter(({ isPrimary }) => isPrimary);
    const byCount = primaries.toSorted((a, b) => countSlots(b.slots) - countSlots(a.slots));
    await this.#setEach('cluster-replica-no-failover', 'yes');
    try {
      await this.#ask(this.#nodes.find(({ port }) => port === byCount[0]!.port)!, [
        '--cluster',
        'reshard',
        `127.0.0.1:${byCount[0]!.port}`,
        '--cluster-from',
        byCount[0]!.id,
        '--cluster-to',
        byCount.at(-1)!.id,
        '--cluster-slots',
        String(slots),
        '--cluster-yes',
      ]);
    } finally {
      await this.#setEach('cluster-replica-no-failover', 'no');
    }
    await this.settled();
  }

  /** Resolves once every primary has a replica with all its data. */
  async replicated(): Promise<void> {
    await this.settled();
    await eventually(async () => {
      const roles = await Promise.all(
        this.#nodes.map((node) => this.#ask(node, ['info', 'replication'])),
      );
      const replicas = roles.filter((info) => /^role:slave[^]*^master_link_status:up/m.test(info));
      expect(replicas).to.have.length(this.#nodes.length - PRIMARIES);
      const primaries = roles.filter((info) =>
        /^role:master[^]*^slave0:.*state=online/m.test(info),
      );
      expect(primaries).to.have.length(PRIMARIES);
    }, READY_MS);
  }

  async #setEach(parameter: string, value: string): Promise<void> {
    for (const node of this.#nodes) await this.#ask(node, ['config', 'set', parameter, value]);
  }

  async #moveSlotOf(key: string): Promise<void> {
    const slot = String(slotOf(key));
    const nodes = await this.#list();
    const source = await this.#owner(key);
    const target = nodes.find(({ isPrimary, port }) => isPrimary && port !== source.port)!;
    const [from, to] = [source, target].map(
      ({ port }) => this.#nodes.find((node) => node.port === port)!,
    ) as [RedisNode, RedisNode];
    await this.#ask(to, ['cluster', 'setslot', slot, 'importing', source.id]);
    await this.#ask(from, ['cluster', 'setslot', slot, 'migrating', target.id]);
    for (;;) {
      const keys = await this.#ask(from, ['cluster', 'getkeysinslot', slot, '10']);
      if (keys === '') break;
      // An existing key is left over from an attempt that timed out.
      const migrate = ['migrate', '127.0.0.1', String(target.port), '', '0', '5000', 'replace'];
      await this.#ask(from, [...migrate, 'auth', PASSWORD, 'keys', ...keys.split('\n')]);
    }
    for (const node of [to, from]) {
      await this.#ask(node, ['cluster', 'setslot', slot, 'node', target.id]);
    }
    await this.settled();
    expect((await this.primaryOf(key)).port).to.equal(target.port);
  }

  /** Reads the field `count` of a hash. */
  async countOf(key: string): Promise<number> {
    return Number(await this.#ask(await this.primaryOf(key), ['hget', key, 'count']));
  }

  /** Describes the nodes and their slots, for the output of a test. */
  async describe(): Promise<string> {
    const lists = this.#nodes.map((node) => this.#ask(node, ['cluster', 'nodes']).catch(String));
    return (await Promise.all(lists)).join('\n\n');
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.stop()));
  }

  async #ask(node: RedisNode, args: string[]): Promise<string> {
    return node.cli(...AUTHENTICATED, ...args);
  }

  /** Lists the nodes as any reachable node sees them. */
  async #list() {
    for (const node of this.#nodes) {
      const text = await this.#ask(node, ['cluster', 'nodes']).catch(() => '');
      if (text === '') continue;
      return text.split('\n').map((line) => {
        const [id = '', address = '', flags = '', primaryId = '', , , , , ...slots] =
          line.split(' ');
        const port = Number(/:(\d+)@/.exec(address)?.[1]);
        const isPrimary = flags.includes('master') && !/\bfail\b/.test(flags);
        return { id, port, primaryId, isPrimary, slots };
      });
    }
    throw new Error('no node of the cluster answers');
  }

  async #replicaOf(primary: RedisNode): Promise<RedisNode> {
    const nodes = await this.#list();
    const { id } = nodes.find(({ port }) => port === primary.port)!;
    const replica = nodes.find(({ primaryId }) => primaryId === id)!;
    return this.#nodes.find(({ port }) => port === replica.port)!;
  }

  async #owner(key: string) {
    const slot = slotOf(key);
    const owner = (await this.#list()).find(
      ({ isPrimary, slots }) =>
        isPrimary &&
        slots.some((range) => {
          const [first = 0, last = first] = range.split('-').map(Number);
          return first <= slot && slot <= last;
        }),
    );
    if (owner === undefined) throw new Error(`no node has slot ${slot}`);
    return owner;
  }

  /** Resolves once all nodes but one see a node for every slot. */
  async settled(without?: RedisNode): Promise<void> {
    await eventually(async () => {
      for (const node of this.#nodes.filter((one) => one !== without)) {
        const info = await this.#ask(node, ['cluster', 'info']);
        expect(info).to.contain('cluster_state:ok');
        expect(info).to.contain(`cluster_known_nodes:${this.#nodes.length}`);
      }
    }, READY_MS);
  }
}

const countSlots = (ranges: readonly string[]): number =>
  ranges.reduce((sum, range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return sum + last - first + 1;
  }, 0);
