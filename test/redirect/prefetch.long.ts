import { request as send } from 'node:http';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { findBrowser, newContextIn, startBrowser } from '../pages/browser.ts';
import { browser as userAgent } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const OFFICE = 'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Word 16.0.17126; Pro)';

/** Elements that let a browser load a URL before anybody opens it. */
const PREFETCHES: [name: string, element: (url: string) => string, purpose: string | undefined][] =
  [
    ['nothing', () => '', undefined],
    ['a prefetch', (url) => speculation('prefetch', url), 'prefetch'],
    ['a prerender', (url) => speculation('prerender', url), 'prefetch;prerender'],
    ['<link rel=prefetch>', (url) => `<link rel="prefetch" href="${url}">`, 'prefetch'],
  ];

const speculation = (kind: string, url: string) =>
  `<script type="speculationrules">${JSON.stringify({
    [kind]: [{ source: 'list', urls: [url], eagerness: 'immediate' }],
  })}</script>`;

const html = (body: string) => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html><title>Page</title>${body}`,
});

/* Without a browser, which little else of the tests needs, these count as skipped. */
describe('a short link in a browser', function () {
  let browser: Browser | undefined;
  let site: Site;
  let world: World;
  let linkId: string;
  /** Values of `Sec-Purpose` in the requests for the short link. */
  let purposes: (string | undefined)[];
  /** Short link under an origin that the browser takes for secure. */
  let shortLink: string;

  before(async function () {
    if (findBrowser() === undefined) this.skip();
    browser = await startBrowser();
    site = await Site.start();
  });
  after(async () => {
    await browser?.close();
    await site?.stop();
  });

  beforeEach(async () => {
    world = await aWorkspace();
    const url = site.answer('/arrived', html('<h1>Arrived</h1>'));
    const link = { url, key: 'link', trackConversion: true };
    linkId = (await world.api.post('/links', link)).body.id;
    purposes = [];
    shortLink = site.answer('/link', (request, response) => {
      purposes.push(request.headers['sec-purpose'] as string | undefined);
      const forwarded = send(
        {
          port: stack().redirectPort,
          path: request.url,
          headers: { ...request.headers, host: world.domain },
        },
        (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        },
      );
      forwarded.end();
    });
  });

  const clicks = async () => (await world.api.get(`/links/${linkId}`)).body.clicks;

  async function inPage(agent: string, work: (page: Page) => Promise<void>): Promise<void> {
    const context = await newContextIn(browser!, { userAgent: agent });
    try {
      await work(await context.newPage());
    } finally {
      await context.close();
    }
  }

  for (const [name, element, purpose] of PREFETCHES) {
    it(`is counted once, when a person opens it, on a page with ${name}`, async () => {
      const page = `${element(shortLink)}<a href="${shortLink}">Open</a>`;
      const url = site.answer('/page', html(page));
      await inPage(userAgent(), async (window) => {
        await window.goto(url);
        if (purpose !== undefined) {
          await eventually(() => expect(purposes).to.deep.equal([purpose]));
          await window.waitForLoadState('networkidle');
        }
        await window.getByRole('link').click();
        await window.waitForURL(/\/arrived\?click_id=clk_/);
      });
      expect(purposes).to.deep.equal(purpose === undefined ? [undefined] : [purpose, undefined]);
      await eventually(async () => expect(await clicks()).to.equal(1));
    });
  }

  it('is opened and counted where the page for Office is shown', async () => {
    const { status, headers, body } = await world.visit('/link', { userAgent: OFFICE });
    expect(status).to.equal(200);
    await inPage(userAgent(), async (window) => {
      const type = String(headers['content-type']);
      const policy = String(headers['content-security-policy']);
      let isFirst = true;
      await window.route(shortLink, (route) => {
        if (!isFirst) return route.continue();
        isFirst = false;
        const sent = { 'content-type': type, 'content-security-policy': policy };
        return route.fulfill({ status, headers: sent, body });
      });
      await window.goto(shortLink);
      await window.waitForURL(/\/arrived\?click_id=clk_/);
    });
    expect(purposes).to.have.length(1);
    await eventually(async () => expect(await clicks()).to.equal(1));
  });

  it('is redirected without a loop in a browser with the user agent of Office', async () => {
    await inPage(OFFICE, async (window) => {
      await window.goto(shortLink);
      expect(window.url()).to.match(/\/arrived$/);
    });
    expect(purposes).to.have.length(1);
    expect(await clicks()).to.equal(0);
  });
});
