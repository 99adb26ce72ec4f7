import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { unzipSync } from 'fflate';
import type { Download, Page } from 'playwright-core';
import sharp from 'sharp';
import { db, execute } from '../../src/infra/db.ts';
import { EYE_SHAPE_NAMES } from '../../src/qrcodes/render/eyes/index.ts';
import { FRAME_ICONS, FRAME_NAMES } from '../../src/qrcodes/render/frames/names.ts';
import { LEVELS } from '../../src/qrcodes/render/levels.ts';
import { PATTERN_NAMES } from '../../src/qrcodes/render/patterns/index.ts';
import { FONT_FAMILIES } from '../../src/qrcodes/render/text.ts';
import { background } from '../qr/backgrounds.ts';
import { seeded } from '../qr/pairwise.ts';
import { DECODERS, printed, toPixels } from '../support/decoders.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { photograph } from './sweep.ts';
import { dialog, expectAccessible, inConsole, measureFrames, sizes, useBrowser } from './window.ts';

const SCHEMES = ['light', 'dark'] as const;
const CODES = 100;

/** Reads the text of a QR code image with both decoders, which must agree. */
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

/** Builds bodies of QR codes with random scannable designs and contents. */
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
    frameText: one([
      '',
      'Réservez',
      'Скан',
      'Ώρα',
      'AVATAR To.',
      'スキャン',
      'امسح الرمز',
      'स्कैन\nकरें',
      '메뉴',
    ]),
    frameIcon: one(FRAME_ICONS),
    frameTextStyles: {
      family: one(FONT_FAMILIES.filter((family) => family !== 'Lora' && family !== 'Nunito')),
      weight: one([100, 400, 600, 900]),
      ...(random() < 0.3 && { size: 20 }),
    },
    ...(random() < 0.3 && { logo: image, showLogo: true, excavate: random() < 0.5 }),
  }));
}

/** Storing an image changes its encoding, so everything else is compared. */
const withoutImage = (svg: string) =>
  svg.replaceAll(/href="data:[^"]*"/g, '').replace(/<title>[^<]*<\/title>/, '');

