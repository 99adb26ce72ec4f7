import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from '../support/service.ts';
import { REDIRECT_HOSTS, type Topology } from '../support/topology.ts';
import type { Network } from './network.ts';

/** Longest time for which something is frozen or disconnected, in ms. */
const LONGEST_MS = 15_000;
/** Duration after which a node of the cluster certainly counts as down, in ms. */
const FAILED_OVER_MS = 6_000;
const CLOCK_MS = 20_000;
const DISK_BYTES = 24 * 2 ** 20;

/** Servers, processes and networks that faults act on. */
export interface Means {
  topology: Topology;
  service: Service;
  network: Network;
  random: () => number;
  /** Folders of the redirect hosts' disks, if they could be mounted. */
  disks: readonly string[];
  /** File with the clock offset of some processes, if clocks can be shifted. */
  clockFile: string | undefined;
}

/** A fault of a server, a network or a disk, which is repaired before `happen` resolves. */
interface Fault {
  name: string;
  /**
   * Causes and repairs the fault.
   * @returns an addition to the name, such as the affected node
   */
  happen(means: Means): Promise<string | undefined>;
  /** Returns the reason why the fault cannot occur in this run. */
  skipped?(means: Means): string | undefined;
}

const pick = <T>({ random }: Means, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)]!;
const between = ({ random }: Means, least: number, most: number) =>
  least + random() * (most - least);
const pause = (means: Means, least = 1_000) => delay(between(means, least, LONGEST_MS));
const slotKeys = ['{q-writes}', '{q-shard-1}', '{channels}', 'some', 'other', 'third'];

const noNetwork = ({ network }: Means) =>
  network.isOpen ? undefined : 'rules of routing cannot be changed by this account';
const noClickHouse = ({ topology }: Means) =>
  topology.clickhouse === undefined ? 'clickhouse-server is not installed' : undefined;
const noDisk = ({ disks }: Means) =>
  disks.length > 0 ? undefined : 'no file system can be mounted by this account';

