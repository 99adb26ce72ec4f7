import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { marked, type Tokens } from 'marked';
import { freePorts } from '../../scripts/ports.ts';
import { findBrowser, newContextIn, startBrowser } from '../pages/browser.ts';
import { eventually } from '../support/eventually.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { TlsProxy } from '../support/tls-proxy.ts';
import { ENGINES, type Tab } from '../support/web-drivers.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * The script of web pages, on pages of another site, in every engine whose browser is installed:
 * `chromium`, `firefox-esr`, `webkit2gtk-driver` with `xvfb`. See flows.ts. The code of
 * docs/page-script.md runs here.
 */

/** A click id that no link has given out. */
const CLICK = `clk_${'a'.repeat(24)}`;
/** Part of the guide’s code that each installation replaces. */
const API = 'https://api.example.com';
const SHOP_PAGE = '/landing';

/** Code blocks of the guide in a language. */
function blocksOf(language: string): string[] {
  const blocks: string[] = [];
  void marked.walkTokens(marked.lexer(readFileSync('docs/page-script.md', 'utf8')), (token) => {
    if (token.type !== 'code') return;
    const { lang = '', text } = token as Tokens.Code;
    if (lang.split(' ')[0] === language) blocks.push(text);
  });
  return blocks;
}

const [SNIPPET = '', EARLY = '', PROXIED_SNIPPET = ''] = blocksOf('html');
const [CALLS = ''] = blocksOf('js');
const [PROXY = ''] = blocksOf('nginx');
const [POLICY = ''] = blocksOf('text');

const PRIVACY =
  "<script>Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })</script>";

