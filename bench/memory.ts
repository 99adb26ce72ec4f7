import { readFileSync } from 'node:fs';
import type { Row } from './rows.ts';
import { REDIRECT, seedLinks, withService } from './service.ts';
import { load, requireWrk } from './wrk.ts';

const LINKS = 1_000_000;
const ROUND_SECONDS = 10;
const MAX_ROUNDS = 60;

/**
 * Measures the resident memory of a redirect process with a million links in memory, compared with
 * its memory at the start.
 */
export function benchMemory(): Promise<Row[]> {
  requireWrk();
  return withService(async (service) => {
    await seedLinks(service, LINKS);
    // Long enough that nothing expires while the rest is still being requested.
    const runner = await service.run([REDIRECT], {
      REDIRECT_CACHE_SECONDS: '86400',
      // The young generation is half of it, and must hold all of them.
      REDIRECT_CACHE_ENTRIES: String(3 * LINKS),
    });
    const rss = () => residentMegabytes(runner.pidOf('redirect'));
    const empty = rss();
    let done = 0;
    for (let round = 0; round < MAX_ROUNDS && done < LINKS; round += 1) {
      const before = done;
      const { perSecond } = await load({
        port: service.redirectPort,
        connections: 32,
        seconds: ROUND_SECONDS,
        keys: LINKS,
        from: done,
      });
      done += Math.floor(perSecond * ROUND_SECONDS);
      if (done === before) throw new Error('the redirect process does not answer');
    }
    const metrics = await (await fetch(`${runner.healthUrlOf('redirect')}/metrics`)).text();
    const remembered = Number(/^shortlinks_lookup_memory_entries (\d+)/m.exec(metrics)?.[1] ?? 0);
    if (remembered < LINKS) throw new Error(`only ${remembered} links are remembered`);
    return [
      {
        what: 'memory of a redirect process that remembers a million links',
        unit: 'MB',
        better: 'less',
        ours: [rss()],
        baseline: { what: 'the same process at its start', figures: [empty] },
        aim: { ours: 250 },
      },
    ];
  });
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
}
