import { expect } from 'chai';
import type { CDPSession, Page } from 'playwright-core';
import { serviceOrigin } from '../support/authenticator.ts';
import { OneProcess } from '../support/one-process.ts';
import { aPerson } from '../support/people.ts';
import { anAuthenticator } from '../support/second-factor.ts';
import { aWorkspace, type World } from '../support/world.ts';
import {
  dialog,
  expectAccessible,
  inConsole,
  PASSWORD,
  type Size,
  sizes,
  tabTo,
  useBrowser,
} from './window.ts';

/* Tests passkeys of people, with an authenticator in the browser. See flows.ts. */

const links = (page: Page) => page.getByRole('heading', { name: 'Links', exact: true });
const byPasskey = (page: Page) => page.getByRole('button', { name: 'Continue with a passkey' });
const sectionOf = (page: Page) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'Passkeys' }) });

const isTooWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

/** The authenticator of a window: a device that verifies its owner, or one that refuses. */
class Device {
  readonly #session: CDPSession;
  readonly #id: string;

  private constructor(session: CDPSession, id: string) {
    this.#session = session;
    this.#id = id;
  }

  static async addTo(page: Page): Promise<Device> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        defaultBackupEligibility: true,
        defaultBackupState: true,
      },
    });
    return new Device(session, authenticatorId);
  }

  /** Makes the device respond to the next requests at once, or wait for its owner. */
  async setPresent(enabled: boolean): Promise<void> {
    const authenticatorId = this.#id;
    await this.#session.send('WebAuthn.setAutomaticPresenceSimulation', {
      authenticatorId,
      enabled,
    });
  }

  /** Makes the device recognize its owner, or not. */
  async setVerified(isUserVerified: boolean): Promise<void> {
    const authenticatorId = this.#id;
    await this.#session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  }

  /** Returns the number of its passkeys. */
  async count(): Promise<number> {
    const authenticatorId = this.#id;
    const { credentials } = await this.#session.send('WebAuthn.getCredentials', {
      authenticatorId,
    });
    return credentials.length;
  }
}

