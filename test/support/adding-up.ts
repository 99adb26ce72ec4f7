import { expect } from 'chai';
import type { Knex } from '../../src/infra/db.ts';
import { eventually } from './eventually.ts';
import type { Owned } from './own-service.ts';
import type { Tally, WriteTally } from './traffic.ts';

/**
 * Checks that every redirect a client received is exactly one event, every aborted one at most one,
 * and that counters and analytics match the events. Rows are read in one snapshot, since visits of
 * aborted requests can be stored at any time.
 */
export async function visitsAddUp(
  { db, projectId, service, apiKey }: Owned,
  name: string,
  tally: Tally,
): Promise<void> {
  const counts = await eventually(() =>
    db.transaction(
      async (snapshot) => {
        const counts = await countByVisitor(snapshot, projectId);
        const missing = [...tally.answered].filter((visitor) => !counts.has(visitor));
        expect(missing, `answered and not counted: ${missing.length}`).to.deep.equal([]);
        const events = await countersAgree(snapshot, projectId);
        const answer = await fetch(`${service.apiUrl}/analytics?interval=all`, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        expect(await answer.json(), 'analytics').to.include({ clicks: events });
        return counts;
      },
      { isolationLevel: 'repeatable read', readOnly: true },
    ),
  );
  // Includes earlier visitors, who may have been counted again since.
  const twice = [...counts].filter(([, count]) => count > 1);
  expect(twice, 'counted more than once').to.deep.equal([]);
  const uncut = [...counts.keys()].filter(
    (visitor) =>
      visitor.startsWith(`${name}-`) && !tally.answered.has(visitor) && !tally.cut.has(visitor),
  );
  expect(uncut, 'counted although they got no redirect').to.deep.equal([]);
  const stored = [...tally.cut].filter((visitor) => counts.has(visitor)).length;
  console.log(
    `      ${name}: ${tally.answered.size} redirects received; ${tally.cut.size} answers cut off, ` +
      `of which ${stored} are counted; ${tally.others.size} other answers`,
  );
}

/** Counts the events of a workspace by the name that each visitor sent as referer. */
async function countByVisitor(trx: Knex, projectId: string): Promise<Map<string, number>> {
  const { rows } = await trx.raw<{ rows: { visitor: string; count: number }[] }>(
    `SELECT substr(referer_url, length('https://visitor.example/') + 1) AS visitor, count(*)
       FROM events WHERE project_id = ? AND referer_url LIKE 'https://visitor.example/%' GROUP BY 1`,
    [projectId],
  );
  return new Map(rows.map(({ visitor, count }) => [visitor, count]));
}

/** @returns the number of events */
async function countersAgree(trx: Knex, projectId: string): Promise<number> {
  const { rows } = await trx.raw<{ rows: [{ events: number; counters: number }] }>(
    `SELECT (SELECT count(*) FROM events WHERE project_id = :projectId) AS events,
            (SELECT sum(visits)::bigint FROM counters WHERE project_id = :projectId) AS counters`,
    { projectId },
  );
  const [{ events, counters }] = rows;
  expect(counters, 'counters').to.equal(events);
  return events;
}

/**
 * Checks that every answered write is stored once, every accepted job has ended, and no write is
 * stored partially.
 */
export async function writesAddUp(
  { db, projectId, service, apiKey }: Owned,
  name: string,
  { made, accepted, failed }: WriteTally,
): Promise<void> {
  for (const [externalId, jobId] of accepted) {
    await eventually(async () => {
      const answer = await fetch(`${service.apiUrl}/jobs/${jobId}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      const { status } = (await answer.json()) as { status: string };
      expect(['done', 'failed'], `job ${jobId} of ${externalId}: ${status}`).to.include(status);
    });
  }
  const { rows } = await db.raw<{
    rows: { external_id: string; count: number; claims: number }[];
  }>(
    `SELECT l.external_id, count(*), count(c.key) AS claims
       FROM links l LEFT JOIN claims c ON c.record_id = l.id AND c.domain_id = l.domain_id AND c.key = l.key
      WHERE l.project_id = ? AND l.external_id LIKE ? GROUP BY 1`,
    [projectId, `${name}-%`],
  );
  const there = new Map(rows.map((row) => [row.external_id, row]));
  for (const externalId of made) expect(there.get(externalId)?.count, externalId).to.equal(1);
  for (const row of rows)
    expect(row.claims, `${row.external_id} has its claim`).to.equal(row.count);
  const { rows: orphans } = await db.raw<{ rows: object[] }>(
    `SELECT key FROM claims c WHERE project_id = ? AND free_at IS NULL AND NOT EXISTS
      (SELECT 1 FROM links l WHERE l.project_id = c.project_id AND l.id = c.record_id)`,
    [projectId],
  );
  expect(orphans, 'claims without a link').to.deep.equal([]);
  console.log(
    `      ${name}: ${made.length} links answered with 201, ${accepted.size} with 202, ${failed.size} not (` +
      `${[...failed.values()].filter((status) => status > 0).length} with a status)`,
  );
}
