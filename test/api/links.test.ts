import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { DECODERS, toPixels } from '../support/decoders.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

describe('POST /links', () => {
  it('returns 201 with the whole record, its Location, and every default', async () => {
    const { api, domain, projectId } = await aWorkspace();

    const { status, body, headers } = await api.post('/links', { url: A, key: 'summer' });

    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(`/links/${body.id}`);
    const { id, userId, createdAt, updatedAt, qrCode, ...rest } = body;
    expect(id).to.match(/^link_[0-9A-Za-z]{24}$/);
    expect(userId).to.match(/^user_/);
    expect(createdAt).to.equal(updatedAt);
    expect(qrCode).to.match(/\/qr\?url=https%3A%2F%2F/);
    expect(rest).to.deep.equal({
      domain,
      key: 'summer',
      url: A,
      archived: false,
      expiresAt: null,
      expiredUrl: null,
      trackConversion: false,
      trackEvents: true,
      flexible: false,
      doIndex: false,
      password: null,
      hasPassword: false,
      externalId: null,
      proxy: false,
      title: null,
      description: null,
      image: null,
      video: null,
      rewrite: false,
      ios: null,
      android: null,
      geo: null,
      publicStats: false,
      tagId: null,
      tags: [],
      folderId: null,
      comments: null,
      notificationToken: null,
      webhookIds: null,
      utm_source: null,
      utm_medium: null,
      utm_campaign: null,
      utm_term: null,
      utm_content: null,
      projectId,
      clicks: 0,
      importedClicks: 0,
      destinationCheck: null,
      leads: 0,
      sales: 0,
      saleAmount: 0,
      refundAmount: 0,
      lastClicked: null,
      preRedirection: false,
      isFormMandatory: false,
      filled: false,
      shortLink: `https://${domain}/summer`,
      pageId: null,
      pageUrl: null,
      startsAt: null,
      maxVisits: null,
      redirectStatus: 302,
      forwardQuery: true,
      queryConflict: null,
      rules: null,
      testVariants: null,
      testStartedAt: null,
      testCompletedAt: null,
      testWinner: null,
    });
  });

  it('returns short links that work: on the default short domain with its public origin', async () => {
    const { api, domain } = await aWorkspace();
    const { body: own } = await api.post('/links', { url: A, key: 'föö' });
    expect(own.shortLink).to.equal(`https://${domain}/f%C3%B6%C3%B6`);
    expect(new URL(own.qrCode).searchParams.get('url')).to.equal(`${own.shortLink}?qr=1`);

    const { body: link } = await api.post('/links', { url: A, domain: 'localhost' });
    expect(link.shortLink).to.equal(`http://localhost:${stack().redirectPort}/${link.key}`);
    const opened = await fetch(link.shortLink, { redirect: 'manual' });
    expect(opened.headers.get('location')).to.equal(A);
    const picture = Buffer.from(await (await fetch(link.qrCode)).arrayBuffer());
    const scanned = await DECODERS['ZXing']!(await toPixels(picture));
    expect(scanned?.toString()).to.equal(`${link.shortLink}?qr=1`);
  });

  it('stores every field of the body', async () => {
    const { api } = await aWorkspace();
    const folder = (await api.post('/folders', { name: 'Campaigns' })).body;
    const tag = (await api.post('/tags', { name: 'Spring' })).body;
    const sent = {
      url: `${A}?x=1`,
      key: 'full',
      externalId: 'order-1',
      trackConversion: true,
      archived: true,
      proxy: true,
      rewrite: true,
      doIndex: true,
      publicStats: true,
      flexible: true,
      preRedirection: true,
      isFormMandatory: true,
      expiresAt: '2099-01-02T03:04:05.000Z',
      expiredUrl: 'https://example.com/over',
      password: 'sésame "1"',
      title: 'Title',
      description: 'Description',
      image: 'https://example.com/i.png',
      video: 'https://example.com/v.mp4',
      ios: 'https://apps.apple.com/app/1',
      android: 'market://details?id=x',
      geo: { DE: 'https://example.com/de', XK: 'https://example.com/xk' },
      folderId: folder.id,
      comments: 'a comment',
      notificationToken: 'token',
      pageUrl: 'https://example.com/page',
      tagIds: [tag.id],
    };

    const { body } = await api.post('/links', sent);

    const { tagIds: _, ...fields } = sent;
    expect(body).to.include({ tagId: tag.id });
    expect(body.tags).to.deep.equal([{ id: tag.id, name: 'Spring' }]);
    for (const [name, value] of Object.entries(fields))
      expect(body[name], name).to.deep.equal(value);
  });

  it('generates a key of 7 letters and digits, with the prefix if there is one', async () => {
    const { api } = await aWorkspace();
    expect((await api.post('/links', { url: A })).body.key).to.match(/^[0-9A-Za-z]{7}$/);
    expect((await api.post('/links', { url: A, prefix: '/c/' })).body.key).to.match(
      /^c\/[0-9A-Za-z]{7}$/,
    );
    expect((await api.post('/links', { url: A, prefix: 'c', key: 'k' })).body.key).to.equal('k');
  });

  it('uses the default short domain when the workspace has no primary one', async () => {
    const { api, domain } = await aWorkspace();
    const own = (await api.get('/domains')).body[0];
    await api.patch(`/domains/${own.id}`, { primary: false });
    expect((await api.post('/links', { url: A })).body.domain).to.equal('localhost');
    expect(
      (await api.post('/links', { url: A, domain: domain.toUpperCase() })).body.domain,
    ).to.equal(domain);
  });

  it('refuses a taken key with 409, and does not change the first link', async () => {
    const { api, visit } = await aWorkspace();
    await api.post('/links', { url: A, key: 'taken' });

    const second = await api.post('/links', { url: 'https://example.com/b', key: 'taken' });

    expect(second.status).to.equal(409);
    expect(second.body.error).to.include({ code: 'conflict' });
    expect(second.body.error.message).to.contain('"taken"');
    expect(second.body.error.doc_url).to.match(/\/api-reference\/errors#conflict$/);
    expect((await visit('/taken')).headers.location).to.equal(A);
  });

  it('distinguishes keys by case, and normalizes them to NFC', async () => {
    const { api, visit } = await aWorkspace();
    await api.post('/links', { url: A, key: 'Case' });
    expect((await api.post('/links', { url: A, key: 'case' })).status).to.equal(201);
    const decomposed = await api.post('/links', { url: `${A}?cafe`, key: 'cafe\u0301' });
    expect(decomposed.body.key).to.equal('caf\u00e9');
    expect((await visit('/caf%C3%A9')).headers.location).to.equal(`${A}?cafe`);
    expect((await visit('/cafe%CC%81')).headers.location).to.equal(`${A}?cafe`);
  });

  it('refuses a taken external id with 409', async () => {
    const { api } = await aWorkspace();
    await api.post('/links', { url: A, externalId: 'one' });
    const second = await api.post('/links', { url: A, externalId: 'one', key: 'free' });
    expect(second.status).to.equal(409);
    expect(second.body.error.message).to.contain('externalId "one"');
    // The refused request has not taken the key.
    expect((await api.post('/links', { url: A, key: 'free' })).status).to.equal(201);
  });

  it('returns 403 for a domain of another workspace', async () => {
    const [{ api }, other] = [await aWorkspace(), await aWorkspace()];
    const { status, body } = await api.post('/links', { url: A, domain: other.domain });
    expect(status).to.equal(403);
    expect(body.error.message).to.contain(other.domain);
  });

  it('writes UTM fields into the destination and reads them back from it', async () => {
    const { api } = await aWorkspace();
    const { body } = await api.post('/links', {
      url: `${A}?utm_source=old&keep=%20byte+for&utm_term=t#part`,
      utm_source: 'news letter',
      utm_medium: 'mail',
    });
    expect(body.url).to.equal(
      `${A}?keep=%20byte+for&utm_term=t&utm_source=news%20letter&utm_medium=mail#part`,
    );
    expect(body).to.include({
      utm_source: 'news letter',
      utm_medium: 'mail',
      utm_term: 't',
      utm_campaign: null,
    });
  });

  const destinations: [name: string, url: string, stored: string | RegExp][] = [
    ['a URL without a scheme', 'example.com/x', 'https://example.com/x'],
    ['a host with a port', 'example.com:8080/x', 'https://example.com:8080/x'],
    ['a bare origin as it is', 'https://example.com', 'https://example.com'],
    [
      'a URL with invisible characters at its ends',
      '\u200ehttps://example.com/x\u200b\u2060',
      'https://example.com/x',
    ],
    [
      'odd but valid bytes as they are',
      'https://example.com/%zz?a=b%20c+d',
      'https://example.com/%zz?a=b%20c+d',
    ],
    ['mailto', 'mailto:a@example.com', 'mailto:a@example.com'],
    ['tel', 'tel:+491234', 'tel:+491234'],
    ['a deep link', 'myapp://open/1', 'myapp://open/1'],
    [
      'a domain in Unicode',
      'https://münchen.example/straße',
      /^https:\/\/xn--mnchen-3ya\.example\/stra%C3%9Fe$/,
    ],
  ];
  for (const [name, url, stored] of destinations) {
    it(`accepts as destination: ${name}`, async () => {
      const { api } = await aWorkspace();
      const { status, body } = await api.post('/links', { url });
      expect(status).to.equal(201);
      if (typeof stored === 'string') expect(body.url).to.equal(stored);
      else expect(body.url).to.match(stored);
    });
  }
});

describe('an invalid link', () => {
  let world: World;
  before(async () => {
    world = await aWorkspace();
  });

  const cases: [name: string, body: object, field: string][] = [
    ['no url', {}, 'url is required'],
    [
      'a javascript: destination',
      { url: 'javascript:alert(1)' },
      'url must not use the scheme javascript:',
    ],
    [
      'a data: destination in other case',
      { url: 'DaTa:text/html,x' },
      'url must not use the scheme data:',
    ],
    ['a file: destination', { url: 'file:///etc/passwd' }, 'url must not use'],
    ['a vbscript: destination', { url: 'vbscript:x' }, 'url must not use'],
    [
      'a scheme behind a line feed',
      { url: 'java\nscript:alert(1)' },
      'url must not contain control characters',
    ],
    [
      'several URLs, one a line',
      { url: 'https://example.com/0\nhttps://example.com/1\r\nhttps://example.com/2' },
      'url must be one URL, not 3',
    ],
    [
      'several URLs with spaces between',
      { url: 'https://example.com/0 HTTP://example.com/1' },
      'url must be one URL, not 2',
    ],
    ['no URL at all', { url: 'not a url' }, 'url must be a valid URL'],
    ['a word', { url: 'word' }, 'url must be a valid URL'],
    [
      'a host without a dot, and its port',
      { url: 'intranet:8080/x' },
      'url must be a URL that begins with http:// or https://: for a host with a port, write http://intranet:8080',
    ],
    ['a misspelt scheme', { url: 'htps://example.com' }, 'or https://, not with htps:'],
    ['a scheme twice', { url: 'https://https://example.com' }, 'url must not begin with http://'],
    ['the path of a file', { url: 'C:\\Users\\x' }, 'url must not be the path of a file'],
    [
      'a url too long',
      { url: `https://example.com/${'x'.repeat(32_768)}` },
      'url must not be longer',
    ],
    ['an unknown field', { url: A, colour: 'red' }, 'colour is not a known field'],
    [
      'two unknown fields',
      { url: A, x: 1, y: 2 },
      'x is not a known field; y is not a known field',
    ],
    [
      'an unknown winner',
      { url: A, queryConflict: 'both' },
      'queryConflict must be one of visitor, owner, null',
    ],
    ['a wrong type', { url: A, archived: 'true' }, 'archived must be a boolean'],
    ['a key with a space', { url: A, key: 'a b' }, 'key must contain only'],
    ['a key with %', { url: A, key: 'a%20' }, 'key must contain only'],
    ['a key with ?', { url: A, key: 'a?b' }, 'key must contain only'],
    ['a key that starts with /', { url: A, key: '/a' }, 'key must not start or end with /'],
    ['a key with a dot segment', { url: A, key: 'a/../b' }, 'key must not contain'],
    ['a key too long', { url: A, key: 'x'.repeat(191) }, 'key must not be longer than 190'],
    ['a reserved key', { url: A, key: '_/x' }, 'reserved'],
    ['robots.txt', { url: A, key: 'robots.txt' }, 'reserved'],
    ['.well-known', { url: A, key: '.well-known/x' }, 'reserved'],
    [
      'an expiry in the past',
      { url: A, expiresAt: '2001-01-01T00:00:00Z' },
      'expiresAt must be in the future',
    ],
    [
      'an expiry on a day that does not exist',
      { url: A, expiresAt: '2099-02-30T00:00:00Z' },
      'expiresAt',
    ],
    ['an unknown country', { url: A, geo: { ZZ: A } }, 'geo.ZZ'],
    ['an image that is no web address', { url: A, image: 'javascript:1' }, 'image must not use'],
    ['an image of an app', { url: A, image: 'app:1' }, 'image must be a URL that begins with'],
    ['a video that is no web address', { url: A, video: 'DATA:text/html,x' }, 'video must not use'],
    ['a page of an app', { url: A, pageUrl: 'app:1' }, 'pageUrl must be a URL that begins with'],
    ['a bad URL for a country', { url: A, geo: { DE: 'javascript:1' } }, 'geo.DE must not use'],
    ['an unknown tag id', { url: A, tagIds: ['tag_nope'] }, 'tagIds: there is no tag "tag_nope"'],
    ['an unknown tag name', { url: A, tagNames: 'nope' }, 'tagNames: there is no tag "nope"'],
    ['an unknown folder', { url: A, folderId: 'fold_nope' }, 'folderId: there is no folder'],
    ['an unknown webhook', { url: A, webhookIds: ['wh_nope'] }, 'webhookIds: there is no webhook'],
    ['an unknown page', { url: A, pageId: 'page_nope' }, 'pageId: there is no page'],
    ['an external id too long', { url: A, externalId: 'x'.repeat(256) }, 'externalId'],
    ['an external id with a comma', { url: A, externalId: 'a,b' }, 'externalId must not contain'],
    ['an external id with ext_', { url: A, externalId: 'ext_a' }, 'externalId must not begin'],
    ['an external id that ends with a space', { url: A, externalId: 'a ' }, 'externalId must not'],
    ['an invalid domain', { url: A, domain: 'a b' }, 'domain must be a host name'],
    ['null characters', { url: A, title: 'a\u0000b' }, 'title must not contain null characters'],
  ];
  for (const [name, body, message] of cases) {
    it(`is refused with 422 and the name of the field: ${name}`, async () => {
      const answer = await world.api.post('/links', body);
      expect(answer.status).to.equal(422);
      expect(answer.body.error.code).to.equal('unprocessable_entity');
      expect(answer.body.error.message).to.contain(message);
    });
  }

  it('is refused with the names of all invalid fields', async () => {
    const { body } = await world.api.post('/links', { url: 'x y', key: 'a b', archived: 1 });
    for (const field of ['url', 'key', 'archived']) expect(body.error.message).to.contain(field);
  });

  const loops: [field: string, body: (self: string) => object][] = [
    ['url', (url) => ({ url })],
    ['ios', (ios) => ({ ios })],
    ['android', (android) => ({ android })],
    ['geo.DE', (to) => ({ geo: { DE: to } })],
    ['rules[0].url', (url) => ({ rules: [{ value: 'DE', url }] })],
    ['expiredUrl', (expiredUrl) => ({ expiredUrl })],
    ['pageUrl', (pageUrl) => ({ pageUrl })],
  ];
  for (const [field, fields] of loops) {
    it(`is refused when it redirects to itself: ${field}`, async () => {
      const { api, domain } = world;
      const port = stack().redirectPort;
      const selves: [body: object, address: string][] = [
        [{}, `https://${domain.toUpperCase()}/loop`],
        [{}, `http://${domain}./loop/?a=b#c`],
        [{}, `https://${domain}:8443/%6Coop`],
        [{ flexible: true }, `https://${domain}/loop/more`],
        [{ key: 'loop❤️' }, `https://${domain}/loop❤`],
        [{ domain: 'localhost' }, `http://localhost:${port}/loop`],
        [{ domain: 'localhost' }, 'https://localhost/loop'],
      ];
      for (const [body, self] of selves) {
        const answer = await api.post('/links', { url: A, key: 'loop', ...body, ...fields(self) });
        expect(answer.status, self).to.equal(422);
        expect(answer.body.error.message).to.equal(`${field} must not be the short link itself`);
      }
    });
  }

  it('may redirect to a URL that only resembles its own', async () => {
    const { api, domain } = await aWorkspace();
    const key = `near-${newId('link')}`;
    const others: object[] = [
      { url: `https://${domain}/${key}2` },
      { url: `https://${domain}/${key}/more` },
      { url: `https://${domain}.example/${key}` },
      // Another port of the same machine is another server.
      { url: `http://localhost:9/${key}`, domain: 'localhost' },
    ];
    for (const body of others) {
      const { status, body: link } = await api.post('/links', { key, ...body });
      expect(status, JSON.stringify(body)).to.equal(201);
      const { error } = (await api.patch(`/links/${link.id}`, { url: link.shortLink })).body;
      expect(error.message).to.equal('url must not be the short link itself');
      await api.delete(`/links/${link.id}`);
    }
  });

  it('stores nothing', async () => {
    expect((await world.api.get('/links', { showArchived: true })).body).to.deep.equal([]);
  });
});

describe('GET, PATCH and DELETE /links/{linkId}', () => {
  it('finds a link by its id, its external id, and its domain and key', async () => {
    const { api, domain, slug } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A, key: 'a/b', externalId: 'mine' });

    expect((await api.get(`/links/${link.id}`)).body).to.deep.equal(link);
    expect((await api.get('/links/ext_mine')).body).to.deep.equal(link);
    expect((await api.get('/links/info', { domain, key: 'a/b' })).body).to.deep.equal(link);
    expect(
      (await api.get('/links/info', { externalId: 'ext_mine', projectSlug: slug })).body,
    ).to.deep.equal(link);
    expect((await api.get('/links/info', { linkId: link.id })).body).to.deep.equal(link);
  });

  it('returns 404 for an unknown link, and 422 for ambiguous parameters', async () => {
    const { api } = await aWorkspace();
    expect((await api.get('/links/link_nope')).status).to.equal(404);
    expect((await api.get('/links/ext_nope')).status).to.equal(404);
    expect((await api.patch('/links/link_nope', { title: 'x' })).status).to.equal(404);
    expect((await api.delete('/links/link_nope')).status).to.equal(404);
    expect((await api.get('/links/info', { key: 'x' })).status).to.equal(422);
    expect((await api.get('/links/info', { domain: 'x.test', key: 'x' })).status).to.equal(404);
  });

  it('changes the fields of the body, clears those that are null, and keeps the rest', async () => {
    const { api } = await aWorkspace();
    const tags = [
      (await api.post('/tags', { name: 'b' })).body,
      (await api.post('/tags', { name: 'a' })).body,
    ];
    const { body: link } = await api.post('/links', {
      url: A,
      title: 'Title',
      comments: 'old',
      password: 'secret',
      tagIds: [tags[0].id],
    });

    const { status, body } = await api.patch(`/links/${link.id}`, {
      title: null,
      comments: 'new',
      tagNames: 'A,B',
      externalId: 'mine',
    });

    expect(status).to.equal(200);
    expect(body.updatedAt > link.updatedAt).to.equal(true);
    expect(body).to.deep.equal({
      ...link,
      title: null,
      comments: 'new',
      externalId: 'mine',
      tagId: tags[1].id,
      tags: [
        { id: tags[1].id, name: 'a' },
        { id: tags[0].id, name: 'b' },
      ],
      updatedAt: body.updatedAt,
    });
    expect((await api.get('/links/ext_mine')).body).to.deep.equal(body);
    expect((await api.patch('/links/ext_mine', { tagIds: [] })).body.tags).to.deep.equal([]);
  });

  it('changes the destination of any link', async () => {
    const { api, visit } = await aWorkspace();
    for (const flexible of [false, true]) {
      const { body: link } = await api.post('/links', { url: A, flexible });
      const changed = await api.patch(`/links/${link.id}`, { url: 'https://example.com/b' });
      expect(changed.body).to.include({ url: 'https://example.com/b', flexible });
      expect((await visit(`/${link.key}`)).headers.location).to.equal('https://example.com/b');
    }
  });

  it('keeps UTM fields when the destination changes, unless the new one has its own', async () => {
    const { api } = await aWorkspace();
    const { body: link } = await api.post('/links', {
      url: A,
      utm_source: 'news letter',
      utm_medium: 'mail',
    });
    const change = async (fields: object) => {
      const { url, utm_source, utm_medium } = (await api.patch(`/links/${link.id}`, fields)).body;
      return { url, utm_source, utm_medium };
    };
    expect(await change({ url: 'https://example.com/b?x=1#y' })).to.deep.equal({
      url: 'https://example.com/b?x=1&utm_source=news%20letter&utm_medium=mail#y',
      utm_source: 'news letter',
      utm_medium: 'mail',
    });
    expect(await change({ url: `${A}?utm_source=own`, utm_medium: null })).to.deep.equal({
      url: `${A}?utm_source=own`,
      utm_source: 'own',
      utm_medium: null,
    });
    const many = { linkIds: [link.id], data: { url: 'https://example.com/c' } };
    expect((await api.patch('/links/bulk', many)).body[0].url).to.equal(
      'https://example.com/c?utm_source=own',
    );
  });

  it('moves a link to another key and domain; the former one is reserved for a day', async () => {
    const { api, visit, domain, slug } = await aWorkspace();
    const other = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A, key: 'old' });
    await api.post('/links', { url: A, key: 'other' });
    expect((await api.patch(`/links/${link.id}`, { key: 'other' })).status).to.equal(409);

    expect((await api.patch(`/links/${link.id}`, { key: 'new' })).body.shortLink).to.equal(
      `https://${domain}/new`,
    );

    expect((await visit('/new')).headers.location).to.equal(A);
    for (const process of [0, 1] as const) {
      expect((await visit('/old', { process })).status).to.equal(404);
      expect((await visit('/old', { process })).status).to.equal(404);
    }
    // No other link, QR code or bulk request can take the old key.
    const wanted = { url: `${A}2`, key: 'old' };
    expect((await api.post('/links', wanted)).status).to.equal(409);
    expect((await api.post('/qrcodes', { type: 'url', ...wanted })).status).to.equal(409);
    expect((await api.post('/links/bulk', [wanted, wanted])).status).to.equal(409);

    // The link itself can take its old key back.
    await api.patch(`/links/${link.id}`, { key: 'old' });
    expect((await visit('/old')).headers.location).to.equal(A);
    expect((await visit('/new')).status).to.equal(404);

    const key = `moved-${slug}`;
    await api.patch(`/links/${link.id}`, { domain: 'localhost', key });
    expect((await visit(`/${key}`, { host: 'localhost:80' })).headers.location).to.equal(A);
    await api.patch(`/links/${link.id}`, { key: `${key}2` });
    const theirs = { url: `${A}3`, domain: 'localhost', key };
    expect((await other.api.post('/links', theirs)).status).to.equal(409);

    await db()('claims')
      .where({ key })
      .update({ free_at: new Date(Date.now() - 1_000) });
    const [first, second] = (await other.api.post('/links/bulk', [theirs, theirs])).body;
    expect([first.key, second.error.code]).to.deep.equal([key, 'conflict']);
    expect((await visit(`/${key}`, { host: 'localhost' })).headers.location).to.equal(`${A}3`);
  });

  it('does not keep a domain from being deleted by the reserved key of a moved link', async () => {
    const { api } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A, key: 'old' });
    await api.patch(`/links/${link.id}`, { domain: 'localhost', key: link.id });
    const [domain] = (await api.get('/domains')).body;
    expect((await api.delete(`/domains/${domain.id}`)).status).to.equal(200);
  });

  it('deletes a link permanently', async () => {
    const { api, visit } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A, key: 'gone' });
    const { status, body } = await api.delete(`/links/${link.id}`);
    expect([status, body]).to.deep.equal([200, { id: link.id }]);
    expect((await api.get(`/links/${link.id}`)).status).to.equal(404);
    expect((await api.delete(`/links/${link.id}`)).status).to.equal(404);
    expect((await visit('/gone')).status).to.equal(404);
  });

  it('returns passwords to their owner, and stores them encrypted', async () => {
    const { api } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A, password: 'open sesame' });
    expect(link.password).to.equal('open sesame');
    const row = await db()('links').where({ id: link.id }).first();
    expect(row.password).to.match(/^sealed:v2:/);
    const job = await db()('jobs')
      .whereRaw('outcome LIKE ?', [`%${link.id}%`])
      .first();
    expect(job.outcome).not.to.contain('open sesame');
    expect((await api.get('/links', { password: 'open sesame' })).body).to.have.length(1);
    expect((await api.get('/links', { password: 'open' })).body).to.have.length(0);
  });
});

