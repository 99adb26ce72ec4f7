import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { db } from '../../src/infra/db.ts';
import { stepAt, totpCode } from '../../src/users/second-factor/totp.ts';
import { OneProcess } from '../support/one-process.ts';
import { aPerson } from '../support/people.ts';
import { anAuthenticator } from '../support/second-factor.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, expectAccessible, inConsole, PASSWORD, sizes, useBrowser } from './window.ts';

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

describe('second factors in the console', function () {
  useBrowser();
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  /** Lets the next code be accepted, as if the last one were long ago. */
  const forget = (userId: string) =>
    db()('second_factors').where({ user_id: userId }).update({ last_step: 0 });

  for (const size of sizes) {
    it(`are set up, used, renewed and removed (${size})`, async () => {
      const { userId, email, token } = await aPerson({
        in: { ...world, role: 'member' },
        password: PASSWORD,
      });
      await inConsole(world, 'settings/profile', { size, token }, async (page) => {
        const section = page.locator('section').filter({ hasText: 'Two-factor authentication' });
        await section.getByRole('link', { name: 'Set up' }).click();
        await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `second-factor-setup-${size}`);
        const secret = await page.getByLabel('Can’t scan? Enter this key').inputValue();
        const code = () => totpCode(secret, stepAt(Date.now()));
        await page.getByLabel('Current password').fill('wrong');
        await page.getByLabel('Code', { exact: true }).fill(code());
        await page.keyboard.press('Enter');
        await page.getByText('This isn’t your current password.').waitFor();
        await page.getByLabel('Current password').fill(PASSWORD);
        await page.getByLabel('Code', { exact: true }).fill('123');
        await page.keyboard.press('Enter');
        await page.getByText('This code isn’t valid').waitFor();
        await page.getByLabel('Code', { exact: true }).fill(code());
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `recovery-codes-${size}`);
        const codes = await page.getByRole('list', { name: 'Recovery codes' }).innerText();
        const [recoveryCode] = codes.split('\n');
        await page.getByRole('button', { name: 'I saved them' }).click();
        await section.getByText('10 unused recovery codes').waitFor();
        await expectAccessible(page, `second-factor-on-${size}`);

        await inConsole(world, '/sign-in', { size, ...nobody }, async (other) => {
          await signIn(other, email);
          await other.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
          await expectAccessible(other, `sign-in-code-${size}`);
          // The field has the focus.
          await other.keyboard.type('000000');
          await other.keyboard.press('Enter');
          await other.getByText('This code isn’t valid').waitFor();
          expect(await isTooWide(other)).to.equal(false);
          await expectAccessible(other, `sign-in-code-wrong-${size}`);
          await forget(userId);
          await other.getByLabel('Code', { exact: true }).fill(code());
          await other.keyboard.press('Enter');
          await links(other).waitFor();
        });
        await inConsole(world, '/sign-in', { size, ...nobody }, async (other) => {
          await signIn(other, email);
          await other.getByRole('button', { name: 'Use a recovery code' }).click();
          await expectAccessible(other, `sign-in-recovery-code-${size}`);
          await other.getByLabel('Recovery code').fill(recoveryCode!);
          await other.keyboard.press('Enter');
          await links(other).waitFor();
        });

        const confirm = async (action: string) => {
          await forget(userId);
          await dialog(page).getByLabel('Current password').fill(PASSWORD);
          await dialog(page).getByLabel('Code', { exact: true }).fill(code());
          await dialog(page).getByRole('button', { name: action }).click();
        };
        await section.getByRole('button', { name: 'New recovery codes' }).click();
        await expectAccessible(page, `new-recovery-codes-${size}`);
        await confirm('Create codes');
        await dialog(page).getByText('You won’t see them again.').waitFor();
        expect(await dialog(page).getByText(recoveryCode!).count()).to.equal(0);
        expect(await dialog(page).getByRole('listitem').count()).to.equal(10);
        await expectAccessible(page, `new-recovery-codes-shown-${size}`);
        await dialog(page).getByRole('button', { name: 'Done' }).click();
        await section.getByRole('button', { name: 'Turn off' }).click();
        await expectAccessible(page, `second-factor-remove-${size}`);
        await confirm('Turn off');
        await section.getByRole('link', { name: 'Set up' }).waitFor();
      });
    });

    it(`are required by an owner, and set up by a member on the way (${size})`, async () => {
      const own = await aWorkspace();
      const owner = await aPerson({ in: { ...own, role: 'owner' }, password: PASSWORD });
      const member = await aPerson({ in: { ...own, role: 'member' }, password: PASSWORD });
      const settings = { size, token: owner.token };
      await inConsole(own, 'settings/workspace', settings, async (page) => {
        const section = page.locator('section').filter({ hasText: 'Security' });
        await section.getByText('Require two-factor authentication').click();
        await section.getByText('Set it up for yourself').waitFor();
        await section.getByRole('button', { name: 'Save' }).click();
        await section.getByRole('alert').getByText('for yourself first').waitFor();
        await expectAccessible(page, `second-factor-refused-${size}`);
        await anAuthenticator(owner, PASSWORD);
        await page.reload();
        await section.getByText('Require two-factor authentication').click();
        await section.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved', { exact: true }).waitFor();
        await expectAccessible(page, `second-factor-required-${size}`);
      });
      await inConsole(own, 'links', { size, token: member.token }, async (page) => {
        await page.getByText('requires two-factor authentication').waitFor();
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `second-factor-needed-${size}`);
        await page.getByRole('link', { name: 'Set up' }).click();
        const secret = await page.getByLabel('Can’t scan? Enter this key').inputValue();
        await page.getByLabel('Current password').fill(PASSWORD);
        await page.getByLabel('Code', { exact: true }).fill(totpCode(secret, stepAt(Date.now())));
        await page.getByRole('button', { name: 'Turn on' }).click();
        await page.getByRole('button', { name: 'I saved them' }).click();
        await links(page).waitFor();
      });
    });
  }

  it('have a time limit', async () => {
    await inConsole(world, '/sign-in/code', nobody, async (page) => {
      await page.getByLabel('Code', { exact: true }).fill('000000');
      await page.keyboard.press('Enter');
      await page.getByText('That took too long').waitFor();
      await expectAccessible(page, 'sign-in-code-late');
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('Password').waitFor();
    });
  });
});
