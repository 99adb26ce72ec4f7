import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { LiveClient } from '../support/live.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

/** An address in a district of Berlin. */
const MITTE = '198.19.0.7';

const byName = (a: string, b: string) => (a < b ? -1 : 1);

describe('cities', () => {
  it('are known by their own name, in visits and in those stored with a district', async () => {
    const world = await aWorkspace();
    const { api, projectId } = world;
    await api.post('/links', { url: 'https://example.com/', key: 'a' });
    const visits: [ip: string, name: string][] = [
      ['192.0.2.1', 'Berlin'],
      [MITTE, 'Berlin'],
      ['203.0.113.1', 'São Paulo'],
    ];
    for (const [at, [ip]] of visits.entries()) {
      await world.visit('/a', { headers: { 'x-forwarded-for': ip }, userAgent: browser(at) });
    }
    const listed = await eventually(async () => {
      const { body } = await api.get('/events');
      expect(body).to.have.length(visits.length);
      return body;
    });
    const citiesOf = (events: { click: { city: string }; city: string }[]) =>
      events.map(({ click, city }) => `${click.city}, ${city}`).toSorted(byName);
    const expected = visits.map(([, name]) => `${name}, ${name}`).toSorted(byName);
    expect(citiesOf(listed)).to.deep.equal(expected);
    const [stored] = await db()('events').where({ project_id: projectId, city: 'Berlin' });
    // As an earlier version stored it.
    await db()('events').insert({ ...stored, id: 'clk_earlier', city: 'Berlin (Bezirk Mitte)' });
    expect(citiesOf((await api.get('/events')).body)).to.deep.equal(
      [...expected, 'Berlin, Berlin'].toSorted(byName),
    );
    expect((await api.get('/analytics', { groupBy: 'cities' })).body).to.deep.equal([
      { city: 'Berlin', country: 'DE', region: 'Berlin', clicks: 3, visitors: 3 },
      { city: 'São Paulo', country: 'BR', region: 'São Paulo', clicks: 1, visitors: 1 },
    ]);
    for (const [city, count] of [
      ['Berlin', 3],
      ['BERLIN (Kreuzberg)', 3],
      ['sao paulo', 1],
      ['São Paulo', 1],
      ['Mitte', 0],
    ] as const) {
      expect((await api.get('/events', { city })).body, city).to.have.length(count);
      expect((await api.get('/analytics', { city })).body.clicks, city).to.equal(count);
    }
  });

  it('match the filter of a live stream without case, accents and district', async () => {
    const world = await aWorkspace();
    await world.api.post('/links', { url: 'https://example.com/', key: 'a' });
    const client = await LiveClient.open({
      apiUrl: stack().apiProcessUrl,
      apiKey: world.apiKey,
      query: '?city=b%C3%A9rlin%20(Wedding)',
    });
    try {
      for (const [at, ip] of ['203.0.113.1', MITTE].entries()) {
        await world.visit('/a', { headers: { 'x-forwarded-for': ip }, userAgent: browser(at) });
      }
      const [message] = await client.wait(1, 20_000);
      expect(message!.data.click.city).to.equal('Berlin');
    } finally {
      client.close();
    }
  });

  it('of the database of places are found by the beginning of their names', async () => {
    const { api } = await aWorkspace();
    const find = async (search: string) => (await api.get('/places/cities', { search })).body;
    const berlin = { city: 'Berlin', country: 'DE', region: 'Berlin' };
    const saoPaulo = { city: 'São Paulo', country: 'BR', region: 'São Paulo' };
    expect(await find('ber')).to.deep.equal([berlin]);
    expect(await find('BERLIN (Bezirk Mitte)')).to.deep.equal([berlin]);
    expect(await find('sao')).to.deep.equal([saoPaulo]);
    expect(await find('São P')).to.deep.equal([saoPaulo]);
    expect(await find('paulo')).to.deep.equal([]);
    expect(await find('zzz')).to.deep.equal([]);
    expect((await api.get('/places/cities')).status).to.equal(422);
  });
});
