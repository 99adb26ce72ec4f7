import { setTimeout as sleep } from 'node:timers/promises';
import { hot } from './hot.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { API, type BenchService, REDIRECT, seedLinks, withService, worker } from './service.ts';

const CODES = 10_000;
const KEYS = 10_000;
/** Time for which redirects are measured, about that of the export. */
const SECONDS = 10;

/**
 * Measures an export of 10,000 plain codes of 512 px as a ZIP file in seconds, alone and while
 * visitors are redirected, and the latencies of these redirects.
 */
export function benchExports({ rounds }: BenchOptions): Promise<Row[]> {
  return withService(async (service) => {
    await seedLinks(service, KEYS);
    await service.run([REDIRECT, API, worker('bulk'), worker('clicks'), worker('qr')]);
    await createCodes(service);
    await hot(service, 3);
    const { alone, quiet, both } = await inTurn(rounds, {
      alone: () => exportSeconds(service),
      quiet: () => hot(service, SECONDS),
      both: async () => {
        const [seconds, redirects] = await Promise.all([
          exportSeconds(service),
          hot(service, SECONDS),
        ]);
        return { seconds, redirects };
      },
    });
    const name = 'export of 10,000 plain QR codes as PNG, 512 px';
    return [
      { what: name, unit: 's', better: 'less', ours: alone },
      {
        what: `${name}, at 2,500 redirects/s`,
        unit: 's',
        better: 'less',
        ours: both.map(({ seconds }) => seconds),
        aim: { ours: 60 },
      },
      {
        what: 'p99 of redirects meanwhile',
        unit: 'ms',
        better: 'less',
        ours: both.map(({ redirects }) => redirects.p99Ms),
        baseline: { what: 'without the export', figures: quiet.map(({ p99Ms }) => p99Ms) },
        aim: { ratio: 0.5 },
      },
      {
        what: 'redirects meanwhile that failed',
        unit: '',
        better: 'less',
        ours: both.map(({ redirects }) => redirects.errors),
        aim: { ours: 0 },
      },
    ];
  });
}

async function send({ apiUrl, apiKey }: BenchService, path: string, body?: unknown) {
  const answer = await fetch(apiUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path} answered with ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function createCodes(service: BenchService): Promise<void> {
  for (let first = 0; first < CODES; first += 100) {
    const codes = Array.from({ length: 100 }, (_, n) => ({
      type: 'url',
      url: `https://example.com/landing/${first + n}`,
    }));
    await send(service, '/qrcodes/bulk', codes);
  }
}

/** @returns seconds from the request until the file can be downloaded */
async function exportSeconds(service: BenchService): Promise<number> {
  const began = performance.now();
  const made = (await send(service, '/exports', { type: 'qrcodes', size: 512 })) as { id: string };
  for (;;) {
    const { state } = (await send(service, `/exports/${made.id}/progress`)) as { state: string };
    if (state === 'done') return (performance.now() - began) / 1_000;
    if (state === 'failed') throw new Error('the export failed');
    await sleep(100);
  }
}
