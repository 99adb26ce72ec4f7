import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { unzipSync } from 'fflate';
import type { Browser, Download, Page } from 'playwright-core';
import sharp from 'sharp';
import { EYE_SHAPE_NAMES } from '../../src/qrcodes/render/eyes/index.ts';
import { FRAME_NAMES } from '../../src/qrcodes/render/frames/index.ts';
import { LEVELS } from '../../src/qrcodes/render/matrix.ts';
import { PATTERN_NAMES } from '../../src/qrcodes/render/patterns/index.ts';
import { FONT_FAMILIES } from '../../src/qrcodes/render/text.ts';
import { startBrowser } from '../pages/browser.ts';
import { seeded } from '../qr/pairwise.ts';
import { DECODERS, printed, toPixels } from '../support/decoders.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { expectAccessible, inConsole, SIZES, type Size } from './window.ts';

const sizes = Object.keys(SIZES) as Size[];
const SCHEMES = ['light', 'dark'] as const;
const CODES = 100;

/** The text of a picture, as both decoders read it. */
async function textOf(picture: Buffer): Promise<string | undefined> {
  const pixels = await toPixels(picture);
  const texts = await Promise.all(Object.values(DECODERS).map((decode) => decode(pixels)));
  expect(new Set(texts.map((text) => text?.toString())).size).to.equal(1);
  return texts[0]?.toString();
}

async function downloaded(page: Page, action: () => Promise<void>): Promise<[string, Buffer]> {
  const [download] = await Promise.all([page.waitForEvent('download'), action()]);
  return [download.suggestedFilename(), await bytesOf(download)];
}

const bytesOf = async (download: Download) => readFileSync(await download.path());

const create = (page: Page) => page.getByRole('button', { name: 'Create QR code' });
const download = (page: Page) => page.getByRole('button', { name: 'Download' });

/** Bodies of codes with random looks and contents that can be scanned. */
function randomCodes(image: string): object[] {
  const random = seeded(14);
  const one = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  return Array.from({ length: CODES }, (_, index) => ({
    ...one([
      { type: 'url', url: `https://example.com/${'a'.repeat(index % 40)}` },
      { type: 'text', text: `Grüße ${index} – おはよう`, static: true },
      { type: 'wifi', wifi: { ssid: 'Gäste;1', password: 'pass:word,8' }, static: true },
      { type: 'phone', phone: '+49 (0)30 123456', static: true },
      { type: 'email', email: { email: 'a@example.com', subject: 'Ä & ö' }, static: true },
      { type: 'vcard', vcard: { firstName: 'Ada', lastName: 'Lövelace' }, static: true },
      { type: 'latlog', latlog: { latitude: 52.5, longitude: 13.4 }, static: true },
    ]),
    title: `code-${index}`,
    pattern: one(PATTERN_NAMES),
    shape: one(EYE_SHAPE_NAMES),
    frame: one(FRAME_NAMES),
    level: one(LEVELS),
    size: 500 + Math.floor(random() * 500),
    fgColor: one(['#000000', 'navy', '#14532D', 'rgb(80, 10, 40)']),
    bgColor: one(['#FFFFFF', '#FFF7E6', 'transparent', '#F0FFF0CC']),
    frameColor: one(['#000000', '#1E3A8A']),
    frameText: one(['', 'Réservez', 'Скан', 'Ώρα', 'AVATAR To.']),
    frameTextStyles: {
      family: one(FONT_FAMILIES.filter((family) => family !== 'Lora' && family !== 'Nunito')),
      weight: one([100, 400, 600, 900]),
      ...(random() < 0.3 && { size: 20 }),
    },
    ...(random() < 0.3 && { logo: image, showLogo: true, excavate: random() < 0.5 }),
  }));
}

/** An image has another encoding once it is stored: everything else is compared. */
const withoutImage = (svg: string) => svg.replace(/href="data:[^"]*"/, '');

