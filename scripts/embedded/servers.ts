import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { findRedis } from '#redis-program';
import { ConfigError, NO_DATABASE, readConfig } from '../../src/config.ts';
import { fileVariable } from '../../src/environment.ts';
import { checkPostgres, checkRedis } from './given.ts';
import { keptSecret } from './kept.ts';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import { SetupError } from './setup-error.ts';
import { Stack } from './stack.ts';

export { SetupError };

/** Files of generated keys in DATA_DIR: the SECRET_KEY, and the second one while it is replaced. */
export const SECRET_KEY_FILE = 'secret.key';
export const OTHER_KEY_FILE = 'secret.key.other';

/** Connection data of the servers, whether the operator's or private ones. */
export interface Servers {
  databaseUrl: string;
  redisUrl: string;
  secretKey: string;
  /** Empty unless the key is being replaced. */
  otherSecretKey?: string;
  /** Absolute path of the folder for which they were started. */
  dataDir: string;
  /** Restarts private servers from now on if they crash or are killed. */
  keepRunning(): void;
  /**
   * Ends the private servers, unless another command uses them, which then ends them. The
   * operator's servers are left alone.
   */
  stop(): Promise<void>;
  /** Requests the end of the servers without waiting, for a process that ends at once. */
  abandon(): void;
}

/**
 * Starts the private servers of `dataDir`, or adopts running ones; only those for which `env` has
 * no DATABASE_URL or REDIS_URL. Configured servers are checked.
 *
 * @param options.log receives a line for each slow step; by default they go to standard error
 * @throws SetupError
 */
export async function startServers({
  dataDir: folder,
  env = process.env,
  log = (line) => console.error(line),
}: {
  dataDir: string;
  env?: NodeJS.ProcessEnv;
  log?: (line: string) => void;
}): Promise<Servers> {
  const dataDir = path.resolve(folder);
  try {
    const config = readConfig(env);
    const { DATABASE_URL: givenPostgres, REDIS_URL: givenRedis } = config;
    if (givenPostgres === NO_DATABASE) {
      throw new SetupError(
        `DATABASE_URL is ${NO_DATABASE}, with which only redirect processes run: start those by themselves, by the line "redirect" of the Procfile, or set DATABASE_URL.`,
      );
    }
    if (givenPostgres !== '') await checkPostgres(givenPostgres);
    if (givenRedis !== '') await checkRedis('REDIS_URL', givenRedis);
    if (config.CACHE_REDIS_URL !== givenRedis) {
      await checkRedis('CACHE_REDIS_URL', config.CACHE_REDIS_URL);
    }
    makeFolder(dataDir);
    const stack = new Stack(dataDir, log, {
      ...(givenPostgres === '' && {
        postgres: () => startPostgres(dataDir, config.EMBEDDED_POSTGRES_PORT, log),
      }),
      ...(givenRedis === '' && {
        redis: async () => startRedis(dataDir, config.EMBEDDED_REDIS_PORT, await findRedis(log)),
      }),
    });
    await stack.start();
    return {
      databaseUrl: stack.urlOf('postgres') ?? givenPostgres,
      redisUrl: stack.urlOf('redis') ?? givenRedis,
      secretKey: config.SECRET_KEY || keptSecret(path.join(dataDir, SECRET_KEY_FILE)),
      otherSecretKey: config.SECRET_KEY_OTHER || otherKeyIn(dataDir, config.SECRET_KEY),
      dataDir,
      keepRunning: () => stack.keepRunning(),
      stop: () => stack.stop(),
      abandon: () => stack.abandon(),
    };
  } catch (error) {
    throw asSetupError(error);
  }
}

/**
 * The second key in a folder, which exists while the key is replaced; empty if there is none, or if
 * the key is set.
 */
function otherKeyIn(dataDir: string, secretKey: string): string {
  const file = path.join(dataDir, OTHER_KEY_FILE);
  return secretKey === '' && existsSync(file) ? keptSecret(file) : '';
}

/** The environment for child processes: this process's own, with the servers. */
export function serversEnv(servers: Servers): Record<string, string> {
  const secrets = {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    SECRET_KEY: servers.secretKey,
    SECRET_KEY_OTHER: servers.otherSecretKey ?? '',
  };
  // The files have been read, and a variable and its file must not both be set. An empty variable
  // counts as unset.
  const files = Object.keys(secrets).map((name) => [fileVariable(name), '']);
  return {
    ...(process.env as Record<string, string>),
    DATA_DIR: servers.dataDir,
    ...secrets,
    ...Object.fromEntries(files),
  };
}

/** Other accounts may pass through the folder, since Postgres may run under another one. */
function makeFolder(dataDir: string): void {
  if (statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new SetupError(`DATA_DIR: ${dataDir} is not a folder: remove it, or use another.`);
  }
  if (mkdirSync(dataDir, { recursive: true }) !== undefined) chmodSync(dataDir, 0o711);
}

function asSetupError(error: unknown): unknown {
  if (error instanceof ConfigError) return new SetupError(error.message);
  const { code, path: place, message } = error as NodeJS.ErrnoException;
  if (
    place !== undefined &&
    ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR'].includes(code ?? '')
  ) {
    return new SetupError(`${message}: use an account that may write there, or another DATA_DIR.`);
  }
  return error;
}
