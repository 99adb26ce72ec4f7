import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { db } from '../../src/infra/db.ts';
import { OneProcess } from '../support/one-process.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { expectAccessible, inConsole, PASSWORD, sizes, useBrowser } from './window.ts';

/* Tests forgotten passwords and second factors of people. See flows.ts. */

const nobody = { role: null } as const;
const NEW_PASSWORD = 'another good passphrase';

const links = (page: Page) => page.getByRole('heading', { name: 'Links', exact: true });

const isTooWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe('forgotten passwords in the console', function () {
  useBrowser();
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  /** Creates a member with a password and a mailbox of lower-case letters. */
  async function aReader() {
    const person = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    const email = person.email.toLowerCase();
    await db()('users').where({ id: person.userId }).update({ email });
    return { ...person, email };
  }

  async function mailedLink(email: string): Promise<string> {
    const mails = await stack().mail.arrived(email);
    return new URL(/http\S+\/sign-in\/reset#[\w-]{43}/.exec(mails.at(-1)!.body)![0]).hash;
  }

  for (const size of sizes) {
    it(`are reset by email, with the keyboard alone (${size})`, async () => {
      const { email, api } = await aReader();
      await inConsole(world, '/sign-in', { size, ...nobody }, async (page) => {
        const forgot = page.getByRole('link', { name: 'Forgot your password?' });
        await forgot.waitFor();
        await expectAccessible(page, `sign-in-with-reset-${size}`);
        await forgot.focus();
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
        // The field has the focus.
        await page.getByRole('button', { name: 'Send link' }).waitFor();
        await page.keyboard.type(email);
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `forgot-password-${size}`);
        await page.keyboard.press('Enter');
        await page.getByText('we sent it an email').waitFor();
        await expectAccessible(page, `forgot-password-sent-${size}`);
        const token = await mailedLink(email);
        await page.goto(`${new URL(page.url()).origin}/console/sign-in/reset${token}`);
        await page.getByText(`The new password of ${email}`).waitFor();
        expect(page.url()).not.to.contain('#');
        await page.keyboard.type('1234567890');
        await page.keyboard.press('Enter');
        await page.getByText(/password must/).waitFor();
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `reset-password-${size}`);
        await page.getByLabel('New password').fill(NEW_PASSWORD);
        await page.keyboard.press('Enter');
        await page.getByText('You’re signed out on all devices.').waitFor();
        await expectAccessible(page, `password-was-reset-${size}`);
        expect((await api.get('/me')).status).to.equal(401);
        await page.getByRole('link', { name: 'Sign in' }).click();
        await signIn(page, email, NEW_PASSWORD);
        await links(page).waitFor();
        await page.goto(`${new URL(page.url()).origin}/console/sign-in/reset${token}`);
        await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `reset-link-gone-${size}`);
        await page.getByRole('link', { name: 'Get another link' }).click();
        await page.getByRole('button', { name: 'Send link' }).waitFor();
      });
    });
  }

  it('are for the administrator where no email is sent', async () => {
    const settings = { SMTP_URL: undefined, MAIL_FROM: undefined, API_PORT: '0', HEALTH_PORT: '0' };
    const api = new OneProcess('api', settings);
    try {
      const { port } = await api.logged('API is listening');
      const origin = `http://127.0.0.1:${String(port)}`;
      await inConsole(world, '/sign-in/forgot', { origin, ...nobody }, async (page) => {
        await page.getByText('Ask your administrator for a sign-in link.').waitFor();
        expect(await page.getByRole('button', { name: 'Send link' }).count()).to.equal(0);
        await expectAccessible(page, 'forgot-password-without-email');
      });
    } finally {
      await api.stop();
    }
  });
});
