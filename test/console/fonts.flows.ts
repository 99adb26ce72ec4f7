import { stat } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { NUNITO, openType, packagedFont } from '../support/fonts.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/** The picture of the code: of the preview, or of the bar below where that is out of view. */
const preview = (page: Page) =>
  page.locator('img[alt="Preview of the QR code"], span.size-11 > img').first().getAttribute('src');

const choose = (page: Page, name: string, buffer: Buffer) =>
  page.getByLabel('Font from this device').setInputFiles({ name, mimeType: 'font/woff2', buffer });

describe('fonts in the console', () => {
  useBrowser();
  let world: World;
  beforeEach(async () => {
    world = await aWorkspace();
  });

  for (const size of sizes) {
    it(`are uploaded in the designer, and draw the text of a frame (${size})`, async () => {
      await inConsole(world, 'qrcodes/new', { size }, async (page) => {
        await page.getByLabel('URL', { exact: true }).fill('https://example.com/a');
        await page.getByRole('radio', { name: 'Label bottom' }).check();
        await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Scan me');
        const font = page.getByLabel('Font', { exact: true });
        expect(await font.inputValue()).to.equal('Inter');
        const before = await preview(page);
        await choose(page, 'broken.woff2', Buffer.from('wOF2 broken'));
        await page.getByText('Font must be a font whose file is not damaged').waitFor();
        await choose(page, 'acme.woff2', packagedFont(NUNITO));
        await page.getByText(/^Font “.+” uploaded$/).waitFor();
        expect(await font.inputValue()).to.match(/^font_/);
        expect(await page.getByLabel('Weight').isDisabled()).to.equal(true);
        await eventually(async () => expect(await preview(page)).not.to.equal(before));
        await expectAccessible(page, `font-${size}`);
        await page.getByRole('button', { name: 'Create QR code' }).click();
        await page.getByText('QR code created').waitFor();
      });
      const [code] = (await world.api.get('/qrcodes')).body;
      const [font] = (await world.api.get('/fonts')).body;
      expect(code.frameTextStyles.family).to.equal(font.id);
      // The console draws what the service draws.
      const { bytes } = await world.api.download(`/qrcodes/${code.id}/image?format=svg`);
      await inConsole(world, `qrcodes/${code.id}/edit`, { size }, async (page) => {
        const pathsOf = (svg: string) => svg.match(/ d="[^"]+"/g);
        await eventually(async () => {
          const shown = decodeURIComponent((await preview(page)) ?? '');
          expect(pathsOf(shown)).to.deep.equal(pathsOf(bytes.toString()));
        });
        await page.getByRole('button', { name: 'Delete font' }).click();
        await dialog(page).getByRole('button', { name: 'Delete font' }).click();
        await page.getByText(/^Font “.+” deleted$/).waitFor();
        await page.getByRole('option', { name: 'Deleted font' }).waitFor({ state: 'attached' });
      });
      expect((await world.api.get('/fonts')).body).to.deep.equal([]);
    });
  }

  it('are the fonts of captions on sheets', async () => {
    const source = `data:font/otf;base64,${openType('SCANME').toString('base64')}`;
    await world.api.post('/fonts', { name: 'Capitals', source });
    await world.api.post('/qrcodes', { type: 'url', url: 'https://a.example/', title: 'SCAN ME' });
    await inConsole(world, 'qrcodes', {}, async (page) => {
      await page.getByLabel('Select SCAN ME').check();
      await page.getByRole('button', { name: 'Sheet or ZIP' }).click();
      const lengths: number[] = [];
      for (const font of ['Inter', 'Capitals']) {
        await page.getByLabel('Font under codes').selectOption(font);
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: 'Download' }).click(),
        ]);
        lengths.push((await stat(await download.path())).size);
      }
      expect(lengths[0]).not.to.equal(lengths[1]);
    });
  });

  it('lack letters, which the designer names', async () => {
    await world.api.post('/fonts', {
      name: 'Capitals',
      source: `data:font/otf;base64,${openType('SCANME').toString('base64')}`,
    });
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      await page.getByLabel('URL', { exact: true }).fill('https://example.com/a');
      await page.getByRole('radio', { name: 'Label bottom' }).check();
      await page.getByLabel('Font', { exact: true }).selectOption('Capitals');
      await page.getByRole('textbox', { name: 'Text', exact: true }).fill('SCAN mE');
      await page.getByText('must not contain "m": its font lacks it').first().waitFor();
    });
  });
});
