import { db } from '../src/infra/db.ts';
import { percentileOf } from './figures.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { API, type BenchService, seedLinks, withService } from './service.ts';

const LINKS = 100_000;
/** Requests per round. */
const REPEATS = 20;

const BASELINE = 'one scan of the destinations';

/** Requests for a list of links while a person scrolls, sorts and types. */
const QUESTIONS = {
  'newest page': '/links?pageSize=100',
  'page 900 of 1,000': '/links?pageSize=100&page=900',
  'most clicked': '/links?pageSize=100&sort=clicks',
  'search, every link matches': '/links?pageSize=100&search=landing',
  'search, 11 links match': '/links?pageSize=100&search=page%3D9999',
  'search, no link matches': '/links?pageSize=100&search=nothing-like-it',
  'query, every link matches': '/links?pageSize=100&query=landing',
  'query, 11 links match': '/links?pageSize=100&query=page%3D9999',
  'query, no link matches': '/links?pageSize=100&query=nothing-like-it',
  'number of all': '/links/count',
  'number that match a search': '/links/count?search=page%3D99',
  'number that match a query': '/links/count?query=page%3D99',
};

/**
 * Measures lists of a workspace with 100,000 links over HTTP, in ms, one request at a time. The
 * baseline is a scan of their destinations in Postgres.
 */
export function benchLists({ rounds }: BenchOptions): Promise<Row[]> {
  return withService(async (service) => {
    await seedLinks(service, LINKS);
    await db().raw(`UPDATE links SET created_at = now() - right(id, 6)::int * interval '1 minute'`);
    await db().raw('VACUUM ANALYZE links');
    await service.run([API]);
    const scan = () =>
      db().raw(`SELECT count(*) FROM links WHERE project_id = ? AND url ILIKE '%nothing%'`, [
        service.projectId,
      ]);
    const questions = Object.entries(QUESTIONS);
    const measures = questions.map(([name, path]) => [name, () => ask(service, path)] as const);
    const measured = await inTurn(
      rounds,
      Object.fromEntries(
        [[BASELINE, scan] as const, ...measures].map(([name, act]) => [name, () => timed(act)]),
      ),
    );
    return questions.flatMap(([name]) =>
      (['p50', 'p95'] as const).map((percentile): Row => {
        const figuresOf = (what: string) => measured[what]!.map((times) => times[percentile]);
        return {
          what: `list of 100,000 links, ${name}, ${percentile}`,
          unit: 'ms',
          better: 'less',
          ours: figuresOf(name),
          baseline: { what: BASELINE, figures: figuresOf(BASELINE) },
        };
      }),
    );
  });
}

async function ask({ apiUrl, apiKey }: BenchService, path: string): Promise<void> {
  const response = await fetch(apiUrl + path, { headers: { authorization: `Bearer ${apiKey}` } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${path}: status ${response.status}`);
}

async function timed(act: () => Promise<unknown>): Promise<{ p50: number; p95: number }> {
  await act();
  const times: number[] = [];
  for (let turn = 0; turn < REPEATS; turn += 1) {
    const began = performance.now();
    await act();
    times.push(performance.now() - began);
  }
  return { p50: percentileOf(times, 0.5), p95: percentileOf(times, 0.95) };
}
