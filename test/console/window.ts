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

async function signIn(context: BrowserContext, world: World, role: Role): Promise<void> {
  const { token } = await aPerson({ in: { projectId: world.projectId, slug: world.slug, role } });
  await context.addCookies([{ name: 'session', value: token, url: stack().apiUrl }]);
}

/** Collects errors of scripts, breaches of the policy, and requests to other hosts. */
function watch(page: Page): string[] {
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
    const isOwn = origin === new URL(stack().apiUrl).origin;
    if (!isOwn && protocol !== 'data:' && protocol !== 'blob:') {
      faults.push(`asked another host: ${request.url()}`);
    }
  });
  return faults;
}

/** Keeps every rule of axe, contrast among them. */
export async function expectAccessible(page: Page, view: string): Promise<void> {
  // Colors in the middle of a transition have another contrast.
  await page.evaluate(() =>
    Promise.allSettled(document.getAnimations().map((one) => one.finished)),
  );
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      rules: { 'target-size': { enabled: true } },
    }),
  );
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
  );
  expect(found, view).to.deep.equal([]);
  const folder = process.env['CONSOLE_SCREENSHOTS'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${view}.png` });
}
