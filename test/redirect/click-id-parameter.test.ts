import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

/** Destinations, and what visitors get of each; `*` stands for the id of the click. */
const LOCATIONS: readonly [title: string, url: string, location: string, query?: string][] = [
  ['the parameter', A, `${A}?dub_id=*`],
  ['the parameter instead of the visitor’s', A, `${A}?x=1&dub_id=*`, '?dub_id=mine&x=1'],
  ['the parameter before the fragment', `${A}?x=1#part`, `${A}?x=1&dub_id=*#part`],
  ['a placeholder', `${A}?wpcl={dub_id}`, `${A}?wpcl=*&dub_id=*`],
  ['an encoded placeholder', `${A}?c=%7BDUB_CLICK_ID%7D`, `${A}?c=*&dub_id=*`],
  ['a placeholder of the path', `${A}/{dub_id}/b`, `${A}/*/b?dub_id=*`],
  ['a placeholder of an app', 'myapp://open?id={dub_id}', 'myapp://open?id=*'],
  [
    'the reference of a payment link',
    `${A}?dub_client_reference_id=1`,
    `${A}?client_reference_id=dub_id_*`,
  ],
  [
    'the reference in place of another one',
    `${A}?a=1&dub_client_reference_id=1&client_reference_id=b#part`,
    `${A}?a=1&client_reference_id=dub_id_*#part`,
  ],
  [
    'no reference that is not asked for',
    `${A}?dub_client_reference_id=10`,
    `${A}?dub_client_reference_id=10&dub_id=*`,
  ],
];

describe('a workspace whose clicks are called dub_id', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
    const { status, body } = await world.api.patch('/workspace', { clickIdParameter: 'dub_id' });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.clickIdParameter).to.equal('dub_id');
    for (const [place, [, url]] of LOCATIONS.entries()) {
      const link = { url, key: `to-${place}`, trackConversion: true };
      const created = await world.api.post('/links', link);
      expect(created.status, JSON.stringify(created.body)).to.equal(201);
    }
  });

  for (const [place, [title, , location, query = '']] of LOCATIONS.entries()) {
    it(`gives destinations ${title}`, async () => {
      const { headers } = await world.visit(`/to-${place}${query}`);
      const [cookie] = [headers['set-cookie'] ?? ''].flat();
      const [, id] = /^dub_id=(clk_[\w-]{20,});/.exec(cookie!) ?? [];
      expect(id, cookie).to.be.a('string');
      expect(headers.location).to.equal(location.replaceAll('*', id!));
      expect(JSON.stringify(headers)).not.to.contain('click_id');
    });
  }

  it('keeps ids of clicks out of the destinations of events', async () => {
    await eventually(async () => {
      const { body } = await world.api.get('/events?limit=100');
      expect(body).to.have.length(LOCATIONS.length);
      const urls = body.map(({ click }: { click: { url: string } }) => click.url);
      expect(urls.filter((url: string) => /[=_]clk_/.test(url))).to.deep.equal([]);
    });
  });

  it('gives visitors who refuse tracking nothing', async () => {
    const { headers } = await world.visit('/to-0', {
      userAgent: browser(3),
      headers: { 'sec-gpc': '1' },
    });
    expect(headers.location).to.equal(A);
    expect(headers).not.to.have.property('set-cookie');
  });

  it('attributes a lead to the click, and goes back to click_id', async () => {
    const { headers } = await world.visit('/to-0', { userAgent: browser(4) });
    const clickId = new URL(headers.location!).searchParams.get('dub_id');
    const lead = { clickId, eventName: 'Sign up', customerExternalId: 'user-1' };
    expect((await world.api.post('/track/lead', lead)).status).to.equal(200);
    await world.api.patch('/workspace', { clickIdParameter: 'click_id' });
    await eventually(async () => {
      const again = await world.visit('/to-0', { userAgent: browser(4) });
      expect(again.headers.location).to.equal(`${A}?click_id=${clickId}`);
    });
  });
});
