import { randomInt } from 'node:crypto';
import axe from 'axe-core';
import { expect } from 'chai';
import type { Browser, BrowserContext, Dialog, Locator, Page } from 'playwright-core';
import type { Role } from '../../src/workspaces/roles.ts';
import { startBrowser } from '../pages/browser.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import type { World } from '../support/world.ts';

/** Sizes of a window: a phone, a desk. */
export const SIZES = {
  phone: { width: 390, height: 844 },
  desk: { width: 1440, height: 900 },
} as const;
export type Size = keyof typeof SIZES;
export const sizes = Object.keys(SIZES) as Size[];
/** A password that people of the flows have. */
export const PASSWORD = 'correct horse battery staple';
/** A folder for pictures of the views, and of the last one in which a flow failed. */
const SCREENSHOTS = process.env['CONSOLE_SCREENSHOTS'];

let browser: Browser;

/** Gives the tests of a suite a browser, in which `inConsole` opens its windows. */
export function useBrowser(): void {
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
}

/** A window of its own in the browser of the suite. */
export const newContext: Browser['newContext'] = (options) => browser.newContext(options);

/** The dialog that is open. */
export const dialog = (page: Page): Locator => page.getByRole('dialog');

/** The text that was copied. The policy of the console lets no script read it: it is pasted elsewhere. */
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
  /** Role of the signed-in person; `null`: nobody is signed in. */
  role?: Role | null;
  /** Token of the session of a certain person. */
  token?: string;
  /** Where the console is, of another service than that of the tests. */
  origin?: string;
  /** Origins beside it that pages may ask. */
  others?: string[];
}

/**
 * Opens a view of the console, signed in, and lets `work` use it. Fails when the page reports an error, breaks its
 * policy, or asks another host.
 *
 * @param path seen from the workspace: `links?search=a`; with a slash, from the console: `/admin`
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
    // Of the test's own certificate.
    ignoreHTTPSErrors: origin.startsWith('https:'),
    // Each at an address of its own: sign-ins are limited by it.
    extraHTTPHeaders: { 'x-forwarded-for': `10.1.${randomInt(256)}.${randomInt(256)}` },
  });
  await context.grantPermissions(['clipboard-write']);
  try {
    if (token !== undefined) await addSession(context, token);
    else if (role !== null) await signIn(context, world, role);
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
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
  // Without a password, every view would have a banner about it.
  const { token } = await aPerson({ in: { projectId, slug, role }, password: PASSWORD });
  await addSession(context, token);
}

const addSession = (context: BrowserContext, token: string) =>
  context.addCookies([{ name: 'session', value: token, url: stack().apiUrl }]);

/**
 * Collects errors of scripts, breaches of the policy, and requests to other hosts.
 *
 * @param origins of the service that is looked at
 * @param others origins of pages on the way, which are not ours
 */
export function watch(page: Page, origins = [stack().apiUrl], others: string[] = []): string[] {
  const allowed = new Set([...origins, ...others].map((one) => new URL(one).origin));
  const isOurs = (url: string) => !others.some((other) => url.startsWith(other));
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A refusal of the API is shown to people; the browser reports it too.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal && isOurs(message.location().url)) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    // Pages of others ask whom they like.
    if (!request.isNavigationRequest() && !isOurs(request.frame().url())) return;
    if (!allowed.has(origin) && protocol !== 'data:' && protocol !== 'blob:') {
      faults.push(`asked another host: ${request.url()}`);
    }
  });
  return faults;
}

/** Goes to a control by the keyboard alone, forwards. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor();
  for (let step = 0; step < 150; step += 1) {
    if (await control.evaluate((element) => element === element.ownerDocument.activeElement))
      return;
    await page.keyboard.press('Tab');
  }
  expect.fail(`no way by Tab to ${control.toString()}`);
}

/** Answers the next question of the browser. @returns its kind: `beforeunload`, `confirm` */
export async function answerDialog(
  page: Page,
  isAccepted: boolean,
  action: () => Promise<unknown>,
): Promise<string> {
  const asked = page.waitForEvent('dialog');
  // What it interrupts goes on, or is refused, when it is answered.
  const done = action().catch(() => undefined);
  const dialog: Dialog = await asked;
  await (isAccepted ? dialog.accept() : dialog.dismiss());
  if (isAccepted) await done;
  return dialog.type();
}

/** Rules of axe that are off, and why. */
const OFF = [
  // Contrast of 7 (level AAA). Text here has the 4.5 of level AA, which color-contrast checks.
  'color-contrast-enhanced',
  // Refuses rows of a grid that take the focus, which WAI-ARIA’s pattern has, and texts that scroll, to which
  // scrollable-region-focusable asks to give it.
  'focus-order-semantics',
];
/** Rules that a change of the colors can break. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Breaches of every rule of axe: best practices, experimental ones and those of level AAA too. */
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

/** Breaches of the rules for colors, where the rest of the page is known already. */
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

/** Keeps every rule of axe. */
export async function expectAccessible(page: Page, view: string): Promise<void> {
  // Colors in the middle of a transition have another contrast. Spinners never end.
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

/** Lets a page write down when it first shows a row, as the mark `row`: a script here would learn of it later. */
export const noteFirstRow = (page: Page): Promise<unknown> =>
  page.addInitScript(`
    new MutationObserver((_, observer) => {
      if (document.querySelector('[role=row]:not([aria-busy])') === null) return;
      observer.disconnect();
      requestAnimationFrame(() => performance.mark('row'));
    }).observe(document, { subtree: true, childList: true });
  `);

/** Types a letter into the search of a list, and waits until its rows are shown. @returns the time between, in ms */
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
