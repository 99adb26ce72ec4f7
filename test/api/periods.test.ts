import { expect } from 'chai';
import { eventRecords } from '../../src/event-records/event-records.ts';
import { makeReport } from '../../src/events/report/report.ts';
import { append } from '../../src/events/store/postgres/append.ts';
import { db } from '../../src/infra/db.ts';
import { anEvent } from '../support/events.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

type Query = Record<string, string>;
interface Row {
  start: string;
  clicks: number;
}

/** Creates a workspace with a link that has a click at each of the times. */
async function withClicks(times: readonly string[]): Promise<World> {
  const world = await aWorkspace();
  const { projectId, api, domain } = world;
  const { body: link } = await api.post('/links', { url: 'https://example.com/', key: 'a' });
  const events = times.map((time, n) =>
    anEvent(projectId, {
      id: `clk_${n}`,
      link_id: link.id,
      domain,
      key: 'a',
      occurred_at: new Date(time).toISOString(),
    }),
  );
  await db().transaction((trx) => append(trx, events));
  return world;
}

/** Counts the clicks of a period at every endpoint that takes one. */
async function counts({ api, apiKey }: World, query: Query): Promise<number[]> {
  const dub = async (path: string) => {
    const url = `${stack().apiUrl}/compat/dub/${path}?${new URLSearchParams(query)}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
    return response.json();
  };
  const { body: total } = await api.get('/analytics', query);
  const { body: events } = await api.get('/events', query);
  const file = await api.download('/events/export', { ...query, format: 'ndjson' });
  const exported = file.bytes.toString().split('\n').filter(Boolean);
  const [dubTotal, dubEvents] = [await dub('analytics'), await dub('events')];
  return [total.clicks, events.length, exported.length, dubTotal.clicks, dubEvents.length];
}

/** Reads a time series of days, and checks that each row is what its span counts. */
async function days({ api }: World, query: Query): Promise<Row[]> {
  const { body: rows } = await api.get('/analytics', { ...query, groupBy: 'timeseries' });
  for (const [at, { start, clicks }] of (rows as Row[]).slice(0, -1).entries()) {
    const { body } = await api.get('/analytics', { start, end: rows[at + 1].start });
    expect(body.clicks, start).to.equal(clicks);
  }
  return rows;
}

describe('periods', () => {
  it('of dates are whole days in the time zone, and include the last one', async () => {
    const world = await withClicks([
      '2025-11-01T03:59:59.999Z',
      '2025-11-01T04:00:00Z',
      '2025-11-02T05:30:00Z',
      '2025-11-08T04:59:59.999Z',
      '2025-11-08T05:00:00Z',
    ]);
    const week = { start: '2025-11-01', end: '2025-11-07', timezone: 'America/New_York' };
    expect(await counts(world, week)).to.deep.equal([3, 3, 3, 3, 3]);
    const rows = await days(world, week);
    expect(rows.map(({ clicks }) => clicks)).to.deep.equal([1, 1, 0, 0, 0, 0, 1]);
    expect([rows[0]!.start, rows[1]!.start, rows[2]!.start]).to.deep.equal([
      '2025-11-01T04:00:00.000Z',
      '2025-11-02T04:00:00.000Z',
      '2025-11-03T05:00:00.000Z',
    ]);
    const day = { start: '2025-11-07', end: '2025-11-07' };
    expect(await counts(world, { ...day, timezone: 'America/New_York' })).to.deep.equal([
      1, 1, 1, 1, 1,
    ]);
    expect(await counts(world, day)).to.deep.equal([0, 0, 0, 0, 0]);
    expect(await counts(world, { end: '2025-11-08' })).to.deep.equal([2, 2, 2, 2, 2]);
    const { body: hours } = await world.api.get('/analytics', { ...day, groupBy: 'timeseries' });
    expect(hours).to.have.length(24);
  });

  it('of times without an offset are in the time zone: the first where there are two', async () => {
    const world = await withClicks([
      '2025-11-02T04:59:59.999Z',
      '2025-11-02T05:00:00Z',
      '2025-11-02T06:59:59.999Z',
      '2025-11-02T07:00:00Z',
    ]);
    const local = { start: '2025-11-02T01:00', end: '2025-11-02T02:00' };
    expect(await counts(world, { ...local, timezone: 'America/New_York' })).to.deep.equal([
      2, 2, 2, 2, 2,
    ]);
    expect(await counts(world, local)).to.deep.equal([0, 0, 0, 0, 0]);
    // An offset holds in every time zone.
    const exact = { start: '2025-11-02T05:00:00Z', end: '2025-11-02T02:00:00-05:00' };
    expect(await counts(world, { ...exact, timezone: 'Asia/Tokyo' })).to.deep.equal([
      2, 2, 2, 2, 2,
    ]);
  });

  it('have a row for each day, from its first instant', async () => {
    const azores = await withClicks([
      '2025-10-25T23:59:59.999Z',
      '2025-10-26T00:30:00Z',
      '2025-10-26T00:59:00Z',
      '2025-10-27T00:59:59.999Z',
      '2025-10-27T01:00:00Z',
    ]);
    const midnightTwice = { start: '2025-10-25', end: '2025-10-27', timezone: 'Atlantic/Azores' };
    expect(await days(azores, midnightTwice)).to.deep.equal([
      { start: '2025-10-25T00:00:00.000Z', clicks: 1, visitors: 0 },
      { start: '2025-10-26T00:00:00.000Z', clicks: 3, visitors: 0 },
      { start: '2025-10-27T01:00:00.000Z', clicks: 1, visitors: 0 },
    ]);
    const havana = await withClicks(['2025-11-02T04:00:00Z', '2025-11-02T05:00:00Z']);
    const inHavana = { start: '2025-11-01', end: '2025-11-03', timezone: 'America/Havana' };
    expect(await days(havana, inHavana)).to.deep.equal([
      { start: '2025-11-01T04:00:00.000Z', clicks: 0, visitors: 0 },
      { start: '2025-11-02T04:00:00.000Z', clicks: 2, visitors: 0 },
      { start: '2025-11-03T05:00:00.000Z', clicks: 0, visitors: 0 },
    ]);
  });

  it('have a start once, also of a day that the time zone left out', async () => {
    const world = await aWorkspace();
    const timezone = 'Pacific/Apia';
    const rows = await days(world, { start: '2011-12-28', end: '2012-01-02', timezone });
    expect(rows.map(({ start }) => start)).to.deep.equal([
      '2011-12-28T10:00:00.000Z',
      '2011-12-29T10:00:00.000Z',
      '2011-12-30T10:00:00.000Z',
      '2011-12-31T10:00:00.000Z',
      '2012-01-01T10:00:00.000Z',
    ]);
    const leftOut = { start: '2011-12-30', end: '2011-12-30', timezone };
    expect(await days(world, leftOut)).to.deep.equal([
      { start: '2011-12-30T10:00:00.000Z', clicks: 0, visitors: 0 },
    ]);
  });

  it('can be today, yesterday, and the week, month or quarter to date', async () => {
    const world = await withClicks([new Date().toISOString()]);
    const [today, yesterday] = [
      await counts(world, { interval: 'today' }),
      await counts(world, { interval: 'yesterday' }),
    ];
    // The day may end between the requests.
    const sums = today.map((count, at) => count + yesterday[at]!);
    for (const sum of sums) expect(sum).to.be.within(1, 2);
    for (const interval of ['wtd', 'mtd', 'qtd']) {
      for (const count of await counts(world, { interval })) expect(count).to.be.within(0, 1);
      const { status, body } = await world.api.get('/analytics', {
        interval,
        groupBy: 'timeseries',
        timezone: 'Atlantic/Azores',
      });
      expect([status, body.length > 0], interval).to.deep.equal([200, true]);
    }
  });

  const refused: [query: Query, message: string][] = [
    [{ start: '2026-02-29' }, 'start must be an ISO 8601 date or time'],
    [{ end: '2026-11-07T25:00' }, 'end must be an ISO 8601 date or time'],
    [{ end: '07.11.2026' }, 'end must be an ISO 8601 date or time'],
    [{ start: '2026-11-08', end: '2026-11-07' }, 'start must not be after end'],
    [{ start: '2026-11-07', end: '2026-11-07', timezone: 'Mars/Olympus' }, 'timezone must'],
    [{ interval: 'tomorrow' }, 'interval must be one of'],
  ];
  for (const [query, message] of refused) {
    it(`are refused where they break a rule: ${JSON.stringify(query)}`, async () => {
      const { api } = await aWorkspace();
      for (const path of ['/analytics', '/events', '/events/export']) {
        const { status, body } = await api.get(path, query);
        expect(status, path).to.equal(422);
        expect(body.error.message).to.contain(message);
      }
    });
  }

  it('can be at both ends of the calendar', async () => {
    const world = await aWorkspace();
    for (const day of ['0001-01-01', '9999-12-31']) {
      for (const timezone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
        const query = { start: day, end: day, timezone };
        expect(await counts(world, query)).to.deep.equal([0, 0, 0, 0, 0]);
        const { body } = await world.api.get('/analytics', { ...query, groupBy: 'timeseries' });
        expect(body.length).to.be.within(19, 24);
      }
    }
  });

  it('of reports are those of analytics', async () => {
    const { projectId } = await aWorkspace();
    const { names } = eventRecords;
    const report = async (every: 'weekly' | 'monthly', at: string) => {
      const choice = { every, timezone: 'America/Havana' };
      const { start, end } = await makeReport(projectId, choice, new Date(at), names);
      return [start, end];
    };
    expect(await report('monthly', '2026-12-01T05:00:00Z')).to.deep.equal([
      '2026-11-01T04:00:00.000Z',
      '2026-12-01T05:00:00.000Z',
    ]);
    expect(await report('weekly', '2026-11-09T04:59:00Z')).to.deep.equal([
      '2026-10-26T04:00:00.000Z',
      '2026-11-02T05:00:00.000Z',
    ]);
  });
});
