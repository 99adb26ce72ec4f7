import { expect } from 'chai';
import type { CDPSession, Locator, Page } from 'playwright-core';
import { db, execute } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace } from '../support/world.ts';
import { aSampleWorkspace, type SampleWorkspace } from './sample-workspace.ts';
import { inConsole, sizes, useBrowser } from './window.ts';

/*
 * Measures how long the console takes to open a dialog and to scroll a long list. The limits are in
 * processor time of the page's main thread, since a busy machine stretches the time of a clock; both
 * are printed.
 */

/** Goal for the time from a click to the painted dialog, in ms on an idle machine. */
const DIALOG_MS = 100;
/** Goal for the work of the main thread for one turn of the wheel, in ms on an idle machine. */
const WHEEL_MS = 50;
/** Most rows that the list may render, of those in view and beside it. */
const MOST_ROWS = 40;
/** A slow or busy machine may take this many times the goal: its caches serve others too. */
const TOLERANCE = 20;

/** Longest wait for an idle moment, in ms: Chromium may never report one of a page without frames. */
const IDLE_MS = 2_000;

const LINKS = 50_000;
/** Number of turns of a usual wheel, which scroll 120 px each. */
const STEPS = 200;
/** Pixels of a turn that replaces all rows, as moving the scroll bar does. */
const TURN_PX = 6_000;

/** A dialog, and the way to it. */
interface Opening {
  name: string;
  view(of: SampleWorkspace): string;
  /** Shows the control that opens the dialog. */
  prepare?(page: Page): Promise<unknown>;
  opener(page: Page): Locator;
}

const button = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first();
const item = (name: string) => (page: Page) => page.getByRole('menuitem', { name, exact: true });
/** Opens the menu of the first record of a view. */
const openMenu = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
const select = (page: Page) => page.getByRole('row').getByRole('checkbox').first().click();
const more = async (page: Page) => {
  await select(page);
  await page.getByRole('toolbar').getByRole('button', { name: 'More' }).click();
};

const inLinks = (
  name: string,
  opener: Opening['opener'],
  prepare?: Opening['prepare'],
): Opening => ({ name, view: () => 'links?sort=clicks', opener, ...(prepare && { prepare }) });
const inCodes = (
  name: string,
  opener: Opening['opener'],
  prepare?: Opening['prepare'],
): Opening => ({ name, view: () => 'qrcodes', opener, ...(prepare && { prepare }) });
const at = (view: string, name: string, prepare?: Opening['prepare']): Opening => ({
  name: `${view}: ${name}`,
  view: () => view,
  opener: prepare ? item(name) : button(name),
  ...(prepare && { prepare }),
});

const OPENINGS: readonly Opening[] = [
  inLinks('new link', button('Create link')),
  inLinks('filters', button('Filter')),
  inLinks('saved views', button('Views')),
  inLinks('edit link', item('Edit'), openMenu),
  inLinks('QR code of a link', item('QR code'), openMenu),
  inLinks('redirect test', item('Test redirect'), openMenu),
  inLinks('reset counts', item('Reset counts'), openMenu),
  inLinks('delete link', item('Delete'), openMenu),
  inLinks('tags of selected', button('Tags'), select),
  inLinks('QR codes of selected', button('QR codes'), select),
  inLinks('UTM of selected', item('UTM parameters'), more),
  inLinks('expiration of selected', item('Expiration'), more),
  inLinks('find and replace', item('Find and replace'), more),
  { ...inLinks('edit on the page', button('Edit')), view: ({ linkId }) => `links/${linkId}` },
  inCodes('delete QR code', item('Delete'), openMenu),
  inCodes('sheet of codes', button('Sheet or ZIP'), select),
  inCodes('style of codes', button('Style'), select),
  at('analytics', 'Share'),
  at('domains', 'Add domain'),
  at('labels', 'Create tag'),
  at('labels', 'Create folder'),
  at('pages', 'Create page'),
  at('webhooks', 'Create webhook'),
  {
    name: 'test event',
    view: ({ webhookId }) => `webhooks/${webhookId}`,
    opener: button('Send test event'),
  },
  {
    name: 'merge customers',
    view: ({ customerId }) => `customers/${customerId}`,
    prepare: openMenu,
    opener: item('Merge…'),
  },
  at('settings/members', 'Invite'),
  at('settings/keys', 'Create key'),
];

/** The result of an opening. */
interface Measured {
  name: string;
  /** Time from the click to the painted dialog. */
  paintedMs: number;
  /** Processor time of the main thread for it. */
  workMs: number;
  /** Scripts that the page requested between. */
  scripts: string[];
}

/** Waits for the next dialog in the page, from a click to the frame with the dialog. */
const WATCH_NEXT = `globalThis.nextDialog = new Promise((resolve) => {
  addEventListener('click', ({ timeStamp }) => {
    const look = () => {
      const isShown = document.querySelector('dialog[open], [role=dialog]:popover-open') !== null;
      if (!isShown) return requestAnimationFrame(look);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const scripts = performance.getEntriesByType('resource')
          .filter(({ name, startTime }) => name.endsWith('.js') && startTime > timeStamp)
          .map(({ name }) => name.slice(name.lastIndexOf('/') + 1));
        resolve({ paintedMs: performance.now() - timeStamp, scripts });
      };
      port2.postMessage(undefined);
    };
    requestAnimationFrame(look);
  }, { once: true, capture: true });
}); undefined`;

/** Returns the processor time that the main thread of a page has used for tasks, in ms. */
async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1_000;
}

async function meter(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return session;
}

