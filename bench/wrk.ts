import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../scripts/embedded/servers.ts';

/** Results of a run of wrk. */
export interface Load {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Number of answers that were neither 2xx nor 3xx, and of failed sockets. */
  errors: number;
}

/** Checks that wrk is installed. @throws SetupError */
export function requireWrk(): void {
  if (spawnSync('wrk', ['--version']).error !== undefined) {
    throw new SetupError(
      'wrk is not installed: the load comes from it. On Debian: apt-get install wrk',
    );
  }
}

export interface LoadOptions {
  port: number;
  connections: number;
  seconds: number;
  /** Number of keys to request at random: `k0` … */
  keys: number;
  /** Number of the first key; absent: 0. */
  first?: number;
  /** Number of the first key to request in order; absent: random keys. */
  from?: number;
}

/** Sends the requests of browsers, each from a different visitor, in one thread of wrk. */
export async function load(options: LoadOptions): Promise<Load> {
  const { port, connections, seconds, keys, first = 0, from } = options;
  const script = path.join(process.env['DATA_DIR'] ?? '.', `load-${port}.lua`);
  writeFileSync(
    script,
    `local n = 0
math.randomseed(os.time())
function request()
  n = n + 1
  local key = ${from !== undefined ? `(${from} + n - 1) % ${keys}` : `math.random(${first}, ${first + keys - 1})`}
  return "GET /k" .. key .. " HTTP/1.1\\r\\nHost: localhost\\r\\n" ..
    "User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/" .. (100 + n % 40) .. ".0.0.0 Safari/537.36\\r\\n" ..
    "Accept: text/html,application/xhtml+xml\\r\\nAccept-Language: en-GB,en;q=0.9\\r\\nAccept-Encoding: gzip, deflate, br\\r\\n" ..
    "X-Forwarded-For: 10." .. math.random(0, 255) .. "." .. math.random(0, 255) .. "." .. math.random(0, 255) .. "\\r\\n\\r\\n"
end
`,
  );
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '-s',
    script,
    `http://127.0.0.1:${port}`,
  ];
  const child = spawn('wrk', args);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0);
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p50Ms: duration(/50%\s+([\d.]+\w+)/.exec(output)?.[1]),
    p99Ms: duration(/99%\s+([\d.]+\w+)/.exec(output)?.[1]),
    errors:
      number(/Non-2xx or 3xx responses: (\d+)/) +
      number(/connect (\d+)/) +
      number(/read (\d+)/) +
      number(/write (\d+)/) +
      number(/timeout (\d+)/),
  };
}

function duration(text = '0ms'): number {
  const [, figure, unit] = /^([\d.]+)(us|ms|s|m)$/.exec(text) ?? [];
  return Number(figure) * { us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit as 'us' | 'ms' | 's' | 'm'];
}
