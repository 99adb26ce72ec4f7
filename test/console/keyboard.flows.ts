import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { browser as userAgent } from '../support/browser.ts';
import { aPerson, mailedInvitations } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, inConsole, PASSWORD, tabTo, useBrowser } from './window.ts';

/*
 * Uses the console by keyboard alone. Other keyboard flows are in flows.ts (links),
 * qrcodes.flows.ts (creating and saving a code) and analytics.flows.ts (filters).
 */

/** Tabs to a control and presses a key. */
async function press(page: Page, control: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, control);
  await page.keyboard.press(key);
}

async function type(page: Page, control: Locator, text: string): Promise<void> {
  await tabTo(page, control);
  await page.keyboard.type(text);
}

describe('the console by the keyboard alone', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  it('signs in and out', async () => {
    const { email } = await aPerson({ in: { ...world, role: 'owner' }, password: PASSWORD });
    await inConsole(world, 'links', { role: null }, async (page) => {
      await type(page, page.getByLabel('Email'), email);
      await type(page, page.getByLabel('Password'), PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByText('No links yet').waitFor();
      await press(page, page.getByRole('button', { name: /^Account:/ }));
      const signOut = page.getByRole('menuitem', { name: 'Sign out' });
      await signOut.waitFor();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.getByLabel('Email').waitFor();
    });
  });

  it('invites a person, who joins', async () => {
    await inConsole(world, 'settings/members', {}, async (page) => {
      await press(page, page.getByRole('button', { name: 'Invite' }));
      await type(page, dialog(page).getByLabel('Email'), 'grace@people.test');
      await page.keyboard.press('Enter');
      await page.getByText('Invitation sent to grace@people.test.').waitFor();
      await dialog(page).waitFor({ state: 'detached' });
      const [address] = await mailedInvitations('grace@people.test');
      const { pathname, hash } = new URL(address!);
      const opened = pathname.replace('/console', '') + hash;
      await inConsole(world, opened, { role: null }, async (other) => {
        await type(other, other.getByLabel('Your name'), 'Grace Hopper');
        await type(other, other.getByLabel('New password'), PASSWORD);
        await other.keyboard.press('Enter');
        await other.getByText('No links yet').waitFor();
      });
    });
  });

  it('imports a file', async () => {
    await inConsole(world, 'links', {}, async (page) => {
      await page.getByText('No links yet').waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('i');
      await tabTo(page, page.getByRole('button', { name: 'Choose a file' }));
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.keyboard.press('Enter'),
      ]);
      const buffer = Buffer.from('Long URL,Slug\nhttps://example.com/,one\n');
      await chooser.setFiles({ name: 'links.csv', mimeType: 'text/csv', buffer });
      await press(page, page.getByRole('button', { name: 'Import', exact: true }));
      await page.getByRole('status').filter({ hasText: 'Done' }).waitFor();
    });
    expect((await world.api.get('/links/count')).body).to.equal(1);
  });

  it('follows a click in the live view, and pauses it', async () => {
    await world.api.post('/links', { url: 'https://example.com/', key: 'a' });
    await inConsole(world, 'links', {}, async (page) => {
      await page.getByRole('row').first().waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('v');
      await page.getByText('Connected', { exact: true }).waitFor();
      await world.visit('/a', { userAgent: userAgent(761) });
      const shown = page.getByRole('listitem').filter({ hasText: '/a' });
      await shown.first().waitFor({ timeout: 2_000 });
      await press(page, page.getByRole('button', { name: 'Pause' }), 'Space');
      await world.visit('/a', { userAgent: userAgent(762) });
      await page.getByRole('button', { name: 'Resume (1)' }).waitFor();
      await page.keyboard.press('Space');
      await shown.nth(1).waitFor();
    });
  });

  it('creates, rotates and revokes a key', async () => {
    const statusOf = async (key: string) => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`${stack().apiUrl}/tags`, { headers })).status;
    };
    await inConsole(world, 'settings/keys', {}, async (page) => {
      const secret = () => dialog(page).getByLabel('API key', { exact: true }).inputValue();
      const done = () => press(page, dialog(page).getByRole('button', { name: 'Done' }));
      const choose = async (label: string) => {
        await press(page, page.getByRole('button', { name: 'Actions for Shop' }));
        const item = page.getByRole('menuitem', { name: label });
        await item.waitFor();
        for (let step = 0; step < 5; step += 1) {
          if (await item.evaluate((element) => element.matches(':focus'))) break;
          await page.keyboard.press('ArrowDown');
        }
        await page.keyboard.press('Enter');
      };
      await press(page, page.getByRole('button', { name: 'Create key' }));
      await type(page, dialog(page).getByLabel('Name'), 'Shop');
      await page.keyboard.press('Enter');
      const first = await secret();
      await done();
      await choose('Rotate');
      await press(page, dialog(page).getByRole('button', { name: 'Rotate key' }));
      await dialog(page).getByRole('button', { name: 'Done' }).waitFor();
      const second = await secret();
      await done();
      expect([await statusOf(first), await statusOf(second)]).to.deep.equal([401, 200]);
      await choose('Revoke');
      await press(page, dialog(page).getByRole('button', { name: 'Revoke key' }));
      await page.getByText('“Shop” revoked').waitFor();
      expect(await statusOf(second)).to.equal(401);
    });
  });

  it('loses the connection while a link is made, and goes on', async () => {
    await inConsole(world, 'links', {}, async (page) => {
      await page.getByText('No links yet').waitFor();
      await page.keyboard.press('c');
      await type(
        page,
        dialog(page).getByLabel('Destination', { exact: true }),
        'https://a.example/',
      );
      await type(page, dialog(page).getByRole('textbox', { name: 'Short link' }), 'later');
      await dialog(page).getByText('This slug is free.').waitFor();
      await page.context().setOffline(true);
      await page.keyboard.press('Enter');
      await page.getByText('No connection. We’ll save when you’re back online.').waitFor();
      await page.context().setOffline(false);
      await page.getByRole('row').filter({ hasText: '/later' }).waitFor();
      await dialog(page).waitFor({ state: 'detached' });
      await page.keyboard.press('j');
      await page.keyboard.press('e');
      await dialog(page).getByText('/later').first().waitFor();
    });
  });
});