/** Waits until a page has loaded what it loads while idle, as it has when a person clicks. */
async function rest(page: Page, pending: ReadonlySet<unknown>): Promise<void> {
  for (let time = 0; time < 3; time += 1) {
    await page.evaluate(
      `new Promise((done) => requestIdleCallback(done, { timeout: ${IDLE_MS} }))`,
    );
    await eventually(async () => expect([...pending]).to.have.length(0));
  }
}

describe('speed of the console', function () {
  // Each dialog is opened in a page that was loaded for it.
  this.timeout(3_600_000);
  useBrowser();
  let sample: SampleWorkspace;

  before(async () => {
    sample = await aSampleWorkspace();
  });

  for (const size of sizes) {
    it(`opens each dialog without loading a script (${size})`, async () => {
      const all: Measured[] = [];
      await inConsole(sample.world, 'links', { size }, async (page) => {
        const pending = new Set<unknown>();
        // The stream of live events stays open.
        const isStream = (url: string) => new URL(url).pathname === '/events/live';
        page.on('request', (request) => isStream(request.url()) || pending.add(request));
        page.on('requestfinished', (request) => pending.delete(request));
        page.on('requestfailed', (request) => pending.delete(request));
        const session = await meter(page);
        const origin = new URL(page.url()).origin;
        for (const { name, view, prepare, opener } of OPENINGS) {
          // A blank page between drops what the last view has loaded.
          await page.goto('about:blank');
          pending.clear();
          await page.goto(`${origin}/console/${sample.world.slug}/${view(sample)}`);
          await page.getByRole('main').getByRole('button').first().waitFor();
          if (prepare) await prepare(page);
          const control = opener(page);
          await control.waitFor();
          await rest(page, pending);
          await page.evaluate(WATCH_NEXT);
          const before = await workOf(session);
          await control.click();
          const opened = await page.evaluate<Omit<Measured, 'name' | 'workMs'>>('nextDialog');
          const workMs = (await workOf(session)) - before;
          const { paintedMs, scripts } = opened;
          all.push({ name, paintedMs, workMs, scripts });
          const times = `${paintedMs.toFixed(0)} ms, of the processor ${workMs.toFixed(0)} ms`;
          console.log(`      ${name}: ${times}${scripts.map((one) => `, ${one}`).join('')}`);
        }
      });
      expect(all.filter(({ scripts }) => scripts.length > 0)).to.deep.equal([]);
      const limit = TOLERANCE * DIALOG_MS;
      expect(all.filter(({ workMs }) => workMs > limit)).to.deep.equal([]);
    });
  }

  it(`scrolls ${LINKS.toLocaleString('en')} links by the wheel, with few rows in the page`, async () => {
    const world = await aWorkspace();
    const url = 'https://example.com/a';
    const { body } = await world.api.post('/links', { url, key: 'sample' });
    await execute(
      db(),
      `INSERT INTO links
       SELECT copy.*
         FROM links AS link, generate_series(1, :count::int - 1) AS n,
           jsonb_populate_record(link, jsonb_build_object(
             'id', link.id || n, 'key', 'bulk-' || n,
             'created_at', link.created_at - n * interval '1 second')) AS copy
         WHERE link.id = :id`,
      { id: body.id, count: LINKS },
    );
    await execute(db(), 'ANALYZE links');
    await inConsole(world, 'links', {}, async (page) => {
      await page.getByText('50,000 links').waitFor();
      await page.evaluate(`globalThis.longTasks = [];
        new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) longTasks.push(duration);
        }).observe({ type: 'longtask' });`);
      const session = await meter(page);
      const scroller = page.getByRole('grid').locator('..');
      const box = (await scroller.boundingBox())!;
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      const bottom = () =>
        scroller.evaluate((element) => {
          const { scrollTop, clientHeight, scrollHeight } = element as unknown as Record<
            'scrollTop' | 'clientHeight' | 'scrollHeight',
            number
          >;
          return scrollHeight - clientHeight - scrollTop;
        });
      const isEnd = async () => (await bottom()) <= 1;
      const most = [
        await turn('of one step', 120, async (count) => count === STEPS || (await isEnd())),
        await turn('over many screens', TURN_PX, isEnd),
      ];
      await page
        .getByRole('row')
        .filter({ hasText: `/bulk-${LINKS - 1}` })
        .waitFor();
      expect(Math.max(...most)).to.be.at.most(TOLERANCE * WHEEL_MS);

      /** Turns the wheel, prints the work of that, and returns the most of one turn, in ms. */
      async function turn(name: string, px: number, isDone: (count: number) => Promise<boolean>) {
        await page.evaluate('longTasks.length = 0');
        const works: number[] = [];
        let before = await workOf(session);
        while (!(await isDone(works.length))) {
          await page.mouse.wheel(0, px);
          await page.evaluate(
            'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
          );
          expect(await page.getByRole('row').count()).to.be.at.most(MOST_ROWS);
          const now = await workOf(session);
          works.push(now - before);
          before = now;
        }
        const tasks = await page.evaluate<number[]>('longTasks');
        const longest = Math.max(0, ...tasks).toFixed(0);
        const sorted = works.toSorted((one, other) => one - other);
        const median = sorted[Math.floor(sorted.length / 2)]!;
        console.log(
          `      ${works.length} turns of the wheel ${name}: ${tasks.length} long tasks, at most ${longest} ms; ` +
            `of the processor for a turn ${median.toFixed(1)} ms (median), ${sorted.at(-1)!.toFixed(1)} ms (most)`,
        );
        return sorted.at(-1)!;
      }
    });
  });
});