/** Faults of servers, one at a time, since one of two copies must be up. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'kill a primary of Redis while its replica lags',
    async happen(means) {
      const { redis } = means.topology;
      const node = await redis.killPrimaryOf(pick(means, slotKeys));
      await pause(means);
      await redis.startAgain(node);
      return String(node.port);
    },
  },
  {
    name: 'kill a node of Redis',
    async happen(means) {
      const node = pick(means, means.topology.redis.nodes);
      await node.kill();
      await pause(means, 200);
      await node.start();
      return String(node.port);
    },
  },
  {
    name: 'freeze a node of Redis',
    async happen(means) {
      const node = pick(means, means.topology.redis.nodes);
      node.freeze();
      await pause(means, 200);
      node.goOn();
      return String(node.port);
    },
  },
  {
    name: 'let a replica of Redis take over in order',
    async happen(means) {
      const key = pick(means, slotKeys);
      await means.topology.redis.failOver(key);
      return key;
    },
  },
  {
    name: 'move slots to another primary of Redis',
    async happen(means) {
      const count = Math.round(between(means, 50, 800));
      await means.topology.redis.reshard(count);
      return String(count);
    },
  },
  {
    name: 'cut a node of Redis off from all',
    skipped: noNetwork,
    async happen(means) {
      const { topology, network } = means;
      const node = pick(means, topology.redis.nodes);
      const heal = network.cut({ ports: [node.port, topology.redis.busPortOf(node)] });
      await pause(means, FAILED_OVER_MS);
      heal();
      return String(node.port);
    },
  },
  {
    name: 'cut a redirect host off from Redis',
    skipped: noNetwork,
    async happen(means) {
      const { topology, network } = means;
      const host = pick(means, REDIRECT_HOSTS);
      const ports = topology.redis.nodes.map(({ port }) => port);
      const heal = network.cut({ ports, from: host.account });
      await pause(means);
      heal();
      return host.address;
    },
  },
  {
    name: 'cut a machine off from Redis',
    skipped: noNetwork,
    async happen(means) {
      const { topology, network } = means;
      const ports = topology.redis.nodes.map(({ port }) => port);
      const heal = network.cut({ ports, from: topology.secondMachine });
      await pause(means);
      heal();
      return undefined;
    },
  },
  {
    name: 'cut a machine off from Postgres',
    skipped: noNetwork,
    async happen(means) {
      const { topology, network } = means;
      const { primary, standby } = topology.postgres;
      const heal = network.cut({
        ports: [primary.port, standby.port],
        from: topology.secondMachine,
      });
      await pause(means);
      heal();
      return undefined;
    },
  },
  {
    name: 'kill the primary of Postgres',
    async happen(means) {
      const { primary } = means.topology.postgres;
      await primary.stop();
      await pause(means, 200);
      await primary.start();
      return undefined;
    },
  },
  {
    name: 'freeze the primary of Postgres',
    async happen(means) {
      const { primary } = means.topology.postgres;
      primary.freeze();
      await pause(means, 200);
      primary.goOn();
      return undefined;
    },
  },
  {
    name: 'freeze the standby of Postgres',
    async happen(means) {
      const { standby } = means.topology.postgres;
      standby.freeze();
      await pause(means, 200);
      standby.goOn();
      return undefined;
    },
  },
  {
    name: 'kill the standby of Postgres',
    async happen(means) {
      const { standby } = means.topology.postgres;
      await standby.stop();
      await pause(means, 200);
      await standby.start();
      return undefined;
    },
  },
  {
    name: 'promote the standby of Postgres',
    async happen(means) {
      const { postgres } = means.topology;
      await postgres.failOver();
      await pause(means, 200);
      await postgres.rebuildStandby();
      return undefined;
    },
  },
  {
    name: 'kill a node of ClickHouse',
    skipped: noClickHouse,
    async happen(means) {
      const node = pick(means, means.topology.clickhouse!.nodes);
      await node.kill();
      await pause(means, 200);
      await node.start();
      return String(node.tcpPort);
    },
  },
  {
    name: 'freeze a node of ClickHouse',
    skipped: noClickHouse,
    async happen(means) {
      const node = pick(means, means.topology.clickhouse!.nodes);
      node.freeze();
      await pause(means, 200);
      node.resume();
      return String(node.tcpPort);
    },
  },
  {
    name: 'cut the nodes of ClickHouse off from each other',
    skipped: (means) => noClickHouse(means) ?? noNetwork(means),
    async happen(means) {
      const { topology, network } = means;
      const heal = network.cut({ ports: topology.clickhouse!.nodes.map(({ tcpPort }) => tcpPort) });
      await pause(means);
      heal();
      return undefined;
    },
  },
  {
    name: 'fill the disk of a redirect host while it is cut off from Redis',
    skipped: (means) => noDisk(means) ?? noNetwork(means),
    async happen(means) {
      const { topology, network, disks } = means;
      const n = Math.floor(means.random() * disks.length);
      const empty = fill(disks[n]!);
      const ports = topology.redis.nodes.map(({ port }) => port);
      const heal = network.cut({ ports, from: REDIRECT_HOSTS[n]!.account });
      await delay(between(means, 500, 5_000));
      heal();
      await pause(means, 500);
      empty();
      return REDIRECT_HOSTS[n]!.address;
    },
  },
  {
    name: 'let a disk of a redirect host hang while it is cut off from Redis',
    skipped: (means) => noDisk(means) ?? noNetwork(means),
    async happen(means) {
      const { topology, network, disks } = means;
      const n = Math.floor(means.random() * disks.length);
      const ports = topology.redis.nodes.map(({ port }) => port);
      execFileSync('fsfreeze', ['-f', disks[n]!]);
      const heal = network.cut({ ports, from: REDIRECT_HOSTS[n]!.account });
      try {
        await delay(between(means, 500, 5_000));
      } finally {
        execFileSync('fsfreeze', ['-u', disks[n]!]);
      }
      await pause(means, 500);
      heal();
      return REDIRECT_HOSTS[n]!.address;
    },
  },
  {
    name: 'set the clock of a machine an hour wrong',
    skipped: ({ clockFile }) =>
      clockFile === undefined ? 'libfaketime is not installed' : undefined,
    async happen(means) {
      const hour = pick(means, ['+3600', '-3600']);
      writeFileSync(means.clockFile!, hour);
      await delay(CLOCK_MS);
      writeFileSync(means.clockFile!, '+0');
      return hour;
    },
  },
];

/** Kills or freezes one process of the service, while any other fault is active. */
export async function harmProcess(means: Means): Promise<string> {
  const { runner } = means.service;
  const name = pick(means, runner.names);
  if (!runner.isRunning(name)) return `${name} was not running`;
  if (means.random() < 0.6) {
    runner.kill(name, 'SIGKILL');
    return `killed ${name}`;
  }
  const pid = runner.pidOf(name);
  const ms = between(means, 200, LONGEST_MS);
  process.kill(pid, 'SIGSTOP');
  await delay(ms);
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // The supervisor has killed the process.
  }
  return `froze ${name} for ${(ms / 1000).toFixed(1)} s`;
}

/**
 * Fills a disk.
 * @returns a function that frees the space
 */
function fill(folder: string): () => void {
  const file = path.join(folder, 'filler');
  const { bavail, bsize } = statfsSync(folder);
  for (const size of [bavail * bsize, 4_096]) {
    try {
      writeFileSync(file, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // The disk is full.
    }
  }
  return () => rmSync(file, { force: true });
}

/**
 * Mounts a small disk image from a file.
 * @returns false if this account cannot mount it
 */
export function mountDisk(file: string, folder: string, account: number): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, '');
    truncateSync(file, DISK_BYTES);
    execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', file]);
    execFileSync('mount', ['-o', 'loop', file, folder]);
    for (const name of ['.', ...readdirSync(folder)]) {
      execFileSync('chown', [String(account), path.join(folder, name)]);
    }
    return true;
  } catch {
    return false;
  }
}
