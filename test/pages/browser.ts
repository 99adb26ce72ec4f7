import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

/** Time limit of a step in a browser, in ms, since a busy machine is not a defect. */
const PATIENCE_MS = 300_000;

/** Starts a browser that resolves every name under `.test` to this machine. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserFile(),
    args: ['--host-resolver-rules=MAP *.test 127.0.0.1'],
  });
}

/** Opens a separate context, with its own cookies and storage. */
export async function newContextIn(
  browser: Browser,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

function browserFile(): string {
  const file = findBrowser();
  if (file === undefined) throw new Error('no chromium on the PATH: name one in CHROMIUM');
  return file;
}

/**
 * Finds the browser's program: named by CHROMIUM, otherwise on the PATH; `undefined` if there is
 * none.
 */
export function findBrowser(): string | undefined {
  if (process.env['CHROMIUM'] !== undefined) return process.env['CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return ['chromium-headless-shell', 'chromium']
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((candidate) => existsSync(candidate));
}

/** Opens a window for `work`, and returns its findings with the errors of the page. */
export async function inWindow(
  browser: Browser,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<string[]>,
): Promise<string[]> {
  const context = await newContextIn(browser, options);
  try {
    const page = await context.newPage();
    const said = listen(page);
    const found = await work(page);
    return [...found, ...said()];
  } finally {
    await context.close();
  }
}

/** Collects the errors of a page from now on. */
function listen(page: Page): () => string[] {
  const errors: string[] = [];
  const messages: { text: string; url: string }[] = [];
  const refused = new Set<string>();
  page.on('console', (message) =>
    messages.push({ text: message.text(), url: message.location().url }),
  );
  page.on('pageerror', (error) => errors.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => {
    // A download aborts the navigation, which is no error.
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') errors.push(`${reason}: ${request.url()}`);
  });
  page.on('response', (response) => {
    const isPage = response.request().isNavigationRequest() && response.status() >= 400;
    if (isPage && response.frame() === page.mainFrame()) refused.add(response.url());
  });
  // A browser logs a page with such a status as a resource that failed to load.
  const isStatus = ({ text, url }: { text: string; url: string }) =>
    refused.has(url) && text.startsWith('Failed to load resource: the server responded with');
  return () => [
    ...errors,
    ...messages.filter((one) => !isStatus(one)).map(({ text }) => `console: ${text}`),
  ];
}

/**
 * Takes a screenshot with the page's height as the window's, so that fixed elements at the bottom
 * hide nothing.
 */
export async function photograph(page: Page, file: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...size, height: Math.max(size.height, height) });
  await page.screenshot({ path: file });
  await page.setViewportSize(size);
}
