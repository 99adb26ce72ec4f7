import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { Site } from '../support/site.ts';
import { aWorkspace, type World } from '../support/world.ts';

const CRAWLER = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)';

describe('a card that its owner gave no title', () => {
  let world: World;
  let site: Site;
  let page: string;
  let count = 0;

  before(async () => {
    [world, site] = [await aWorkspace(), await Site.start()];
    page = site.answer('/page', {
      type: 'text/html',
      body: '<title>Its title</title><meta name=description content="Its text"><meta property=og:image content=/i.png>',
    });
  });
  after(() => site.stop());

  /** Builds the URL of a page that no other test requests. */
  const aPage = () => `${page}?n=${(count += 1)}`;
  const found = () => ({
    title: 'Its title',
    description: 'Its text',
    image: `${site.url}/i.png`,
  });

  async function make(path: string, fields: object): Promise<{ id: string; key: string }> {
    const { status, body } = await world.api.post(path, fields);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  }

  const read = async (path: string) => (await world.api.get(path)).body;
  const card = async (key: string) => {
    const { body } = await world.visit(`/${key}`, { userAgent: CRAWLER });
    return /<meta property="og:title" content="([^"]*)"/.exec(body)?.[1];
  };

  it('gets what the destination says, in the record and for crawlers', async () => {
    const link = await make('/links', { url: aPage(), proxy: true });
    expect(link).to.include({ title: null, description: null, image: null });
    await eventually(async () => {
      expect(await read(`/links/${link.id}`)).to.include(found());
      expect(await card(link.key)).to.equal('Its title');
    });
    const { status, headers } = await world.visit(`/${link.key}`);
    expect([status, headers.location?.startsWith(page)]).to.deep.equal([302, true]);
  });

  it('is filled where a crawler has asked before, in every redirect process', async () => {
    const url = site.answer('/later', {
      type: 'text/html',
      body: '<title>Later</title>',
      delayMs: 400,
    });
    const { key } = await make('/links', { url, proxy: true });
    for (const process of [0, 1] as const) {
      expect((await world.visit(`/${key}`, { userAgent: CRAWLER, process })).status).to.equal(302);
    }
    await eventually(async () => {
      for (const process of [0, 1] as const) {
        const { body } = await world.visit(`/${key}`, { userAgent: CRAWLER, process });
        expect(body).to.contain('Later');
      }
    });
  });

  it('is filled for an upsert that makes a link, and for a change that sets proxy', async () => {
    const made = await world.api.put('/links/upsert', { url: aPage(), proxy: true });
    expect(made.status).to.equal(201);
    const plain = await make('/links', { url: aPage() });
    expect((await world.api.patch(`/links/${plain.id}`, { proxy: true })).status).to.equal(200);
    await eventually(async () => {
      expect(await read(`/links/${made.body.id}`)).to.include(found());
      expect(await read(`/links/${plain.id}`)).to.include(found());
    });
  });

  it('is filled for a QR code of a URL', async () => {
    const code = await make('/qrcodes', { type: 'url', url: aPage(), proxy: true });
    const plain = await make('/qrcodes', { type: 'url', url: aPage() });
    expect((await world.api.patch(`/qrcodes/${plain.id}`, { proxy: true })).status).to.equal(200);
    await eventually(async () => {
      expect(await read(`/qrcodes/${code.id}`)).to.include(found());
      expect(await read(`/qrcodes/${plain.id}`)).to.include(found());
      expect(await card(code.key)).to.equal('Its title');
    });
  });

  it('does not overwrite the fields of its owner', async () => {
    const link = await make('/links', { url: aPage(), proxy: true, description: 'Mine' });
    await eventually(async () => {
      expect(await read(`/links/${link.id}`)).to.include({ ...found(), description: 'Mine' });
    });
  });

  it('does not wait for a slow page, and does not overwrite a change by its owner in the meantime', async () => {
    let change = () => {};
    const isChanged = new Promise<void>((resolve) => {
      change = resolve;
    });
    const slow = (path: string) =>
      site.answer(path, (_request, response) => {
        void isChanged.then(() =>
          response
            .writeHead(200, { 'content-type': 'text/html' })
            .end('<title>Slow</title><meta name=description content=Slower>'),
        );
      });
    const titled = await make('/links', { url: slow('/s1'), proxy: true });
    const moved = await make('/links', { url: slow('/s2'), proxy: true, flexible: true });
    const off = await make('/links', { url: slow('/s3'), proxy: true });
    const gone = await make('/links', { url: slow('/s4'), proxy: true });
    const last = await make('/links', { url: slow('/s5'), proxy: true });
    await world.api.patch(`/links/${titled.id}`, { title: 'Mine' });
    await world.api.patch(`/links/${moved.id}`, { url: 'https://example.com/' });
    await world.api.patch(`/links/${off.id}`, { proxy: false });
    await world.api.delete(`/links/${gone.id}`);
    change();
    await eventually(async () => {
      expect(await read(`/links/${last.id}`)).to.include({ title: 'Slow' });
      expect(await read(`/links/${titled.id}`)).to.include({
        title: 'Mine',
        description: 'Slower',
      });
    });
    expect(await read(`/links/${moved.id}`)).to.include({ title: null, description: null });
    expect(await read(`/links/${off.id}`)).to.include({ title: null, description: null });
    expect((await world.api.get(`/links/${gone.id}`)).status).to.equal(404);
  });

  it('is unchanged when the page cannot be read, or has no metadata', async () => {
    const broken = await make('/links', {
      url: site.answer('/broken', { status: 500, body: '<title>Error</title>' }),
      proxy: true,
    });
    const empty = await make('/links', {
      url: site.answer('/empty', { type: 'text/html', body: '<p>' }),
      proxy: true,
    });
    const hidden = await make('/links', { url: 'http://10.0.0.1/', proxy: true });
    const after = await make('/links', { url: aPage(), proxy: true });
    await eventually(async () => {
      expect(await read(`/links/${after.id}`)).to.include(found());
      expect(site.requests('/broken') + site.requests('/empty')).to.equal(2);
    });
    for (const { id, key } of [broken, empty, hidden]) {
      expect(await read(`/links/${id}`)).to.include({
        title: null,
        description: null,
        image: null,
      });
      expect((await world.visit(`/${key}`, { userAgent: CRAWLER })).status).to.equal(302);
    }
  });

  it('is requested only with proxy and without title, and not in bulk', async () => {
    const asked = (path: string) => site.answer(path, { type: 'text/html', body: '<title>No' });
    await make('/links', { url: asked('/n1'), proxy: true, title: 'Mine' });
    await make('/links', { url: asked('/n2') });
    await make('/links', { url: 'mailto:a@example.com', proxy: true });
    await make('/qrcodes', { type: 'url', url: asked('/n3'), proxy: true, static: true });
    await make('/qrcodes', { type: 'text', text: 'hello', proxy: true });
    const bulk = await world.api.post('/links/bulk', [{ url: asked('/n4'), proxy: true }]);
    await world.api.patch(`/links/${bulk.body[0].id}`, { comments: 'a' });
    await world.api.patch('/links/bulk', { linkIds: [bulk.body[0].id], data: { proxy: true } });
    const after = await make('/links', { url: aPage(), proxy: true });
    await eventually(async () => expect(await read(`/links/${after.id}`)).to.include(found()));
    for (const path of ['/n1', '/n2', '/n3', '/n4']) expect(site.requests(path), path).to.equal(0);
  });
});
