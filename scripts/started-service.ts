import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const READY = 'Ctrl-C stops everything';
const PATIENCE_MS = 900_000;
const POLL_MS = 50;

/**
 * Waits until `npm start` reports that everything is ready.
 *
 * @returns its output
 * @throws its output, if it ends or is not ready after 15 minutes
 */
export async function untilReady(child: ChildProcess): Promise<string> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => {
      output += part.toString();
    });
  }
  const deadline = Date.now() + PATIENCE_MS;
  while (!output.includes(READY)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`not ready:\n${output}`);
    await pause(POLL_MS);
  }
  return output;
}

/**
 * Creates a link, visits it, and waits until the click is counted.
 *
 * @param output output of the first `npm start`, with the key of the demo workspace
 * @throws if any of that fails
 */
export async function firstClick(output: string, [apiPort, redirectPort]: number[]): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  const authorization = `Bearer ${/API key +(\S+)/.exec(output)?.[1] ?? ''}`;
  const api = `http://127.0.0.1:${apiPort}`;
  const created = await fetch(`${api}/links`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/', key: 'first-click' }),
  });
  if (created.status !== 201) throw new Error(`POST /links answered ${created.status}`);
  const visit = await fetch(`http://localhost:${redirectPort}/first-click`, {
    redirect: 'manual',
    headers: { 'user-agent': BROWSER },
  });
  if (visit.status !== 302) throw new Error(`the visit was answered with ${visit.status}`);
  for (let clicks = 0; clicks === 0; ) {
    if (Date.now() > deadline) throw new Error('the click was not counted');
    const counted = await fetch(`${api}/analytics?groupBy=count&interval=24h`, {
      headers: { authorization },
    });
    ({ clicks } = (await counted.json()) as { clicks: number });
    if (clicks === 0) await pause(POLL_MS);
  }
}
