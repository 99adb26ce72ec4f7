import { setTimeout as pause } from 'node:timers/promises';
import { startBare } from './baselines.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { seedLinks } from './service.ts';
import { memoryOf, withStart } from './started.ts';
import { load, requireWrk } from './wrk.ts';

const KEYS = 10_000;
const SECONDS = 3;
/** Time after the start at which memory is measured, in ms. */
const IDLE_MS = 30_000;
/** Connections, as in the second load of `redirect`. */
const CONNECTIONS = 128;

/**
 * Measures the start and the idle memory of plain `npm start`, then redirects a second under it: all
 * processes run, and visits are stored during the load. The bare server gets its load after all
 * visits are stored.
 */
export function benchStart({ rounds }: BenchOptions): Promise<Row[]> {
  requireWrk();
  return withStart(async (service) => {
    await pause(IDLE_MS);
    const idle = [...memoryOf(service.pid).values()].reduce((sum, megabytes) => sum + megabytes, 0);
    await seedLinks(service, KEYS);
    const bare = await startBare();
    const loadOf = (port: number) =>
      load({ port, connections: CONNECTIONS, seconds: SECONDS, keys: KEYS });
    try {
      await load({ port: bare.port, connections: 32, seconds: 2, keys: KEYS });
      await load({ port: service.redirectPort, connections: 32, seconds: 3, keys: KEYS, from: 0 });
      await service.drained();
      const measured = await inTurn(rounds, {
        bare: () => loadOf(bare.port),
        ours: async () => {
          const before = (await service.visits()).stored;
          const { perSecond, p99Ms, errors } = await loadOf(service.redirectPort);
          const stored = ((await service.visits()).stored - before) / SECONDS;
          await service.drained();
          return { perSecond, p99Ms, errors, stored };
        },
      });
      const [first, second] = service.startSeconds;
      return [
        {
          what: `redirects with ${CONNECTIONS} connections under plain \`npm start\`, everything running and storing`,
          unit: '/s',
          better: 'more',
          ours: measured.ours.map(({ perSecond }) => perSecond),
          baseline: {
            what: 'bare `node:http`',
            figures: measured.bare.map(({ perSecond }) => perSecond),
          },
          aim: { ratio: 0.5 },
        },
        {
          what: 'visits stored meanwhile',
          unit: '/s',
          better: 'more',
          ours: measured.ours.map(({ stored }) => stored),
        },
        {
          what: 'errors of these redirects',
          unit: '',
          better: 'less',
          ours: measured.ours.map(({ errors }) => errors),
          aim: { ours: 0 },
        },
        {
          what: 'memory (PSS) of all processes of plain `npm start`, Postgres and Redis, idle',
          unit: 'MB',
          better: 'less',
          ours: [idle],
          aim: { ours: 1_000 },
        },
        { what: '`npm start`, first time', unit: 's', better: 'less', ours: [first] },
        {
          what: '`npm start`, second time',
          unit: 's',
          better: 'less',
          ours: [second],
          aim: { ours: 4 },
        },
      ];
    } finally {
      bare.stop();
    }
  });
}
