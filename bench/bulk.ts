import { Agent, request } from 'node:http';
import { db } from '../src/infra/db.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { API, type BenchService, withService, worker } from './service.ts';

const LINKS_PER_REQUEST = 100;
const CLIENTS = 8;
const SECONDS = 10;

/**
 * Measures links a second through POST /links/bulk, each committed and redirecting when it is
 * answered. The baseline is plain inserts of the same rows by one client, in transactions of 100,
 * without API, queue or cache.
 */
export function benchBulk({ rounds }: BenchOptions): Promise<Row[]> {
  return withService(async (service) => {
    await service.run([API, worker('bulk')]);
    await viaApi(service, 3);
    await plainInserts(service, 1);
    const { plain, ours } = await inTurn(rounds, {
      plain: () => plainInserts(service, SECONDS / 2),
      ours: () => viaApi(service, SECONDS),
    });
    return [
      {
        what: 'links created by `POST /links/bulk`, each redirecting when answered',
        unit: '/s',
        better: 'more',
        ours: ours.map(({ perSecond }) => perSecond),
        baseline: { what: 'plain multi-row inserts, one client', figures: plain },
        aim: { ratio: 0.7 },
      },
      {
        what: 'p99 of these requests, 100 links each',
        unit: 'ms',
        better: 'less',
        ours: ours.map(({ p99 }) => p99),
      },
    ];
  });
}

/** Measures links a second, and the times of requests in ms, of eight clients that create links. */
export async function viaApi(
  { apiUrl, apiKey }: BenchService,
  seconds: number,
): Promise<{ perSecond: number; p50: number; p99: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const { port } = new URL(apiUrl);
  const body = JSON.stringify(
    Array.from({ length: LINKS_PER_REQUEST }, (_, n) => ({
      url: `https://example.com/landing/page-${n}?campaign=autumn`,
    })),
  );
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request(
        {
          port,
          path: '/links/bulk',
          method: 'POST',
          agent,
          headers: {
            authorization: `Bearer ${apiKey}`,
            'content-type': 'application/json',
            'content-length': body.length,
          },
        },
        (response) => {
          response.resume();
          response.on('end', () =>
            response.statusCode === 200
              ? resolve()
              : reject(new Error(`status ${response.statusCode}`)),
          );
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const times: number[] = [];
  const began = performance.now();
  const end = began + seconds * 1000;
  const client = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      await post();
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const perSecond = (times.length * LINKS_PER_REQUEST * 1000) / (performance.now() - began);
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { perSecond, p50: at(0.5), p99: at(0.99) };
}

let plainRows = 0;

export async function plainInserts(
  { projectId, domainId }: BenchService,
  seconds: number,
): Promise<number> {
  const began = performance.now();
  let links = 0;
  while (performance.now() - began < seconds * 1000) {
    const from = plainRows;
    plainRows += LINKS_PER_REQUEST;
    const rows = Array.from({ length: LINKS_PER_REQUEST }, (_, n) => `plain${from + n}`);
    await db().transaction(async (trx) => {
      await trx('claims').insert(
        rows.map((key) => ({
          domain_id: domainId,
          key,
          project_id: projectId,
          record_id: key,
          entry: `1\n${key}\n${projectId}\nhttps://example.com/landing/page?campaign=autumn\n`,
        })),
      );
      await trx('links').insert(
        rows.map((key) => ({
          project_id: projectId,
          id: key,
          user_id: 'user_bench',
          domain_id: domainId,
          key,
          url: 'https://example.com/landing/page?campaign=autumn',
        })),
      );
    });
    links += LINKS_PER_REQUEST;
  }
  return (links * 1000) / (performance.now() - began);
}
