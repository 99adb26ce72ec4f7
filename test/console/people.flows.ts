import { hashSync } from '@node-rs/argon2';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { createSignInAddress } from '../../src/users/accounts.ts';
import { createWorkspace } from '../../src/workspaces/commands.ts';
import { CALLBACK, RawApp } from '../support/oauth.ts';
import { OwnService } from '../support/own-service.ts';
import { aPerson, mailedInvitations, type Person } from '../support/people.ts';
import { CLIENT, SingleSignOn } from '../support/single-sign-on.ts';
import { TlsProxy } from '../support/tls-proxy.ts';
import { aWorkspace, type World } from '../support/world.ts';
import {
  dialog,
  expectAccessible,
  inConsole,
  PASSWORD,
  type Size,
  sizes,
  useBrowser,
} from './window.ts';

/* Tests invitations, sign-in methods, passwords and workspaces of people. See flows.ts. */

const nobody = { role: null } as const;

const links = (page: Page) => page.getByRole('heading', { name: 'Links', exact: true });
const joinButton = (page: Page) => page.getByRole('button', { name: 'Join' });

const isTooWide = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);

async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

describe('people in the console', function () {
  useBrowser();
  let world: World;
  let owner: Person;

  before(async () => {
    world = await aWorkspace();
    owner = await aPerson({ in: { ...world, role: 'owner' } });
  });

  /** Creates an invitation, and resolves with its token and email address. */
  async function anInvitation(email = `${newId('user').toLowerCase()}@people.test`) {
    const { body } = await owner.api.post('/invitations', { email, role: 'member' });
    const [address] = await mailedInvitations(email);
    return { email, id: body.id as string, token: new URL(address!).hash };
  }
  const gone = (page: Page) => page.getByText('This invitation is no longer valid').waitFor();

  for (const size of sizes) {
    it(`invites who has an account: signs in on the way, and joins (${size})`, async () => {
      const { email } = await aPerson({ password: PASSWORD });
      const { token } = await anInvitation(email);
      await inConsole(world, `/invitation${token}`, { size, ...nobody }, async (page) => {
        await page.getByText(`This invitation is for ${email}, with the role “member”.`).waitFor();
        expect(await isTooWide(page)).to.equal(false);
        expect(page.url()).not.to.contain('#');
        await expectAccessible(page, `invitation-${size}`);
        await page.getByRole('link', { name: 'I already have an account' }).click();
        await signIn(page, email);
        // A reload keeps the invitation although the URL no longer contains the token.
        await joinButton(page).waitFor();
        await page.reload();
        await joinButton(page).click();
        await links(page).waitFor();
        expect(page.url()).to.contain(`/${world.slug}/links`);
      });
    });
  }

  it('tells who is signed in as somebody else to sign out first', async () => {
    const { email, token } = await anInvitation();
    const other = await aPerson();
    const as = { token: other.token };
    await inConsole(world, `/invitation${token}`, as, async (page) => {
      await page.getByText(`You are signed in as ${other.email}.`).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Your name').fill('Grace Hopper');
      await page.getByLabel('New password').fill('1234567890');
      await joinButton(page).click();
      await page.getByText(/password must/).waitFor();
      await page.getByLabel('New password').fill(PASSWORD);
      await joinButton(page).click();
      await links(page).waitFor();
    });
    const members = (await owner.api.get('/members')).body as { email: string }[];
    expect(members.map((one) => one.email)).to.include(email);
  });

  it('takes no invitation that is wrong, used, withdrawn or expired', async () => {
    const [used, withdrawn, expired] = [
      await anInvitation(),
      await anInvitation(),
      await anInvitation(),
    ];
    await inConsole(world, `/invitation${used.token}`, nobody, async (page) => {
      await page.getByLabel('Your name').fill('Grace Hopper');
      await page.getByLabel('New password').fill(PASSWORD);
      await joinButton(page).click();
      await links(page).waitFor();
    });
    await owner.api.delete(`/invitations/${withdrawn.id}`);
    await db()('invitations').where({ id: expired.id }).update({ expires_at: new Date() });
    const tokens = [used, withdrawn, expired].map(({ token }) => token);
    for (const token of [...tokens, '#nonsense', '#%E0%A4%A', '']) {
      await inConsole(world, `/invitation${token}`, nobody, gone);
    }
  });

  for (const size of sizes) {
    it(`resends an invitation, whose newest link alone works, with its limits (${size})`, async () => {
      const own = await aWorkspace();
      await own.api.post('/folders', { name: 'Campaigns' });
      const email = `${newId('user').toLowerCase()}@people.test`;
      let addresses: string[] = [];
      await inConsole(own, 'settings/members', { size }, async (page) => {
        await page.getByRole('button', { name: 'Invite', exact: true }).click();
        await dialog(page).getByLabel('Email').fill(email);
        await dialog(page).getByRole('switch', { name: 'Limit to some' }).click();
        await dialog(page).getByRole('combobox', { name: 'Folders' }).fill('Campaigns,');
        await dialog(page).getByRole('button', { name: 'Create invitation' }).click();
        await dialog(page).waitFor({ state: 'detached' });
        const pending = page.getByRole('row').filter({ hasText: email });
        await pending.getByText('Limited').waitFor();
        await expectAccessible(page, `pending-invitation-${size}`);
        // Another invitation of the same person would replace this one and its limits.
        await page.getByRole('button', { name: 'Invite', exact: true }).click();
        await dialog(page).getByLabel('Email').fill(email.toUpperCase());
        await dialog(page).getByText('This person has a pending invitation').waitFor();
        await expectAccessible(page, `replacing-invitation-${size}`);
        await dialog(page).getByRole('button', { name: 'Cancel' }).click();
        await pending.getByRole('button', { name: `Resend invitation of ${email}` }).click();
        addresses = await mailedInvitations(email, 2);
      });
      const [first, second] = addresses.map((one) => new URL(one).hash);
      await inConsole(own, `/invitation${first}`, { size, ...nobody }, async (page) => {
        await gone(page);
        await page.getByText('use the link in the newest one').waitFor();
      });
      await inConsole(own, `/invitation${second}`, { size, ...nobody }, async (page) => {
        await page.getByLabel('Your name').fill('Grace Hopper');
        await page.getByText('At least 10 characters.').waitFor();
        await page.getByLabel('New password').fill(PASSWORD);
        await joinButton(page).click();
        await links(page).waitFor();
      });
      await inConsole(own, 'settings/members', { size }, async (page) => {
        await page.getByRole('row').filter({ hasText: email }).getByText('Limited').waitFor();
        await page.getByText('No pending invitations.').waitFor();
        await page.getByRole('button', { name: `Actions for ${email}` }).click();
        await page.getByRole('menuitem', { name: 'Change access' }).click();
        await dialog(page).getByRole('button', { name: 'Remove Campaigns' }).waitFor();
      });
    });
  }

  it('takes an invitation that is opened where another one is shown', async () => {
    const [first, second] = [await anInvitation(), await anInvitation()];
    await inConsole(world, `/invitation${first.token}`, nobody, async (page) => {
      await page.getByText(first.email).waitFor();
      await page.goto(`${page.url()}${second.token}`);
      await page.getByText(second.email).waitFor();
      expect(page.url()).not.to.contain('#');
    });
  });

  /** Resolves with an app, and the path of its request for access. */
  async function anAskingApp(scope?: string) {
    const app = await RawApp.register({ client_name: 'Claude' });
    const parameters = app.parameters(scope === undefined ? {} : { scope });
    return { app, path: `/authorize?${new URLSearchParams(parameters)}` };
  }

  /** Shows a page at the redirect URI, and resolves with the URL of the next answer. */
  async function answered(page: Page, act: () => Promise<void>): Promise<URL> {
    await page.route(`${new URL(CALLBACK).origin}/**`, (route) => route.fulfill({ body: 'app' }));
    await Promise.all([page.waitForURL(`${new URL(CALLBACK).origin}/**`), act()]);
    return new URL(page.url());
  }
  const others = [new URL(CALLBACK).origin];

  for (const size of sizes) {
    it(`lets an app use a workspace: signs in on the way, and allows (${size})`, async () => {
      const { userId, email, api } = await aPerson({
        in: { ...world, role: 'member' },
        password: PASSWORD,
      });
      const second = await aWorkspace();
      const membership = { project_id: second.projectId, user_id: userId, role: 'viewer' };
      await db()('workspace_users').insert(membership);
      const { app, path } = await anAskingApp();
      await inConsole(world, path, { size, ...nobody, others }, async (page) => {
        await signIn(page, email);
        await page.getByRole('heading', { name: 'Allow Claude?' }).waitFor();
        await page.getByText('Your answer is sent to app.test').waitFor();
        await page.getByLabel('Workspace').selectOption(world.slug);
        if (size === 'phone') await page.setViewportSize({ width: 360, height: 740 });
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `authorize-${size}`);
        const links = page.getByRole('radiogroup', { name: 'Links' });
        await links.getByText('Read', { exact: true }).click();
        for (const name of ['QR codes', 'Analytics', 'Events', 'Tags', 'Domains']) {
          const kind = page.getByRole('radiogroup', { name });
          await kind.getByText('None', { exact: true }).click();
        }
        const url = await answered(page, () => page.getByRole('button', { name: 'Allow' }).click());
        expect(url.searchParams.get('state')).to.equal('state of the app');
        const { body } = await app.exchange(url.searchParams.get('code')!);
        expect(body.scope).to.equal('links.read');
      });
      const { workspaces } = (await api.get('/me')).body;
      expect(workspaces).to.have.length(2);
    });
  }

  for (const size of sizes) {
    it(`shows the key of an app, which renews it by itself (${size})`, async () => {
      const { app } = await anAskingApp();
      const own = await aWorkspace();
      const person = await aPerson({ in: { ...own, role: 'owner' }, password: PASSWORD });
      const consent = { workspace: own.slug, scopes: ['links.read'] };
      await app.exchange(await app.codeFrom(person, consent));
      const as = { size, token: person.token };
      await inConsole(own, 'settings/keys', as, async (page) => {
        await page.getByText('Claude').first().waitFor();
        await page.getByText('App', { exact: true }).waitFor();
        await expectAccessible(page, `keys-of-apps-${size}`);
        await page.getByRole('button', { name: 'Actions for Claude' }).click();
        await page.getByRole('menuitem', { name: 'Revoke' }).waitFor();
        expect(await page.getByRole('menuitem', { name: 'Rotate' }).count()).to.equal(0);
      });
    });
  }

  it('tells an app that a person refuses, and offers no rights beyond the role', async () => {
    const viewer = await aPerson({ in: { ...world, role: 'viewer' } });
    const { path } = await anAskingApp('links.write tags.read');
    const as = { token: viewer.token, others };
    await inConsole(world, path, as, async (page) => {
      const radios = page.getByRole('radiogroup', { name: 'Links' }).getByRole('radio');
      await radios.first().waitFor({ state: 'attached' });
      expect(await radios.count()).to.equal(2);
      const url = await answered(page, () => page.getByRole('link', { name: 'Refuse' }).click());
      expect(url.searchParams.get('error')).to.equal('access_denied');
      expect(url.searchParams.get('tenant')).to.equal('1');
    });
  });

  it('shows requests for access that are not valid, and follows none by itself', async () => {
    const as = { token: owner.token, others };
    const { app, path } = await anAskingApp();
    const plain = path.replace('S256', 'plain');
    await inConsole(world, plain, as, async (page) => {
      await page.getByText('code_challenge_method must be S256').waitFor();
      const back = page.getByRole('link', { name: 'Go back to app.test' });
      const url = await answered(page, () => back.click());
      expect(url.searchParams.get('error')).to.equal('invalid_request');
    });
    const stranger = new URLSearchParams(app.parameters({ redirect_uri: 'https://evil.test/' }));
    for (const wrong of [`/authorize?${stranger}`, '/authorize']) {
      await inConsole(world, wrong, as, async (page) => {
        await page.getByRole('heading', { name: 'This request is not valid' }).waitFor();
        await expectAccessible(page, 'authorize-invalid');
      });
    }
  });

  for (const size of sizes) {
    it(`asks before a one-time address signs in (${size})`, async () => {
      const { userId } = await aPerson({ in: { ...world, role: 'member' } });
      const email = `${'w'.repeat(64)}@${'w'.repeat(60)}.${'w'.repeat(60)}.test`;
      await db()('users').where({ id: userId }).update({ email });
      const before = await aPerson({ in: { ...world, role: 'member' } });
      const token = new URL(await createSignInAddress(db(), userId)).hash;
      const as = { size, token: before.token };
      await inConsole(world, `/sign-in${token}`, as, async (page) => {
        await page.getByRole('button', { name: `Sign in as ${email}` }).waitFor();
        expect(page.url()).not.to.contain('#');
        // Opening the page has not used the token.
        expect((await before.api.get('/me')).status).to.equal(200);
        // 360 px is the width of the narrowest phones.
        if (size === 'phone') await page.setViewportSize({ width: 360, height: 740 });
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `sign-in-link-${size}`);
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByLabel('Email').waitFor();
        await page.goto(`${page.url()}${token}`);
        await page.getByRole('button', { name: /^Sign in as/ }).click();
        await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `choose-password-${size}`);
        await page.getByRole('button', { name: 'Not now' }).click();
        await links(page).waitFor();
        expect((await before.api.get('/me')).status).to.equal(401);
      });
      await db()('users')
        .where({ id: userId })
        .update({ email: `${userId}@people.test` });
    });
  }

  it('takes a one-time address in a tab that shows the sign-in, and only once', async () => {
    const { userId } = await aPerson({ in: { ...world, role: 'member' } });
    const token = new URL(await createSignInAddress(db(), userId)).hash;
    await inConsole(world, '/sign-in', nobody, async (page) => {
      await page.getByLabel('Email').waitFor();
      await page.goto(`${page.url()}${token}`);
      await page.getByRole('button', { name: /^Sign in as/ }).click();
      await page.getByRole('button', { name: 'Not now' }).click();
      await links(page).waitFor();
      expect(page.url()).not.to.contain('#');
      await signOut(page);
      await dialog(page).getByText('you can’t get back in').waitFor();
      await dialog(page).getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('link', { name: 'Forgot your password?' }).waitFor();
      expect(await page.getByRole('alert').count()).to.equal(0);
      await page.goto(`${page.url()}${token}`);
      await page.getByText('This sign-in link was used already').waitFor();
    });
  });

  for (const size of sizes) {
    it(`asks who came by a one-time address for a password until there is one (${size})`, async () => {
      const { userId, email } = await aPerson({ in: { ...world, role: 'member' } });
      const token = new URL(await createSignInAddress(db(), userId)).hash;
      await inConsole(world, `/sign-in${token}`, { size, ...nobody }, async (page) => {
        await page.getByRole('button', { name: /^Sign in as/ }).click();
        await page.getByRole('button', { name: 'Not now' }).click();
        await page.getByText('You have no password yet').waitFor();
        await page.getByText('No links yet').waitFor();
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `no-password-${size}`);
        if (size === 'phone') await page.getByRole('button', { name: 'Navigation' }).click();
        await signOut(page);
        await expectAccessible(page, `sign-out-without-password-${size}`);
        await dialog(page).getByRole('button', { name: 'Cancel' }).click();
        if (size === 'phone') await page.keyboard.press('Escape');
        await page.getByRole('link', { name: 'Choose a password' }).click();
        await page.getByLabel('New password').fill('1234567890');
        await page.getByRole('button', { name: 'Save password' }).click();
        await page.getByText(/password must/).waitFor();
        await page.getByLabel('New password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Save password' }).click();
        // The previous view returns without the banner, and signing out shows no warning.
        await links(page).waitFor();
        expect(await page.getByText('You have no password yet').count()).to.equal(0);
        if (size === 'phone') await page.getByRole('button', { name: 'Navigation' }).click();
        await signOut(page);
        await signIn(page, email);
        await links(page).waitFor();
      });
    });
  }

  it('offers a new password to who came by a one-time address and has one', async () => {
    const { userId, email } = await aPerson({
      in: { ...world, role: 'member' },
      password: PASSWORD,
    });
    const token = new URL(await createSignInAddress(db(), userId)).hash;
    await inConsole(world, `/sign-in${token}`, nobody, async (page) => {
      await page.getByRole('button', { name: /^Sign in as/ }).click();
      await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
      await page.getByLabel('New password').fill('another good passphrase');
      await page.getByRole('button', { name: 'Save password' }).click();
      await links(page).waitFor();
      await signOut(page);
      await signIn(page, email, 'another good passphrase');
      await links(page).waitFor();
    });
  });

  for (const size of sizes) {
    it(`makes a workspace for who has none (${size})`, async () => {
      const { email } = await aPerson({ password: PASSWORD });
      const slug = `own-${newId('workspace').slice(5).toLowerCase()}`;
      await inConsole(world, '/', { size, ...nobody }, async (page) => {
        await signIn(page, email);
        await page.getByRole('heading', { name: 'Create workspace' }).waitFor();
        await expectAccessible(page, `welcome-${size}`);
        await page.getByLabel('Name').fill('Agentur Müller & Söhne');
        expect(await page.getByLabel('Slug').inputValue()).to.equal('agentur-mueller-soehne');
        await page.getByLabel('Name').fill('Admin');
        expect(await page.getByLabel('Slug').inputValue()).to.equal('admin');
        await page.getByRole('button', { name: 'Create workspace' }).click();
        await page.getByText('This name is reserved. Choose another one.').waitFor();
        await page.getByLabel('Slug').fill(slug);
        await page.getByRole('button', { name: 'Create workspace' }).click();
        await links(page).waitFor();
        expect(page.url()).to.contain(`/console/${slug}/links`);
      });
    });
  }

  for (const size of sizes) {
    it(`asks a person who signs in about invitations (${size})`, async () => {
      const { email, token } = await aPerson();
      await anInvitation(email);
      await inConsole(world, '/', { size, token }, async (page) => {
        await page.getByRole('heading', { name: 'Invitations' }).waitFor();
        await page.getByText(`from ${owner.email}`).waitFor();
        expect(await isTooWide(page)).to.equal(false);
        await expectAccessible(page, `welcome-invitations-${size}`);
        await joinButton(page).click();
        await links(page).waitFor();
        expect(page.url()).to.contain(`/${world.slug}/links`);
      });
    });
  }

  it('opens the profile of the last workspace for password managers, after the sign-in', async () => {
    const { email } = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    await inConsole(world, '/sign-in/profile', nobody, async (page) => {
      await signIn(page, email);
      await page.getByLabel('Current password').waitFor();
      expect(page.url()).to.contain(`/${world.slug}/settings/profile`);
    });
  });

  it('changes a password by the one before, which ends all other sessions', async () => {
    const { email } = await aPerson({ in: { ...world, role: 'member' }, password: PASSWORD });
    await inConsole(world, 'settings/profile', nobody, async (page) => {
      await signIn(page, email);
      await inConsole(world, 'links', nobody, async (other) => {
        await signIn(other, email);
        await links(other).waitFor();
        await page.getByLabel('New password').fill('another good passphrase');
        await page.getByLabel('Current password').fill('not the password');
        await page.getByRole('button', { name: 'Change password' }).click();
        await page.getByText('This isn’t your current password.').first().waitFor();
        await page.getByLabel('Current password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Change password' }).click();
        await page.getByText('Password saved.').waitFor();
        // Without a reload, the next request of the other window leads to the sign-in page and
        // back.
        await other.getByRole('link', { name: 'QR codes' }).click();
        await signIn(other, email);
        await other.getByText('Email or password is wrong.').waitFor();
        await signIn(other, email, 'another good passphrase');
        await other.getByRole('heading', { name: 'QR codes', exact: true }).waitFor();
      });
    });
  });

  it('reaches workspaces that were called like a path of the console', async () => {
    for (const slug of ['admin', 'assets', 'authorize', 'invitation', 'sign-in', 'welcome']) {
      const { id: projectId } = await createWorkspace(db(), { slug, plan: 'free' });
      const { token } = await aPerson({ in: { projectId, slug, role: 'owner' } });
      await inConsole(world, '/', { token }, async (page) => {
        await links(page).waitFor();
        expect(page.url()).to.contain(`/console/${slug}/links`);
        await page.reload();
        await links(page).waitFor();
        await page.getByRole('link', { name: 'Settings' }).click();
        await page.getByRole('heading', { name: 'Workspace', exact: true }).waitFor();
        await page.reload();
        await page.getByRole('heading', { name: 'Workspace', exact: true }).waitFor();
      });
    }
  });
});

