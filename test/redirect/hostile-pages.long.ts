import { expect } from 'chai';
import { JSDOM } from 'jsdom';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type VisitAnswer, type VisitOptions, type World } from '../support/world.ts';

/* Puts markup and scripts into every field whose text a visitor or an owner sees. */

const HOSTILE: Record<string, string> = {
  'a script': '<script>alert(1)</script>',
  'an end of an attribute': '"\' onmouseover=alert(1) x="',
  'an end of the title': '</title><img src=x onerror=alert(1)>',
  'an end of a style': '</style><svg onload=alert(1)>',
  'a header': 'a\r\nSet-Cookie: owned=1\r\n\r\n<script>alert(1)</script>',
  'a comment': '--><script>alert(1)</script><!--',
  'a template': '${7*7}{{7*7}}<%= 7*7 %>',
  entities: '&lt;script&gt;&#x3c;script&#x3e;',
  'marks of direction': '\u202egnp.exe\u2066\u200f',
  'half a character': 'a\ud800b',
  'a formula': '=HYPERLINK("http://evil.example","x")',
  '32 kB': '<b>"'.repeat(8_192),
};

/**
 * Finds elements and attributes by which a browser would run an injected script or load an injected
 * URL.
 */
function findInjection(body: string): string[] {
  const { document } = new JSDOM(body).window;
  const found: string[] = [];
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith('on')) found.push(`${element.tagName} has ${name}`);
      if (/^\s*(javascript|data|vbscript):/i.test(value) && /^(href|src|action)$/.test(name)) {
        found.push(`${element.tagName} leads to ${value.slice(0, 40)}`);
      }
    }
  }
  if (document.querySelectorAll('script, object, embed, base').length > 0) found.push('a script');
  if (document.querySelectorAll('meta[http-equiv]').length > 0) found.push('a meta refresh');
  if (document.querySelectorAll('img[src=x], body svg[onload]').length > 0) found.push('an image');
  return found;
}

function expectEscaped({ status, headers, body }: VisitAnswer, what: string): void {
  expect(status, what).to.be.below(500);
  expect(headers['set-cookie']?.join() ?? '', what).not.to.contain('owned');
  if (status < 400 && headers.location !== undefined) {
    expect(headers.location, what).to.match(/^\/(\w|_\/stats\/)/);
    return;
  }
  expect(headers['content-security-policy'], what).to.match(/default-src 'none'/);
  expect(headers['content-security-policy'], what).not.to.contain('unsafe');
  expect(findInjection(body), what).to.deep.equal([]);
}

