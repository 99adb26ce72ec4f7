import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, expectAccessible, inConsole, sizes, tabTo, useBrowser } from './window.ts';

/*
 * Messages at the bottom of the window: above dialogs and bars, and beside the last row. See
 * flows.ts.
 */

const A = 'https://example.com/a';

const row = (page: Page, key: string): Locator =>
  page.getByRole('row').filter({ hasText: `/${key}` });
const undo = (page: Page): Locator => page.getByRole('button', { name: 'Undo', exact: true });
const deleted = (page: Page): Locator => page.getByText('1 link deleted');

const choose = async (page: Page, key: string, item: string): Promise<void> => {
  await row(page, key)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

/** True when a click on the middle of an element reaches it, and not what covers it. */
const isOnTop = (control: Locator): Promise<boolean> =>
  control.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    const hit = element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2);
    return hit !== null && element.contains(hit);
  });

describe('messages in the console', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
    for (const key of ['stays', 'goes']) await world.api.post('/links', { url: A, key });
  });

  const keys = async () =>
    ((await world.api.get('/links')).body as { key: string }[]).map(({ key }) => key);

  for (const size of sizes) {
    it(`shows a message above a dialog, and undoes from there (${size})`, async () => {
      await inConsole(world, 'links', { size }, async (page) => {
        // Messages stay for as long as the test takes.
        await page.clock.install();
        await choose(page, 'goes', 'Delete');
        await deleted(page).waitFor();
        await page.getByRole('button', { name: 'Create link' }).click();
        await dialog(page).getByLabel('Destination', { exact: true }).waitFor();
        expect(await isOnTop(undo(page))).to.equal(true);
        await expectAccessible(page, `message-above-form-${size}`);
        const create = dialog(page).getByRole('button', { name: 'Create link' });
        expect(await isOnTop(create)).to.equal(true);
        await page.keyboard.press('Escape');
        await dialog(page).waitFor({ state: 'detached' });
        expect(await isOnTop(undo(page))).to.equal(true);
        await page.getByRole('button', { name: 'Create link' }).click();
        await dialog(page).getByLabel('Destination', { exact: true }).waitFor();
        await undo(page).click();
        await page.getByText('1 link restored').waitFor();
        await dialog(page).getByRole('button', { name: 'Close' }).click();
        await row(page, 'goes').waitFor();
      });
      expect(await keys()).to.have.members(['stays', 'goes']);
    });

    it(`reaches a message above a small dialog by Tab (${size})`, async () => {
      await inConsole(world, 'links', { size }, async (page) => {
        await page.clock.install();
        await choose(page, 'goes', 'Delete');
        await deleted(page).waitFor();
        await choose(page, 'stays', 'Reset counts');
        const confirm = dialog(page).getByRole('button', { name: /^Reset/ });
        await confirm.waitFor();
        await expectAccessible(page, `message-above-question-${size}`);
        expect(await isOnTop(confirm)).to.equal(true);
        expect(await isOnTop(undo(page))).to.equal(true);
        await tabTo(page, undo(page));
        await page.keyboard.press('Enter');
        await page.getByText('1 link restored').waitFor();
        await page.keyboard.press('Escape');
        await dialog(page).waitFor({ state: 'detached' });
        await row(page, 'goes').waitFor();
      });
      await eventually(async () => expect(await keys()).to.have.members(['stays', 'goes']));
    });
  }
});
