import { setTimeout as sleep } from 'node:timers/promises';
import { plainInserts } from './bulk.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { API, type BenchService, withService, worker } from './service.ts';

const LINKS = 50_000;
const PLAIN_SECONDS = 5;

/**
 * Measures the import of an export of Dub with 50,000 links, all of which redirect at the end, and
 * its check, in seconds. The baseline is plain inserts of the same rows, as for `POST /links/bulk`.
 */
export function benchImports({ rounds }: BenchOptions): Promise<Row[]> {
  return withService(async (service) => {
    await service.run([API, worker('bulk')]);
    await plainInserts(service, 1);
    let exports = 0;
    const { plain, ours } = await inTurn(rounds, {
      plain: () => plainInserts(service, PLAIN_SECONDS),
      ours: async () => {
        exports += 1;
        const file = exportOf(exports);
        return {
          check: await imported(service, file, 'checked'),
          first: await imported(service, file, 'done'),
          again: await imported(service, file, 'done'),
        };
      },
    });
    const seconds = (what: string, figures: number[]): Row => ({
      what,
      unit: 's',
      better: 'less',
      ours: figures,
    });
    return [
      {
        what: 'links of an import of 50,000 links of Dub, each redirecting at the end',
        unit: '/s',
        better: 'more',
        ours: ours.map(({ first }) => LINKS / first),
        baseline: { what: 'plain multi-row inserts, one client', figures: plain },
      },
      {
        ...seconds(
          'this import',
          ours.map(({ first }) => first),
        ),
        aim: { ours: 30 },
      },
      seconds(
        'its check without importing',
        ours.map(({ check }) => check),
      ),
      seconds(
        'the same import once more',
        ours.map(({ again }) => again),
      ),
    ];
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

/** @returns seconds until the import of a file reaches a state */
async function imported(
  { apiUrl, apiKey }: BenchService,
  body: string,
  targetState: 'checked' | 'done',
): Promise<number> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'text/csv' };
  const began = performance.now();
  const answer = await fetch(`${apiUrl}/imports?dryRun=${targetState === 'checked'}`, {
    method: 'POST',
    headers,
    body,
  });
  const { id } = (await answer.json()) as { id: string };
  for (;;) {
    const answer = await fetch(`${apiUrl}/imports/${id}`, { headers });
    const { state } = (await answer.json()) as { state: string };
    if (state === targetState) return (performance.now() - began) / 1_000;
    if (state === 'failed') throw new Error('the import failed');
    await sleep(100);
  }
}
