import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

/* Paths of Shlink 4 after a short code, on domains that have moved from it. */
describe('the paths of Shlink on a short domain', () => {
  let world: World;
  let linkId: string;
  let domainId: string;

  beforeEach(async () => {
    world = await aWorkspace();
    linkId = await aLink({ key: 'a' });
    domainId = (await world.api.get('/domains')).body[0].id;
    const { status, body } = await setPaths(true);
    expect([status, body.shlinkPaths]).to.deep.equal([200, true]);
  });

  const setPaths = (shlinkPaths: unknown) =>
    world.api.patch(`/domains/${domainId}`, { shlinkPaths });

  async function aLink(fields: object): Promise<string> {
    const { status, body } = await world.api.post('/links', { url: A, ...fields });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  }

  const clicksOf = async (id: string) => (await world.api.get(`/links/${id}`)).body.clicks;

  async function qrCode(query: string, key = 'a'): Promise<URL> {
    const { status, headers } = await world.visit(`/${key}/qr-code${query}`);
    expect(status).to.equal(302);
    return new URL(String(headers.location));
  }

  async function expectPixel(path: string, options: object = { userAgent: browser(1) }) {
    const { status, headers, body } = await world.visit(path, options);
    expect(status, path).to.equal(200);
    expect(headers['content-type']).to.equal('image/gif');
    expect(headers['cache-control']).to.contain('no-store');
    expect(body).to.match(/^GIF89a/);
  }

  it('redirect to the image of the QR code, with its parameters', async () => {
    const plain = await qrCode('');
    const { body: link } = await world.api.get(`/links/${linkId}`);
    expect(plain.href.split('&')[0]).to.equal(link.qrCode);
    expect(Object.fromEntries(plain.searchParams)).to.deep.equal({
      url: `https://${world.domain}/a?qr=1`,
      size: '300',
      format: 'png',
      level: 'L',
    });
    const query = '?size=500&format=SVG&errorCorrection=q&color=%23123456&bgColor=fed&margin=10';
    const chosen = await qrCode(query);
    expect(Object.fromEntries(chosen.searchParams)).to.include({
      size: '500',
      format: 'svg',
      level: 'Q',
      fgColor: '123456',
      bgColor: 'fed',
    });
    const image = await fetch(`${stack().apiUrl}${chosen.pathname}${chosen.search}`);
    expect(image.status, await image.clone().text()).to.equal(200);
    expect(image.headers.get('content-type')).to.match(/^image\/svg/);
    for (const [size, drawn] of [
      ['1', '50'],
      ['9999', '1000'],
      ['big', '50'],
      ['', '300'],
    ]) {
      expect((await qrCode(`?size=${size}`)).searchParams.get('size')).to.equal(drawn);
    }
    const odd = await qrCode('?color=red&format=gif&errorCorrection=z&roundBlockSize=false');
    expect([...odd.searchParams.keys()]).to.deep.equal(['url', 'size', 'format', 'level']);
    expect(await clicksOf(linkId)).to.equal(0);
  });

  it('answer with a pixel that counts as a visit', async () => {
    await expectPixel('/a/track');
    await expectPixel('/a/track/', { userAgent: browser(2) });
    await expectPixel('/a/track', { userAgent: 'Googlebot/2.1 (+http://www.google.com/bot.html)' });
    await eventually(async () => expect(await clicksOf(linkId)).to.equal(2));
    const { body } = await world.api.get('/events', { linkId });
    expect(body[0].click).to.include({ url: A });
  });

  it('count no visit of a link that does not exist, has not begun, or is used up', async () => {
    const startsAt = new Date(Date.now() + 3_600_000).toISOString();
    const later = await aLink({ key: 'later', startsAt });
    const once = await aLink({ key: 'once', maxVisits: 1 });
    await expectPixel('/none/track');
    await expectPixel('/later/track');
    for (const visitor of [1, 2]) await expectPixel('/once/track', { userAgent: browser(visitor) });
    await eventually(async () => expect(await clicksOf(once)).to.equal(1));
    expect((await world.visit('/once', { userAgent: browser(3) })).status).to.equal(410);
    expect(await clicksOf(later)).to.equal(0);
    expect((await world.visit('/none/qr-code')).status).to.equal(404);
  });

  it('leave links with exactly these keys, and forms, as they are', async () => {
    await aLink({ key: 'a/track', url: `${A}/own` });
    expect((await world.visit('/a/track')).headers.location).to.equal(`${A}/own`);
    await aLink({ key: 'team/offer' });
    expect((await qrCode('', 'team/offer')).searchParams.get('url')).to.equal(
      `https://${world.domain}/team/offer?qr=1`,
    );
    await aLink({ key: 'secret', password: 'x' });
    const sent = await world.visit('/secret/track', { form: { password: 'x' } });
    expect(sent.status).to.equal(405);
  });

  it('are those of flexible links too', async () => {
    await aLink({ key: 'flexible', flexible: true });
    await expectPixel('/flexible/track');
    expect((await world.visit('/flexible/other')).headers.location).to.equal(`${A}/other`);
  });

  it('are paths like any other without the setting', async () => {
    await setPaths(false);
    await eventually(async () => {
      for (const path of ['/a/track', '/a/qr-code']) {
        expect((await world.visit(path)).status).to.equal(404);
      }
    });
    const { status, body } = await setPaths('yes');
    expect(status).to.equal(422);
    expect(body.error.message).to.match(/^shlinkPaths must be/);
    expect((await world.api.get('/domains')).body[0].shlinkPaths).to.equal(false);
  });
});