describe('QR codes in the console', function () {
  this.timeout(180_000);
  let browser: Browser;
  let world: World;
  let image: string;

  before(async () => {
    browser = await startBrowser();
    const png = await sharp({
      create: { width: 60, height: 40, channels: 4, background: '#D6336C' },
    })
      .png()
      .toBuffer();
    image = `data:image/png;base64,${png.toString('base64')}`;
  });
  after(() => browser.close());
  beforeEach(async () => {
    world = await aWorkspace();
  });

  it('draws a hundred random codes exactly as the service does', async () => {
    const made = await world.api.post('/qrcodes/bulk', randomCodes(image));
    const refused = made.body.filter((item: { error?: object }) => item.error !== undefined);
    expect(refused).to.deep.equal([]);
    await inConsole(browser, world, 'qrcodes', {}, async (page) => {
      await page.getByText('100 codes').waitFor();
      const pictures = new Map<string, string>();
      const grid = page.getByRole('grid');
      await eventually(async () => {
        const shown = await grid
          .getByRole('row')
          .evaluateAll((rows) =>
            (
              rows as unknown as { querySelector(s: string): { src: string; innerText: string } }[]
            ).map((row) => [row.querySelector('p')?.innerText, row.querySelector('img')?.src]),
          );
        for (const [name, src] of shown) {
          if (name !== undefined && src !== undefined) pictures.set(name.trim(), src);
        }
        await grid.locator('..').evaluate((element) => {
          const frame = element as unknown as { scrollTop: number; scrollHeight: number };
          frame.scrollTop = (frame.scrollTop + 300) % frame.scrollHeight;
        });
        expect(pictures.size).to.equal(CODES);
      }, 60_000);
      for (const { id, title } of made.body) {
        const { bytes } = await world.api.download(`/qrcodes/${id}/image`, { format: 'svg' });
        const drawn = decodeURIComponent(pictures.get(title)!.replace(/^[^,]*,/, ''));
        expect(withoutImage(drawn), title).to.equal(withoutImage(bytes.toString()));
      }
    });
  });

  for (const size of sizes) {
    it(`makes a code in a look of its own, and saves it as PNG and SVG (${size})`, async () => {
      await inConsole(browser, world, 'qrcodes', { size }, async (page) => {
        await page.getByRole('link', { name: 'New QR code' }).first().click();
        await page.getByLabel('Address', { exact: true }).fill('https://example.com/menu');
        await page.getByRole('radio', { name: 'Dots' }).check();
        await page.getByRole('radio', { name: 'Leaf', exact: true }).check();
        await page.getByLabel('Color', { exact: true }).fill('#1E3A8A');
        await page.getByRole('radio', { name: 'Label bottom' }).check();
        await page.getByRole('textbox', { name: 'Text', exact: true }).fill('The menu');
        await page.getByText('Easy to scan').waitFor();
        await create(page).click();
        await page.getByText('QR code created').waitFor();
        const [record] = (await world.api.get('/qrcodes')).body;
        const { pattern, shape, fgColor, frame, frameText, shortLink } = record;
        expect({ pattern, shape, fgColor, frame, frameText }).to.deep.equal({
          pattern: 'dots',
          shape: 'leaf',
          fgColor: '#1E3A8A',
          frame: 'label-bottom',
          frameText: 'The menu',
        });
        const [pngName, png] = await downloaded(page, () => download(page).click());
        expect(pngName).to.equal(`${record.key}.png`);
        expect(await textOf(png)).to.equal(shortLink);
        await page.getByLabel('Format').selectOption('svg');
        const [, svg] = await downloaded(page, () => download(page).click());
        expect(await textOf(svg)).to.equal(shortLink);
      });
    });
  }

  it('makes a static code with an image that is dropped, and saves it in millimetres', async () => {
    await inConsole(browser, world, 'qrcodes/new', {}, async (page) => {
      await page.getByRole('radio', { name: 'Wi-Fi' }).check();
      await page.getByLabel('Name of the network').fill('Guests');
      await page.getByLabel('Password', { exact: true }).fill('welcome here');
      await page.getByRole('button', { name: 'Show the password' }).click();
      await page.getByRole('switch', { name: 'Static' }).click();
      await page.locator('input[type=file]').setInputFiles({
        name: 'logo.png',
        mimeType: 'image/png',
        buffer: Buffer.from(image.split(',')[1]!, 'base64'),
      });
      await page.getByText('of the error correction').waitFor();
      await create(page).click();
      await page.getByText('QR code created').waitFor();
      const [{ contentStatic, showLogo }] = (await world.api.get('/qrcodes')).body;
      expect([contentStatic, showLogo]).to.deep.equal([
        'WIFI:T:WPA;S:Guests;P:welcome here;;',
        true,
      ]);
      await page.getByLabel('Measured in').selectOption('mm');
      const [, png] = await downloaded(page, () => download(page).click());
      expect((await sharp(png).metadata()).width).to.equal(472);
      expect(await textOf(png)).to.equal(contentStatic);
      await page.getByLabel('Format').selectOption('svg');
      const [, svg] = await downloaded(page, () => download(page).click());
      expect(svg.toString()).to.contain('width="40mm" height="40mm"');
      await page.getByLabel('Format').selectOption('pdf');
      const [, pdf] = await downloaded(page, () => download(page).click());
      expect(pdf.toString('latin1')).to.contain('/MediaBox [0 0 113.386 113.386]');
      expect(await textOf(await enlarged(await printed(pdf, 'pdf')))).to.equal(contentStatic);
    });
  });

  it('says why a look can’t be scanned, and what the API refuses at its field', async () => {
    await inConsole(browser, world, 'qrcodes/new', {}, async (page) => {
      await page.getByLabel('Color', { exact: true }).fill('#DDDDDD');
      await page.getByText('Can’t be scanned').waitFor();
      await page
        .getByText('fgColor and bgColor must differ more', { exact: false })
        .first()
        .waitFor();
      await page.getByLabel('Address', { exact: true }).fill('not an address');
      await create(page).click();
      await page.getByText('url must be a valid URL').first().waitFor();
      expect(await page.getByLabel('Address', { exact: true }).inputValue()).to.equal(
        'not an address',
      );
    });
  });

  it('changes a code, keeps its look as a template, and makes another with it', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: 'https://example.com/a',
    });
    await inConsole(browser, world, `qrcodes/${body.id}`, {}, async (page) => {
      await page.getByLabel('Address', { exact: true }).fill('https://example.com/b');
      await page.getByRole('radio', { name: 'Diamonds' }).check();
      await page.getByRole('switch', { name: 'Keep the look as a template' }).click();
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('Changes saved').waitFor();
      await page.getByRole('link', { name: 'All QR codes' }).click();
      await page.getByRole('link', { name: 'New QR code' }).click();
      await page.getByRole('button', { name: 'Template 1', exact: true }).click();
      await page.getByLabel('Address', { exact: true }).fill('https://example.com/c');
      await create(page).click();
      await page.getByText('QR code created').waitFor();
    });
    const codes = (await world.api.get('/qrcodes')).body;
    expect(codes.map(({ url, pattern }: Record<string, string>) => [url, pattern])).to.deep.equal([
      ['https://example.com/c', 'diamonds'],
      ['https://example.com/b', 'diamonds'],
    ]);
  });

  it('lays codes out on a sheet, and packs their pictures', async () => {
    for (const key of ['one', 'two']) {
      await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/a', key });
    }
    const codes = (await world.api.get('/qrcodes')).body as { key: string; shortLink: string }[];
    await inConsole(browser, world, 'qrcodes', {}, async (page) => {
      for (const { key } of codes) {
        await page.getByLabel(`Select ${world.domain}/${key}`).check();
      }
      await page.getByRole('button', { name: 'Sheet or ZIP' }).click();
      await page.getByLabel('Columns').fill('1');
      await page.getByLabel('Rows').fill('1');
      await page.getByText('2 pages, each code 186 mm wide.').waitFor();
      const [, pdf] = await downloaded(page, () => download(page).click());
      expect(pdf.toString('latin1')).to.match(/\/Count 2 /);
      expect(await textOf(await printed(pdf, 'pdf'))).to.equal(codes[0]!.shortLink);
      await page.getByLabel('As', { exact: true }).selectOption('zip');
      await page.getByLabel('Format').selectOption('png');
      const [, zip] = await downloaded(page, () => download(page).click());
      const files = unzipSync(zip);
      expect(Object.keys(files)).to.have.members(['one.png', 'two.png']);
      for (const { key, shortLink } of codes) {
        expect(await textOf(Buffer.from(files[`${key}.png`]!))).to.equal(shortLink);
      }
    });
  });

  it('deletes with undo, and archives', async () => {
    for (const title of ['stays', 'goes']) {
      await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/a', title });
    }
    await inConsole(browser, world, 'qrcodes', { size: 'phone' }, async (page) => {
      for (const title of ['stays', 'goes']) {
        await page.getByRole('button', { name: `Actions for ${title}` }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByText('1 QR code deleted').waitFor();
        if (title === 'stays') await page.getByRole('button', { name: 'Undo' }).click();
      }
      await page.getByText('1 code', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Actions for stays' }).click();
      await page.getByRole('menuitem', { name: 'Archive' }).click();
      await page.getByText('No QR codes yet').waitFor();
    });
    const { body } = await world.api.get('/qrcodes', { showArchived: 'true' });
    expect(
      body.map(({ title, archived }: { title: string; archived: boolean }) => [title, archived]),
    ).to.deep.equal([['stays', true]]);
  });

  it('makes and saves a code with the keyboard alone', async () => {
    await inConsole(browser, world, 'qrcodes', {}, async (page) => {
      const { keyboard } = page;
      const focus = async (name: string) => {
        for (let step = 0; step < 120; step += 1) {
          const label = await page.evaluate(() => {
            const at = document.activeElement as unknown as {
              labels?: { innerText: string }[];
              innerText: string;
              ariaLabel: string | null;
            } | null;
            return at?.ariaLabel ?? at?.labels?.[0]?.innerText ?? at?.innerText ?? '';
          });
          if (label.trim() === name) return;
          await keyboard.press('Tab');
        }
        expect.fail(`no way to ${name}`);
      };
      await page.getByText('No QR codes yet').waitFor();
      await keyboard.press('c');
      await page.getByText('New QR code').first().waitFor();
      await focus('Website');
      await keyboard.press('ArrowRight');
      await focus('Text');
      await keyboard.press('Tab');
      await keyboard.type('Hello');
      await focus('Static');
      await keyboard.press('Space');
      await focus('Squares');
      await keyboard.press('ArrowRight');
      await focus('Create QR code');
      await keyboard.press('Enter');
      await page.getByText('QR code created').waitFor();
      await focus('Download');
      const [, png] = await downloaded(page, () => keyboard.press('Enter'));
      expect(await textOf(png)).to.equal('Hello');
    });
    const [{ pattern }] = (await world.api.get('/qrcodes')).body;
    expect(pattern).to.equal('dots');
  });

  for (const size of sizes) {
    for (const scheme of SCHEMES) {
      it(`has no violation of axe (${size}, ${scheme})`, async () => {
        const view = (name: string) => `qrcodes-${name}-${size}-${scheme}`;
        const options = { size, scheme };
        await inConsole(browser, world, 'qrcodes', options, async (page) => {
          await page.getByText('No QR codes yet').waitFor();
          await expectAccessible(page, view('empty'));
        });
        await world.api.post('/tags', { name: 'Spring' });
        await world.api.post('/qrcodes/bulk', randomCodes(image).slice(0, 12));
        await inConsole(browser, world, 'qrcodes', options, async (page) => {
          await page.getByRole('row').first().locator('img').waitFor();
          await expectAccessible(page, view('list'));
          await page.getByRole('checkbox').first().check();
          await page.getByRole('button', { name: 'Sheet or ZIP' }).click();
          await page.getByRole('img', { name: 'The first page' }).waitFor();
          await expectAccessible(page, view('sheet'));
        });
        await inConsole(browser, world, 'qrcodes/new', options, async (page) => {
          await page.getByText('Easy to scan').waitFor();
          await page.getByRole('radio', { name: 'Ribbon' }).check();
          await expectAccessible(page, view('new'));
          await page.getByRole('radio', { name: 'Contact' }).check();
          await page.getByRole('button', { name: 'Add phone' }).click();
          await page.getByLabel('Color', { exact: true }).fill('#DDDDDD');
          await page.getByText('Can’t be scanned').waitFor();
          await expectAccessible(page, view('contact'));
        });
        const [{ id }] = (await world.api.get('/qrcodes')).body;
        await inConsole(browser, world, `qrcodes/${id}`, options, async (page) => {
          await download(page).waitFor();
          await expectAccessible(page, view('stored'));
        });
      });
    }
  }
});

/** A picture at a size at which decoders find modules. */
const enlarged = (picture: Buffer) =>
  sharp(picture).resize(1200, undefined, { kernel: 'nearest' }).png().toBuffer();
