import { existsSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../../src/config.ts';
import { hostsOf } from './given.ts';
import { type Servers, startServers } from './servers.ts';
import { SetupError } from './setup-error.ts';

/** Files of an installation under systemd, whose settings are known only to its units. */
const INSTALLED = ['/etc/shortlinks.env', '/etc/systemd/system/shortlinks.target'];

/**
 * Returns the servers of an existing installation for a command: those of the environment, or the
 * private ones of `npm start`. Creating some here would make the command work on an empty
 * installation instead of the intended one.
 *
 * @param options.log receives a line that names the servers, and one for each slow step
 * @param options.mayCreate true if the DATA_DIR of the environment may be new
 * @throws SetupError if there are none
 */
export async function existingServers({
  log,
  mayCreate = false,
}: {
  log: (line: string) => void;
  mayCreate?: boolean;
}): Promise<Servers> {
  checkInstallation({ mayCreate });
  const { DATA_DIR, DATABASE_URL, REDIS_URL } = readConfig(process.env);
  const placeOf = (url: string, usualPort: string) =>
    url === '' ? `of ${DATA_DIR}` : `at ${hostsOf(url, usualPort)}`;
  log(`Uses Postgres ${placeOf(DATABASE_URL, '5432')} and Redis ${placeOf(REDIS_URL, '6379')}.`);
  return startServers({ dataDir: DATA_DIR, log });
}

/** Runs the checks of `existingServers` without starting anything. @throws SetupError */
export function checkInstallation({ mayCreate = false }: { mayCreate?: boolean } = {}): void {
  const { DATA_DIR, DATABASE_URL, REDIS_URL } = readConfig(process.env);
  const unset = [
    { variable: 'DATABASE_URL', url: DATABASE_URL, folder: 'postgres' },
    { variable: 'REDIS_URL', url: REDIS_URL, folder: 'redis' },
  ].filter(({ url }) => url === '');
  const isNamed = (process.env['DATA_DIR'] ?? '') !== '';
  if (unset.length === 0 || (mayCreate && isNamed)) return;
  const installed = INSTALLED.find((file) => existsSync(file));
  const lacks = unset.some(({ folder }) => !existsSync(path.join(DATA_DIR, folder)));
  if (!lacks && (isNamed || installed === undefined)) return;
  const variables = unset.map(({ variable }) => variable).join(' and ');
  const verb = unset.length === 1 ? 'is' : 'are';
  if (installed !== undefined && !isNamed) {
    throw new SetupError(
      `${installed} belongs to an installation, and ${variables} ${verb} not set here: run this with its settings (docs/systemd.md), or set DATA_DIR=${DATA_DIR} to use private servers there.`,
    );
  }
  const remedy = mayCreate
    ? 'set DATA_DIR to the folder of a new one'
    : 'make private servers by "npm start"';
  throw new SetupError(
    `There is no installation in ${DATA_DIR}, and ${variables} ${verb} not set: run this with the settings of your installation, or ${remedy}.`,
  );
}
