import { expect } from 'chai';
import { pino } from 'pino';
import { VisitRecorder } from '../../src/events/record-visits.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import type { Visit } from '../../src/queues/clicks.ts';
import { aWorkspace, browser, type World } from '../support/world.ts';

const NOWHERE = { continent: '', country: 'Unknown', region: 'Unknown', city: 'Unknown' };

describe('recording visits', () => {
  let world: World;
  let links: { id: string; key: string }[];
  const recorder = () => new VisitRecorder(() => NOWHERE, pino({ level: 'silent' }));

  beforeEach(async () => {
    world = await aWorkspace();
    const { body } = await world.api.post(
      '/links/bulk',
      Array.from({ length: 20 }, (_, n) => ({ url: 'https://example.com', key: `k${n}` })),
    );
    links = body;
  });

  function visits(count: number, fields: Partial<Visit> = {}): Visit[] {
    return Array.from({ length: count }, (_, n) => {
      const link = links[n % links.length]!;
      return {
        id: newId('event'),
        at: Date.now() - n,
        projectId: world.projectId,
        linkId: link.id,
        domain: world.domain,
        key: link.key,
        destination: 'https://example.com',
        ip: `192.0.2.${n % 250}`,
        userAgent: browser(n),
        referer: '',
        via: 'link' as const,
        ...fields,
      };
    });
  }

  async function sums() {
    const { rows } = await db().raw<{ rows: Record<string, number>[] }>(
      `SELECT (SELECT count(*) FROM events WHERE project_id = :id) AS events,
              (SELECT coalesce(sum(visits), 0)::bigint FROM counters WHERE project_id = :id) AS counters,
              (SELECT coalesce(sum(count), 0)::bigint FROM rollups WHERE project_id = :id AND dimension = 'all' AND step = 'd') AS rollups`,
      { id: world.projectId },
    );
    return rows[0]!;
  }

  const all = (count: number) => ({ events: count, counters: count, rollups: count });

  it('counts each once, though batches come again, at once and in other orders', async () => {
    const [one, two] = [recorder(), recorder()];
    const batches = Array.from({ length: 8 }, () => visits(100));
    const unique = new Set(
      batches.flat().map(({ linkId, userAgent, ip }) => linkId + userAgent + ip),
    ).size;
    await Promise.all(
      batches.flatMap((batch) => [one.record(batch), two.record(batch.toReversed())]),
    );
    await Promise.all(batches.toReversed().map((batch) => two.record(batch)));
    expect(await sums()).to.deep.equal(all(unique));
  });

  it('does not let two workers wait for each other for ever', async () => {
    await world.set({ clickDedupeSeconds: 0 });
    const workers = [recorder(), recorder(), recorder()];
    const jobs = Array.from({ length: 60 }, (_, n) => {
      const batch = visits(50);
      return workers[n % 3]!.record(n % 2 === 0 ? batch : batch.toReversed());
    });
    await Promise.all(jobs);
    expect(await sums()).to.deep.equal(all(3_000));
  });

  it('keeps visits of long ago and of the future', async () => {
    await recorder().record([
      ...visits(1, { at: Date.UTC(2001, 0, 1) }),
      ...visits(1, { at: Date.UTC(2090, 0, 1) }),
    ]);
    expect(await sums()).to.deep.equal(all(2));
  });

  it('drops visits of workspaces that are gone, and of bots', async () => {
    await recorder().record([
      ...visits(1, { projectId: 'proj_gone' }),
      ...visits(1, { userAgent: 'Googlebot/2.1' }),
      ...visits(1),
    ]);
    expect(await sums()).to.deep.equal(all(1));
  });

  it('stores whatever a visitor may have sent', async () => {
    const hostile = [
      '\0',
      'a\0b',
      '\ud800',
      '\u202e',
      "'; --",
      '"\\',
      '{}',
      'x'.repeat(50_000),
      '\r\n',
      '',
    ];
    await world.set({ clickDedupeSeconds: 0 });
    await recorder().record(
      hostile.flatMap((text) =>
        visits(1, {
          referer: `https://x.example/${text}`,
          key: text,
          destination: text,
          ip: text,
          userAgent: `${browser()} ${text}`,
        }),
      ),
    );
    expect((await sums())['events']).to.equal(hostile.length);
  });

  it('agrees with the rollups in every dimension', async () => {
    await recorder().record(visits(200));
    for (const dimension of ['country', 'device', 'browser', 'os', 'referer']) {
      const { rows } = await db().raw<{ rows: object[] }>(
        `SELECT ${dimension} AS value, count(*) FROM events WHERE project_id = :id GROUP BY 1
         EXCEPT SELECT value, sum(count)::bigint FROM rollups WHERE project_id = :id AND dimension = :dimension AND step = 'd' GROUP BY 1`,
        { id: world.projectId, dimension },
      );
      expect(rows, dimension).to.deep.equal([]);
    }
  });
});
