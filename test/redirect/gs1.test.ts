import { expect } from 'chai';
import { scan } from '../support/decoders.ts';
import { aWorkspace, type VisitOptions, type World } from '../support/world.ts';

const PRODUCT = '01/09520123456788';
const LOT = `${PRODUCT}/10/A%2F1`;
const RICE = 'https://example.com/rice';
const COOK = 'https://example.com/cook';

describe('a GS1 Digital Link', () => {
  let world: World;
  const ids: Record<string, string> = {};

  const create = async (gs1: object, more: object = {}) =>
    world.api.post('/qrcodes', { type: 'gs1', gs1, ...more });
  const to = async (path: string, headers: Record<string, string> = {}) => {
    const { status, headers: sent } = await world.visit(path, { headers });
    return [status, sent.location];
  };
  const linksetOf = async (path: string, options: VisitOptions = {}) => {
    const { status, headers, body } = await world.visit(path, options);
    expect(status, body).to.equal(200);
    expect(headers['content-type']).to.equal('application/linkset+json');
    return JSON.parse(body) as { linkset: Record<string, unknown>[] };
  };

  before(async () => {
    world = await aWorkspace();
    const product = await create({
      data: '(01)9520123456788',
      url: RICE,
      title: 'Rice',
      links: [
        { linkType: 'gs1:pip', url: `${RICE}/de`, title: 'Reis', language: 'de' },
        { linkType: 'gs1:instructions', url: COOK, title: 'Cook', language: 'en' },
        { linkType: 'gs1:instructions', url: `${COOK}/de`, title: 'Kochen', language: 'de' },
        {
          linkType: 'gs1:instructions',
          url: `${COOK}.pdf`,
          title: 'Kochen (PDF)',
          language: 'de',
          mediaType: 'application/pdf',
        },
      ],
    });
    expect(product.status, JSON.stringify(product.body)).to.equal(201);
    ids['product'] = product.body.id;
    const lot = await create({
      data: { '01': '09520123456788', '10': 'A/1', '17': '290331' },
      url: `${RICE}/lot`,
    });
    expect(lot.status, JSON.stringify(lot.body)).to.equal(201);
    ids['lot'] = lot.body.id;
  });

  it('has the canonical path as its slug, which both decoders read from its image', async () => {
    const { body } = await world.api.get(`/qrcodes/${ids['lot']}`);
    expect(body.key).to.equal(`${PRODUCT}/10/A/1`);
    expect(body.gs1.data).to.deep.equal({ '01': '09520123456788', '10': 'A/1', '17': '290331' });
    expect(body.shortLink).to.equal(`https://${world.domain}/${LOT}?17=290331`);
    const { bytes } = await world.api.download(`/qrcodes/${ids['lot']}/image`);
    expect(await scan(bytes)).to.equal(body.shortLink);
  });

  it('redirects with 307 to its default link, with the query', async () => {
    expect(await to(`/${PRODUCT}`)).to.deep.equal([307, RICE]);
    expect(await to(`/${PRODUCT}/`)).to.deep.equal([307, RICE]);
    expect(await to(`/${LOT}?17=290331`)).to.deep.equal([307, `${RICE}/lot?17=290331`]);
    const { headers } = await world.visit(`/${PRODUCT}`);
    expect(headers.link).to.equal(
      `<https://${world.domain}/${PRODUCT}?linkType=linkset>; rel="linkset"; type="application/linkset+json"`,
    );
    expect(headers['access-control-allow-origin']).to.equal('*');
    const head = await world.visit(`/${PRODUCT}`, { method: 'HEAD' });
    expect([head.status, head.headers.location, head.body]).to.deep.equal([307, RICE, '']);
  });

  it('leads serial numbers to their batch, and batches to their product', async () => {
    expect(await to(`/${LOT}/21/S1`)).to.deep.equal([307, `${RICE}/lot`]);
    expect(await to(`/${PRODUCT}/10/OTHER/21/S1`)).to.deep.equal([307, RICE]);
    expect(await to(`/${PRODUCT}/22/V1`)).to.deep.equal([307, RICE]);
  });

  it('refuses invalid paths with 400, and unknown things with 404', async () => {
    for (const path of ['01/09520123456789', `${PRODUCT}/21/S/10/L`, `${PRODUCT}/menu`]) {
      expect((await world.visit(`/${path}`)).status, path).to.equal(400);
    }
    expect((await world.visit('/01/09520123456795')).status).to.equal(404);
    expect((await world.visit('/01/2024')).status).to.equal(404);
  });

  it('gets the requested type of link, by language and media type, or 404', async () => {
    const type = '?linkType=gs1:instructions';
    expect(await to(`/${PRODUCT}${type}&a=1`)).to.deep.equal([307, `${COOK}?a=1`]);
    const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };
    expect(await to(`/${PRODUCT}${type}`, german)).to.deep.equal([307, `${COOK}/de`]);
    const pdf = { ...german, accept: 'application/pdf' };
    expect(await to(`/${PRODUCT}${type}`, pdf)).to.deep.equal([307, `${COOK}.pdf`]);
    expect(await to(`/${PRODUCT}`, german)).to.deep.equal([307, `${RICE}/de`]);
    for (const voc of ['https://ref.gs1.org/voc/', 'https://gs1.org/voc/']) {
      const uri = encodeURIComponent(`${voc}instructions`);
      expect(await to(`/${PRODUCT}?linkType=${uri}`)).to.deep.equal([307, COOK]);
    }
    // The batch has no instructions of its own.
    expect(await to(`/${LOT}${type}`)).to.deep.equal([307, COOK]);
    expect((await world.visit(`/${LOT}?linkType=gs1:recipeInfo`)).status).to.equal(404);
  });

  it('lists its links and those of the levels above (RFC 9264)', async () => {
    const origin = `https://${world.domain}`;
    const list = await linksetOf(`/${LOT}?linkType=linkset`);
    expect(list.linkset.map(({ anchor }) => anchor)).to.deep.equal([
      `${origin}/${LOT}`,
      `${origin}/${PRODUCT}`,
    ]);
    const [, product] = list.linkset;
    expect(product).to.deep.include({
      itemDescription: 'GTIN 09520123456788',
      'https://ref.gs1.org/voc/defaultLink': [{ href: RICE, title: 'Rice' }],
      'https://ref.gs1.org/voc/pip': [
        { href: RICE, title: 'Rice' },
        { href: `${RICE}/de`, title: 'Reis', hreflang: ['de'] },
      ],
    });
    expect(product!['https://ref.gs1.org/voc/instructions']).to.have.length(3);
    expect(await linksetOf(`/${LOT}?linkType=all`)).to.deep.equal(list);
    const accept = { accept: 'application/linkset+json' };
    expect(await linksetOf(`/${LOT}`, { headers: accept })).to.deep.equal(list);
    const page = await world.visit(`/${LOT}?linkType=linkset`, {
      headers: { accept: 'text/html,*/*' },
    });
    expect(page.headers['content-type']).to.contain('text/html');
    expect(page.body).to.contain(`href="${RICE}/lot"`).and.contain(`href="${COOK}.pdf"`);
  });

  it('prefers what a link is to what a wildcard allows', async () => {
    const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const german = { 'accept-language': 'de,*;q=0.5', accept: browser };
    expect(await to(`/${PRODUCT}?linkType=gs1:instructions`, german)).to.deep.equal([
      307,
      `${COOK}/de`,
    ]);
    const other = { 'accept-language': 'fr,*;q=0.5', accept: browser };
    expect(await to(`/${PRODUCT}`, other)).to.deep.equal([307, RICE]);
  });

  it('finds the levels above whatever the workspace counts', async () => {
    await world.set({ excludedIps: ['203.0.113.0/24'] });
    expect(await to(`/${LOT}?linkType=gs1:instructions`)).to.deep.equal([307, COOK]);
    const { linkset } = await linksetOf(`/${LOT}?linkType=linkset`);
    expect(linkset).to.have.length(2);
    await world.set({ excludedIps: [] });
  });

  it('leaves unknown paths to the page of the domain', async () => {
    const { body: domains } = await world.api.get('/domains');
    const { id } = domains.find(({ slug }: { slug: string }) => slug === world.domain);
    const notFoundUrl = 'https://example.com/lost';
    await world.api.patch(`/domains/${id}`, { notFoundUrl });
    expect(await to('/01/20240101')).to.deep.equal([302, notFoundUrl]);
    await world.api.patch(`/domains/${id}`, { notFoundUrl: null });
    expect((await world.visit('/01/20240101')).status).to.equal(400);
  });

  it('describes the resolver, and answers OPTIONS', async () => {
    const { headers, body } = await world.visit('/.well-known/gs1resolver');
    expect(headers['content-type']).to.equal('application/json');
    expect(JSON.parse(body)).to.deep.include({
      resolverRoot: `https://${world.domain}`,
      supportedPrimaryKeys: ['all'],
    });
    const options = await world.visit(`/${PRODUCT}`, { method: 'OPTIONS' });
    expect([options.status, options.headers.allow]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
    expect((await world.visit('/other', { method: 'OPTIONS' })).status).to.equal(405);
  });

  it('keeps what is printed, and changes its links', async () => {
    const change = (body: object) => world.api.patch(`/qrcodes/${ids['lot']}`, body);
    const data = { '01': '09520123456788', '10': 'A/1' };
    const moved = await change({ gs1: { data: { ...data, '17': '300331' }, url: RICE } });
    expect([moved.status, moved.body.error.message]).to.deep.equal([
      409,
      'gs1 cannot be changed: the identifiers of a GS1 Digital Link are printed in the code',
    ]);
    expect((await change({ type: 'url', url: RICE })).status).to.equal(409);
    const kept = await change({ gs1: { data: { ...data, '17': '290331' }, url: `${RICE}/2` } });
    expect(kept.status, JSON.stringify(kept.body)).to.equal(200);
    expect(await to(`/${LOT}`)).to.deep.equal([307, `${RICE}/2`]);
  });

  it('is refused with the rule that it breaks', async () => {
    const REFUSED: [gs1: object, more: object, message: string][] = [
      [
        { data: '(01)09520123456789', url: RICE },
        {},
        'gs1.data must have the check digit 8 in (01)',
      ],
      [{ data: '(01)09520123456788' }, {}, 'gs1.url must be set where static is false'],
      [
        { data: '(01)09520123456788', url: RICE },
        { key: 'rice' },
        'key must be absent or 01/09520123456788, the path of gs1.data',
      ],
      [
        { data: '(01)09520123456788(10)A+', url: RICE },
        {},
        'gs1.data must not have + at the end of the path',
      ],
      [
        { data: '(01)09520123456795', url: 'https://HOST/01/09520123456795' },
        {},
        'gs1.url must not be the short link itself',
      ],
      [
        {
          data: '(01)09520123456795',
          url: RICE,
          links: [{ linkType: 'https://ref.gs1.org/voc/pip', url: COOK }],
        },
        {},
        'gs1.links[0].linkType must be a link type of GS1 such as gs1:pip, or the https URI of another one',
      ],
    ];
    for (const [gs1, more, message] of REFUSED) {
      const sent = JSON.parse(JSON.stringify(gs1).replaceAll('HOST', world.domain)) as object;
      const { status, body } = await create(sent, more);
      expect([status, body.error?.message]).to.deep.equal([422, message]);
    }
    expect((await create({ data: '(01)09520123456788', url: RICE })).status).to.equal(409);
  });

  it('holds the URI of GS1, or of another site, as a static code', async () => {
    const { body } = await create({ data: '(01)09520123456788(10)A' }, { static: true });
    expect(body.contentStatic).to.equal('https://id.gs1.org/01/09520123456788/10/A');
    const own = { data: '(01)09520123456788', stem: 'https://example.com/p/' };
    const { body: other } = await create(own, { static: true });
    expect(other.contentStatic).to.equal('https://example.com/p/01/09520123456788');
  });
});
