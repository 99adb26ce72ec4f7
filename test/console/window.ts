import { randomInt } from 'node:crypto';
import axe from 'axe-core';
import { expect } from 'chai';
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Dialog,
  Locator,
  Page,
} from 'playwright-core';
import type { Role } from '../../src/workspaces/roles.ts';
import { newContextIn, startBrowser } from '../pages/browser.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import type { World } from '../support/world.ts';

/** Window sizes of a phone and a desktop. */
export const SIZES = {
  phone: { width: 390, height: 844 },
  desk: { width: 1440, height: 900 },
} as const;
export type Size = keyof typeof SIZES;
export const sizes = Object.keys(SIZES) as Size[];
/** Password of the people in flows. */
export const PASSWORD = 'correct horse battery staple';
/** Folder for screenshots of the views, and of the last view of a failed flow. */
const SCREENSHOTS = process.env['CONSOLE_SCREENSHOTS'];

let browser: Browser;

/** Starts a browser for the tests of a suite, in which `inConsole` opens windows. */
export function useBrowser(): void {
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
}

/** Opens a separate context in the browser of the suite. */
export const newContext = (options: BrowserContextOptions): Promise<BrowserContext> =>
  newContextIn(browser, options);

/** Finds the open dialog. */
export const dialog = (page: Page): Locator => page.getByRole('dialog');

/**
 * Reads the copied text by pasting it into another page, since the console's policy lets no script
 * read the clipboard.
 */
export async function clipboard(page: Page): Promise<string> {
  const other = await page.context().newPage();
  await other.setContent('<textarea></textarea>');
  const field = other.locator('textarea');
  await field.press('ControlOrMeta+v');
  const text = await field.inputValue();
  await other.close();
  await page.bringToFront();
  return text;
}

interface WindowOptions {
  size?: Size;
  scheme?: 'light' | 'dark';
  /** Role of the signed-in person, or `null` for nobody. */
  role?: Role | null;
  /** Session token of a specific person. */
  token?: string;
  /** Origin of the console, if it does not belong to the tests' shared service. */
  origin?: string;
  /** Other origins that pages can request. */
  others?: string[];
}

/**
 * Opens a view of the console, signed in, and passes the page to `work`. Fails if the page reports
 * an error, violates its policy, or requests another host.
 * @param path relative to the workspace, as `links?search=a`, or with a slash to the console, as
 * `/admin`
 */
