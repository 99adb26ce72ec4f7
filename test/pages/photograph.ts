/*
 * Looks at every page of the redirect process in a real browser: photographs each in two sizes and two
 * themes, and tries what only a browser can tell. Ends with 1 when anything was found. Run after compiling:
 *
 *   node dist/test/pages/photograph.js [folder for the photographs] [file for an overview]
 *
 * CHROMIUM names the browser; otherwise chromium-headless-shell or chromium is looked for on the PATH.
 */
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Page as Answer } from '../../src/html/layout.ts';
import { badRequestPage } from '../../src/redirect/html/bad-request.ts';
import { displayPage, fileAnswer } from '../../src/redirect/html/display.ts';
import { expiredPage } from '../../src/redirect/html/expired.ts';
import { methodNotAllowedPage } from '../../src/redirect/html/method-not-allowed.ts';
import { notFoundPage } from '../../src/redirect/html/not-found.ts';
import { passwordPage } from '../../src/redirect/html/password.ts';
import { unavailablePage } from '../../src/redirect/html/unavailable.ts';
import { SAMPLES } from '../support/display-samples.ts';
import {
  inspectCode,
  inspectCopying,
  inspectFile,
  inspectLayout,
  inspectRules,
  inspectText,
} from './inspect.ts';
import { overview } from './overview.ts';

const THEMES = ['light', 'dark'] as const;
const SIZES = {
  phone: { width: 390, height: 844 },
  desk: { width: 1280, height: 800 },
  // The smallest phone; also a desk at 400 %.
  narrow: { width: 320, height: 568 },
};

/** Every page by the path under which it is served here. */
function answers(): Map<string, Answer> {
  const pages = new Map<string, Answer>([
    ['bad-request', badRequestPage('en')],
    ['expired', expiredPage('en')],
    ['method-not-allowed', methodNotAllowedPage('en')],
    ['not-found', notFoundPage('en')],
    ['protected', passwordPage('/protected', 'en')],
    ['unavailable', unavailablePage('en')],
  ]);
  for (const [name, sample] of Object.entries(SAMPLES)) {
    const address = { shortLink: `https://acme.link/${name}`, fileHref: `/${name}.file` };
    pages.set(name, displayPage(sample, address));
    if (sample.file !== undefined) pages.set(`${name}.file`, fileAnswer(sample.file));
  }
  return pages;
}

async function serve(pages: Map<string, Answer>): Promise<{ base: string; close: () => void }> {
  const server = createServer((request, response) => {
    const answer = pages.get((request.url ?? '/').slice(1)) ?? notFoundPage('en');
    // All with 200: a browser reports a page of another status as an error of its own.
    response.writeHead(200, answer.headers as string[]).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { base: `http://127.0.0.1:${port}`, close: () => server.close() };
}

function browserFile(): string {
  if (process.env['CHROMIUM'] !== undefined) return process.env['CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const file = ['chromium-headless-shell', 'chromium']
    .flatMap((name) => folders.map((folder) => path.join(folder, name)))
    .find((candidate) => existsSync(candidate));
  if (file === undefined) throw new Error('no chromium on the PATH: name one in CHROMIUM');
  return file;
}

/** Opens a page, lets `work` look at it, and adds what its console said. */
async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<string[]>,
): Promise<string[]> {
  const context = await browser.newContext(options);
  const said: string[] = [];
  const page = await context.newPage();
  page.on('console', (message) => said.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => said.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => {
    // A browser gives up the request as a page when it saves the answer as a file.
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') said.push(`${reason}: ${request.url()}`);
  });
  await page.goto(url);
  const found = await work(page);
  await context.close();
  return [...found, ...said];
}

/** The whole page as one screen, so that what stays at the lower edge of a screen hides nothing. */
async function photograph(page: Page, file: string): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height });
  await page.screenshot({ path: file });
}

/** What was found on one page, in all its variants. */
async function inspectPage(browser: Browser, base: string, name: string, folder: string) {
  const url = `${base}/${name}`;
  const sample = SAMPLES[name];
  const found: string[] = [];
  const note = (where: string, findings: string[]) =>
    found.push(...findings.map((finding) => `${where}: ${finding}`));

  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of THEMES) {
      const where = `${size}-${colorScheme}`;
      const view = { viewport, colorScheme };
      const strict = await visit(browser, url, view, async (page) => {
        const found = [...(await inspectLayout(page)), ...(await inspectCode(page, sample))];
        await photograph(page, path.join(folder, `${name}-${where}.png`));
        return found;
      });
      note(where, strict);
      // Its rules are a script that the page's own policy forbids.
      note(where, await visit(browser, url, { ...view, bypassCSP: true }, inspectRules));
    }
  }
  const viewport = SIZES.phone;
  const permissions = ['clipboard-read', 'clipboard-write'];
  const copying = (page: Page) => inspectCopying(page, sample);
  note('copying', await visit(browser, url, { viewport, permissions }, copying));
  const mute = { viewport, javaScriptEnabled: false };
  note('no script', await visit(browser, url, mute, (page) => inspectText(page, sample)));
  if (sample?.file !== undefined) {
    note('file', await visit(browser, url, {}, (page) => inspectFile(page, sample)));
  }
  return found;
}

async function main([folder, overviewFile]: string[]): Promise<void> {
  const target = folder ?? mkdtempSync(path.join(tmpdir(), 'pages-'));
  mkdirSync(target, { recursive: true });
  const pages = answers();
  const { base, close } = await serve(pages);
  const browser = await chromium.launch({ executablePath: browserFile() });
  try {
    let count = 0;
    for (const name of pages.keys()) {
      if (name.endsWith('.file')) continue;
      const findings = await inspectPage(browser, base, name, target);
      count += findings.length;
      console.log(`${name.padEnd(20)} ${findings.length === 0 ? 'good' : findings.length}`);
      for (const finding of findings) console.log(`    ${finding}`);
    }
    if (overviewFile !== undefined) await overview(browser, base, overviewFile);
    console.log(`\n${count} found; the photographs are in ${target}`);
    process.exitCode = count === 0 ? 0 : 1;
  } finally {
    await browser.close();
    close();
  }
}

await main(process.argv.slice(2));