describe('passkeys in the console', function () {
  useBrowser();
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  async function signOut(page: Page, size: Size): Promise<void> {
    await page.goto(`${serviceOrigin()}/console/${world.slug}/links`);
    if (size === 'phone') await page.getByRole('button', { name: 'Navigation' }).click();
    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  }

  for (const size of sizes) {
    it(`are added, sign in by button and by suggestion, are renamed and removed (${size})`, async () => {
      const origin = serviceOrigin();
      const { token } = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
      await inConsole(world, 'settings/profile', { size, token, origin }, async (page) => {
        const device = await Device.addTo(page);
        const section = sectionOf(page);
        await section.getByRole('button', { name: 'Add a passkey' }).waitFor();
        await expectAccessible(page, `passkeys-none-${size}`);
        await section.getByRole('button', { name: 'Add a passkey' }).click();
        expect(await dialog(page).getByLabel('Name').inputValue()).to.equal('Chrome on Linux');
        await dialog(page).getByLabel('Name').fill('Work laptop');
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `passkey-add-${size}`);
        const add = dialog(page).getByRole('button', { name: 'Add passkey' });
        await dialog(page).getByLabel('Current password').fill('wrong');
        await add.click();
        await dialog(page)
          .getByText('This isn’t your current password.', { exact: true })
          .waitFor();
        expect(await device.count()).to.equal(0);
        await dialog(page).getByLabel('Current password').fill(PASSWORD);
        await device.setVerified(false);
        await add.click();
        await dialog(page).getByText('You cancelled, or it took too long. Try again.').waitFor();
        await expectAccessible(page, `passkey-add-cancelled-${size}`);
        await device.setVerified(true);
        await add.click();
        await section.getByText('Work laptop').waitFor();
        await section.getByText('not used yet').waitFor();
        await section.getByText('Synced').waitFor();
        expect(await isTooWide(page)).to.equal(false);
        await section.scrollIntoViewIfNeeded();
        await expectAccessible(page, `passkeys-one-${size}`);
        expect(await device.count()).to.equal(1);
        await section.getByRole('button', { name: 'Add a passkey' }).click();
        await dialog(page).getByLabel('Current password').fill(PASSWORD);
        await add.click();
        await dialog(page).getByText('This device already has a passkey').waitFor();
        await dialog(page).getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('dialog').waitFor({ state: 'hidden' });

        await device.setPresent(false);
        await signOut(page, size);
        await byPasskey(page).waitFor();
        expect(await page.getByLabel('Email').getAttribute('autocomplete')).to.equal(
          'username webauthn',
        );
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `sign-in-with-passkey-${size}`);
        await tabTo(page, byPasskey(page));
        await device.setPresent(true);
        await page.keyboard.press('Enter');
        await links(page).waitFor();

        // The field suggests the passkey, and the device confirms it at once.
        await signOut(page, size);
        await links(page).waitFor();

        await page.goto(`${origin}/console/${world.slug}/settings/profile`);
        await section.getByText('last used').waitFor();
        await section.getByRole('button', { name: 'Rename Work laptop' }).click();
        await dialog(page).getByLabel('Name').fill('Home laptop');
        await dialog(page).getByRole('button', { name: 'Rename' }).click();
        await section.getByRole('button', { name: 'Remove Home laptop' }).click();
        await expectAccessible(page, `passkey-remove-${size}`);
        await dialog(page).getByLabel('Current password').fill(PASSWORD);
        await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
        const remove = section.getByRole('button', { name: 'Remove Home laptop' });
        await remove.waitFor({ state: 'hidden' });

        await device.setPresent(false);
        await signOut(page, size);
        await device.setPresent(true);
        await byPasskey(page).click();
        await page.getByText('This passkey doesn’t work here anymore').waitFor();
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `sign-in-with-removed-passkey-${size}`);
      });
    });

    it(`open a workspace that requires a second factor (${size})`, async () => {
      const origin = serviceOrigin();
      const own = await aWorkspace();
      const owner = await aPerson({ in: { ...own, role: 'owner' }, password: PASSWORD });
      await anAuthenticator(owner, PASSWORD);
      await owner.api.patch('/workspace', { requireSecondFactor: true });
      const member = await aPerson({ in: { ...own, role: 'member' }, password: PASSWORD });
      await inConsole(own, 'links', { size, token: member.token, origin }, async (page) => {
        const device = await Device.addTo(page);
        await page.getByText('or a passkey').waitFor();
        await expectAccessible(page, `second-factor-or-passkey-needed-${size}`);
        await page.getByRole('link', { name: 'Set up' }).click();
        await page.getByRole('button', { name: 'Use a passkey instead' }).click();
        await page.getByLabel('Current password').fill(PASSWORD);
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `passkey-instead-of-app-${size}`);
        await page.getByRole('button', { name: 'Add passkey' }).click();
        await links(page).waitFor();

        // A password alone does not open it; the passkey does.
        await page.context().clearCookies();
        await device.setPresent(false);
        await page.goto(`${origin}/console/sign-in`);
        await page.getByLabel('Email').fill(member.email);
        await page.getByLabel('Password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('Sign in again, with your passkey.').waitFor();
        await expectAccessible(page, `passkey-needed-${size}`);
        await device.setPresent(true);
        await byPasskey(page).click();
        await links(page).waitFor();
      });
    });

    it(`replace the code of an app (${size})`, async () => {
      const origin = serviceOrigin();
      const person = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
      const app = await anAuthenticator(person, PASSWORD);
      const { token, email } = person;
      await inConsole(world, 'settings/profile', { size, token, origin }, async (page) => {
        const device = await Device.addTo(page);
        await sectionOf(page).getByRole('button', { name: 'Add a passkey' }).click();
        await dialog(page).getByLabel('Current password').fill(PASSWORD);
        await dialog(page)
          .getByLabel('Code')
          .fill(await app.code());
        await expectAccessible(page, `passkey-add-with-code-${size}`);
        await dialog(page).getByRole('button', { name: 'Add passkey' }).click();
        await sectionOf(page).getByText('not used yet').waitFor();
        await page.context().clearCookies();
        await device.setPresent(false);
        await page.goto(`${origin}/console/sign-in`);
        await page.getByLabel('Email').fill(email);
        await page.getByLabel('Password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
        await byPasskey(page).waitFor();
        await expectAccessible(page, `sign-in-code-or-passkey-${size}`);
        await device.setPresent(true);
        await byPasskey(page).click();
        await links(page).waitFor();
      });
    });
  }

  it('are not offered where they cannot work, and the profile says why', async () => {
    const { token } = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    const settings = {
      BASE_URL: 'http://links.test',
      API_PORT: '0',
      HEALTH_PORT: '0',
    };
    const api = new OneProcess('api', settings);
    try {
      const { port } = await api.logged('API is listening');
      const origin = `http://127.0.0.1:${String(port)}`;
      await inConsole(world, 'settings/profile', { token, origin }, async (page) => {
        await page.getByText('Ask your administrator to set one up.').waitFor();
        await sectionOf(page).scrollIntoViewIfNeeded();
        await expectAccessible(page, 'passkeys-impossible');
        await page.goto(`${origin}/console/sign-in`);
        await page.getByLabel('Email').waitFor();
        expect(await byPasskey(page).count()).to.equal(0);
      });
    } finally {
      await api.stop();
    }
  });
});