describe('the script of web pages', () => {
  let world: World;
  let site: Site;
  let key: string;
  /** Origin of the shop, which is no host of the service. */
  let shop: string;

  before(async () => {
    site = await Site.start();
    shop = site.url;
  });
  after(() => site.stop());

  beforeEach(async () => {
    world = await aWorkspace();
    const { body } = await world.api.post('/keys', {
      type: 'publishable',
      name: 'shop',
      origins: [shop],
    });
    key = body.key;
    // Pages of the test, which only differ by their head.
    page('/', '');
    page(SHOP_PAGE, snippet());
    // As the proxy of the guide, for engines whose tests do not need nginx.
    for (const route of ['/track.js', '/track/lead', '/track/sale']) {
      site.answer(`/_s${route}`, (incoming, response) => {
        const { method, headers } = incoming;
        const outgoing = request(stack().apiUrl + route, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        });
        incoming.pipe(outgoing);
      });
    }
  });

  const filled = (text: string) => text.replaceAll(API, stack().apiUrl).replaceAll(/pk_\w+/g, key);
  const snippet = () => filled(SNIPPET);
  const page = (route: string, head: string, headers: Record<string, string> = {}) =>
    site.answer(route, {
      type: 'text/html',
      headers,
      body: `<!doctype html><meta charset="utf-8"><title>Shop</title>${head}`,
    });
  const events = async (event: string) => (await world.api.get('/events', { event })).body;

  /** Creates a link of the default domain, which browsers can open. */
  async function aLink(): Promise<string> {
    const url = shop + SHOP_PAGE;
    const link = { url, domain: 'localhost', trackConversion: true };
    return (await world.api.post('/links', link)).body.shortLink;
  }

  for (const engine of ENGINES) {
    describe(`in ${engine.name}`, () => {
      let tab: Tab;

      before(async function () {
        if (!engine.isInstalled()) this.skip();
        tab = await engine.start();
      });
      after(() => tab?.close());

      beforeEach(async () => {
        await tab.open(`${shop}/`);
        await tab.run("document.cookie = 'click_id=; Max-Age=0'");
      });

      const cookie = () => tab.run('return document.cookie');
      const sent = () =>
        tab.run(`return performance.getEntriesByType('resource')
          .map(({ name }) => name).filter((name) => name.includes('/track/'))`);

      it('keeps the click of a short link, and tracks a lead and a sale', async () => {
        await tab.open(await aLink());
        const search = await tab.run('return location.search');
        const [, clickId] = /^\?click_id=(clk_[\w-]{24})$/.exec(search) ?? [];
        expect(await cookie()).to.equal(`click_id=${clickId}`);
        await tab.run(CALLS);
        const [lead] = await events('leads');
        expect(lead.click.id).to.equal(clickId);
        expect(lead.eventName).to.equal('Sign up');
        const [sale] = await events('sales');
        expect(sale.click.id).to.equal(clickId);
        expect(sale.sale.invoiceId).to.equal('inv-1');
        // Another page, without the parameter, after the first one was left at once.
        await tab.run(`shortlinks.trackLead({ eventName: 'Trial', customerExternalId: 'user-2' });
          location.href = '/'`);
        await eventually(async () => expect(await events('leads')).to.have.length(2));
        await tab.open(shop + SHOP_PAGE);
        const response = await tab.run(
          "return shortlinks.trackLead({ eventName: 'Demo', customerExternalId: 'user-3' })",
        );
        expect(response).to.deep.include({ clickId, customerId: 'user-3', metadata: null });
      });

      it('replaces the click by a later one, and stores nothing else', async () => {
        await tab.open(`${shop}${SHOP_PAGE}?a=1&dub_id=${CLICK}&b=2`);
        expect(await cookie()).to.equal(`click_id=${CLICK}`);
        const later = `clk_${'b'.repeat(24)}`;
        await tab.open(`${shop}${SHOP_PAGE}?click_id=${later}#part`);
        expect(await cookie()).to.equal(`click_id=${later}`);
        for (const forged of ['abc', `${CLICK}x`, `${CLICK};%20Path=/`, '%3Cscript%3E', '']) {
          await tab.open(`${shop}${SHOP_PAGE}?click_id=${forged}`);
          expect(await cookie(), forged).to.equal(`click_id=${later}`);
        }
        const stored = await tab.run('return [localStorage.length, sessionStorage.length]');
        expect(stored).to.deep.equal([0, 0]);
        expect(
          await tab.run('return Object.keys(window).filter((name) => /short|track/.test(name))'),
        ).to.deep.equal(['shortlinks']);
      });

      it('sets no cookie and sends nothing for a visitor who asks for privacy', async () => {
        page('/private', PRIVACY + snippet());
        await tab.run(`document.cookie = 'click_id=${CLICK}'`);
        await tab.open(`${shop}/private?click_id=clk_${'b'.repeat(24)}`);
        expect(await tab.run(CALLS + 'return 1')).to.equal(1);
        const responses = await tab.run(`return Promise.all([
          shortlinks.trackLead({ eventName: 'Sign up', customerExternalId: 'user-1' }),
          shortlinks.trackSale({ customerExternalId: 'user-1', amount: 1 }),
          shortlinks.trackLead({ eventName: 'Sign up', customerExternalId: 'a', clickId: '${CLICK}' }),
        ])`);
        expect(responses).to.deep.equal([null, null, null]);
        expect(await cookie()).to.equal(`click_id=${CLICK}`);
        expect(await sent()).to.deep.equal([]);
      });

      it('sends no lead without a click, and a sale without one', async () => {
        await tab.open(shop + SHOP_PAGE);
        const fields = "{ eventName: 'Sign up', customerExternalId: 'user-1' }";
        expect(await tab.run(`return shortlinks.trackLead(${fields})`)).to.equal(null);
        expect(await sent()).to.deep.equal([]);
        const sale = "{ customerExternalId: 'user-1', amount: 5 }";
        expect(await tab.run(`return shortlinks.trackSale(${sale})`)).to.deep.include({
          amount: 5,
        });
        const [event] = await events('sales');
        expect(event.click).to.equal(null);
      });

      it('rejects with the message of the API, or names the origin', async () => {
        await tab.open(`${shop}${SHOP_PAGE}?click_id=${CLICK}`);
        const failing = async (call: string) => {
          const body = `return ${call}.then(() => 'sent', ({ message }) => message)`;
          return tab.run(body);
        };
        expect(await failing('shortlinks.trackLead({ customerExternalId: "a" })')).to.equal(
          'eventName is required',
        );
        expect(
          await failing('shortlinks.trackLead({ eventName: "a", customerExternalId: "a" })'),
        ).to.equal(`There is no click "${CLICK}"`);
        const [record] = (await world.api.get('/keys')).body;
        await world.api.patch(`/keys/${record.id}`, { origins: ['https://other.example'] });
        expect(
          await failing('shortlinks.trackSale({ customerExternalId: "a", amount: 1 })'),
        ).to.equal(`No response: is the key right, and ${shop} one of its origins?`);
        expect(await events('sales')).to.deep.equal([]);
      });

      it('sends calls from before it was loaded', async () => {
        const early = `<script>window.early = Promise.all([
          shortlinks.trackSale({ customerExternalId: 'user-1', amount: 7 }),
          shortlinks.trackSale({ amount: 7 }).catch(({ message }) => message),
        ])</script>`;
        page('/early', EARLY + early + snippet());
        await tab.open(`${shop}/early`);
        const [sale, refused] = await tab.run('return early');
        expect(sale).to.deep.include({ amount: 7 });
        expect(refused).to.equal('customerExternalId is required');
      });

      it('runs behind a path of the site, and under the policy of the guide', async () => {
        const watched =
          '<script nonce="n">addEventListener("securitypolicyviolation", ({ blockedURI }) => { window.blocked = blockedURI })</script>';
        const policy = (sources: string) => ({
          'content-security-policy': `default-src 'none'; img-src 'self'; ${sources.replaceAll('script-src', "script-src 'nonce-n'")}`,
        });
        page(
          '/proxied',
          watched + filled(PROXIED_SNIPPET),
          policy("script-src 'self'; connect-src 'self'"),
        );
        page('/limited', watched + snippet(), policy(filled(POLICY)));
        for (const [route, start] of [
          ['/proxied', `${shop}/_s/track/`],
          ['/limited', `${stack().apiUrl}/track/`],
        ] as const) {
          await tab.open(shop + route);
          await tab.run(CALLS.replaceAll('inv-1', route));
          const requests = await sent();
          expect(requests.length, route).to.be.at.least(1);
          for (const url of requests) expect(url).to.contain(start);
          expect(await tab.run('return window.blocked ?? null')).to.equal(null);
        }
        expect(await events('sales')).to.have.length(2);
      });
    });
  }

  it('follows the setting of Firefox for Global Privacy Control', async function () {
    const firefox = ENGINES.find(({ name }) => name === 'Firefox')!;
    if (!firefox.isInstalled()) this.skip();
    const tab = await firefox.start({ asksForPrivacy: true });
    try {
      await tab.open(await aLink());
      expect(await tab.run('return [location.search, document.cookie]')).to.deep.equal(['', '']);
      await tab.open(`${shop}${SHOP_PAGE}?click_id=${CLICK}`);
      expect(await tab.run('return document.cookie')).to.equal('');
      // Without the script, the API refuses.
      const status = await tab.run(`return fetch('${stack().apiUrl}/track/sale', {
        method: 'POST',
        headers: { Authorization: 'Bearer ${key}', 'Content-Type': 'application/json' },
        body: JSON.stringify({ customerExternalId: 'user-1', amount: 1 }),
      }).then(({ status }) => status)`);
      expect(status).to.equal(403);
    } finally {
      await tab.close();
    }
  });

  it('sets a secure cookie for 90 days, on request for all subdomains', async function () {
    if (findBrowser() === undefined) this.skip();
    const tls = await TlsProxy.start();
    tls.target = shop;
    const chromium = await startBrowser();
    try {
      const context = await newContextIn(chromium, { ignoreHTTPSErrors: true });
      const tab = await context.newPage();
      page('/wide', snippet().replace('data-key', 'data-domain="shop.test" data-key'));
      const attributes = async () => {
        const { expires, ...rest } = (await context.cookies())[0]!;
        await context.clearCookies();
        return { ...rest, days: Math.round((expires - Date.now() / 1000) / 86_400) };
      };
      const common = { name: 'click_id', value: CLICK, path: '/', httpOnly: false, days: 90 };
      await tab.goto(`${tls.origin}${SHOP_PAGE}?click_id=${CLICK}`);
      expect(await attributes()).to.deep.include({
        ...common,
        domain: 'localhost',
        secure: true,
        sameSite: 'Lax',
      });
      await tab.goto(`http://www.shop.test:${site.port}/wide?click_id=${CLICK}`);
      expect(await attributes()).to.deep.include({
        ...common,
        domain: '.shop.test',
        secure: false,
      });
    } finally {
      await chromium.close();
      await tls.stop();
    }
  });

  it('is served, with its endpoints, by the proxy of the guide', async function () {
    const [port] = await freePorts(1);
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-nginx-'));
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${name};`,
    );
    const server = `server { listen 127.0.0.1:${port}; ${filled(PROXY)} location / { proxy_pass ${shop}; } }`;
    const file = path.join(folder, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; pid nginx.pid; error_log stderr; events {} http { access_log off; ${folders.join(' ')} ${server} }`,
    );
    let nginx: ChildProcess | undefined;
    try {
      nginx = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' });
      const isMissing = await new Promise<boolean>((resolve) => {
        nginx!.once('error', () => resolve(true));
        nginx!.once('spawn', () => resolve(false));
      });
      if (isMissing) this.skip();
      const origin = `http://127.0.0.1:${port}`;
      await eventually(async () => {
        const script = await fetch(`${origin}/_s/track.js`);
        expect([script.status, script.headers.get('content-type')]).to.deep.equal([
          200,
          'text/javascript; charset=utf-8',
        ]);
      });
      const [record] = (await world.api.get('/keys')).body;
      await world.api.patch(`/keys/${record.id}`, { origins: [origin] });
      const send = (route: string) =>
        fetch(`${origin}/_s${route}`, {
          method: 'POST',
          headers: { origin, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ customerExternalId: 'user-1', amount: 1 }),
        });
      expect((await send('/track/sale')).status).to.equal(200);
      expect((await send('/links')).status).to.equal(404);
      expect((await fetch(`${origin}/_s/docs`)).status).to.equal(404);
    } finally {
      nginx?.kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