describe('signing in over https and through a provider', function () {
  useBrowser();
  const own = new OwnService();
  const provider = new SingleSignOn();
  let proxy: TlsProxy;
  let world: { projectId: string; slug: string };

  before(async () => {
    proxy = await TlsProxy.start();
    await provider.listen();
    provider.serve(`${proxy.origin}/auth/oidc/callback`);
    await own.start({
      BASE_URL: proxy.origin,
      TRUST_PROXY: '127.0.0.1',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: 'Acme accounts',
      OUTBOUND_ALLOW: '127.0.0.1',
      SIGN_INS_PER_MINUTE: '0',
    });
    proxy.target = own.service.apiUrl;
    world = { projectId: own.projectId, slug: 'chaos' };
  });
  after(async () => {
    await own.stop();
    await provider.stop();
    await proxy.stop();
  });

  /** Creates a member with an account at the provider, both with the same address. */
  async function aMember(): Promise<{ login: string; email: string }> {
    const [id, login] = [newId('user'), `login-${newId('user').slice(4, 16)}`];
    const email = `${login.toLowerCase()}@people.test`;
    await own.db('users').insert({
      id,
      email,
      name: 'Ada',
      password_hash: hashSync(PASSWORD),
      email_verified_at: new Date(),
    });
    await own
      .db('workspace_users')
      .insert({ project_id: own.projectId, user_id: id, role: 'member' });
    provider.accounts[login] = { email, email_verified: true };
    return { login, email };
  }
  const open = (path: string, work: (page: Page) => Promise<void>, size: Size = 'desk') =>
    inConsole(
      world,
      path,
      { ...nobody, size, origin: proxy.origin, others: [provider.issuer] },
      work,
    );
  const toProvider = (page: Page) =>
    page.getByRole('link', { name: 'Continue with Acme accounts' }).click();
  const atProvider = async (page: Page, login: string) => {
    await page.locator('[name=login]').fill(login);
    await page.locator('[name=password]').fill('x');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  };

  it('keeps the session in a cookie of this host alone', async () => {
    const { email } = await aMember();
    await open('links', async (page) => {
      await signIn(page, email);
      await links(page).waitFor();
      const session = async () => {
        const all = await page.context().cookies(proxy.origin);
        for (const { name } of all) expect(name).to.match(/^__Host-/);
        return all.find(({ name }) => name === '__Host-session');
      };
      expect(await session()).to.deep.include({
        name: '__Host-session',
        domain: 'localhost',
        path: '/',
        secure: true,
        httpOnly: true,
        sameSite: 'Lax',
      });
      await page.reload();
      await links(page).waitFor();
      await page.getByRole('button', { name: /^Account:/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByLabel('Email').waitFor();
      expect(await session()).to.equal(undefined);
    });
  });

  for (const size of sizes) {
    it(`signs in through the provider, and leads to where one wanted to go (${size})`, async () => {
      const { login } = await aMember();
      const work = async (page: Page) => {
        await toProvider(page);
        await atProvider(page, login);
        await page.getByRole('heading', { name: 'My profile' }).waitFor();
        const names = (await page.context().cookies(proxy.origin)).map(({ name }) => name);
        expect(names).to.include('__Host-session').and.not.to.include('__Host-oidc');
      };
      await open('settings/profile', work, size);
    });
  }

  it('says why the provider’s sign-in led nowhere', async () => {
    provider.accounts['stranger'] = { email: 'stranger@people.test', email_verified: true };
    await open('/sign-in', async (page) => {
      await toProvider(page);
      await atProvider(page, 'stranger');
      await page.getByText('There is no account for you here.').waitFor();
    });
    await open('/sign-in', async (page) => {
      await toProvider(page);
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.getByText('The provider refused the sign-in, or you cancelled it.').waitFor();
    });
    const { login, email } = await aMember();
    await own.db('users').where({ email }).update({ disabled_at: new Date() });
    await open('/sign-in', async (page) => {
      await toProvider(page);
      await atProvider(page, login);
      await page.getByText('Your account is disabled.').waitFor();
    });
    await open('/sign-in', async (page) => {
      await toProvider(page);
      await page.locator('[name=login]').waitFor();
      // Without this cookie, the attempt belongs to another browser.
      await page.context().clearCookies({ name: '__Host-oidc' });
      await atProvider(page, login);
      await page.getByText('That sign-in expired').waitFor();
    });
  });
});
