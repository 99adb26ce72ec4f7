import { spawn } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import type { RedisProgram } from '#redis-program';
import { redisRewriteSize } from '../sizes.ts';
import { keptSecret } from './kept.ts';
import { ensureRunning, type Greeting } from './private-server.ts';
import type { Started } from './stack.ts';

/**
 * Permissions of the service: all commands except those that empty, configure or stop the server,
 * or write files. Redis 6 has `CLIENT` only as a whole; `CONFIG GET dir` distinguishes the server
 * of a DATA_DIR from that of its copy.
 */
const SERVICE = '+@all -@admin -@dangerous +client +info +config|get';

/**
 * Runs the private Redis of `dataDir`, or adopts a running one. Must be called by one process at a
 * time.
 *
 * @param fixedPort 0: any
 * @throws SetupError
 */
export async function startRedis(
  dataDir: string,
  fixedPort: number,
  program: RedisProgram,
): Promise<Started> {
  const data = path.join(dataDir, 'redis');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const password = keptSecret(path.join(dataDir, 'redis.password'));
  const adminPassword = keptSecret(path.join(dataDir, 'redis-admin.password'));
  const server = await ensureRunning(dataDir, {
    title: 'Redis',
    name: 'redis',
    portVariable: 'EMBEDDED_REDIS_PORT',
    fixedPort,
    spawn(port, logFile) {
      const child = spawn(program.command, ['-'], {
        env: { ...process.env, ...program.env, LC_ALL: 'C' },
        // A separate process group, since on Ctrl-C in the terminal the server must stop after its
        // clients.
        detached: true,
        stdio: ['pipe', logFile, logFile],
      });
      // On standard input, since every user of the machine can read a command line.
      child.stdin?.on('error', () => {}).end(settings(port, data, { password, adminPassword }));
      return child;
    },
    greet: (port) => greet(port, password, data),
    stopSignal: 'SIGTERM',
  });
  return { url: `redis://:${password}@127.0.0.1:${server.port}`, server };
}

function settings(
  port: number,
  data: string,
  { password, adminPassword }: { password: string; adminPassword: string },
): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `user default on >${password} ~* &* ${SERVICE}`,
    `user admin on >${adminPassword} ~* &* +@all`,
    `dir ${JSON.stringify(data)}`,
    'appendonly yes',
    'appendfsync everysec',
    // A start replays what was written since the last rewrite, about a minute per gigabyte on a
    // busy machine. A queue whose jobs are done is small, so a rewrite costs little.
    `auto-aof-rewrite-min-size ${redisRewriteSize()}`,
    'aof-use-rdb-preamble yes',
    'save ""',
    'maxmemory-policy noeviction',
    '',
  ].join('\n');
}

async function greet(port: number, password: string, data: string): Promise<Greeting> {
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    password,
    lazyConnect: true,
    protocol: 2,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  redis.on('error', () => {});
  try {
    await redis.connect();
    await redis.ping();
    // A copy of DATA_DIR has the same password, and its last server is the original's.
    const [, folder] = (await redis.config('GET', 'dir')) as string[];
    return realpathSync(folder ?? '/') === realpathSync(data) ? 'ready' : 'elsewhere';
  } catch (error) {
    return /WRONGPASS|NOAUTH|no password/.test((error as Error).message) ? 'refused' : 'starting';
  } finally {
    redis.disconnect();
  }
}
