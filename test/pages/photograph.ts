/*
 * Inspects every page that visitors see in a real browser: takes screenshots of each in three sizes
 * and two themes, and checks what only a browser shows. Then goes through a whole service with it
 * as visitors do (flows.ts). Exits with 1 if anything was found. Run after compiling:
 *
 * node dist/test/pages/photograph.js [folder for the screenshots] [file for an overview]
 *
 * ONLY=before selects pages and flows with this text in their names; names of flows begin with
 * `flow-`. CHROMIUM names the browser; otherwise the PATH is searched for chromium-headless-shell
 * or chromium.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { notFoundPage } from '../../src/redirect/pages/notices.ts';
import type { Page as Answer } from '../../src/web/layout.ts';
import { SAMPLES } from '../support/display-samples.ts';
import { Site } from '../support/site.ts';
import { answers } from './answers.ts';
import { inWindow, photograph, startBrowser } from './browser.ts';
import { inspectFlows } from './flows.ts';
import {
  inspectCode,
  inspectCopying,
  inspectEnlarged,
  inspectFile,
  inspectLayout,
  inspectText,
} from './inspect.ts';
import { overview } from './overview.ts';

const THEMES = ['light', 'dark'] as const;
const SIZES = {
  phone: { width: 390, height: 844 },
  desk: { width: 1280, height: 800 },
  // 320 px are the smallest phone, and a desktop at 400% zoom.
  narrow: { width: 320, height: 568 },
};

async function serve(pages: Map<string, Answer>): Promise<{ base: string; close: () => void }> {
  const server = createServer((request, response) => {
    const answer = pages.get((request.url ?? '/').slice(1)) ?? notFoundPage('en');
    // Every page has status 200, since a browser reports other statuses as errors.
    response.writeHead(200, answer.headers as string[]).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { base: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Inspects one page in all its variants. */
async function inspectPage(browser: Browser, base: string, name: string, folder: string) {
  const url = `${base}/${name}`;
  const sample = SAMPLES[name];
  const found: string[] = [];
  const visit = async (
    where: string,
    options: BrowserContextOptions,
    look: (page: Page) => Promise<string[]>,
  ) => {
    const findings = await inWindow(browser, options, async (page) => {
      await page.goto(url);
      return look(page);
    });
    found.push(...findings.map((finding) => `${where}: ${finding}`));
  };

  const inSize = async ([size, viewport]: [string, (typeof SIZES)['phone']]) => {
    for (const colorScheme of THEMES) {
      const where = `${size}-${colorScheme}`;
      const view = { viewport, colorScheme };
      await visit(where, view, async (page) => {
        const found = [...(await inspectLayout(page)), ...(await inspectCode(page, sample))];
        await photograph(page, path.join(folder, `${name}-${where}.png`));
        return found;
      });
      await visit(where, { ...view, bypassCSP: true }, inspectEnlarged);
    }
  };
  await Promise.all(Object.entries(SIZES).map(inSize));
  const viewport = SIZES.phone;
  const mute = { viewport, javaScriptEnabled: false };
  await visit('no script', mute, (page) => inspectText(page, sample));
  if (sample === undefined) return found;
  const permissions = ['clipboard-read', 'clipboard-write'];
  await visit('copying', { viewport, permissions }, (page) => inspectCopying(page, sample));
  if (sample.file !== undefined) await visit('file', {}, (page) => inspectFile(page, sample));
  return found;
}

/** Serves an owner's picture from another host. */
async function servePicture(site: Site): Promise<string> {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="675">
<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="#f6b26b"/><stop offset="1" stop-color="#5b6ee1"/></linearGradient></defs>
<rect width="1200" height="675" fill="url(#sky)"/><circle cx="850" cy="250" r="90" fill="#fff3d6"/>
<path d="M0 520q300-180 600-40t600-60v255H0z" fill="#24344d"/></svg>`;
  const body = await sharp(Buffer.from(drawing)).png().toBuffer();
  return site.answer('/picture.png', { type: 'image/png', body });
}

async function inspectPages(browser: Browser, folder: string, overviewFile: string | undefined) {
  const pictures = await Site.start();
  const pages = answers(await servePicture(pictures));
  const { base, close } = await serve(pages);
  let count = 0;
  try {
    for (const name of pages.keys()) {
      if (name.endsWith('.file') || !isWanted(name)) continue;
      count += report(name, await inspectPage(browser, base, name, folder));
    }
    if (overviewFile !== undefined) await overview(browser, base, overviewFile);
    return count;
  } finally {
    close();
    await pictures.stop();
  }
}

const isWanted = (name: string) => name.includes(process.env['ONLY'] ?? '');

/** Prints the findings, and returns their number. */
function report(name: string, findings: readonly string[]): number {
  console.log(`${name.padEnd(28)} ${findings.length === 0 ? 'good' : findings.length}`);
  for (const finding of findings) console.log(`    ${finding}`);
  return findings.length;
}

async function main([folder, overviewFile]: string[]): Promise<void> {
  const target = folder ?? mkdtempSync(path.join(tmpdir(), 'pages-'));
  mkdirSync(target, { recursive: true });
  const browser = await startBrowser();
  try {
    let count = await inspectPages(browser, target, overviewFile);
    const flows = await inspectFlows(browser, target, isWanted);
    for (const { name, findings } of flows) count += report(name, findings);
    console.log(`\n${count} found; the photographs are in ${target}`);
    process.exitCode = count === 0 ? 0 : 1;
  } finally {
    await browser.close();
  }
}

await main(process.argv.slice(2));