describe('PUT /links/upsert', () => {
  it('creates a link once, and updates it the next time', async () => {
    const { api } = await aWorkspace();
    const first = await api.put('/links/upsert', { url: A, key: 'up' });
    expect(first.status).to.equal(201);
    const second = await api.put('/links/upsert', { url: `${A}2`, key: 'up' });
    expect(second.status).to.equal(200);
    expect(second.body).to.include({ id: first.body.id, url: `${A}2` });
    const byUrl = await api.put('/links/upsert', { url: `${A}2`, title: 'same' });
    expect(byUrl.body).to.include({ id: first.body.id, title: 'same' });
    const byExternalId = await api.put('/links/upsert', { url: A, externalId: 'e1' });
    expect(byExternalId.status).to.equal(201);
    expect((await api.put('/links/upsert', { url: A, externalId: 'e1' })).body.id).to.equal(
      byExternalId.body.id,
    );
  });

  it('updates the newest link with the same destination as it is stored', async () => {
    const { api } = await aWorkspace();
    const long = `https://example.com/?x=${'y'.repeat(20_000)}`;
    for (const [url, again] of [
      ['https://example.com/größe', ' https://example.com/größe'],
      ['https://example.com/a b', 'https://example.com/a%20b'],
      ['example.com', 'https://example.com'],
      [long, long],
    ]) {
      await api.post('/links', { url });
      const newest = (await api.post('/links', { url })).body;
      await api.post('/links', { url: `${again}/longer` });
      const upserted = await api.put('/links/upsert', { url: again, comments: 'same' });
      expect([upserted.status, upserted.body.id]).to.deep.equal([200, newest.id]);
    }
    const { body } = await api.put('/links/upsert', {
      url: 'https://example.com/a b',
      utm_term: 'x',
    });
    const other = await api.put('/links/upsert', { url: 'https://example.com/a b?utm_term=x' });
    expect(other.body.id).to.equal(body.id);
  });

  it('creates one link from many concurrent upserts', async () => {
    const { api } = await aWorkspace();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.put('/links/upsert', { url: A, externalId: 'once' })),
    );
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(1);
  });
});
