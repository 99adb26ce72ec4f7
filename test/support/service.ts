import { readFileSync } from 'node:fs';
import { type Servers, serversEnv } from '../../scripts/embedded/servers.ts';
import { migrateLatest } from '../../scripts/migrate.ts';
import { freePort } from '../../scripts/ports.ts';
import { parseProcfile, Runner } from '../../scripts/procfile.ts';

/** Every process of the Procfile, the redirect process twice. */
export interface Service {
  apiUrl: string;
  /** Two redirect processes, which must agree. */
  redirectPorts: [number, number];
  runner: Runner;
  /** The output of the processes. */
  lines: string[];
}

/**
 * Starts the service on the given servers, with the given settings.
 *
 * @param procfile its processes: those of `Procfile.small` are fewer
 */
export async function startService(
  servers: Servers,
  settings: Record<string, string>,
  procfile: 'Procfile' | 'Procfile.small' = 'Procfile',
): Promise<Service> {
  const [apiPort, first, second] = [await freePort(), await freePort(), await freePort()];
  await migrateLatest(servers);
  const lines: string[] = [];
  const runner = new Runner({
    processes: parseProcfile(readFileSync(procfile, 'utf8')),
    env: {
      ...process.env,
      ...serversEnv(servers),
      ...settings,
      API_PORT: String(apiPort),
      REDIRECT_PORT: String(first),
    },
    cwd: process.cwd(),
    scale: { redirect: 2 },
    envOf: { 'redirect.2': { REDIRECT_PORT: String(second) } },
    onLine: (name, line) => {
      lines.push(line);
      if (process.env['TEST_LOGS'] !== undefined) process.stderr.write(`${name} | ${line}\n`);
    },
  });
  await runner.start();
  return { apiUrl: `http://127.0.0.1:${apiPort}`, redirectPorts: [first, second], runner, lines };
}
