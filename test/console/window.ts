import axe from 'axe-core';
import { expect } from 'chai';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Role } from '../../src/workspaces/roles.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import type { World } from '../support/world.ts';

/** Sizes of a window: a phone, a desk. */
export const SIZES = {
  phone: { width: 390, height: 844 },
  desk: { width: 1440, height: 900 },
} as const;
export type Size = keyof typeof SIZES;

interface WindowOptions {
  size?: Size;
  scheme?: 'light' | 'dark';
  /** Role of the signed-in person; `null`: nobody is signed in. */
  role?: Role | null;
}

/**
 * Opens a view of the console, signed in, and lets `work` use it. Fails when the page reports an error, breaks its
 * policy, or asks another host.
 *
 * @param path seen from the workspace: `links?search=a`
 */
export async function inConsole(
  browser: Browser,
  world: World,
  path: string,
  { size = 'desk', scheme = 'light', role = 'owner' }: WindowOptions,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme: scheme });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  try {
    if (role !== null) await signIn(context, world, role);
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const faults = watch(page);
    await page.goto(`${stack().apiUrl}/console/${world.slug}/${path}`);
    await work(page);
    expect(faults).to.deep.equal([]);
  } finally {
    await context.close();
  }
}

export async function signIn(context: BrowserContext, world: World, role: Role): Promise<void> {
  const { token } = await aPerson({ in: { projectId: world.projectId, slug: world.slug, role } });
  await context.addCookies([{ name: 'session', value: token, url: stack().apiUrl }]);
}

/**
 * Collects errors of scripts, breaches of the policy, and requests to other hosts.
 *
 * @param origins of the service that is looked at
 */
export function watch(page: Page, origins = [stack().apiUrl]): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A refusal of the API is shown to people; the browser reports it too.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    const isOwn = origins.some((own) => new URL(own).origin === origin);
    if (!isOwn && protocol !== 'data:' && protocol !== 'blob:') {
      faults.push(`asked another host: ${request.url()}`);
    }
  });
  return faults;
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
  // Colors in the middle of a transition have another contrast.
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map((one) => one.finished)),
  );
  expect(await faultsOfRules(page), view).to.deep.equal([]);
  const folder = process.env['CONSOLE_SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${view}.png` });
}
