import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import type { Format } from '../../src/qrcodes/render/design.ts';
import { DECODERS, printed, toPixels } from '../support/decoders.ts';
import { Site } from '../support/site.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { inConsole, useBrowser } from './window.ts';

/*
 * Adds logos by dropping, pasting and address, and handles files that browsers cannot show. See
 * flows.ts.
 */

const RED = '#D6336C';

/** Reads the text of a QR code image with both decoders, which must agree. */
async function textOf(picture: Buffer, format: Format): Promise<string | undefined> {
  const paper = await printed(picture, format);
  const large = await sharp(paper).resize(1200, undefined, { kernel: 'nearest' }).png().toBuffer();
  const pixels = await toPixels(large);
  const texts = await Promise.all(Object.values(DECODERS).map((decode) => decode(pixels)));
  expect(new Set(texts.map((text) => text?.toString())).size).to.equal(1);
  return texts[0]?.toString();
}

/** Drops a file on an element, as a file manager does. */
async function drop(page: Page, on: Locator, file: string, type: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    `(() => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(file)}), (one) => one.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'logo', { type: ${JSON.stringify(type)} }));
      return transfer;
    })()`,
  );
  for (const event of ['dragenter', 'dragover', 'drop'])
    await on.dispatchEvent(event, { dataTransfer });
}

/** Copies a picture, as another program does, and pastes it by the keyboard. */
async function paste(page: Page, png: string): Promise<void> {
  await page.evaluate(
    `(async () => {
      const bytes = Uint8Array.from(atob(${JSON.stringify(png)}), (one) => one.charCodeAt(0));
      const blob = new Blob([bytes], { type: 'image/png' });
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
    })()`,
  );
  await page.keyboard.press('Control+v');
}

describe('images in the console', function () {
  useBrowser();
  let world: World;
  let site: Site;
  let png: string;
  let address: string;

  before(async () => {
    const bytes = await sharp({
      create: { width: 60, height: 40, channels: 4, background: RED },
    })
      .png()
      .toBuffer();
    png = bytes.toString('base64');
    site = await Site.start();
    address = site.answer('/logo.png', { type: 'image/png', body: bytes });
  });
  after(async () => {
    await site.stop();
  });
  beforeEach(async () => {
    world = await aWorkspace();
  });

  /** Ways to add a picture to the form. */
  const ways: Record<string, (page: Page, place: Locator, field: Locator) => Promise<void>> = {
    dropped: (page, place) => drop(page, place, png, 'image/png'),
    pasted: (page) => paste(page, png),
    'named by its address': async (page, _, field) => {
      await field.fill(address);
      const use = page.getByRole('button', { name: 'Use logo' });
      if (await use.isVisible()) await use.click();
    },
  };

  for (const [way, bring] of Object.entries(ways)) {
    it(`has the logo of a code that is ${way}, in EPS and WebP too`, async () => {
      await inConsole(world, 'qrcodes/new', {}, async (page) => {
        await page.getByLabel('URL', { exact: true }).fill('https://example.com/menu');
        const place = page.getByText('Drop an image here, paste it, or choose a file');
        await place.waitFor();
        await bring(page, place, page.getByLabel('Logo URL'));
        await page.getByText('of the error correction').waitFor();
        await page.getByRole('button', { name: 'Create QR code' }).click();
        await page.getByText('QR code created').waitFor();
        const [{ shortLink, showLogo }] = (await world.api.get('/qrcodes')).body;
        expect(showLogo).to.equal(true);
        for (const format of ['eps', 'webp'] as const) {
          await page.getByLabel('Format').selectOption(format);
          await page.getByLabel('Unit').selectOption('px');
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('button', { name: 'Download' }).click(),
          ]);
          expect(download.suggestedFilename()).to.match(new RegExp(`\\.${format}$`));
          const file = readFileSync(await download.path());
          expect(await textOf(file, format)).to.equal(shortLink);
          const paper = await printed(file, format);
          const { dominant } = await middleOf(paper);
          expect(dominant.r, format).to.be.above(180);
          expect(dominant.g, format).to.be.below(90);
        }
      });
    });

    it(`has the logo of a workspace that is ${way}`, async () => {
      await inConsole(world, 'settings/workspace', {}, async (page) => {
        const place = page.getByRole('group', { name: 'Logo' });
        await place.waitFor();
        await bring(page, place, page.getByLabel('Logo URL'));
        const save = page
          .locator('form')
          .filter({ has: place })
          .getByRole('button', { name: 'Save' });
        await save.click();
        await page.getByText('Saved', { exact: true }).waitFor();
        const shown = place.getByRole('img');
        await shown.waitFor();
        expect(await shown.getAttribute('src')).to.match(/^\/logos\//);
        expect(
          await shown.evaluate(
            (image) => (image as unknown as { naturalWidth: number }).naturalWidth,
          ),
        ).to.equal(60);
        // A disabled button shows that the form is saved.
        expect(await save.isDisabled()).to.equal(true);
      });
    });
  }

  it('keeps the shapes of an SVG file, and draws a plate behind it', async () => {
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      await page.getByLabel('URL', { exact: true }).fill('https://example.com/menu');
      const place = page.getByText('Drop an image here, paste it, or choose a file');
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="${RED}"/></svg>`;
      await drop(page, place, Buffer.from(svg).toString('base64'), 'image/svg+xml');
      await page.getByLabel('Around the logo').selectOption('circle');
      await page.getByText('of the error correction').waitFor();
      await page.getByRole('button', { name: 'Create QR code' }).click();
      await page.getByText('QR code created').waitFor();
      const [{ shortLink, logoPlate, excavate }] = (await world.api.get('/qrcodes')).body;
      expect([logoPlate.shape, excavate]).to.deep.equal(['circle', true]);
      await page.getByLabel('Format').selectOption('svg');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download' }).click(),
      ]);
      const file = readFileSync(await download.path());
      expect(file.toString()).to.contain(`fill="${RED}"`).and.not.to.contain('<image');
      expect(await textOf(file, 'svg')).to.equal(shortLink);
    });
  });

  it('takes only images, and keeps the page when a file is dropped beside the place', async () => {
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      const place = page.getByText('Drop an image here, paste it, or choose a file');
      const text = Buffer.from('no image').toString('base64');
      await drop(page, place, text, 'text/plain');
      await page.getByText('We can’t read this image.').waitFor();
      const isPrevented = await page.evaluate(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File(['x'], 'x.png', { type: 'image/png' }));
        const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
        return !document.querySelector('h1').dispatchEvent(new DragEvent('drop', options));
      })()`);
      expect(isPrevented).to.equal(true);
    });
  });
});

/** Reads the colors in the middle of a picture. */
async function middleOf(picture: Buffer) {
  const { width, height } = await sharp(picture).metadata();
  const size = Math.max(2, Math.round(width / 40));
  const part = await sharp(picture)
    .extract({
      left: Math.round((width - size) / 2),
      top: Math.round((height - size) / 2),
      width: size,
      height: size,
    })
    .png()
    .toBuffer();
  return sharp(part).stats();
}