describe('QR codes in the console', function () {
  useBrowser();
  let world: World;
  let image: string;

  before(async () => {
    const png = await sharp({
      create: { width: 60, height: 40, channels: 4, background: '#D6336C' },
    })
      .png()
      .toBuffer();
    image = `data:image/png;base64,${png.toString('base64')}`;
  });
  beforeEach(async () => {
    world = await aWorkspace();
  });

  it('draws a hundred random codes exactly as the service does', async () => {
    const codes = randomCodes(image);
    const made: { id: string; title: string }[] = [];
    // A busy machine answers a request for all of them before they are drawn.
    for (let start = 0; start < codes.length; start += 20) {
      const { status, body } = await world.api.post(
        '/qrcodes/bulk',
        codes.slice(start, start + 20),
      );
      expect(status, JSON.stringify(body)).to.equal(200);
      const refused = body.filter((item: { error?: object }) => item.error !== undefined);
      expect(refused).to.deep.equal([]);
      made.push(...body);
    }
    await inConsole(world, 'qrcodes', {}, async (page) => {
      await page.getByText('100 QR codes').waitFor();
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
        // Rows are drawn once the list stops scrolling.
        expect(shown.filter(([, src]) => src === undefined)).to.deep.equal([]);
        await grid.locator('..').evaluate((element) => {
          const frame = element as unknown as { scrollTop: number; scrollHeight: number };
          frame.scrollTop = (frame.scrollTop + 300) % frame.scrollHeight;
        });
        expect(pictures.size).to.equal(CODES);
      });
      for (const { id, title } of made) {
        const { bytes } = await world.api.download(`/qrcodes/${id}/image`, { format: 'svg' });
        const drawn = decodeURIComponent(pictures.get(title)!.replace(/^[^,]*,/, ''));
        expect(withoutImage(drawn), title).to.equal(withoutImage(bytes.toString()));
      }
    });
  });

  for (const size of sizes) {
    it(`makes a code in a look of its own, and saves it as PNG and SVG (${size})`, async () => {
      await inConsole(world, 'qrcodes', { size }, async (page) => {
        await page.getByRole('link', { name: 'Create QR code' }).first().click();
        await page.getByLabel('URL', { exact: true }).fill('https://example.com/menu');
        await page.getByRole('radio', { name: 'Dots' }).check();
        await page.getByRole('radio', { name: 'Leaf', exact: true }).check();
        await page.getByRole('radio', { name: 'Ball: leaf', exact: true }).check();
        await page.getByLabel('Color', { exact: true }).fill('#1E3A8A');
        await page.getByRole('radio', { name: 'Label bottom' }).check();
        await page.getByRole('textbox', { name: 'Text', exact: true }).fill('The menu');
        await page.getByRole('heading', { name: 'Easy to scan' }).waitFor();
        await create(page).click();
        await page.getByText('QR code created').waitFor();
        const [record] = (await world.api.get('/qrcodes')).body;
        const { pattern, shape, fgColor, frame, frameText, shortLink } = record;
        expect({ pattern, shape, fgColor, frame, frameText }).to.deep.equal({
          pattern: 'dots',
          shape: 'leaf/leaf',
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

  for (const size of sizes) {
    it(`gives a dynamic code everything that a link has (${size})`, async () => {
      const { body: tag } = await world.api.post('/tags', { name: 'Spring' });
      const { body: folder } = await world.api.post('/folders', { name: 'Posters' });
      const { body: before } = await world.api.post('/pages', { title: 'Welcome' });
      const { body: webhook } = await world.api.post('/webhooks', {
        name: 'Scans',
        url: 'https://example.com/hook',
        kinds: ['qrcode.scanned'],
      });
      await inConsole(world, 'qrcodes/new', { size }, async (page) => {
        const text = (name: string) => page.getByRole('textbox', { name, exact: true });
        const on = (name: string) => page.getByRole('switch', { name, exact: true }).click();
        await text('URL').fill('https://example.com/menu');
        await text('Title').fill('Poster');
        await text('Short link').fill('poster');
        await page.getByText('This slug is free.').waitFor();
        await page.getByRole('button', { name: 'Tags: None' }).click();
        await page.getByLabel('Spring').check();
        await page.keyboard.press('Escape');
        await page.getByLabel('Folder').selectOption('Posters');
        for (const summary of await page.locator('summary').all()) await summary.click();
        await page.getByLabel('Source', { exact: true }).fill('poster');
        await on('Custom preview');
        await text('Description').fill('What we cook');
        await text('Image URL').fill('https://example.com/menu.png');
        await text('iOS').fill('https://example.com/ios');
        await text('Android').fill('https://example.com/android');
        await page.getByRole('button', { name: 'Add country' }).click();
        await page.getByLabel('Country 1', { exact: true }).selectOption('DE');
        await page.getByLabel('Destination for country 1').fill('https://example.de/');
        await page.getByRole('button', { name: 'Add rule' }).click();
        await page.getByLabel('Value of condition 1 of rule 1').fill('at');
        await page.keyboard.press('Enter');
        await page.getByLabel('Destination of rule 1').fill('https://example.at/');
        await page.getByLabel('Starts at').fill('2040-01-01T10:00');
        await page.getByLabel('Expires at').fill('2041-01-01T10:00');
        await page.getByLabel('Click limit').fill('500');
        await text('Destination after it expires').fill('https://example.com/over');
        await text('Password').fill('open sesame');
        await on('Public statistics');
        await on('Allow search engines to index the link');
        await on('Show a page first');
        await page.getByLabel('Page', { exact: true }).selectOption('Welcome');
        await on('Require the page’s form');
        await on('Track conversions');
        await on('Forward the path');
        await on('Forward query parameters');
        await page.getByLabel('Redirect status').selectOption('307');
        await page.getByLabel('Scans', { exact: true }).check();
        await text('Comments').fill('For the team');
        await text('External ID').fill('menu-1');
        await text('Notification token').fill('token');
        await create(page).click();
        await page.getByText('QR code created').waitFor();
        const [{ id }] = (await world.api.get('/qrcodes')).body;
        const record = (await world.api.get(`/qrcodes/${id}`)).body;
        expect(record).to.deep.include({
          url: 'https://example.com/menu?utm_source=poster',
          utm_source: 'poster',
          key: 'poster',
          title: 'Poster',
          tags: [{ id: tag.id, name: 'Spring' }],
          folderId: folder.id,
          proxy: true,
          description: 'What we cook',
          image: 'https://example.com/menu.png',
          ios: 'https://example.com/ios',
          android: 'https://example.com/android',
          geo: { DE: 'https://example.de/' },
          rules: [{ value: { country: ['AT'] }, url: 'https://example.at/' }],
          startsAt: new Date('2040-01-01T10:00').toISOString(),
          expiresAt: new Date('2041-01-01T10:00').toISOString(),
          maxVisits: 500,
          expiredUrl: 'https://example.com/over',
          password: 'open sesame',
          publicStats: true,
          doIndex: true,
          preRedirection: true,
          pageId: before.id,
          isFormMandatory: true,
          trackConversion: true,
          flexible: true,
          forwardQuery: false,
          redirectStatus: 307,
          webhookIds: [webhook.id],
          comments: 'For the team',
          externalId: 'menu-1',
          notificationToken: 'token',
          archived: false,
        });
        // The form shows the stored values, and sends only changes.
        await download(page).waitFor();
        for (const summary of await page.locator('summary').all()) await summary.click();
        await text('Password').fill('');
        await page.getByRole('button', { name: 'Remove rule' }).click();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('Changes saved').waitFor();
        await download(page).waitFor();
        const changed = (await world.api.get(`/qrcodes/${id}`)).body;
        expect(changed).to.deep.equal({
          ...record,
          password: null,
          hasPassword: false,
          rules: null,
          updatedAt: changed.updatedAt,
        });
      });
    });

    it(`names all types of content in full (${size})`, async () => {
      await inConsole(world, 'qrcodes/new', { size }, async (page) => {
        const widths = size === 'phone' ? [390] : [834, 1440];
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          await page.getByText('WhatsApp').waitFor();
          const cut = await page
            .getByRole('group', { name: 'Type' })
            .locator('label span')
            .evaluateAll((names) =>
              (
                names as unknown as {
                  innerText: string;
                  scrollWidth: number;
                  clientWidth: number;
                }[]
              )
                .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
                .map(({ innerText }) => innerText),
            );
          expect(cut, `${width} px`).to.deep.equal([]);
          const isWide = await page.evaluate(
            () => document.documentElement.scrollWidth > innerWidth,
          );
          expect(isWide, `${width} px`).to.equal(false);
        }
      });
    });
  }

  it('shows at its field what is refused, in a section that opens', async () => {
    await world.api.post('/links', { url: 'https://example.com/a', key: 'taken' });
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      const text = (name: string) => page.getByRole('textbox', { name, exact: true });
      await text('URL').fill('https://example.com/menu');
      await text('Short link').fill('taken');
      await page.getByText('The slug is taken by another link.').waitFor();
      await create(page).click();
      await page.getByText('The slug “taken” is taken.').first().waitFor();
      await text('Short link').fill('free');
      await page.locator('summary', { hasText: 'Schedule' }).click();
      await page.getByLabel('Expires at').fill('2020-01-01T10:00');
      await page.locator('summary', { hasText: 'Schedule' }).click();
      await create(page).click();
      await page.getByText('Choose a time in the future.').first().waitFor();
      await eventually(async () =>
        expect(
          await page
            .getByLabel('Expires at')
            .evaluate((field) => (field as unknown) === document.activeElement),
        ).to.equal(true),
      );
    });
  });

  it('says at its field what is missing, without asking the API', async () => {
    await inConsole(world, 'qrcodes/new', { size: 'phone' }, async (page) => {
      const writes: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') writes.push(request.url());
      });
      const missing = async (label: string, words: string) => {
        await create(page).click();
        const field = page.getByLabel(label, { exact: true });
        await page.getByText(words, { exact: true }).first().waitFor();
        await eventually(async () =>
          expect(
            await field.evaluate((element) => (element as unknown) === document.activeElement),
          ).to.equal(true),
        );
      };
      await page.getByRole('radio', { name: 'Website' }).waitFor();
      await missing('URL', 'Enter a URL.');
      await page.getByRole('radio', { name: 'Wi-Fi' }).check();
      await missing('Network name', 'Enter a network name.');
      expect(writes).to.deep.equal([]);
    });
  });

  it('leaves out of a static code what happens at visits of a short link', async () => {
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      await page.getByLabel('URL', { exact: true }).fill('https://example.com/menu');
      await page.locator('summary', { hasText: 'Password' }).click();
      await page.getByRole('textbox', { name: 'Password', exact: true }).fill('open sesame');
      await page.getByRole('radio', { name: 'Static' }).check();
      await page.locator('summary', { hasText: 'Password' }).waitFor({ state: 'detached' });
      await page.locator('summary', { hasText: 'Comments' }).click();
      await page.getByRole('textbox', { name: 'Comments' }).fill('For the team');
      await create(page).click();
      await page.getByText('QR code created').waitFor();
    });
    const [{ password, comments }] = (await world.api.get('/qrcodes')).body;
    expect([password, comments]).to.deep.equal([null, 'For the team']);
  });

  it('shows an address as it was stored, and nothing to save after saving', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: 'https://example.com/a',
      rules: [{ value: { country: ['AT'] }, url: 'https://example.at/' }],
    });
    await inConsole(world, `qrcodes/${body.id}/edit`, {}, async (page) => {
      await page.getByLabel('URL', { exact: true }).fill('example.com/b');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await download(page).waitFor();
      expect(await page.getByLabel('URL', { exact: true }).inputValue()).to.equal(
        'https://example.com/b',
      );
      expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).to.equal(
        true,
      );
    });
  });

  it('takes coordinates as maps copy them, and an amount with a comma', async () => {
    const newCode = async (type: string, fill: (page: Page) => Promise<void>) =>
      inConsole(world, 'qrcodes/new', {}, async (page) => {
        await page.getByRole('radio', { name: type }).check();
        await fill(page);
        await create(page).click();
        await page.getByText('QR code created').waitFor();
      });
    await newCode('Location', (page) => page.getByLabel('Latitude').fill('52.52, -13.405'));
    await newCode('Pix', async (page) => {
      await page.getByLabel('Pix key').fill('ada@example.com');
      await page.getByLabel('Recipient’s name').fill('Ada');
      await page.getByLabel('City').fill('Lisboa');
      await page.getByLabel('Amount in reais').fill('12,50');
    });
    const [pix, location] = (await world.api.get('/qrcodes')).body;
    expect(location.latlog).to.include({ latitude: 52.52, longitude: -13.405 });
    expect(Number(pix.pix.amount)).to.equal(12.5);
  });

  it('is reached from the command palette, as are stored codes', async () => {
    await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/a', key: 'menu' });
    await inConsole(world, 'links', {}, async (page) => {
      const say = async (words: string, option: string) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('combobox').fill(words);
        await page.getByRole('option', { name: option }).click();
      };
      await page.getByText('No links yet').waitFor();
      await say('qr', 'Create QR code');
      await page.getByRole('heading', { name: 'Create QR code' }).waitFor();
      await say('menu', `${world.domain}/menu`);
      await page.getByRole('heading', { name: `${world.domain}/menu` }).waitFor();
    });
  });

  it('filters codes, keeps a view, and archives a range with undo', async () => {
    for (const key of ['one', 'two', 'three']) {
      await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/a', key });
    }
    await world.api.post('/qrcodes', { type: 'phone', phone: '+4930123456', key: 'call' });
    await inConsole(world, 'qrcodes', {}, async (page) => {
      const rows = page.getByRole('row');
      await page.getByText('4 QR codes').waitFor();
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByLabel('Content').selectOption('Website');
      await page.getByText('3 QR codes').waitFor();
      expect(page.url()).to.contain('type=url');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByLabel('View name').fill('Sites');
      await page.getByRole('button', { name: 'Save' }).click();
      await rows.nth(0).getByRole('checkbox').click();
      await rows
        .nth(2)
        .getByRole('checkbox')
        .click({ modifiers: ['Shift'] });
      await page.getByText('3 selected').waitFor();
      await page.getByRole('button', { name: 'Archive' }).click();
      await rows.nth(2).getByText('Archived').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await rows.getByText('Archived').first().waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Content: Website' }).click();
      await page.getByText('4 QR codes').waitFor();
      // An empty parameter filters nothing.
      await page.goto(`${page.url().split('?')[0]}?type=&search=call`);
      await page.getByText('1 QR code', { exact: true }).waitFor();
    });
    expect((await world.api.get('/qrcodes')).body).to.have.length(4);
  });

  it('tags many codes at once, and moves them to a folder', async () => {
    const { body: folder } = await world.api.post('/folders', { name: 'Posters' });
    await world.api.post('/tags', { name: 'Spring' });
    for (const key of ['one', 'two']) {
      await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/a', key });
    }
    await inConsole(world, 'qrcodes', {}, async (page) => {
      const toolbar = page.getByRole('toolbar');
      await page.getByText('2 QR codes').waitFor();
      for (const box of await page.getByRole('row').getByRole('checkbox').all()) await box.click();
      await toolbar.getByRole('button', { name: 'Tags' }).click();
      await page.getByLabel('Spring').check();
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('row').nth(1).getByText('Spring').waitFor();
      await toolbar.getByRole('button', { name: 'Folder' }).click();
      await page.getByRole('menuitem', { name: 'Posters' }).click();
      await page.getByText('2 QR codes moved to Posters').waitFor();
      // The page is closed before the time for undoing is over.
      await page.goto('about:blank');
      await eventually(async () => {
        const query = { tagNames: 'Spring', folderId: folder.id };
        expect((await world.api.get('/qrcodes', query)).body).to.have.length(2);
      });
    });
  });

  it('scrolls through 2,000 codes, and draws those that are looked at', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: 'https://example.com/a',
      title: 'sample',
    });
    await execute(
      db(),
      `INSERT INTO qrcodes
       SELECT copy.*
         FROM qrcodes AS code, generate_series(1, 1999) AS n,
           jsonb_populate_record(code, jsonb_build_object(
             'id', code.id || n, 'key', 'bulk-' || n, 'title', 'code ' || n,
             'created_at', code.created_at - n * interval '1 second')) AS copy
         WHERE code.id = :id`,
      { id: body.id },
    );
    await inConsole(world, 'qrcodes', {}, async (page) => {
      await page.getByText('2,000 QR codes').waitFor();
      const scroller = page.getByRole('grid').locator('..');
      await measureFrames(scroller);
      await scroller.evaluate((element) => {
        (element as unknown as { scrollTop: number }).scrollTop = 1_500 * 76;
      });
      const row = page.getByRole('row').filter({ hasText: 'code 1500' });
      await row.locator('img').waitFor();
      expect(await page.getByRole('row').count()).to.be.below(60);
    });
  });

  it('makes a static code with an image that is dropped, and saves it in millimeters', async () => {
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      await page.getByRole('radio', { name: 'Wi-Fi' }).check();
      await page.getByLabel('Network name').fill('Guests');
      await page.getByRole('textbox', { name: 'Password' }).fill('welcome here');
      await page.getByRole('button', { name: 'Show the password' }).click();
      await page.getByRole('radio', { name: 'Static' }).check();
      await page.getByLabel(/^Drop an image here/).setInputFiles({
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
      await page.getByLabel('Unit').selectOption('mm');
      const [, png] = await downloaded(page, () => download(page).click());
      expect((await sharp(png).metadata()).width).to.equal(472);
      expect(await textOf(png)).to.equal(contentStatic);
      await page.getByLabel('Format').selectOption('svg');
      const [, svg] = await downloaded(page, () => download(page).click());
      expect(svg.toString()).to.contain('width="40mm" height="40mm"');
      await page.getByLabel('Unit').selectOption('px');
      await page.getByLabel('Format').selectOption('eps');
      await page.getByLabel('Width in mm').fill('15');
      const [, eps] = await downloaded(page, () => download(page).click());
      expect(eps.toString()).to.contain('%%HiResBoundingBox: 0 0 42.52 42.52');
      await page.getByLabel('Width in mm').fill('40');
      await page.getByLabel('Format').selectOption('pdf');
      const [, pdf] = await downloaded(page, () => download(page).click());
      expect(pdf.toString('latin1')).to.contain('/MediaBox [0 0 113.386 113.386]');
      expect(await textOf(await enlarged(await printed(pdf, 'pdf')))).to.equal(contentStatic);
    });
  });

  it('draws gradients, eyes and a named look, and steps back and forth', async () => {
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      await page.getByRole('heading', { name: 'Not complete' }).waitFor();
      await page.getByLabel('URL', { exact: true }).fill('https://example.com/menu');
      await page.getByRole('heading', { name: 'Easy to scan' }).waitFor();
      await page.getByRole('button', { name: 'Sunset' }).click();
      await page.getByLabel('Color: fill').selectOption('radial');
      await page.getByRole('radio', { name: 'Hearts' }).check();
      await page.getByRole('radio', { name: 'Ball: flower' }).check();
      await page.getByRole('switch', { name: 'Own colors for the eyes' }).click();
      await page.getByRole('switch', { name: 'Colors for each eye' }).click();
      await page.getByLabel('Upper right eye', { exact: true }).fill('#1E3A8A');
      await page.getByRole('radio', { name: 'Leaves' }).check();
      await page.getByRole('button', { name: 'Undo' }).click();
      expect(await page.getByRole('radio', { name: 'Hearts' }).isChecked()).to.equal(true);
      await page.getByRole('button', { name: 'Redo' }).click();
      expect(await page.getByRole('radio', { name: 'Leaves' }).isChecked()).to.equal(true);
      await page.getByRole('button', { name: 'Undo' }).click();
      await create(page).click();
      await page.getByText('QR code created').waitFor();
      const [record] = (await world.api.get('/qrcodes')).body;
      expect(record).to.include({ pattern: 'hearts', shape: 'leaf/flower' });
      expect(record.fgGradient).to.include({ type: 'radial' });
      expect(record.fgGradient.stops).to.have.length(3);
      expect(record.eyeColors.topRight.frame).to.equal('#1E3A8A');
      const [, png] = await downloaded(page, () => download(page).click());
      expect(await textOf(png)).to.equal(record.shortLink);
    });
  });

  it('puts a picture behind a code, and gives its modules the form of one', async () => {
    const { png } = await background('landscape');
    for (const size of ['desk', 'phone'] as const) {
      await inConsole(world, 'qrcodes/new', { size }, async (page) => {
        await page.getByLabel('URL', { exact: true }).fill('https://example.com/menu');
        await page
          .getByLabel('Choose a picture')
          .setInputFiles({ name: 'beach.png', mimeType: 'image/png', buffer: png });
        const strength = page.getByLabel('Strength of the picture');
        await strength.selectOption('strong');
        await page.getByText('choose colors further apart').waitFor();
        await page.getByLabel('Picture', { exact: true }).selectOption('halftone');
        await page.getByText('A halftone needs a sharp print').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        expect(await page.getByLabel('Picture', { exact: true }).inputValue()).to.equal('picture');
        await page.getByRole('button', { name: 'Redo' }).click();
        await strength.selectOption('medium');
        await create(page).click();
        await page.getByText('QR code created').waitFor();
        const [record] = (await world.api.get('/qrcodes')).body;
        expect(record).to.include({ backgroundStyle: 'halftone', backgroundStrength: 'medium' });
        expect(record.backgroundSrc).to.match(/^data:image\/jpeg;base64,/);
        const [, made] = await downloaded(page, () => download(page).click());
        expect(await textOf(made)).to.equal(record.shortLink);
        await page.getByRole('button', { name: 'Remove picture' }).click();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('Changes saved').waitFor();
        const changed = (await world.api.get(`/qrcodes/${record.id}`)).body;
        expect(changed.backgroundSrc).to.equal(null);
      });
    }
  });

  it('cuts the chosen square out of a photo and of a picture behind a code', async () => {
    const wide = await sharp({
      create: { width: 900, height: 300, channels: 3, background: 'red' },
    })
      .composite([
        {
          input: { create: { width: 300, height: 300, channels: 3, background: 'blue' } },
          left: 600,
          top: 0,
        },
      ])
      .png()
      .toBuffer();
    const file = { name: 'wide.png', mimeType: 'image/png', buffer: wide };
    const middleOf = async (uri: string) => {
      const bytes = Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64');
      const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
      const at = ((info.height >> 1) * info.width + (info.width >> 1)) * info.channels;
      return { side: [info.width, info.height], isBlue: data[at + 2]! > 200 };
    };
    for (const size of ['desk', 'phone'] as const) {
      await inConsole(world, 'qrcodes/new', { size }, async (page) => {
        const picture = page.getByLabel('Choose a picture');
        await picture.setInputFiles(file);
        await dialog(page).getByRole('button', { name: 'Cancel' }).click();
        expect(await page.getByRole('button', { name: 'Remove picture' }).count()).to.equal(0);
        await picture.setInputFiles(file);
        await dialog(page).getByLabel('Left or right').fill('1');
        await dialog(page).getByLabel('Zoom').fill('1.5');
        expect(await dialog(page).getByLabel('Up or down').isDisabled()).to.equal(false);
        await photograph(page, `crop-${size}`);
        await dialog(page).getByRole('button', { name: 'Use this part' }).click();
        const cut = await page.getByAltText('Behind the code').getAttribute('src');
        expect(await middleOf(cut!)).to.deep.equal({ side: [200, 200], isBlue: true });
      });
    }
  });

  it('takes a mark as the logo, scales it by keys and pointer, and takes its color', async () => {
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      await page.getByLabel('URL', { exact: true }).fill('https://example.com/menu');
      await page.getByLabel('Color', { exact: true }).fill('#B91C1C');
      await page.getByRole('button', { name: 'Logo: Heart' }).click();
      const handle = page.getByRole('slider', { name: 'Logo size' });
      await handle.waitFor();
      const sizeOf = async () => Number(await handle.getAttribute('aria-valuenow'));
      const before = await sizeOf();
      await handle.focus();
      for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('ArrowDown');
      await eventually(async () => expect(await sizeOf()).to.equal(before - 3));
      const width = page.getByLabel('Logo width in px');
      expect(Number(await width.inputValue())).to.be.within(40, 120);
      expect(await page.getByLabel('Logo height in px').inputValue()).to.equal(
        await width.inputValue(),
      );
      const small = Number(await width.inputValue());
      const { x, y, width: wide, height } = (await handle.boundingBox())!;
      await page.mouse.move(x + wide / 2, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + wide / 2 + 6, y + height / 2 + 6);
      await page.mouse.up();
      expect(Number(await width.inputValue())).to.be.above(small);
      await page.getByLabel('Color', { exact: true }).fill('#1E3A8A');
      await page.getByRole('button', { name: 'Eyes in a color of the logo: #B91C1C' }).click();
      await page.getByRole('heading', { name: 'Easy to scan' }).waitFor();
      await create(page).click();
      await page.getByText('QR code created').waitFor();
      const [, png] = await downloaded(page, () => download(page).click());
      const [record] = (await world.api.get('/qrcodes')).body;
      expect(record).to.include({ fgColor: '#1E3A8A', eyeColor: '#B91C1C' });
      expect(record.width).to.equal(record.height).and.to.be.above(small);
      expect(await textOf(png)).to.equal(record.shortLink);
    });
  });

  it('says why a look can’t be scanned, and what the API refuses at its field', async () => {
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      await page.getByLabel('Color', { exact: true }).fill('#DDDDDD');
      await page.getByRole('heading', { name: 'Can’t be scanned' }).waitFor();
      await page.getByText('Color and background must differ more').first().waitFor();
      await page.getByLabel('URL', { exact: true }).fill('not an address');
      await create(page).click();
      await page.getByText('Enter a full URL').first().waitFor();
      expect(await page.getByLabel('URL', { exact: true }).inputValue()).to.equal('not an address');
    });
  });

  it('changes a code, keeps its look as a template, and makes another with it', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'url',
      url: 'https://example.com/a',
    });
    await inConsole(world, `qrcodes/${body.id}/edit`, {}, async (page) => {
      await page.getByLabel('URL', { exact: true }).fill('https://example.com/b');
      await page.getByRole('radio', { name: 'Diamonds' }).check();
      await page.getByRole('switch', { name: 'Save style as template' }).click();
      await page.getByLabel('Template name').fill('Spring');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Changes saved').waitFor();
      await page.getByRole('link', { name: 'Scans and history' }).click();
      await page.getByRole('link', { name: 'All QR codes' }).click();
      await page.getByRole('link', { name: 'Create QR code' }).click();
      await page.getByRole('button', { name: 'Actions for Spring' }).click();
      await page.getByRole('menuitem', { name: 'Rename' }).click();
      await dialog(page).getByLabel('Template name').fill('Summer');
      await expectAccessible(page, 'rename template');
      await dialog(page).getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('button', { name: 'Summer', exact: true }).click();
      await page.getByLabel('URL', { exact: true }).fill('https://example.com/c');
      await create(page).click();
      await page.getByText('QR code created').waitFor();
    });
    const codes = (await world.api.get('/qrcodes')).body;
    expect(codes.map(({ url, pattern }: Record<string, string>) => [url, pattern])).to.deep.equal([
      ['https://example.com/c', 'diamonds'],
      ['https://example.com/b', 'diamonds'],
    ]);
  });

  for (const size of sizes) {
    it(`designs the code of an existing link, which the link then shows: ${size}`, async () => {
      const { api } = world;
      await api.patch('/workspace', { brandColor: '#14532D' });
      const { body: menu } = await api.post('/links', {
        url: 'https://example.com/menu',
        key: 'menu',
        title: 'Menu',
      });
      await api.post('/links', { url: 'https://example.com/other', key: 'other' });
      await inConsole(world, `links/${menu.id}`, { size }, async (page) => {
        await page.getByRole('link', { name: 'Design this code' }).click();
        await page.getByText('The code of an existing link.').waitFor();
        const first = page.getByRole('listitem').filter({ hasText: /^Brand$/ });
        expect(
          await first.evaluate((item) => [...item.parentElement!.children].indexOf(item)),
        ).to.equal(0);
        await first.getByRole('button').click();
        await page.getByText('of 100').first().waitFor();
        await photograph(page, `code-of-link-${size}`);
        await expectAccessible(page, 'code of a link');
        await create(page).click();
        await page.getByText('QR code created').waitFor();
        const [, png] = await downloaded(page, () => download(page).click());
        expect(await textOf(png)).to.equal(`${menu.shortLink}?qr=1`);
        await page.goto(page.url().replace(/qrcodes.*/, `links/${menu.id}`));
        await page.getByAltText('QR code Menu').waitFor();
        await page.getByRole('link', { name: 'Design, sizes and other formats' }).waitFor();
        await photograph(page, `link-with-code-${size}`);
        const [{ id }] = (await api.get('/qrcodes')).body;
        await page.goto(page.url().replace(/links.*/, `qrcodes/${id}`));
        await page.getByText('Scans are counted for the link Menu').waitFor();
        await photograph(page, `code-page-of-link-${size}`);
        await page.getByRole('link', { name: 'Menu', exact: true }).click();
        await page.getByRole('heading', { name: 'Menu' }).waitFor();
      });
      const { body: codes } = await api.get('/qrcodes');
      expect(codes).to.have.length(1);
      expect(codes[0]).to.include({
        title: 'Menu',
        static: true,
        contentStatic: `${menu.shortLink}?qr=1`,
        fgColor: '#14532D',
        pattern: 'rounded',
      });
    });

    it(`changes the style of selected codes, after the worst score: ${size}`, async () => {
      const { api } = world;
      const code = { type: 'url', url: 'https://example.com/a' };
      const { body: first } = await api.post('/qrcodes', { ...code, title: 'Poster' });
      const text = 'A long text. '.repeat(20);
      await api.post('/qrcodes', { type: 'text', text, static: true, title: 'Notice' });
      const look = { pattern: 'dots', fgColor: '#1E3A8A' };
      const named = { useAsTemplate: true, templateName: 'Spring', title: 'Card' };
      await api.post('/qrcodes', { ...code, ...look, ...named });
      await inConsole(world, 'qrcodes', { size }, async (page) => {
        await page.getByText('3 QR codes').waitFor();
        await page.getByRole('checkbox', { name: 'Select all QR codes' }).click();
        await page.getByRole('button', { name: 'Style', exact: true }).click();
        await dialog(page).getByRole('button', { name: 'Spring', exact: true }).click();
        await dialog(page).getByText('Hardest to scan: Notice').waitFor();
        await photograph(page, `style-of-codes-${size}`);
        await expectAccessible(page, 'style of codes');
        await dialog(page).getByRole('button', { name: 'Apply style' }).click();
        await page.getByText('Changed the style of 3 QR codes').waitFor();
      });
      await eventually(async () => {
        const { body: codes } = await api.get('/qrcodes');
        for (const changed of codes) expect(changed).to.include(look);
      });
      const { body: history } = await api.get(`/qrcodes/${first.id}/history`);
      expect(history[0].changes).to.have.property('pattern');
    });
  }

  it('chooses the link by a search in the designer', async () => {
    for (const key of ['menu', 'other', 'third']) {
      await world.api.post('/links', { url: `https://example.com/${key}`, key });
    }
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      await page.getByRole('button', { name: 'Existing link' }).click();
      await page.getByLabel('Search links').fill('nothing');
      await page.getByText('No links match.').waitFor();
      await page.getByLabel('Search links').fill('men');
      const found = page.getByRole('list', { name: 'Links' }).getByRole('listitem');
      await found.nth(1).waitFor({ state: 'detached' });
      await found.getByRole('button').click();
      await page.getByText('The code of an existing link.').waitFor();
      expect(await page.getByLabel('URL', { exact: true }).inputValue()).to.match(/\/menu\?qr=1$/);
      await create(page).click();
      await page.getByText('QR code created').waitFor();
      await page.goto(page.url().replace(/qrcodes.*/, 'qrcodes'));
      await page.getByRole('row').getByText('Link', { exact: true }).waitFor();
    });
    const [code] = (await world.api.get('/qrcodes')).body;
    expect(code.contentStatic).to.match(/\/menu\?qr=1$/);
  });

  it('lays codes out on a sheet, and packs their pictures', async () => {
    for (const key of ['one', 'two']) {
      await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/a', key });
    }
    const codes = (await world.api.get('/qrcodes')).body as { key: string; shortLink: string }[];
    await inConsole(world, 'qrcodes', {}, async (page) => {
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
      await page.getByLabel('Paper').selectOption('Avery L7160');
      await page.getByText('1 page, each code 29 mm wide.').waitFor();
      const [, labels] = await downloaded(page, () => download(page).click());
      expect(labels.toString('latin1')).to.contain('/MediaBox [0 0 595.276 841.89]');
      await page.getByLabel('Download as').selectOption('zip');
      await page.getByLabel('Format').selectOption('png');
      const [, zip] = await downloaded(page, () => download(page).click());
      const files = unzipSync(zip);
      expect(Object.keys(files)).to.have.members(['one.png', 'two.png']);
      for (const { key, shortLink } of codes) {
        expect(await textOf(Buffer.from(files[`${key}.png`]!))).to.equal(shortLink);
      }
    });
  });

  it('creates codes from CSV, and draws their images and a sheet', async () => {
    await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/', key: 'taken' });
    const csv =
      'URL;Title;Slug;Note\nhttps://example.com/1;Table;t-1;x\nhttps://example.com/2;Table;t-2;\n' +
      'ftp;Wrong;t-3;\nhttps://example.com/4;Late;taken;\n';
    await inConsole(world, 'qrcodes/batch', {}, async (page) => {
      await page.getByLabel('CSV file of contents').setInputFiles({
        name: 'tables.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(csv),
      });
      await page.getByText('1 row with errors will be left out.').waitFor();
      await page.getByText('These columns are not used: Note.').waitFor();
      expect(await page.getByRole('row', { name: 'Error' }).innerText()).to.contain('ftp');
      await page.getByText('3 QR codes can be created.').waitFor();
      await page.getByRole('button', { name: 'Create 3 QR codes' }).click();
      await page.getByText('2 QR codes created').waitFor();
      expect(await page.locator(':focus').innerText()).to.equal('2 QR codes created');
      // The API refuses a slug that another code has.
      expect(await page.getByRole('row', { name: /Error.*Late/ }).count()).to.equal(1);
      await page.getByLabel('Width in px').fill('300');
      await page.getByRole('button', { name: 'Draw images' }).click();
      const zip = page.getByRole('button', { name: 'Download ZIP' });
      const [name, bytes] = await downloaded(page, () => zip.click());
      expect(name).to.equal('qr-codes.zip');
      const files = unzipSync(bytes);
      expect(Object.keys(files)).to.deep.equal(['Table.png', 'Table-t-2.png']);
      await page.getByLabel('Images as').selectOption('sheet');
      await page.getByRole('button', { name: 'Draw images' }).click();
      const sheet = page.getByRole('button', { name: 'Download PDF' });
      const [, pdf] = await downloaded(page, () => sheet.click());
      expect(pdf.toString('latin1')).to.match(/\/Count 1 /);
    });
    const { body } = await world.api.get('/qrcodes', { search: 't-2' });
    expect(body[0]).to.include({ url: 'https://example.com/2', title: 'Table', static: false });
  });

  it('creates contacts from CSV, and shows rows that cannot be read', async () => {
    await inConsole(world, 'qrcodes/batch', { size: 'phone' }, async (page) => {
      await page.getByRole('radio', { name: 'Contact' }).check();
      const rows = page.getByLabel('Or paste rows');
      await rows.fill('name\nAda');
      await page.getByRole('alert').getByText('Name the columns in the first row').waitFor();
      await rows.fill('First name,Last name,Phone,code title\nAda,Lovelace,+49 30 123456,Ada\n');
      await page.getByRole('button', { name: 'Create 1 QR code' }).click();
      await page.getByText('1 QR code created').waitFor();
      await expectAccessible(page, 'codes from CSV');
    });
    const { body } = await world.api.get('/qrcodes');
    expect(body[0]).to.include({ type: 'vcard', title: 'Ada', static: true });
    expect(body[0].vcard).to.deep.include({ firstName: 'Ada', lastName: 'Lovelace' });
  });

  it('exports the images of a list, and shows their progress', async () => {
    for (const key of ['one', 'two']) {
      await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/a', key });
    }
    await inConsole(world, 'qrcodes?search=one', {}, async (page) => {
      await page.getByRole('link', { name: 'Export images' }).click();
      await page.getByLabel('Codes').getByText('The filtered list').waitFor({ state: 'attached' });
      await page.getByLabel('Images as').selectOption('svg');
      await page.getByRole('button', { name: 'Draw images' }).click();
      await page.getByText('1 image ready.').waitFor();
      // The page shows the export again after it was loaded again.
      await page.reload();
      const zip = page.getByRole('button', { name: 'Download ZIP' });
      const [, bytes] = await downloaded(page, () => zip.click());
      expect(Object.keys(unzipSync(bytes))).to.deep.equal(['one.svg']);
      await page.getByLabel('Codes').selectOption('');
      await page.getByRole('button', { name: 'Draw images' }).click();
      await page.getByText('2 images ready.').waitFor();
    });
  });

  it('deletes with undo, and archives', async () => {
    for (const title of ['stays', 'goes']) {
      await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/a', title });
    }
    await inConsole(world, 'qrcodes', { size: 'phone' }, async (page) => {
      for (const title of ['stays', 'goes']) {
        await page.getByRole('button', { name: `Actions for ${title}` }).click();
        await page.getByRole('menuitem', { name: 'Delete' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Delete QR code' }).click();
        await page.getByText('1 QR code deleted').waitFor();
        if (title === 'stays') {
          await page.getByRole('button', { name: 'Undo' }).click();
          await page.getByText('1 QR code restored').waitFor();
        }
      }
      await page.getByText('1 QR code', { exact: true }).waitFor();
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
    await inConsole(world, 'qrcodes', {}, async (page) => {
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
      await page.getByText('Create QR code').first().waitFor();
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
        await inConsole(world, 'qrcodes', options, async (page) => {
          await page.getByText('No QR codes yet').waitFor();
          await expectAccessible(page, view('empty'));
        });
        await world.api.post('/tags', { name: 'Spring' });
        await world.api.post('/qrcodes/bulk', randomCodes(image).slice(0, 12));
        await inConsole(world, 'qrcodes', options, async (page) => {
          await page.getByRole('row').first().locator('img').waitFor();
          await expectAccessible(page, view('list'));
          await page.getByRole('checkbox').nth(1).check();
          await page.getByRole('button', { name: 'Sheet or ZIP' }).click();
          await page.getByRole('img', { name: 'The first page' }).waitFor();
          await expectAccessible(page, view('sheet'));
        });
        await inConsole(world, 'qrcodes/new', options, async (page) => {
          await page.getByRole('heading', { name: 'Not complete' }).waitFor();
          await page.getByRole('radio', { name: 'Ribbon' }).check();
          await page.getByRole('button', { name: 'Logo: Heart' }).click();
          await page.getByRole('slider', { name: 'Logo size' }).waitFor();
          await expectAccessible(page, view('new'));
          await page.getByRole('radio', { name: 'Contact' }).check();
          await page.getByRole('button', { name: 'Add phone' }).click();
          await page.getByLabel('First name').fill('Ada');
          await page.getByLabel('Color', { exact: true }).fill('#DDDDDD');
          await page.getByRole('heading', { name: 'Can’t be scanned' }).waitFor();
          await expectAccessible(page, view('contact'));
        });
        const [{ id }] = (await world.api.get('/qrcodes')).body;
        await inConsole(world, `qrcodes/${id}/edit`, options, async (page) => {
          await download(page).waitFor();
          await expectAccessible(page, view('stored'));
        });
      });
    }
  }
});

/** Scales a picture up so that decoders can read it. */
const enlarged = (picture: Buffer) =>
  sharp(picture).resize(1200, undefined, { kernel: 'nearest' }).png().toBuffer();
