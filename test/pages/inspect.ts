/* Checks of a page in the browser. Each function returns its findings as text. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import type { DisplayPage } from '../../src/lookup/display-page.ts';

/** Minimum side of a touch target, in px (WCAG 2.5.5). */
const TAP_PX = 44;

const TARGETS =
  'button, input, select, textarea, summary, .action, .quiet, nav a, footer a, main > a, dd a';

/** Checks that nothing overflows, pictures load, and touch targets are large enough. */
export async function inspectLayout(page: Page): Promise<string[]> {
  return page.evaluate(
    ({ least, targets }) => {
      const found: string[] = [];
      const { scrollWidth, clientWidth } = document.documentElement;
      if (scrollWidth > clientWidth) found.push(`${scrollWidth} px wide, of ${clientWidth}`);
      for (const target of document.querySelectorAll<HTMLElement>(targets)) {
        // A tap on its label toggles a checkbox too.
        const { type, labels } = target as HTMLInputElement;
        const tapped = type === 'checkbox' ? labels![0]! : target;
        const { width, height } = tapped.getBoundingClientRect();
        if (width < least || height < least) {
          found.push(`${target.outerHTML.slice(0, 60)} measures ${width} × ${height} px`);
        }
      }
      for (const { naturalWidth, src } of document.images) {
        if (naturalWidth === 0) found.push(`${src} is not shown`);
      }
      for (const box of document.querySelectorAll('main, section, dl > div, .field, .action')) {
        if (box.scrollWidth > box.clientWidth + 1) {
          found.push(`${box.outerHTML.slice(0, 60)} is too narrow for what it holds`);
        }
      }
      return found;
    },
    { least: TAP_PX, targets: TARGETS },
  );
}

/** Checks that the QR code on the screen can be decoded. */
export async function inspectCode(page: Page, sample?: DisplayPage): Promise<string[]> {
  if (sample?.code === undefined) return [];
  // By default, the reader downloads its WebAssembly module.
  const file = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm');
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(file)).buffer } });
  const picture = await page.getByRole('img').screenshot();
  const read = await readBarcodes(picture, { formats: ['QRCode'] });
  return read.length === 1 ? [] : [`${read.length} codes can be read`];
}

/**
 * Checks that each button copies exactly its value and confirms it, also if the clipboard API
 * refuses.
 */
export async function inspectCopying(page: Page, sample?: DisplayPage): Promise<string[]> {
  const found: string[] = [];
  const wanted = (sample?.rows ?? []).filter(({ copy, value }) => copy && value !== '');
  for (const refuses of [false, true]) {
    if (refuses) {
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
      });
    }
    const buttons = await page.locator('[data-copy]:visible').all();
    if (buttons.length !== wanted.length) found.push(`${buttons.length} buttons that copy`);
    const copied: string[] = [];
    for (const button of buttons) {
      await page.evaluate(() => navigator.clipboard.writeText('').catch(() => undefined));
      await button.click();
      const announced = page.getByRole('status').getByText('Copied');
      await announced.waitFor({ timeout: 2_000 }).catch(() => found.push('says nothing'));
      copied.push(await page.evaluate(() => navigator.clipboard.readText()));
      await page.reload();
    }
    for (const { label, value } of wanted) {
      if (!copied.includes(value.toWellFormed())) found.push(`did not copy ${label}`);
    }
  }
  return found;
}

/** Checks all accessibility rules, contrast included. */
export async function inspectRules(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      // The content of a frame belongs to another site.
      iframes: false,
      rules: { 'target-size': { enabled: true } },
    }),
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

/** Checks the rules and the layout at twice the text size, with the page's policy bypassed. */
export async function inspectEnlarged(page: Page): Promise<string[]> {
  const found = await inspectRules(page);
  await page.addStyleTag({ content: 'html{font-size:200%!important}' });
  const enlarged = await inspectLayout(page);
  return [...found, ...enlarged.map((finding) => `at 200%: ${finding}`)];
}

/**
 * Checks that the heading, every value and the code are visible, and that every button has an
 * effect.
 */
export async function inspectText(page: Page, sample?: DisplayPage): Promise<string[]> {
  const found: string[] = [];
  if (!(await page.locator('h1').isVisible())) found.push('no heading');
  const idle = page.locator('button:visible:not(form [type=submit])');
  if ((await idle.count()) > 0) found.push('a button that does nothing');
  const shown: string[] = [];
  for (const value of await page.locator('.value:visible').all()) {
    shown.push((await value.textContent()) ?? '');
  }
  for (const { label, value } of sample?.rows ?? []) {
    if (value !== '' && !shown.includes(value.toWellFormed())) found.push(`${label} is not shown`);
  }
  if (sample?.code && !(await page.getByRole('img').isVisible())) found.push('no code');
  return found;
}

/**
 * Checks that a tap on the first button downloads the file under its name, without leaving the
 * page.
 */
export async function inspectFile(page: Page, { file }: DisplayPage): Promise<string[]> {
  const url = page.url();
  const opened = page.waitForEvent('download', { timeout: 5_000 }).catch(() => undefined);
  await page.locator('.action').first().click();
  const name = (await opened)?.suggestedFilename();
  if (file?.type !== 'text/vcard') return [];
  const found = name === file.name ? [] : [`came as ${name}`];
  return page.url() === url ? found : [...found, 'the page is gone'];
}
