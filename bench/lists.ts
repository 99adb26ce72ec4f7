import { db } from '../src/infra/db.ts';
import { API, type BenchService, percentileOf, seedLinks, withService } from './service.ts';

const LINKS = 100_000;
const REPEATS = 30;

/** Questions that a list of links asks while a person scrolls, sorts and types. */
const QUESTIONS = {
  'newest page': '/links?pageSize=100',
  'page 900 of 1,000': '/links?pageSize=100&page=900',
  'most clicked': '/links?pageSize=100&sort=clicks',
  'search, every link matches': '/links?pageSize=100&search=landing',
  'search, 11 links match': '/links?pageSize=100&search=page%3D9999',
  'search, no link matches': '/links?pageSize=100&search=nothing-like-it',
  'number of all': '/links/count',
  'number that match a search': '/links/count?search=page%3D99',
};

/**
 * Milliseconds that lists of a workspace with 100,000 links take over HTTP, one request at a time, against one scan of
 * their destinations in Postgres.
 */
export function benchLists(): Promise<void> {
  return withService(async (service) => {
    await seedLinks(service, LINKS);
    await db().raw(`UPDATE links SET created_at = now() - right(id, 6)::int * interval '1 minute'`);
    await db().raw('VACUUM ANALYZE links');
    await service.run([API]);
    const scan = await timed(() =>
      db().raw(`SELECT count(*) FROM links WHERE project_id = ? AND url ILIKE '%nothing%'`, [
        service.projectId,
      ]),
    );
    console.log(`one scan of ${LINKS} destinations: p50 ${show(scan.p50)}, p95 ${show(scan.p95)}`);
    for (const [name, path] of Object.entries(QUESTIONS)) {
      const { p50, p95 } = await timed(() => ask(service, path));
      const ratio = (p50 / scan.p50).toFixed(2);
      console.log(`${name}: p50 ${show(p50)}, p95 ${show(p95)}, ratio ${ratio}`);
    }
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

const show = (ms: number): string => `${ms.toFixed(1)} ms`;
