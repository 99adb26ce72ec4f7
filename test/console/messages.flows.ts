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

/** Loads the view again with messages that stay for as long as the test takes. */
async function keepMessages(page: Page): Promise<void> {
  await page.addInitScript(`
    const start = setTimeout;
    setTimeout = (work, ms, ...values) =>
      start(work, ms >= 5_000 && ms <= 12_000 ? 600_000 : ms, ...values);
  `);
  await page.reload();
}

/** The messages that are displayed. */
const shown = (page: Page): Locator => page.getByLabel('Messages').locator('> div:visible');

async function expectApart(one: Locator, other: Locator): Promise<void> {
  const [a, b] = [(await one.boundingBox())!, (await other.boundingBox())!];
  const isApart = a.y + a.height <= b.y || b.y + b.height <= a.y;
  expect(isApart, JSON.stringify({ a, b })).to.equal(true);
}

const scrollToEnd = (scroller: Locator): Promise<void> =>
  scroller.evaluate((element) => {
    const box = element as unknown as Record<'scrollTop' | 'scrollHeight', number>;
    box.scrollTop = box.scrollHeight;
  });

/** Swipes an element to the side with a finger. */
async function swipe(page: Page, control: Locator, px: number): Promise<void> {
  const { x, y, height } = (await control.boundingBox())!;
  const session = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number) =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: at === undefined ? [] : [{ x: at, y: y + height / 2 }],
    });
  await send('touchStart', x + 20);
  for (let step = 1; step <= 5; step += 1) await send('touchMove', x + 20 + (px * step) / 5);
  await send('touchEnd');
  await session.detach();
}

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
        await keepMessages(page);
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
        // Two messages would cover the buttons of the dialog in a wide window.
        await page.keyboard.press('y');
        await page.getByText(/copied$/).waitFor();
        await page.getByRole('button', { name: 'Create link' }).click();
        await dialog(page).getByLabel('Destination', { exact: true }).waitFor();
        expect(await shown(page).count()).to.equal(1);
        await shown(page).getByRole('button', { name: 'Dismiss' }).click();
        await undo(page).click();
        await page.getByText('1 link restored').waitFor();
        await dialog(page).getByRole('button', { name: 'Close' }).click();
        await row(page, 'goes').waitFor();
      });
      expect(await keys()).to.have.members(['stays', 'goes']);
    });

    it(`reaches a message above a small dialog by Tab (${size})`, async () => {
      await inConsole(world, 'links', { size }, async (page) => {
        await keepMessages(page);
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

  /** Creates a list that is longer than the window of a phone. */
  const aLongList = async () => {
    const links = Array.from({ length: 20 }, (_, index) => ({ url: A, key: `more-${index}` }));
    await world.api.post('/links/bulk', links);
  };

  it('moves nothing on phones, and covers neither the last row nor the bar of a selection', async () => {
    await aLongList();
    await inConsole(world, 'links', { size: 'phone' }, async (page) => {
      await keepMessages(page);
      const rows = page.getByRole('row');
      await row(page, 'more-19').waitFor();
      const tops = () =>
        rows.evaluateAll((elements) => elements.map((one) => one.getBoundingClientRect().y));
      const before = await tops();
      await page.keyboard.press('y');
      await page.getByText(/copied$/).waitFor();
      expect(await tops()).to.deep.equal(before);
      const list = page.getByRole('grid').locator('..');
      await scrollToEnd(list);
      await expectApart(row(page, 'stays'), shown(page));
      await expectAccessible(page, 'message-last-row');
      await row(page, 'stays').getByRole('checkbox').click();
      const bar = page.getByRole('toolbar');
      await bar.waitFor();
      await eventually(() => expectApart(bar, shown(page)));
      await scrollToEnd(list);
      await expectApart(row(page, 'stays'), shown(page));
      await expectAccessible(page, 'message-bar');
      await bar.getByRole('button', { name: 'Clear the selection' }).click();
      await bar.waitFor({ state: 'detached' });
      await eventually(async () => {
        const { y, height } = (await shown(page).boundingBox())!;
        expect(y + height).to.be.above(820);
      });
    });
  });

  it('covers neither the end of a page on phones nor the bar of its form', async () => {
    const code = { type: 'url', url: A, key: 'code', title: 'Poster' };
    const { id } = (await world.api.post('/qrcodes', code)).body;
    await inConsole(world, `qrcodes/${id}`, { size: 'phone' }, async (page) => {
      await keepMessages(page);
      const history = page.getByRole('region', { name: 'History', exact: true });
      await history.getByText('QR code created').waitFor();
      await page.keyboard.press('y');
      await page.getByText(/copied$/).waitFor();
      await scrollToEnd(page.getByRole('main'));
      await expectApart(history, shown(page));
      await page.getByRole('link', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Title').fill('Billboard');
      const save = page.getByRole('button', { name: 'Save', exact: true });
      await save.click();
      await page.getByText('Changes saved').waitFor();
      const bar = save.locator('..');
      await expectApart(bar, shown(page));
      await scrollToEnd(page.getByRole('main'));
      await expectApart(bar, shown(page));
      const last = page.getByText('Comments and IDs');
      await expectApart(last, shown(page));
      await expectAccessible(page, 'message-designer');
    });
  });

  it('shows one message at a time on phones, and closes it by a swipe or its button', async () => {
    await inConsole(world, 'links', { size: 'phone' }, async (page) => {
      await keepMessages(page);
      await row(page, 'goes').waitFor();
      await choose(page, 'goes', 'Archive');
      await page.getByText('1 link archived').waitFor();
      await page.keyboard.press('y');
      await page.getByText(/copied$/).waitFor();
      expect(await shown(page).count()).to.equal(1);
      await swipe(page, shown(page), 40);
      await page.getByText(/copied$/).waitFor();
      await swipe(page, shown(page), 160);
      await page.getByText(/copied$/).waitFor({ state: 'detached' });
      // The older message offers an undo for longer.
      await undo(page).waitFor();
      await shown(page).getByRole('button', { name: 'Dismiss' }).click();
      await undo(page).waitFor({ state: 'detached' });
      // Closing the message sends the change.
      await eventually(async () => expect(await keys()).to.deep.equal(['stays']));
    });
  });
});
