import { setTimeout as sleep } from 'node:timers/promises';
import { plainInserts } from './bulk.ts';
import { API, type BenchService, median, thousands, withService, worker } from './service.ts';

const LINKS = 50_000;
const ROUNDS = 3;
const PLAIN_SECONDS = 5;

/**
 * Seconds in which an export of Dub with 50,000 links is imported, each link redirecting at the end, and how long its check
 * takes; links a second against plain inserts of the same rows, as for `POST /links/bulk`.
 */
export function benchImports(): Promise<void> {
  return withService(async (service) => {
    await service.run([API, worker('bulk')]);
    const ratios: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const base = await plainInserts(service, PLAIN_SECONDS);
      const file = exportOf(round);
      const check = await imported(service, file, 'checked');
      const seconds = await imported(service, file, 'done');
      const again = await imported(service, file, 'done');
      const perSecond = LINKS / seconds;
      ratios.push(perSecond / base);
      console.log(
        `round ${round}: checked in ${check.toFixed(1)} s, imported in ${seconds.toFixed(1)} s, again in ` +
          `${again.toFixed(1)} s; plain inserts ${thousands(base)} links/s, import ${thousands(perSecond)} links/s, ` +
          `ratio ${(perSecond / base).toFixed(2)}`,
      );
    }
    console.log(
      `import / plain inserts: median ratio ${median(ratios).toFixed(2)} (aim: 50,000 links in 30 s)`,
    );
  });
}

const exportOf = (round: number): string =>
  [
    'Short link,Destination URL,Clicks,Created at,Link ID,Tags,Archived',
    ...Array.from(
      { length: LINKS },
      (_, n) =>
        `https://dub.example/r${round}/k${n},https://example.com/landing/${n}?campaign=autumn,${n % 900},` +
        `2024-02-03T10:11:12.000Z,link_${round}_${n},"Launch, tag ${n % 20}",No`,
    ),
  ].join('\n');

/** @returns seconds until the import of a file is in a state */
async function imported(
  { apiUrl, apiKey }: BenchService,
  body: string,
  wanted: 'checked' | 'done',
): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' };
  const began = performance.now();
  const answer = await fetch(`${apiUrl}/imports?dryRun=${wanted === 'checked'}`, {
    method: 'POST',
    headers,
    body,
  });
  const { id } = (await answer.json()) as { id: string };
  for (;;) {
    const read = await fetch(`${apiUrl}/imports/${id}`, { headers });
    const { state } = (await read.json()) as { state: string };
    if (state === wanted) return (performance.now() - began) / 1_000;
    if (state === 'failed') throw new Error('the import failed');
    await sleep(100);
  }
}
