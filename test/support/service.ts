import { readFileSync } from 'node:fs';
import { withSingleFiles } from '#programs';
import { type Servers, serversEnv } from '../../scripts/embedded/servers.ts';
import { migrateLatest } from '../../scripts/migrations.ts';
import { freePort } from '../../scripts/ports.ts';
import { type ProcessSpec, parseProcfile, Runner } from '../../scripts/procfile.ts';

/** How many processes a service has, and where they listen. */
export interface Layout {
  /** Where clients find the API. */
  apiPort: number;
  /** Port of one API process by itself. */
  apiProcessPort: number;
  /** Where visitors come in. */
  redirectPort: number;
  /** Two redirect processes, which must agree. */
  redirectPorts: [number, number];
  /** As {@link RunnerOptions} has them. */
  processes?: ProcessSpec[];
  scale: Record<string, number>;
  envOf: Record<string, Record<string, string>>;
  /** Starts what is in front of the processes, when they are ready. */
  publish?(): Promise<void>;
}

/** A running service. */
export interface Service extends Pick<Layout, 'redirectPort' | 'redirectPorts'> {
  apiUrl: string;
  /** One of the API processes, without a proxy in between. */
  apiProcessUrl: string;
  runner: Runner;
  /** The output of the processes. */
  lines: string[];
  /** Names of the processes of a line of the Procfile: more than one where it has copies. */
  copies(name: string): string[];
  /** The metrics of all these processes, one after the other. */
  metrics(name: string): Promise<string>;
  /** The value of a series in each of them; 0 where it has none. */
  metric(name: string, series: string): Promise<number[]>;
  /** Sends a signal to all these processes. @throws Error where one is not running now */
  signal(name: string, signal: NodeJS.Signals): void;
  /** Number of their restarts. */
  restarts(name: string): number;
}

/** Every process of the Procfile, the redirect process twice. */
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

/** The text of a Procfile. Coverage is measured line by line of the sources, which bundles are not. */
function commandsOf(procfile: string): string {
  const text = readFileSync(procfile, 'utf8');
  return process.env['NODE_V8_COVERAGE'] === undefined ? text : withSingleFiles(text);
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
      const found = (await texts(name)).map((text) =>
        text.split('\n').find((line) => line.startsWith(`${series} `)),
      );
      return found.map((line) => Number(line?.slice(series.length) ?? 0));
    },
    signal(name, signal) {
      for (const one of copies(name)) runner.kill(one, signal);
    },
    restarts: (name) => copies(name).reduce((sum, one) => sum + runner.restarts(one), 0),
  };
}
