import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { strFromU8, unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { addSampleEvents } from './sample-events.ts';
import { expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/** Reads the number of clicks, and that of the comparison. */
async function clicksOf(page: Page): Promise<(number | null)[]> {
  const tile = page.locator('[data-metric=clicks]');
  // In one evaluation, because the comparison can disappear between two.
  const read = async (name: string) => {
    const values = await tile
      .locator(`[data-${name}]`)
      .evaluateAll(
        (elements: { getAttribute(attribute: string): string | null }[], attribute) =>
          elements.map((element) => Number(element.getAttribute(attribute))),
        `data-${name}`,
      );
    return values[0] ?? null;
  };
  return [await read('value'), await read('previous')];
}

describe('campaigns in the console', function () {
  useBrowser();
  let world: World;
  let tagId: string;

  before(async () => {
    world = await aWorkspace();
    const post = async (path: string, body: object): Promise<string> => {
      const headers = { 'Idempotency-Key': newId('event') };
      const { status, body: made } = await world.api.post(path, body, { headers });
      expect([200, 201], JSON.stringify(made)).to.include(status);
      return made.id;
    };
    tagId = await post('/tags', { name: 'Seasonal' });
    await post('/tags', { name: 'Never used' });
    const folderId = await post('/folders', { name: 'Restaurants' });
    const linkIds: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      linkIds.push(
        await post('/links', {
          url: `https://example.com/${n}`,
          key: `link-${n}`,
          ...(n < 2 && { tagIds: [tagId], folderId }),
        }),
      );
    }
    const code = { type: 'url', key: 'code', url: 'https://example.com/code' };
    await addSampleEvents(world, linkIds, await post('/qrcodes', code));
  });

  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const ask = async (query: string) => {
    const { status, body } = await world.api.get(
      `/analytics?interval=30d&timezone=${encodeURIComponent(timezone)}&${query}`,
    );
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const expectClicks = (page: Page, query: string) =>
    eventually(async () => expect((await clicksOf(page))[0]).to.equal((await ask(query)).clicks));
  const openFilter = async (page: Page) => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    return page.getByRole('dialog', { name: 'Add a filter' });
  };

  for (const size of sizes) {
    it(`excludes values, selects several, and leads back (${size})`, async () => {
      await inConsole(world, 'analytics', { size }, async (page) => {
        const menu = await openFilter(page);
        await menu.getByLabel('Filter by').selectOption('Tag');
        const { clicks } = await ask(`tagId=${tagId}`);
        const tag = menu.getByRole('option', { name: `Seasonal ${clicks}` });
        await menu.getByRole('option', { name: 'Never used 0' }).waitFor();
        await menu.getByLabel('Operator').selectOption('is not');
        await expectAccessible(page, `exclude-${size}`);
        await tag.click();
        await page.waitForURL(/exclude=tagId/);
        await expectClicks(page, `tagId=${tagId}&exclude=tagId`);
        await page.getByRole('button', { name: 'Tag is not' }).click();
        await expectClicks(page, `tagId=${tagId}`);
        await page.goBack();
        await expectClicks(page, `tagId=${tagId}&exclude=tagId`);
        await page.reload();
        await expectClicks(page, `tagId=${tagId}&exclude=tagId`);
        await page.getByRole('button', { name: 'Remove filter: Tag' }).click();
        await expectClicks(page, '');
        expect(page.url()).to.not.contain('exclude');
        for (const name of ['spring', 'launch']) {
          const again = await openFilter(page);
          await again.getByLabel('Filter by').selectOption('UTM source');
          await again.getByRole('combobox', { name: 'UTM source is' }).fill(name);
          await again.getByRole('option', { name }).click();
        }
        const filters = page.getByRole('group', { name: 'Filters' });
        await filters.getByText('spring or launch').waitFor();
        await expectClicks(page, 'utm_source=spring&utm_source=launch');
      });
    });

    it(`compares a campaign with another, and with nothing (${size})`, async () => {
      const [spring, launch] = await Promise.all(
        ['spring', 'launch'].map(async (name) => (await ask(`utm_source=${name}`)).clicks),
      );
      await inConsole(world, 'analytics?utm_source=spring', { size }, async (page) => {
        await page.getByRole('button', { name: 'Last 30 days' }).click();
        const picker = page.getByRole('dialog', { name: 'Period' });
        await picker.getByLabel('Compare with').selectOption('Another value of “UTM source”');
        await picker.getByLabel('UTM source').selectOption(`launch (${launch})`);
        await page.waitForURL(/against=launch/);
        await eventually(async () => expect(await clicksOf(page)).to.deep.equal([spring, launch]));
        await expectAccessible(page, `compare-menu-${size}`);
        await page.keyboard.press('Escape');
        await page.getByText('launch', { exact: true }).first().waitFor();
        await expectAccessible(page, `compare-${size}`);
        await page.getByRole('button', { name: 'Show as table' }).click();
        const cells = await page.getByRole('table').getByRole('cell').allInnerTexts();
        const sum = (column: number) =>
          cells.reduce((all, text, at) => (at % 3 === column ? all + Number(text) : all), 0);
        expect([sum(0), sum(2)]).to.deep.equal([spring, launch]);
        await page.reload();
        await eventually(async () => expect(await clicksOf(page)).to.deep.equal([spring, launch]));
        await page.getByRole('button', { name: 'Last 30 days' }).click();
        await picker.getByLabel('Compare with').selectOption('Nothing');
        await eventually(async () => expect(await clicksOf(page)).to.deep.equal([spring, null]));
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Remove filter: UTM source' }).click();
        await expectClicks(page, '');
      });
    });
  }

  it('lists tags and folders among the campaigns, and filters by them', async () => {
    await inConsole(world, 'analytics', {}, async (page) => {
      const card = page.getByRole('region', { name: 'Campaigns' });
      await card.getByRole('tab', { name: 'Folders' }).click();
      await card.getByRole('button', { name: 'Restaurants' }).waitFor();
      await card.getByRole('tab', { name: 'Tags' }).click();
      await card.getByRole('button', { name: 'Seasonal' }).click();
      await expectClicks(page, `tagId=${tagId}`);
    });
  });

  for (const [query, columns] of [
    ['interval=all', 'Start,Clicks'],
    ['interval=all&compare=year', 'Start,Clicks'],
    ['interval=30d&compare=none', 'Start,Clicks'],
    ['interval=30d', 'Start,Clicks,Previous period: start,Previous period: clicks'],
    [
      'interval=all&utm_source=spring&compare=utm_source&against=launch',
      'Start,Clicks,launch: start,launch: clicks',
    ],
  ] as const) {
    it(`names a comparison in print and CSV only where there is one (${query})`, async () => {
      await inConsole(world, `analytics?${query}`, {}, async (page) => {
        await page.locator('.u-over').waitFor();
        await page.getByRole('button', { name: 'Export' }).click();
        const saved = page.waitForEvent('download');
        await page.getByRole('menuitem', { name: 'Chart as CSV' }).click();
        const file = await readFile(await (await saved).path(), 'utf8');
        const [first] = file.replace('\u{FEFF}', '').split(/\r?\n/);
        expect(first).to.equal(columns);
        await page.emulateMedia({ media: 'print' });
        const heading = page.locator('#main header');
        await heading.getByText(world.slug, { exact: true }).waitFor();
        expect(await heading.getByText('Compared with').count()).to.equal(
          columns === 'Start,Clicks' ? 0 : 1,
        );
      });
    });
  }

  it('saves all numbers of the page as a ZIP file', async () => {
    await inConsole(world, 'analytics?country=DE&exclude=country', {}, async (page) => {
      await page.getByRole('button', { name: 'Export' }).click();
      const saved = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: 'All numbers as ZIP' }).click();
      const download = await saved;
      expect(download.suggestedFilename()).to.match(/ analytics 20\d\d-\d\d-\d\d to [\d-]+\.zip$/);
      const chunks: Buffer[] = [];
      for await (const chunk of await download.createReadStream()) {
        chunks.push(chunk as Buffer);
      }
      const files = unzipSync(Buffer.concat(chunks));
      expect(strFromU8(files['README.txt']!)).to.contain('country is not DE');
      const { clicks } = await ask('country=DE&exclude=country');
      expect(strFromU8(files['totals.csv']!)).to.contain(`clicks,${clicks},`);
    });
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`prints the page on white paper, with its filters and without controls (${scheme})`, async () => {
      const path = 'analytics?utm_source=spring&country=DE&exclude=country';
      await inConsole(world, path, { scheme }, async (page) => {
        await page.locator('.u-over').waitFor();
        await page.getByRole('img', { name: /map/ }).waitFor();
        await page.waitForLoadState('networkidle');
        await page.emulateMedia({ media: 'print' });
        const heading = page.locator('#main header');
        for (const text of [world.slug, 'UTM source is spring', 'Country is not Germany']) {
          await heading.getByText(text, { exact: true }).waitFor();
        }
        for (const name of ['Filter', 'Export', 'Show as table']) {
          expect(await page.getByRole('button', { name, exact: true }).count(), name).to.equal(0);
        }
        expect(await page.getByRole('navigation').count()).to.equal(0);
        const { ground } = await page.evaluate(() => {
          const { getComputedStyle, document } = globalThis as unknown as {
            getComputedStyle(element: unknown): { getPropertyValue(name: string): string };
            document: { documentElement: unknown };
          };
          return {
            ground: getComputedStyle(document.documentElement).getPropertyValue('--panel'),
          };
        });
        expect(ground.trim()).to.equal('#fff');
        const folder = process.env['CONSOLE_SCREENSHOTS'];
        const pdf = await page.pdf({
          format: 'A4',
          preferCSSPageSize: true,
          ...(folder !== undefined && { path: `${folder}/print-${scheme}.pdf` }),
        });
        expect(pdf.subarray(0, 5).toString()).to.equal('%PDF-');
        const pages = pdf.toString('latin1').match(/\/Type \/Page\b/g)!.length;
        expect(pages).to.be.within(2, 5);
      });
    });
  }
});
