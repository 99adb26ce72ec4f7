import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { db } from '../../src/infra/db.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, inConsole, useBrowser } from './window.ts';

/*
 * Tests the frame around all views: navigation, titles, and loading and error states. See flows.ts.
 */

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Workspace' });

describe('the frame of the console', function () {
  this.timeout(180_000);
  useBrowser();
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  it('names the workspace in the title of the window', async () => {
    const other = await aWorkspace();
    await db()('workspaces').where({ id: world.projectId }).update({ name: 'Acme' });
    await db()('workspaces').where({ id: other.projectId }).update({ name: 'Globex' });
    const { userId, token } = await aPerson({ in: { ...world, role: 'owner' } });
    const member = { project_id: other.projectId, user_id: userId, role: 'owner' };
    await db()('workspace_users').insert(member);
    await inConsole(world, 'links', { token }, async (page) => {
      await heading(page, 'Links').waitFor();
      expect(await page.title()).to.equal('Links · Acme');
      await page.getByRole('button', { name: /^Workspace:/ }).click();
      await page.getByRole('menuitemradio', { name: 'Globex' }).click();
      await page.waitForFunction(() => document.title === 'Links · Globex');
    });
  });

  it('shows the shape of the frame while the scripts are on their way', async () => {
    await inConsole(world, 'links', {}, async (page) => {
      await heading(page, 'Links').waitFor();
      expect(await page.locator('#frame').isVisible()).to.equal(false);
      await page.route(/\/assets\/.*\.js$/, () => undefined);
      await page.reload({ waitUntil: 'commit' });
      await page.locator('#frame').waitFor();
      const { height } = (await page.locator('#frame').boundingBox())!;
      expect(height).to.equal(page.viewportSize()!.height);
    });
  });

  it('closes the navigation of a phone by Escape, and gives the focus back', async () => {
    await inConsole(world, 'links', { size: 'phone' }, async (page) => {
      await page.getByRole('button', { name: 'Navigation' }).click();
      await navigation(page).waitFor();
      await page.getByRole('button', { name: /^Account:/ }).click();
      await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).waitFor();
      // Escape closes the menu first.
      await page.keyboard.press('Escape');
      await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' });
      expect(await navigation(page).isVisible()).to.equal(true);
      await page.keyboard.press('Escape');
      await navigation(page).waitFor({ state: 'hidden' });
      const focused = page.locator(':focus');
      expect(await focused.getAttribute('aria-label')).to.equal('Navigation');
    });
  });

  it('goes from one of the settings to another by a list, where the window is narrow', async () => {
    for (const width of [390, 834]) {
      await inConsole(world, 'settings', {}, async (page) => {
        await page.setViewportSize({ width, height: 900 });
        await heading(page, 'Workspace').waitFor();
        const list = page.getByRole('combobox', { name: 'Settings' });
        await list.selectOption('Audit log');
        await heading(page, 'Audit log').waitFor();
        await page.goBack();
        await heading(page, 'Workspace').waitFor();
        expect(await list.locator('option:checked').textContent()).to.equal('Workspace');
      });
    }
  });

  it('tells a wrong URL within a workspace from a workspace of others', async () => {
    await inConsole(world, 'no-such-view', {}, async (page) => {
      await heading(page, 'Page not found').waitFor();
      await page.getByRole('link', { name: 'Go to links' }).click();
      await heading(page, 'Links').waitFor();
      await page.goto(`${stack().apiUrl}/console/${world.slug}/settings/no-such-view`);
      await heading(page, 'Page not found').waitFor();
      await page.goto(`${stack().apiUrl}/console/somebody-elses/links`);
      await page.getByText('you aren’t a member of it').waitFor();
      expect(await navigation(page).count()).to.equal(0);
    });
  });

  it('tells viewers that they have no access to a view, without asking the API for it', async () => {
    for (const [path, title] of [
      ['webhooks', 'You don’t have access to webhooks'],
      ['webhooks/wh_1', 'You don’t have access to webhooks'],
      ['settings/keys', 'You don’t have access to API keys'],
    ] as const) {
      await inConsole(world, path, { role: 'viewer' }, async (page) => {
        const refused: number[] = [];
        page.on('response', (answer) => answer.status() === 403 && refused.push(403));
        await heading(page, title).waitFor();
        await page.getByText('Ask an owner').waitFor();
        expect(await page.getByRole('button', { name: 'Try again' }).count()).to.equal(0);
        expect(refused).to.deep.equal([]);
      });
    }
  });

  it('offers the list in place of a record that is gone', async () => {
    for (const [path, link, list] of [
      ['pages/page_gone', 'Back to pages', 'Pages'],
      ['customers/cus_gone', 'Back to customers', 'Customers'],
      ['webhooks/wh_gone', 'Back to webhooks', 'Webhooks'],
      ['imports/imp_gone', 'Back to imports', 'Imports'],
      ['links/link_gone', 'Back to links', 'Links'],
      ['qrcodes/qr_gone', 'Back to QR codes', 'QR codes'],
      ['qrcodes/qr_gone/edit', 'Back to QR codes', 'QR codes'],
      ['links?edit=link_gone', 'Back to links', 'Links'],
    ] as const) {
      await inConsole(world, path, {}, async (page) => {
        await page.getByRole('link', { name: link }).click();
        await heading(page, list).waitFor();
        expect(await page.getByRole('button', { name: 'Try again' }).count()).to.equal(0);
      });
    }
    await inConsole(world, 'links/link_gone', {}, async (page) => {
      await page.getByRole('link', { name: 'Look in the trash' }).click();
      await heading(page, 'Trash').waitFor();
    });
  });

  it('says that a view can’t load yet while the service is away, and shows it afterwards', async () => {
    await inConsole(world, 'links', {}, async (page) => {
      await heading(page, 'Links').waitFor();
      await page.context().setOffline(true);
      await navigation(page).getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('Webhooks can’t load yet').waitFor();
      expect(await heading(page, 'Links').count()).to.equal(0);
      await page.context().setOffline(false);
      await page.getByText('No webhooks yet').waitFor();
    });
  });

  it('says that the session has ended, and that the draft is kept', async () => {
    const { sessionId, token } = await aPerson({ in: { ...world, role: 'owner' } });
    await inConsole(world, 'links?new=link', { token }, async (page) => {
      await dialog(page).getByLabel('Destination', { exact: true }).fill('https://example.com/');
      await dialog(page).getByRole('textbox', { name: 'Short link' }).fill('kept');
      await db()('sessions').where({ id: sessionId }).delete();
      await dialog(page).getByRole('button', { name: 'Create link' }).click();
      await page.getByText('You were signed out. Sign in and your draft is still there.').waitFor();
    });
  });
});
