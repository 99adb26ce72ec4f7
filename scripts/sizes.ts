import type { Config } from '../src/config.ts';
import { isSmallMachine, machineMemory } from '../src/infra/machine.ts';

const MB = 2 ** 20;

/** Chooses the Procfile for `npm start` on this machine. */
export function procfileFor({ WORKER_PROCESSES: wish }: Config): string {
  const isOne = wish === 'auto' ? isSmallMachine() : wish === 'one';
  return isOne ? 'Procfile.small' : 'Procfile';
}

/** Settings of `npm start` on a small machine that the operator has not set. */
const SMALL_SETTINGS = {
  DATABASE_POOL: '5',
  WEBHOOKS_CONCURRENCY: '100',
  CLICKS_CONCURRENCY: '60',
  METATAGS_CONCURRENCY: '16',
  IMAGES_CONCURRENCY: '4',
  QR_CONCURRENCY: '2',
} satisfies Partial<Record<keyof Config, string>>;

/**
 * The near cache of a redirect process takes about 150 bytes per entry, and at most an eighth of
 * the memory.
 */
const CACHE_SHARE = 8;
const ENTRY_BYTES = 150;

/** Returns settings for this machine that the operator has not set. */
export function settingsFor(env: NodeJS.ProcessEnv): Record<string, string> {
  if (!isSmallMachine()) return {};
  const entries = Math.floor(machineMemory() / CACHE_SHARE / ENTRY_BYTES / 1_000) * 1_000;
  const all: Record<string, string> = {
    ...SMALL_SETTINGS,
    REDIRECT_CACHE_ENTRIES: String(Math.min(entries, 1_000_000)),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !env[name]));
}

/**
 * Settings of the private Postgres, with its default durability.
 *
 * @param major its major version
 */
export function postgresSettings(major: number): Record<string, string> {
  const buffers = Math.floor(machineMemory() / 16 / MB);
  const settings = {
    shared_buffers: `${Math.max(24, Math.min(buffers, 1024))}MB`,
    checkpoint_timeout: '15min',
  };
  if (!isSmallMachine()) return { ...settings, max_connections: '200', max_wal_size: '4GB' };
  return {
    ...settings,
    max_connections: '60',
    max_wal_size: '1GB',
    wal_compression: 'on',
    maintenance_work_mem: '32MB',
    autovacuum_max_workers: '1',
    // Background processes that this service does not use.
    max_logical_replication_workers: '0',
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    ...(major >= 18 ? { io_method: 'sync' } : {}),
  };
}

/**
 * Size from which the private Redis rewrites its append-only file, which it replays at its next
 * start.
 */
export const redisRewriteSize = (): string => (isSmallMachine() ? '16mb' : '64mb');