describe('hostile texts', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  const crawler = { userAgent: 'facebookexternalhit/1.1' };
  const from = (visitor: number) => ({ 'x-forwarded-for': `203.0.113.${visitor}` });

  for (const [what, text] of Object.entries(HOSTILE)) {
    it(`are escaped in display pages, previews and frames: ${what}`, async () => {
      const { status, body: link } = await world.api.post('/links', {
        url: `https://example.com/?q=${encodeURIComponent(text.toWellFormed()).slice(0, 20_000)}`,
        title: text.slice(0, 1_000),
        description: text.slice(0, 5_000),
        image: text.slice(0, 30_000),
        video: `javascript:alert(1)//${text.slice(0, 100)}`,
        proxy: true,
      });
      expect(status).to.be.oneOf([201, 422]);
      if (status !== 201) return;
      expectEscaped(await world.visit(`/${link.key}`, crawler), 'card');
      expectEscaped(await world.visit(`/${link.key}+`), 'preview');
    });

    it(`are escaped on pages before the destination, and in answers: ${what}`, async () => {
      const fields = [
        { name: 'a', label: text.slice(0, 200), placeholder: text.slice(0, 200), required: true },
        { name: 'b', label: 'B', type: 'select', options: [text.slice(0, 200), 'x'] },
        { name: 'c', label: 'C', type: 'textarea' },
        { name: 'd', label: 'D', type: 'email' },
      ];
      const { status, body: page } = await world.api.post('/pages', {
        title: text.slice(0, 200),
        text: text.slice(0, 5_000),
        button: text.slice(0, 80),
        fields,
      });
      expect(status).to.be.oneOf([201, 422]);
      if (status !== 201) return;
      const { body: link } = await world.api.post('/links', {
        url: 'https://example.com/',
        preRedirection: true,
        pageId: page.id,
        isFormMandatory: true,
      });
      const shown = await world.visit(`/${link.key}?x="><script>alert(1)</script>`);
      expectEscaped(shown, 'page');
      const path = /action="([^"]+)"/.exec(shown.body)![1]!.replaceAll('&amp;', '&');
      const refused = await world.visit(path.replaceAll(/[<>"]/g, encodeURIComponent), {
        form: { a: text, c: text, d: text },
      });
      expect(refused.status).to.equal(422);
      expectEscaped(refused, 'page with faults');
      const form = { a: text.slice(0, 1_900), c: text.slice(0, 9_000) };
      const sent = await world.visit(path.split('?')[0]!, { form });
      expect([sent.status, sent.headers.location]).to.deep.equal([303, 'https://example.com/']);
      await eventually(async () => {
        const [lead] = await db()('events').where({ link_id: link.id, event: 'lead' });
        expect(lead?.metadata.c.length).to.be.above(0);
      });
    });

    it(`are escaped when visitors send them in URLs and forms: ${what}`, async () => {
      const { body: link } = await world.api.post('/links', {
        url: 'https://example.com/',
        password: 'x',
        publicStats: true,
      });
      const encoded = encodeURIComponent(text.toWellFormed()).slice(0, 6_000);
      for (const path of [
        `/${link.key}?q=${encoded}`,
        `/${link.key}+?q=${encoded}`,
        `/${encoded.slice(0, 300)}`,
        `/${encoded.slice(0, 300)}+`,
        `/_/file/${encoded.slice(0, 300)}`,
        `/_/continue/${encoded.slice(0, 300)}/${link.key}`,
        `/_/stats/${encoded.slice(0, 300)}`,
      ]) {
        const answer = await world.visit(path, {
          headers: {
            ...from(1),
            'accept-language': encoded.slice(0, 2_000),
            referer: `https://e.example/?${encoded}`,
            cookie: `unlock_${link.id}=${encoded.slice(0, 2_000)}`,
          },
        });
        expectEscaped(answer, path.slice(0, 60));
      }
    });

    it(`are escaped on the page of statistics and in its CSV: ${what}`, async () => {
      const { body: link } = await world.api.post('/links', {
        url: 'https://example.com/',
        publicStats: true,
      });
      await world.visit(`/${link.key}`);
      const value = text.replaceAll('\0', '').toWellFormed().slice(0, 2_000);
      await eventually(async () => {
        const changed = await db()('events')
          .where({ link_id: link.id })
          .update({ referer: value, device: value, browser: value, country: value });
        expect(changed).to.equal(1);
      });
      const url = `${stack().apiUrl}/stats/${world.domain}/${link.key}`;
      const page = await fetch(url, { headers: from(2) });
      expect(page.status).to.equal(200);
      expect(findInjection(await page.text())).to.deep.equal([]);
      const file = await (await fetch(`${url}?format=csv`, { headers: from(2) })).text();
      for (const line of file.replace('\ufeff', '').split('\r\n')) {
        expect(line).not.to.match(/(^|,)"?[=+@\t\r-]/);
      }
    });
  }

  it('add no header to a redirect', async () => {
    for (const url of ['https://example.com/\r\nX: 1', 'https://example.com/\u0000']) {
      expect((await world.api.post('/links', { url })).status).to.equal(422);
    }
    for (const field of ['ios', 'android', 'expiredUrl', 'pageUrl'] as const) {
      const body = { url: 'https://example.com/', [field]: 'javascript:alert(1)' };
      const { status, body: answer } = await world.api.post('/links', body);
      expect(status).to.equal(422);
      expect(answer.error.message).to.contain(field);
    }
    const rules = [{ value: 'DE', url: 'data:text/html,x' }];
    expect((await world.api.post('/links', { url: 'https://e.com', rules })).status).to.equal(422);
  });
});