export async function inConsole(
  world: Pick<World, 'projectId' | 'slug'>,
  path: string,
  options: WindowOptions,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const { size = 'desk', scheme = 'light', role = 'owner', token, others = [] } = options;
  const { origin = stack().apiUrl } = options;
  const context = await newContext({
    viewport: SIZES[size],
    colorScheme: scheme,
    // HTTPS services of tests have a self-signed certificate.
    ignoreHTTPSErrors: origin.startsWith('https:'),
    // Each window has its own address, since sign-ins are limited per address.
    extraHTTPHeaders: { 'x-forwarded-for': `10.1.${randomInt(256)}.${randomInt(256)}` },
  });
  await context.grantPermissions(['clipboard-write']);
  try {
    if (token !== undefined) await addSession(context, token, origin);
    else if (role !== null) await signIn(context, world, role);
    const page = await context.newPage();
    const faults = watch(page, [origin], others);
    const fromConsole = path.startsWith('/') ? path : `/${world.slug}/${path}`;
    await page.goto(`${origin}/console${fromConsole}`);
    await work(page).catch(async (error: unknown) => {
      if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/failed.png` });
      throw error;
    });
    expect(faults).to.deep.equal([]);
  } finally {
    await context.close();
  }
}

export async function signIn(
  context: BrowserContext,
  { projectId, slug }: Pick<World, 'projectId' | 'slug'>,
  role: Role,
): Promise<void> {
  // Without a password, every view would show a banner about it.
  const { token } = await aPerson({ in: { projectId, slug, role }, password: PASSWORD });
  await addSession(context, token);
}

const addSession = (context: BrowserContext, token: string, url = stack().apiUrl) =>
  context.addCookies([{ name: 'session', value: token, url }]);

/**
 * Collects script errors, policy violations, and requests to other hosts.
 * @param origins of the inspected service
 * @param others origins of foreign pages on the way
 */
export function watch(page: Page, origins = [stack().apiUrl], others: string[] = []): string[] {
  const allowed = new Set([...origins, ...others].map((one) => new URL(one).origin));
  const isOurs = (url: string) => !others.some((other) => url.startsWith(other));
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // The console shows refusals of the API itself; the browser logs them as errors too.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal && isOurs(message.location().url)) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    // Pages of other services can request any host.
    if (!request.isNavigationRequest() && !isOurs(request.frame().url())) return;
    if (!allowed.has(origin) && protocol !== 'data:' && protocol !== 'blob:') {
      faults.push(`asked another host: ${request.url()}`);
    }
  });
  return faults;
}

/** Tabs forward to a control. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let step = 0; step < 150; step += 1) {
    if (await control.evaluate((element) => element === element.ownerDocument.activeElement))
      return;
    await page.keyboard.press('Tab');
  }
  expect.fail(`no way by Tab to ${control.toString()}`);
}

/**
 * Answers the next dialog of the browser.
 * @returns its kind: `beforeunload`, `confirm`
 */
export async function answerDialog(
  page: Page,
  isAccepted: boolean,
  action: () => Promise<unknown>,
): Promise<string> {
  const asked = page.waitForEvent('dialog');
  // The interrupted action continues or fails once the dialog is answered.
  const done = action().catch(() => undefined);
  const dialog: Dialog = await asked;
  await (isAccepted ? dialog.accept() : dialog.dismiss());
  if (isAccepted) await done;
  return dialog.type();
}

/** Disabled rules of axe, each with the reason. */
const OFF = [
  // This rule demands a contrast of 7 (level AAA); color-contrast checks the 4.5 of level AA, which
  // text here has.
  'color-contrast-enhanced',
  // This rule refuses focusable grid rows, which the ARIA grid pattern has, and focusable scrolling
  // texts, which scrollable-region-focusable requires.
  'focus-order-semantics',
];
/** Rules that a change of colors can violate. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Lists violations of all rules of axe, including best practices, experimental rules and level AAA.
 */
export const faultsOfRules = (page: Page): Promise<string[]> =>
  page
    .evaluate(axe.source)
    .then(() =>
      page.evaluate((off) => {
        const { axe: own } = globalThis as unknown as { axe: typeof axe };
        const ids = own.getRules().map(({ ruleId }) => ruleId);
        return own.run(document, {
          runOnly: { type: 'rule', values: ids.filter((id) => !off.includes(id)) },
          resultTypes: ['violations'],
        });
      }, OFF),
    )
    .then(textsOf);

/** Lists violations of the color rules, for a page that was checked in other colors. */
export const colorFaults = (page: Page): Promise<string[]> =>
  page
    .evaluate(
      (values) =>
        (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
          runOnly: { type: 'rule', values },
          resultTypes: ['violations'],
        }),
      COLOR_RULES,
    )
    .then(textsOf);

const textsOf = ({ violations }: axe.AxeResults): string[] =>
  violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 4).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );

/** Expects no violation of the rules of axe. */
export async function expectAccessible(page: Page, view: string): Promise<void> {
  // Colors within a transition have another contrast; spinners never end.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
        .map((one) => one.finished),
    ),
  );
  expect(await faultsOfRules(page), view).to.deep.equal([]);
  if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/${view}.png` });
}

/** Scrolls a list for three seconds, and prints the times between frames. */
export async function measureFrames(scroller: Locator): Promise<void> {
  const frames = await scroller.evaluate(async (element) => {
    const box = element as unknown as { scrollTop: number };
    const raf = (
      globalThis as unknown as { requestAnimationFrame(done: (at: number) => void): void }
    ).requestAnimationFrame;
    const times: number[] = [];
    for (let frame = 0; frame < 180; frame += 1) {
      box.scrollTop += 40;
      times.push(await new Promise<number>((resolve) => raf(resolve)));
    }
    return times
      .slice(1)
      .map((at, index) => at - times[index]!)
      .toSorted((a, b) => a - b);
  });
  const at = (share: number) => frames[Math.floor(frames.length * share)]!.toFixed(1);
  console.log(`      frames: median ${at(0.5)} ms, 95% ${at(0.95)} ms, 99% ${at(0.99)} ms`);
}

/**
 * Makes a page record when it first shows a row, as the mark `row`, since a script in this process
 * would notice later.
 */
export const noteFirstRow = (page: Page): Promise<unknown> =>
  page.addInitScript(`
    new MutationObserver((_, observer) => {
      if (document.querySelector('[role=row]:not([aria-busy])') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => performance.mark('row'));
    }).observe(document, { subtree: true, childList: true });
  `);

/**
 * Types a letter into the search of a list, and waits for its rows.
 * @returns the time between, in ms
 */
export async function typeLetter(page: Page, letter: string): Promise<number> {
  const shown = page.evaluate<number>(`new Promise((resolve) => {
    addEventListener('input', ({ timeStamp, target }) => {
      const look = () => {
        const isAsked = new URLSearchParams(location.search).get('search') === target.value;
        const isShown = document.querySelector('[role=grid][aria-busy=false] [role=row]:not([aria-busy])') !== null;
        if (isAsked && isShown) resolve(performance.now() - timeStamp);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, { once: true });
  })`);
  await page.getByRole('searchbox').press(letter);
  return await shown;
}
