import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import {
  collectData,
  inPseudoLanguage,
  isEnglish,
  usePseudoLanguage,
  visibleTexts,
} from './pseudo-language.ts';
import { aSampleWorkspace, type SampleWorkspace } from './sample-workspace.ts';
import { pathWith, viewsOfWorkspace } from './table-of-views.ts';
import { dialog, newContext, PASSWORD, SIZES, sizes, useBrowser, watch } from './window.ts';

const SCREENSHOTS = process.env['CONSOLE_SCREENSHOTS'];

/** Waits until a view has loaded. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1, h2').first().waitFor();
  await page.waitForFunction(
    () => document.querySelector('.animate-pulse, .animate-spin, [aria-busy=true]') === null,
  );
}

/** Lists the boxes of a page whose content is wider than they are. */
const wideBoxes = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll(':root, main, dialog:modal, dialog:modal > div > div')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((box) => `${box.scrollWidth} px in ${box.clientWidth} px: ${box.className}`),
  );

describe('the console in another language', function () {
  this.timeout(600_000);
  useBrowser();
  async function open(
    world: World,
    work: (page: Page, context: BrowserContext) => Promise<void>,
    isOther = true,
  ): Promise<void> {
    const context = await newContext({ baseURL: stack().apiUrl });
    try {
      if (isOther) await usePseudoLanguage(context);
      const { token } = await aPerson({ in: { ...world, role: 'owner' }, password: PASSWORD });
      await context.addCookies([{ name: 'session', value: token, url: stack().apiUrl }]);
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      page.on('dialog', (asked) => void asked.accept());
      const faults = watch(page);
      await work(page, context);
      expect(faults).to.deep.equal([]);
    } finally {
      await context.close();
    }
  }

  const viewsOf = (sample: SampleWorkspace) => {
    const { linkId, qrcodeId, customerId, pageId, webhookId, imports } = sample;
    const values = {
      link: linkId,
      qrcode: qrcodeId,
      customerId,
      pageId,
      webhookId,
      importId: imports.done,
    };
    return [...viewsOfWorkspace().map((path) => pathWith(path, values)), 'links?new=link'];
  };

  it('has no English text left, and room for longer ones', async () => {
    const sample = await aSampleWorkspace();
    const { world } = sample;
    await open(world, async (page, context) => {
      const data = collectData(page);
      const found: string[] = [];
      const seen: [path: string, text: string][] = [];
      const look = async (path: string) => {
        for (const size of sizes) {
          await page.setViewportSize(SIZES[size]);
          await page.goto(`/console${path}`);
          await settled(page);
          found.push(...(await wideBoxes(page)).map((box) => `${path} (${size}): ${box}`));
          if (SCREENSHOTS !== undefined) {
            const name = path.replaceAll(/[/?=]|_\w+/g, '-');
            await page.screenshot({ path: `${SCREENSHOTS}/language${name}-${size}.png` });
          }
        }
        for (const text of await visibleTexts(page)) seen.push([path, text]);
      };
      for (const path of viewsOf(sample)) await look(`/${world.slug}/${path}`);
      await context.clearCookies();
      await look('/sign-in');
      const english = seen.filter(([, text]) => isEnglish(text, data));
      found.push(...english.map(([path, text]) => `${path}: ${text}`));
      expect(found).to.deep.equal([]);
    });
  });

  /** Records the requests of a page to the API, without what differs between workspaces. */
  function recordRequests(page: Page, { slug, domain }: World): Set<string> {
    const requests = new Set<string>();
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (request.url().startsWith('data:') || pathname.startsWith('/console/')) return;
      // It is asked only if the form stays open until then.
      if (pathname === '/metatags') return;
      const text = [request.method(), pathname + search, request.postData() ?? ''].join(' ');
      requests.add(
        text
          .replaceAll(slug, 'workspace')
          .replaceAll(domain, 'domain')
          .replaceAll(/_[0-9A-Za-z]{20,}/g, '_id')
          .replaceAll(/T\d\d%3A\d\d%3A[\d.]+Z/g, 'T…'),
      );
    });
    return requests;
  }

  it('sends the same requests', async () => {
    const sent: Set<string>[] = [];
    for (const isOther of [false, true]) {
      const say = (text: string) => (isOther ? inPseudoLanguage(text) : text);
      const world = await aWorkspace();
      await open(
        world,
        async (page) => {
          const requests = recordRequests(page, world);
          const field = (label: string) => page.getByLabel(say(label), { exact: true });
          const press = (name: string) =>
            page
              .getByRole('button', { name: say(name), exact: true })
              .first()
              .click();
          const go = async (path: string) => {
            await page.goto(`/console/${world.slug}/${path}`);
            await settled(page);
          };
          await go('links?new=link');
          await field('Destination').fill('https://example.com/spring');
          await dialog(page)
            .getByRole('textbox', { name: say('Short link') })
            .fill('spring');
          await page.locator('summary', { hasText: say('Schedule and limits') }).click();
          await field('Click limit').fill('100');
          await page.locator('summary', { hasText: say('Redirect and tracking') }).click();
          await field('Redirect status').selectOption('301');
          await dialog(page)
            .getByRole('button', { name: say('Create link') })
            .click();
          await page.getByRole('row').filter({ hasText: '/spring' }).waitFor();
          await go('qrcodes/new');
          await field('URL').fill('https://example.com/menu');
          await page.getByRole('radio', { name: say('Dots'), exact: true }).check({ force: true });
          await press('Create QR code');
          await page.waitForURL(/qr_/);
          await go('labels');
          await press('Create tag');
          await field('Name').fill('Spring');
          await dialog(page)
            .getByRole('button', { name: say('Create tag') })
            .click();
          await page.getByRole('link', { name: 'Spring' }).waitFor();
          for (const path of ['analytics', 'live', 'events', 'settings/workspace', 'domains']) {
            await go(path);
          }
          sent.push(requests);
        },
        isOther,
      );
    }
    const [english, other] = sent.map((requests) => [...requests].toSorted());
    expect(other).to.deep.equal(english);
  });
});