describe('every page of ours', () => {
  it('has a Permissions-Policy that denies what no page uses', async () => {
    const world = await aWorkspace();
    const { api } = world;
    const operator = (await aPerson({ isOperator: true })).api;
    const url = 'https://example.com/a';
    const link = async (key: string, fields: object = {}) => {
      const { status, body } = await api.post('/links', { url, key, ...fields });
      expect(status, key).to.equal(201);
      return body;
    };
    const page = await api.post('/pages', { title: 'Before', text: 'you go on' });
    await link('plain', { publicStats: true });
    await link('password', { password: 'open sesame' });
    await link('card', { proxy: true, title: 'Card' });
    await link('early', { startsAt: new Date(Date.now() + 86_400_000).toISOString() });
    await link('before', { preRedirection: true, pageId: page.body.id });
    const expired = await link('expired', { expiresAt: new Date(Date.now() + 86_400_000) });
    await link('blocked', { url: `https://${world.slug}.example` });
    const blocked = `/admin/blocked-hosts/${world.slug}.example`;
    await operator.put(blocked, { reason: 'Phishing' });
    await api.post('/qrcodes', { type: 'text', text: 'a text', key: 'display' });
    const past = new Date(Date.now() + 1_500).toISOString();
    await api.patch(`/links/${expired.id}`, { expiresAt: past });
    await eventually(async () => expect((await world.visit('/expired')).status).to.equal(410));

    const visits: [path: string, status: number, options?: VisitOptions][] = [
      ['/nothing', 404],
      ['/%', 400],
      ['/plain', 405, { method: 'PUT' }],
      ['/plain+', 200],
      ['/password', 403],
      ['/password', 403, { form: { password: 'wrong' } }],
      ['/card', 200, { userAgent: 'facebookexternalhit/1.1' }],
      ['/early', 404],
      ['/before', 200],
      ['/expired', 410],
      ['/blocked', 403],
      ['/display', 200],
      ['/_/report', 200],
      ['/_/report', 422, { form: { link: 'a' } }],
      ['/', 200, { host: 'localhost' }],
      ['/_/report', 413, { form: { comment: 'x'.repeat(600_000) } }],
    ];
    const walked: [name: string, status: number, type: string, permissions: string][] = [];
    for (const [path, status, options] of visits) {
      const { headers, ...answer } = await world.visit(path, options);
      expect(answer.status, path).to.equal(status);
      const type = headers['content-type'] ?? '';
      walked.push([path, status, type, String(headers['permissions-policy'])]);
    }
    const paths = [
      '/console',
      '/console/links',
      `/stats/${world.domain}/plain`,
      '/docs',
      '/docs/redirects',
      '/docs/search?q=links',
      '/docs/api-reference',
      '/docs/api-reference/errors',
      '/unsubscribe/a',
      '/report/mail?every=weekly',
    ];
    for (const path of paths) {
      const { status, headers } = await fetch(`${stack().apiUrl}${path}`, {
        headers: { authorization: `Bearer ${world.apiKey}` },
      });
      const permissions = String(headers.get('permissions-policy'));
      walked.push([path, status, headers.get('content-type') ?? '', permissions]);
    }
    for (const [name, status, type, permissions] of walked) {
      expect(type, `${name} (${status})`).to.match(/^text\/html/);
      for (const right of ['camera', 'geolocation', 'microphone', 'payment']) {
        expect(permissions, `${name} (${status})`).to.contain(`${right}=()`);
      }
    }
    await operator.delete(blocked);
  });
});
