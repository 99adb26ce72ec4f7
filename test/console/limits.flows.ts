import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/* Tests limits of keys and members to some links and QR codes. See flows.ts. */

describe('limits in the console', function () {
  useBrowser();
  let world: World;
  let folderId: string;

  beforeEach(async () => {
    world = await aWorkspace();
    folderId = (await world.api.post('/folders', { name: 'Spring' })).body.id;
  });

  const limitSwitch = (page: Page) =>
    dialog(page).getByRole('switch', { name: 'Limit to some links and QR codes' });

  async function chooseFolder(page: Page): Promise<void> {
    await dialog(page).getByLabel('Folders', { exact: true }).fill('spring');
    await dialog(page).getByLabel('Folders', { exact: true }).press('Enter');
    await dialog(page).getByRole('button', { name: 'Remove Spring' }).waitFor();
  }

  for (const size of sizes) {
    it(`limits a key to a folder, and ends it (${size})`, async () => {
      await inConsole(world, 'settings/keys', { size }, async (page) => {
        await page.getByRole('button', { name: 'Create key' }).click();
        await dialog(page).getByLabel('Name').fill('Spring');
        await limitSwitch(page).click();
        await expectAccessible(page, `limits-key-${size}`);
        await chooseFolder(page);
        await dialog(page).getByRole('button', { name: 'Create key' }).click();
        await dialog(page).getByRole('button', { name: 'Done' }).click();
        await page.getByText('Limited', { exact: true }).waitFor();
        await expectAccessible(page, `limits-keys-${size}`);
        const [key] = (await world.api.get('/keys')).body;
        expect(key.limits).to.deep.equal({ folderIds: [folderId], domains: null, own: false });

        await page.getByRole('button', { name: 'Actions for Spring' }).click();
        await page.getByRole('menuitem', { name: 'Edit' }).click();
        await dialog(page).getByRole('button', { name: 'Remove Spring' }).waitFor();
        await limitSwitch(page).click();
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await dialog(page).waitFor({ state: 'detached' });
        expect((await world.api.get(`/keys/${key.id}`)).body.limits).to.equal(null);
      });
    });

    it(`limits a person, who sees their records and no views of the others (${size})`, async () => {
      const { userId, email, token } = await aPerson({ in: { ...world, role: 'member' } });
      const url = 'https://example.com/a';
      const theirs = await world.api.post('/links', { url, title: 'Theirs', folderId });
      await world.api.post('/links', { url, title: 'Others' });
      await inConsole(world, 'settings/members', { size }, async (page) => {
        await page.getByRole('button', { name: `Actions for ${email}` }).click();
        await page.getByRole('menuitem', { name: 'Change access' }).click();
        await limitSwitch(page).click();
        await dialog(page).getByText('Choose folders, domains or own records.').waitFor();
        const save = dialog(page).getByRole('button', { name: 'Save' });
        expect(await save.isDisabled()).to.equal(true);
        await chooseFolder(page);
        await expectAccessible(page, `limits-member-${size}`);
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await dialog(page).waitFor({ state: 'detached' });
        await page.getByText('Limited', { exact: true }).waitFor();
      });
      const { limits } = (await world.api.get(`/members/${userId}`)).body;
      expect(limits.folderIds).to.deep.equal([folderId]);
      await inConsole(world, 'links', { size, token }, async (page) => {
        await page.getByText('Theirs').first().waitFor();
        expect(await page.getByText('Others').count()).to.equal(0);
        await expectAccessible(page, `limits-links-${size}`);
        // New links are in the only folder, so there is none to choose.
        await page.getByRole('button', { name: 'Create link' }).click();
        await dialog(page).getByText('Tags', { exact: true }).waitFor();
        expect(await dialog(page).getByLabel('Folder').count()).to.equal(0);
        await page.keyboard.press('Escape');
        const views = [
          `links/${theirs.body.id}`,
          'links/new',
          'qrcodes',
          'qrcodes/new',
          'analytics',
          'labels',
          'domains',
          'trash',
          'settings/profile',
        ];
        for (const view of views) {
          await page.goto(`${stack().apiUrl}/console/${world.slug}/${view}`);
          await page.getByRole('heading').first().waitFor();
          await page.waitForLoadState('networkidle');
          expect(await page.getByText('Others').count(), view).to.equal(0);
        }
      });
    });
  }
});
