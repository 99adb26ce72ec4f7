import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { clipboard, dialog, expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/* Tests the lists of links and of QR codes, and the command palette. See flows.ts. */

const A = 'https://example.com/a';

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const bulkBar = (page: Page) => page.getByRole('toolbar');
const inBar = (page: Page, name: string) => bulkBar(page).getByRole('button', { name });
const item = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });
/** Finds a label of a row, which narrow windows show in another place. */
const mark = (page: Page, text: string, label: string) =>
  row(page, text).getByText(label).filter({ visible: true });
const hasFocus = (control: Locator): Promise<boolean> =>
  control.evaluate((element) => element === element.ownerDocument.activeElement);
const expectFocus = (control: Locator) =>
  eventually(async () => expect(await hasFocus(control)).to.equal(true));
/**
 * Leaves the view, which sends changes that could still be undone.
 * @param check verifies the sent changes; the browser must stay open meanwhile, since it sends them
 * in the background
 */
async function leave(page: Page, check: () => Promise<unknown>): Promise<void> {
  await page.goto('about:blank');
  await eventually(check);
}

describe('lists of the console', function () {
  this.timeout(300_000);
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  type Fields = Record<string, unknown>;
  const aLink = async (key: string, fields: Fields = {}): Promise<{ id: string }> =>
    (await world.api.post('/links', { url: A, key, ...fields })).body;
  /** Creates links with these slugs, the last one newest. */
  const someLinks = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await aLink(key);
  };
  const keysOf = async (query: Record<string, unknown> = {}): Promise<string[]> =>
    (await world.api.get('/links', { pageSize: 100, ...query })).body.map(
      ({ key }: { key: string }) => key,
    );

  it('adds and removes tags of links that have different ones', async () => {
    const tag = async (name: string) => (await world.api.post('/tags', { name })).body.id as string;
    const [spring, print, old] = [await tag('Spring'), await tag('Print'), await tag('Old')];
    await aLink('one', { tagIds: [spring, old] });
    await aLink('two', { tagIds: [print, old] });
    await inConsole(world, 'links', {}, async (page) => {
      await row(page, '/one').getByRole('checkbox').click();
      await row(page, '/two').getByRole('checkbox').click();
      await inBar(page, 'Tags').click();
      const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
      const states = () =>
        Promise.all(
          ['Spring', 'Print', 'Old'].map((name) =>
            box(name).evaluate((element) => {
              const { checked, indeterminate } = element as HTMLInputElement;
              return indeterminate ? 'some' : checked ? 'all' : 'none';
            }),
          ),
        );
      expect(await states()).to.deep.equal(['some', 'some', 'all']);
      await expectAccessible(page, 'tags-of-selected');
      await box('Spring').click();
      await box('Old').click();
      // Three clicks cycle through all, none and the initial state.
      for (let click = 0; click < 3; click += 1) await box('Print').click();
      expect(await states()).to.deep.equal(['all', 'some', 'none']);
      await page.getByLabel('Find or create a tag').fill('New');
      await page.keyboard.press('Enter');
      await box('New').waitFor();
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('Changed the tags of 2 links').waitFor();
      await mark(page, '/two', 'New').waitFor();
      await row(page, '/two').getByText('Old').waitFor({ state: 'detached' });
      await leave(page, async () => {
        const { body } = await world.api.get('/links');
        const tagsByKey = Object.fromEntries(
          body.map(({ key, tags }: { key: string; tags: { name: string }[] }) => [
            key,
            tags.map(({ name }) => name).toSorted(),
          ]),
        );
        expect(tagsByKey).to.deep.equal({
          one: ['New', 'Spring'],
          two: ['New', 'Print', 'Spring'],
        });
      });
    });
  });

  it('adds tags to QR codes', async () => {
    await world.api.post('/tags', { name: 'Print' });
    for (const title of ['Menu', 'Poster']) {
      await world.api.post('/qrcodes', { type: 'url', url: A, title });
    }
    await inConsole(world, 'qrcodes', {}, async (page) => {
      await row(page, 'Menu').waitFor();
      await page.getByLabel('Select all QR codes').click();
      await inBar(page, 'Tags').click();
      await page.getByRole('checkbox', { name: 'Print', exact: true }).click();
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('Added Print to 2 QR codes').waitFor();
      await row(page, 'Menu').getByText('Print').waitFor();
      await leave(page, async () => {
        expect((await world.api.get('/qrcodes', { tagNames: 'Print' })).body).to.have.length(2);
      });
    });
  });

  it('keeps the selection through several actions, and shows each on the rows', async () => {
    await someLinks('one', 'two', 'three');
    await world.api.post('/folders', { name: 'Campaigns' });
    await inConsole(world, 'links', {}, async (page) => {
      await row(page, '/one').getByRole('checkbox').click();
      await row(page, '/three')
        .getByRole('checkbox')
        .click({ modifiers: ['Shift'] });
      await page.getByText('3 selected').waitFor();
      expect(await inBar(page, 'Restore').count()).to.equal(0);
      await inBar(page, 'Folder').click();
      await item(page, 'Campaigns').click();
      await mark(page, '/two', 'Campaigns').waitFor();
      await inBar(page, 'Archive').click();
      // Only the first of the two changes is undone.
      await page.getByRole('button', { name: 'Undo' }).first().click();
      await mark(page, '/two', 'Campaigns').waitFor({ state: 'detached' });
      await row(page, '/two').getByText('Archived').waitFor();
      await page.getByText('3 selected').waitFor();
      // All selected links are archived, so Restore replaces Archive.
      await inBar(page, 'Restore').waitFor();
      expect(await inBar(page, 'Archive').count()).to.equal(0);
      await page.keyboard.press('Escape');
      await bulkBar(page).waitFor({ state: 'detached' });
      await leave(page, async () => {
        const { body } = await world.api.get('/links', { showArchived: true });
        const states = body.map(({ archived, folderId }: Fields) => [archived, folderId]);
        expect(states).to.deep.equal([
          [true, null],
          [true, null],
          [true, null],
        ]);
      });
    });
  });

  it('undoes the newest action with z, then the one before', async () => {
    await someLinks('one', 'two');
    await inConsole(world, 'links', {}, async (page) => {
      for (const key of ['/one', '/two']) {
        await row(page, key).getByRole('checkbox').click();
        await inBar(page, 'Archive').click();
        await row(page, key).getByText('Archived').waitFor();
        await page.keyboard.press('Escape');
      }
      for (const key of ['/two', '/one']) {
        await page.keyboard.press('z');
        await row(page, key).getByText('Archived').waitFor({ state: 'detached' });
      }
      await leave(page, async () => {
        const { body } = await world.api.get('/links', { showArchived: true });
        expect(body.map(({ archived }: Fields) => archived)).to.deep.equal([false, false]);
      });
    });
  });

  it('selects all links that match, and sends a change of them all', async () => {
    for (const count of [100, 49]) {
      await world.api.post(
        '/links/bulk',
        Array.from({ length: count }, () => ({ url: A })),
      );
    }
    await aLink('first');
    await aLink('other', { url: 'https://example.org/' });
    await inConsole(world, 'links?search=example.com', {}, async (page) => {
      await page.getByText('150 links').waitFor();
      await row(page, '/first').getByRole('checkbox').click();
      await page.getByRole('button', { name: 'Select all 150 that match' }).click();
      await page.getByText('150 selected').waitFor();
      expect(await page.getByLabel('Select all links').isChecked()).to.equal(true);
      await page.keyboard.press('Escape');
      await bulkBar(page).waitFor({ state: 'detached' });
      await page.keyboard.press('Control+a');
      await page.getByText('150 selected').waitFor();
      await page.clock.install();
      await inBar(page, 'Archive').click();
      await page.getByText('150 links archived').waitFor();
      await page.clock.runFor(9_000);
      await eventually(async () => expect(await keysOf()).to.deep.equal(['other']), 60_000);
      await page.getByText('150 selected').waitFor();
      await page.getByLabel('Clear the selection').click();
    });
  });

  for (const size of sizes) {
    it(`asks before many links are deleted, and before links with clicks are (${size})`, async () => {
      await someLinks(...Array.from({ length: 9 }, (_, index) => `few-${index}`));
      const { id } = await aLink('used');
      await db()('counters').insert({
        project_id: world.projectId,
        record_id: id,
        visits: 1_234,
      });
      await inConsole(world, 'links', { size }, async (page) => {
        await row(page, '/used').waitFor();
        await page.getByLabel('Select all links').click();
        await page.getByText('10 selected').waitFor();
        await inBar(page, 'Delete').click();
        await dialog(page).getByText('Delete 10 links?').waitFor();
        await dialog(page).getByText('1,234 clicks').waitFor();
        await expectAccessible(page, `delete-links-${size}`);
        await dialog(page).getByRole('button', { name: 'Cancel' }).click();
        await row(page, '/used')
          .getByRole('button', { name: /^Actions for/ })
          .click();
        await item(page, 'Delete').click();
        await dialog(page).getByText('1,234 clicks').waitFor();
        await page.keyboard.press('Escape');
        // The nine others have no clicks, so their deletion can be undone and needs no
        // confirmation.
        await row(page, '/used').getByRole('checkbox').click();
        await page.getByText('9 selected').waitFor();
        await inBar(page, 'Delete').click();
        await page.getByText('9 links deleted').waitFor();
        expect(await page.getByRole('row').count()).to.equal(1);
        await leave(page, async () => expect(await keysOf()).to.deep.equal(['used']));
      });
    });

    it(`copies a link from its row, and shows where it is (${size})`, async () => {
      const { body: folder } = await world.api.post('/folders', { name: 'Campaigns' });
      await aLink('spring', { title: 'Spring sale', folderId: folder.id });
      await inConsole(world, 'links', { size }, async (page) => {
        const spring = row(page, 'Spring sale');
        await spring.getByRole('button', { name: /^Copy/ }).click();
        expect(await clipboard(page)).to.match(/\/spring$/);
        await mark(page, 'Spring sale', 'Campaigns').waitFor();
        await spring.getByRole('button', { name: /^Actions for/ }).click();
        const hotkey = page.getByRole('menuitem', { name: 'Edit' }).locator('kbd');
        expect(await hotkey.isVisible()).to.equal(size === 'desk');
      });
    });
  }

  it('counts the first click on a new link without a reload, in its row and on its page', async () => {
    await aLink('new');
    await inConsole(world, 'links', {}, async (page) => {
      const clicks = (count: number) => row(page, '/new').getByText(`Clicks:${count}`);
      await clicks(0).waitFor();
      await world.visit('/new', { userAgent: browser(861) });
      await clicks(1).waitFor();
      await row(page, '/new').click();
      const total = page.locator('[data-metric=clicks]');
      await total.locator('[data-value="1"]').waitFor();
      await world.visit('/new', { userAgent: browser(862) });
      await total.locator('[data-value="2"]').waitFor();
    });
  });

  it('filters by the default domain of the service', async () => {
    await aLink('own');
    await aLink('default', { domain: 'localhost', key: `d-${world.slug}` });
    await inConsole(world, 'links', {}, async (page) => {
      await row(page, '/own').waitFor();
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByLabel('Domain', { exact: true }).selectOption('localhost');
      await row(page, '/own').waitFor({ state: 'detached' });
      await row(page, 'localhost:').waitFor();
    });
  });

  it('leads from a row to its QR code, chart and analytics, and duplicates it', async () => {
    const { id } = await aLink('spring', {
      title: 'Spring sale',
      comments: 'Keep',
      expiresAt: '2040-01-01T00:00:00Z',
    });
    await inConsole(world, 'links', {}, async (page) => {
      const choose = async (name: string) => {
        await row(page, '/spring')
          .getByRole('button', { name: /^Actions for/ })
          .click();
        await item(page, name).click();
      };
      await choose('QR code');
      await dialog(page)
        .getByRole('img', { name: /QR code of/ })
        .waitFor();
      await expectAccessible(page, 'link-qr-code');
      await page.keyboard.press('Escape');
      await choose('Duplicate');
      await dialog(page).getByLabel('Destination', { exact: true }).waitFor();
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
      await eventually(async () => expect(await page.getByRole('row').count()).to.equal(2));
      await row(page, '/spring')
        .getByRole('link', { name: /Clicks/ })
        .click();
      // The count leads to the chart on the page of the link, for the same time: all of it.
      await page.waitForURL(new RegExp(`/links/${id}\\?interval=all#chart$`));
      await page.getByRole('region', { name: 'Analytics' }).getByText('All time').waitFor();
      await page.goBack();
      await choose('Analytics');
      await page.waitForURL(/\/analytics\?/);
      expect(page.url()).to.contain(`linkId=${id}`);
    });
    const { body } = await world.api.get('/links');
    expect(body).to.have.length(2);
    const [copy, first] = body;
    expect(copy.key).to.not.equal('spring');
    for (const field of ['url', 'title', 'comments', 'expiresAt']) {
      expect(copy[field], field).to.equal(first[field]);
    }
  });

  it('finds by title, pasted short link, several words, tags and comments', async () => {
    const { body: tag } = await world.api.post('/tags', { name: 'Autumn' });
    await aLink('spring', { title: 'Loyalty club – SMS' });
    await aLink('pod', { title: 'Podcast – link in the notes, episode 92' });
    await aLink('menu', { tagIds: [tag.id] });
    await aLink('bags', { comments: 'Printed in Lisbon' });
    await aLink('shop');
    await aLink('more', { url: 'https://shop.example.com/' });
    await inConsole(world, 'links', {}, async (page) => {
      const expectFound = async (text: string, ...keys: string[]) => {
        await page.getByRole('searchbox').fill(text);
        await eventually(async () => {
          const rows = await page.getByRole('row').allInnerTexts();
          expect(rows, text).to.have.length(keys.length);
          for (const [at, key] of keys.entries()) expect(rows[at], text).to.contain(`/${key}`);
        }, 30_000);
      };
      await row(page, '/spring').waitFor();
      await expectFound('loyalty club', 'spring');
      await expectFound('podcast 92', 'pod');
      await expectFound('autumn', 'menu');
      await expectFound('lisbon', 'bags');
      await expectFound(`https://${world.domain}/spring`, 'spring');
      // An exact slug comes before a newer link with the word in its destination.
      await expectFound('shop', 'shop', 'more');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(`https://${world.domain}/pod`);
      await page.getByRole('option').first().filter({ hasText: 'episode 92' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /episode 92/ }).waitFor();
    });
  });

  describe('by the keyboard', () => {
    it('walks through rows, opens their menu, and comes back to them', async () => {
      await someLinks('first', 'second', 'third');
      await inConsole(world, 'links', {}, async (page) => {
        const { keyboard } = page;
        await row(page, '/third').waitFor();
        // The focus moves with the current row, even if nothing was focused before.
        await keyboard.press('j');
        await expectFocus(row(page, '/third'));
        await keyboard.press('ArrowDown');
        await expectFocus(row(page, '/second'));
        await keyboard.press('End');
        await expectFocus(row(page, '/first'));
        await keyboard.press('Home');
        await expectFocus(row(page, '/third'));
        // Tab leaves the list without a stop at the controls of a row.
        await keyboard.press('Tab');
        expect(await page.evaluate('document.activeElement.closest("[role=row]")')).to.equal(null);
        await keyboard.press('Shift+Tab');
        await expectFocus(row(page, '/third'));
        await keyboard.press('y');
        await page.getByText('/third copied').waitFor();
        expect(await clipboard(page)).to.match(/\/third$/);
        await keyboard.press('k');
        await keyboard.press('j');
        await keyboard.press('Control+c');
        await page.getByText('/second copied').waitFor();
        expect(await clipboard(page)).to.match(/\/second$/);
        for (const key of ['.', 'Shift+F10', 'ContextMenu']) {
          await keyboard.press(key);
          await expectFocus(item(page, 'Copy short link'));
          await keyboard.press('Escape');
          await expectFocus(row(page, '/second'));
        }
        await keyboard.press('.');
        await expectFocus(item(page, 'Copy short link'));
        await keyboard.press('ArrowUp');
        await expectFocus(item(page, 'Delete'));
        await keyboard.press('Home');
        await expectFocus(item(page, 'Copy short link'));
        await keyboard.press('a');
        await expectFocus(item(page, 'Analytics'));
        await keyboard.press('a');
        await expectFocus(item(page, 'Archive'));
        await keyboard.press('End');
        await keyboard.press('Enter');
        await row(page, '/second').waitFor({ state: 'detached' });
        await expectFocus(row(page, '/first'));
        await keyboard.press('e');
        await dialog(page).getByLabel('Destination', { exact: true }).waitFor();
        await keyboard.press('Escape');
        await dialog(page).waitFor({ state: 'detached' });
        await expectFocus(row(page, '/first'));
      });
    });

    it('selects with Space, Shift and Ctrl+A, and clears with Esc', async () => {
      await someLinks('first', 'second', 'third');
      await inConsole(world, 'links', {}, async (page) => {
        const { keyboard } = page;
        await row(page, '/third').waitFor();
        await keyboard.press('j');
        await keyboard.press('Space');
        await page.getByText('1 selected').waitFor();
        await keyboard.press('Shift+ArrowDown');
        await page.getByText('2 selected').waitFor();
        await expectFocus(row(page, '/second'));
        await keyboard.press('Control+a');
        await page.getByText('3 selected').waitFor();
        await keyboard.press('Escape');
        await bulkBar(page).waitFor({ state: 'detached' });
        // A clicked checkbox has the focus, so keys continue from its row.
        await row(page, '/second').getByRole('checkbox').click();
        await keyboard.press('ArrowDown');
        await expectFocus(row(page, '/first'));
        await keyboard.press('Escape');
        await bulkBar(page).waitFor({ state: 'detached' });
      });
    });
  });

  describe('in the palette', () => {
    const palette = async (page: Page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
    };
    const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });

    it('finds settings, themes, tags, customers and the docs', async () => {
      const { body: tag } = await world.api.post('/tags', { name: 'Autumn' });
      await aLink('menu', { tagIds: [tag.id], trackConversion: true });
      const { headers } = await world.visit('/menu');
      const clickId = new URL(headers.location!).searchParams.get('click_id');
      const customer = { customerExternalId: 'cus-1', customerName: 'Linus Example' };
      await world.api.post('/track/lead', { clickId, eventName: 'Sign up', ...customer });
      await inConsole(world, 'links', {}, async (page) => {
        await row(page, '/menu').waitFor();
        const choose = async (text: string, name: string | RegExp) => {
          await palette(page);
          await page.getByRole('combobox').fill(text);
          await option(page, name).first().click();
        };
        await choose('invite', /^Members/);
        await page.waitForURL(/settings\/members/);
        await choose('api key', /^API keys/);
        await page.waitForURL(/settings\/keys/);
        await choose('dark', 'Dark theme');
        await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark');
        await choose('autumn', /^Autumn/);
        await page.waitForURL(/links\?tagIds=/);
        await row(page, '/menu').waitFor();
        await choose('linus', /^Linus Example/);
        await page.waitForURL(/customers\//);
        await palette(page);
        await page.getByRole('combobox').fill('rate limits');
        const [docs] = await Promise.all([
          page.waitForEvent('popup'),
          option(page, 'Search the docs for “rate limits”').click(),
        ]);
        expect(docs.url()).to.match(/\/docs\/search\?q=rate\+limits$/);
      });
    });

    it('acts on a link that it finds', async () => {
      const { id } = await aLink('spring');
      await inConsole(world, 'links', {}, async (page) => {
        const { keyboard } = page;
        await row(page, '/spring').waitFor();
        await palette(page);
        await keyboard.type('spring');
        await option(page, /\/spring/).waitFor();
        await keyboard.press('ArrowRight');
        await option(page, 'Copy short link').waitFor();
        await expectAccessible(page, 'palette-actions');
        await keyboard.press('ArrowLeft');
        await option(page, /\/spring/).waitFor();
        await keyboard.press('ArrowRight');
        await keyboard.press('ArrowDown');
        await keyboard.press('Enter');
        await page.getByText('/spring copied').waitFor();
        expect(await clipboard(page)).to.match(/\/spring$/);
        await palette(page);
        await keyboard.type('spring');
        await option(page, /\/spring/)
          .locator('[data-actions]')
          .click();
        await option(page, 'Analytics').click();
        await page.waitForURL(new RegExp(`linkId=${id}`));
      });
    });
  });
});
