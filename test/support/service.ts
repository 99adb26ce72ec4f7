import { readFileSync } from 'node:fs';
import { withSingleFiles } from '#programs';
import { type Servers, serversEnv } from '../../scripts/embedded/servers.ts';
import { migrateLatest } from '../../scripts/migrations.ts';
import { freePort } from '../../scripts/ports.ts';
import { type ProcessSpec, parseProcfile, Runner } from '../../scripts/procfile.ts';

/** Numbers of processes of a service, and their ports. */
export interface Layout {
  /** Port of the API for clients. */
  apiPort: number;
  /** Port of a single API process. */
  apiProcessPort: number;
  /** Port for visitors. */
  redirectPort: number;
  /** Ports of two redirect processes, which must agree. */
  redirectPorts: [number, number];
  /** As in {@link RunnerOptions}. */
  processes?: ProcessSpec[];
  scale: Record<string, number>;
  envOf: Record<string, Record<string, string>>;
  /** Starts the servers in front of the processes, once these are ready. */
  publish?(): Promise<void>;
}

/** A running service. */
export interface Service extends Pick<Layout, 'redirectPort' | 'redirectPorts'> {
  apiUrl: string;
  /** URL of a single API process, without a proxy. */
  apiProcessUrl: string;
  runner: Runner;
  /** Output of the processes. */
  lines: string[];
  /** Names of the processes of a line of the Procfile, of which there may be several copies. */
  copies(name: string): string[];
  /** Metrics of all these processes, concatenated. */
  metrics(name: string): Promise<string>;
  /** Value of a series in each of them; 0 if it is missing. */
  metric(name: string, series: string): Promise<number[]>;
  /** Sends a signal to all these processes. @throws Error if one is not running */
  signal(name: string, signal: NodeJS.Signals): void;
  /** Number of their restarts. */
  restarts(name: string): number;
}

/** Chooses the layout with every process of the Procfile, the redirect process twice. */
export async function onOneMachine(): Promise<Layout> {
  const [apiPort, first, second] = [await freePort(), await freePort(), await freePort()];
  return {
    apiPort,
    apiProcessPort: apiPort,
    redirectPort: first,
    redirectPorts: [first, second],
    scale: { redirect: 2 },
    envOf: { 'redirect.2': { REDIRECT_PORT: String(second) } },
  };
}

/**
 * Reads a Procfile. Coverage is measured by lines of the sources, so it uses single files instead
 * of bundles.
 */
function commandsOf(procfile: string): string {
  const text = readFileSync(procfile, 'utf8');
  return process.env['NODE_V8_COVERAGE'] === undefined ? text : withSingleFiles(text);
}

/**
 * Starts the service on the given servers, with the given settings.
 *
 * @param procfile file with its processes; `Procfile.small` has fewer
 */
export async function startService(
  servers: Servers,
  settings: Record<string, string>,
  procfile: 'Procfile' | 'Procfile.small' = 'Procfile',
  layout?: Layout,
): Promise<Service> {
  const { apiPort, apiProcessPort, redirectPort, redirectPorts, processes, scale, envOf, publish } =
    layout ?? (await onOneMachine());
  await migrateLatest(servers);
  const lines: string[] = [];
  const runner = new Runner({
    processes: processes ?? parseProcfile(commandsOf(procfile)),
    env: {
      ...process.env,
      ...serversEnv(servers),
      ...(layout && { BASE_URL: `http://localhost:${apiPort}` }),
      ...settings,
      API_PORT: String(apiPort),
      REDIRECT_PORT: String(redirectPort),
    },
    cwd: process.cwd(),
    scale,
    envOf,
    onLine: (name, line) => {
      lines.push(line);
      if (process.env['TEST_LOGS'] !== undefined) process.stderr.write(`${name} | ${line}\n`);
    },
  });
  await runner.start();
  try {
    await publish?.();
  } catch (error) {
    await runner.stop();
    throw error;
  }
  const copies = (name: string) =>
    runner.names.filter((one) => one === name || one.startsWith(`${name}.`));
  const texts = (name: string) =>
    Promise.all(
      copies(name).map(async (one) => (await fetch(`${runner.healthUrlOf(one)}/metrics`)).text()),
    );
  return {
    apiUrl: `http://127.0.0.1:${apiPort}`,
    apiProcessUrl: `http://127.0.0.1:${apiProcessPort}`,
    redirectPort,
    redirectPorts,
    runner,
    lines,
    copies,
    metrics: async (name) => (await texts(name)).join('\n'),
    async metric(name, series) {
      const values = (await texts(name)).map((text) =>
        text.split('\n').find((line) => line.startsWith(`${series} `)),
      );
      return values.map((line) => Number(line?.slice(series.length) ?? 0));
    },
    signal(name, signal) {
      for (const one of copies(name)) runner.kill(one, signal);
    },
    restarts: (name) => copies(name).reduce((sum, one) => sum + runner.restarts(one), 0),
  };
}
