import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { addDomainNow } from '../../src/domains/commands.ts';
import { db } from '../../src/infra/db.ts';
import { changedInBulk } from '../support/bulk-changes.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, expectAccessible, inConsole, sizes, tabTo, useBrowser } from './window.ts';

/* Flows of changes of the selected rows that are previewed and can be undone. */

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const select = async (page: Page, ...texts: string[]) => {
  for (const text of texts) await row(page, text).getByRole('checkbox').click();
};
const choose = async (page: Page, item: string) => {
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};
const downloaded = async (page: Page, act: () => Promise<void>): Promise<string> => {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return readFileSync(await download.path(), 'utf8');
};

describe('bulk edits in the console', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const create = async (key: string, url: string, fields = {}) =>
    (await world.api.post('/links', { key, url, ...fields })).body as { id: string };
  const urlOf = async ({ id }: { id: string }) => (await world.api.get(`/links/${id}`)).body.url;

  for (const size of sizes) {
    it(`preview a replacement, name refused rows, and are undone (${size})`, async () => {
      const one = await create('one', 'https://shop.example.com/a?from=shop');
      const two = await create('two', 'https://shop.example.com/b');
      await create('loop', 'https://shop.example.com/loop');
      await create('other', 'https://example.com/');
      await inConsole(world, 'links', { size }, async (page) => {
        await page.getByLabel('Select all links').click();
        await page.getByText('4 selected').waitFor();
        await choose(page, 'Find and replace');
        expect(await button(page, 'Preview').isDisabled()).to.equal(true);
        await page.getByLabel('Find', { exact: true }).fill('shop.example.com');
        await page.getByLabel('Replace with').fill(world.domain);
        await page.getByLabel('Search in').selectOption('The host');
        await expectAccessible(page, `bulk-replace-${size}`);
        await button(page, 'Preview').click();
        await dialog(page).getByText('2 links will change.').waitFor();
        await dialog(page).getByText('1 link will stay the same.').waitFor();
        await dialog(page).getByText('1 link can’t be changed.').waitFor();
        await dialog(page).getByText('A short link can’t redirect to itself.').waitFor();
        await expectAccessible(page, `bulk-preview-${size}`);
        expect(await urlOf(one)).to.equal('https://shop.example.com/a?from=shop');
        await button(page, 'Apply to 2 links').click();
        await page.getByText('2 links changed, 1 refused').waitFor();
        await expectAccessible(page, `bulk-done-${size}`);
        expect(await urlOf(one)).to.equal(`https://${world.domain}/a?from=shop`);
        // The selection stays for the next action.
        await page.getByText('4 selected').waitFor();
        const file = await downloaded(page, () => button(page, 'Download refused rows').click());
        expect(file).to.contain(`${world.domain}/loop,url must not be the short link itself`);
      });
      await inConsole(world, 'links', { size }, async (page) => {
        await select(page, '/two');
        await choose(page, 'UTM parameters');
        await page.getByLabel('Source', { exact: true }).first().fill('mail');
        await button(page, 'Preview').click();
        await dialog(page).getByText('1 link will change.').waitFor();
        await button(page, 'Apply to 1 link').click();
        await page.getByText('1 link changed').waitFor();
        expect(await urlOf(two)).to.equal(`https://${world.domain}/b?utm_source=mail`);
        await button(page, 'Undo').click();
        await page.getByText('1 link restored').waitFor();
        expect(await urlOf(two)).to.equal(`https://${world.domain}/b`);
        await page.keyboard.press('Escape');
        await eventually(async () =>
          expect(await page.getByText('1 selected').count()).to.equal(0),
        );
      });
    });
  }

  for (const size of sizes) {
    it(`are listed with their outcome, and undone from there after a reload (${size})`, async () => {
      const one = await create('one', 'https://shop.example.com/a');
      await create('loop', 'https://shop.example.com/loop');
      const ids = (await world.api.get('/links')).body.map(({ id }: { id: string }) => id);
      const replace = { find: 'shop.example.com', with: world.domain, in: 'host' };
      await changedInBulk(world.api, { ids, replace });
      await changedInBulk(world.api, { ids, data: { utm_source: 'mail' } });
      await inConsole(world, 'links', { size }, async (page) => {
        await button(page, 'Bulk changes').click();
        const entry = dialog(page).getByRole('listitem').filter({ hasText: 'Find and replace' });
        await entry.getByText('1 link changed, 1 refused').waitFor();
        await dialog(page).getByText('UTM source').waitFor();
        await expectAccessible(page, `bulk-recent-${size}`);
        const file = await downloaded(page, () =>
          entry.getByRole('button', { name: 'Download refused rows' }).click(),
        );
        expect(file).to.contain('url must not be the short link itself');
        const latest = dialog(page).getByRole('listitem').filter({ hasText: 'UTM source' });
        await latest.getByRole('button', { name: 'Undo' }).click();
        await latest.getByText('2 links restored').waitFor();
        await entry.getByRole('button', { name: 'Undo' }).click();
        await entry.getByText('1 link restored').waitFor();
        expect(await urlOf(one)).to.equal('https://shop.example.com/a');
        expect(await entry.getByRole('button', { name: 'Undo' }).count()).to.equal(0);
      });
    });

    it(`that run are shown after a reload, and canceled (${size})`, async () => {
      await create('one', 'https://shop.example.com/a');
      const ids = (await world.api.get('/links')).body.map(({ id }: { id: string }) => id);
      const { id } = await changedInBulk(world.api, { ids, data: { utm_source: 'mail' } });
      // A worker that takes the next slice meanwhile waits for the lock of the link.
      const trx = await db().transaction();
      await trx('links').where({ project_id: world.projectId }).forUpdate().select('id');
      await db()('bulk_changes')
        .where({ id })
        .update({ state: 'running', total: 200, done: 90, ended_at: null, slice: 0 });
      await inConsole(world, 'links', { size }, async (page) => {
        await button(page, 'Bulk changes').click();
        await dialog(page).getByText('Changing: 90 of 200').waitFor();
        await expectAccessible(page, `bulk-running-${size}`);
        await dialog(page).getByRole('button', { name: 'Cancel' }).click();
        await trx.rollback();
        await dialog(page).getByText('1 link changed').waitFor();
        expect((await world.api.get(`/bulk-changes/links/${id}`)).body.state).to.equal('cancelled');
      });
    });
  }

  it('move links to another domain by the keyboard alone', async () => {
    const other = `o-${world.domain}`;
    await addDomainNow(world.projectId, { slug: other }, true);
    const one = await create('one', 'https://example.com/a');
    await inConsole(world, 'links', {}, async (page) => {
      await row(page, '/one').waitFor();
      await tabTo(page, page.getByLabel('Select all links'));
      await page.keyboard.press('Space');
      await page.getByText('1 selected').waitFor();
      await tabTo(page, button(page, 'More'));
      await page.keyboard.press('Enter');
      await page.locator('[role=menuitem]:focus').waitFor();
      await page.keyboard.press('d');
      await page.keyboard.press('Enter');
      await page.getByLabel('New domain').waitFor();
      await page.getByLabel('New domain').selectOption(other);
      await page.keyboard.press('ControlOrMeta+Enter');
      await dialog(page).getByText('1 link will change.').waitFor();
      await expectAccessible(page, 'bulk-domain');
      await tabTo(page, button(page, 'Apply to 1 link'));
      await page.keyboard.press('Enter');
      await page.getByText('1 link changed').waitFor();
      expect((await world.api.get(`/links/${one.id}`)).body.domain).to.equal(other);
      await page.keyboard.press('z');
      await page.getByText('1 link restored').waitFor();
      expect((await world.api.get(`/links/${one.id}`)).body.domain).to.equal(world.domain);
    });
  });

  it('export the selected rows, and draw the codes of links', async () => {
    await create('one', 'https://example.com/a');
    await create('two', 'https://example.com/b');
    await inConsole(world, 'links', {}, async (page) => {
      await select(page, '/one');
      const file = await downloaded(page, () => choose(page, 'Export as CSV'));
      expect(file).to.contain('https://example.com/a').and.to.not.contain('https://example.com/b');
      await page.getByRole('toolbar').getByRole('button', { name: 'QR codes' }).click();
      await page.getByText('QR codes of 1 link').waitFor();
      await button(page, 'Draw images').click();
      await page.getByText('1 image ready.').waitFor();
      await expectAccessible(page, 'bulk-codes');
    });
  });

  it('change the expiration of QR codes', async () => {
    const { body: code } = await world.api.post('/qrcodes', {
      type: 'url',
      url: 'https://example.com/',
      title: 'Poster',
    });
    await inConsole(world, 'qrcodes', {}, async (page) => {
      await select(page, 'Poster');
      await choose(page, 'Expiration');
      await page.getByLabel('Expiration', { exact: true }).selectOption('Set a date');
      await page.getByLabel('Expires at').fill('2090-01-01T00:00');
      await button(page, 'Preview').click();
      await dialog(page).getByText('1 QR code will change.').waitFor();
      await button(page, 'Apply to 1 QR code').click();
      await page.getByText('1 QR code changed').waitFor();
    });
    expect((await world.api.get(`/qrcodes/${code.id}`)).body.expiresAt).to.match(/^20(?:89|90)-/);
  });
});
