import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { answerDialog, dialog, inConsole, PASSWORD, sizes, useBrowser } from './window.ts';

/* Keeps unsaved input while offline, after a reload, and after the window closes. See flows.ts. */

const A = 'https://example.com/a';

const row = (page: Page, key: string) => page.getByRole('row').filter({ hasText: `/${key}` });
const destination = (page: Page) => dialog(page).getByLabel('Destination', { exact: true });
const slug = (page: Page) => dialog(page).getByRole('textbox', { name: 'Short link' });
const create = (page: Page) => dialog(page).getByRole('button', { name: 'Create link' });
const offline = (page: Page, isOffline: boolean) => page.context().setOffline(isOffline);
const RESTORED = 'What you typed before is here again.';

describe('the console loses nothing', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const keys = async () =>
    ((await world.api.get('/links')).body as { key: string }[]).map(({ key }) => key);

  for (const size of sizes) {
    it(`sends a change once the connection is back (${size})`, async () => {
      await inConsole(world, 'links?new=link', { size }, async (page) => {
        await destination(page).fill(A);
        await slug(page).fill('later');
        await offline(page, true);
        await create(page).click();
        await page.getByText('No connection. We’ll save when you’re back online.').waitFor();
        expect(await answerDialog(page, false, () => page.reload())).to.equal('beforeunload');
        await offline(page, false);
        await row(page, 'later').waitFor();
        await dialog(page).waitFor({ state: 'detached' });
      });
      expect(await keys()).to.deep.equal(['later']);
    });
  }

  it('says in the form that the service can’t be reached, and sends the change later', async () => {
    await inConsole(world, 'links?new=link', { size: 'phone' }, async (page) => {
      await destination(page).fill(A);
      await slug(page).fill('reached');
      await page.route('**/*', (route) => route.abort());
      await create(page).click();
      await dialog(page).getByText('No connection. We’ll save when you’re back online.').waitFor();
      await dialog(page).getByRole('button', { name: 'Close', exact: true }).last().waitFor();
      await page.unrouteAll();
      await row(page, 'reached').waitFor();
      await dialog(page).waitFor({ state: 'detached' });
    });
    expect(await keys()).to.deep.equal(['reached']);
  });

  it('sends a change also when its form is closed and another workspace is shown', async () => {
    const other = await aWorkspace();
    const { userId, token } = await aPerson({ in: { ...world, role: 'owner' } });
    await db()('workspace_users').insert({
      project_id: other.projectId,
      user_id: userId,
      role: 'owner',
    });
    await inConsole(world, 'links?new=link', { token }, async (page) => {
      await destination(page).fill(A);
      await slug(page).fill('later');
      await page.getByText('This slug is free.').waitFor();
      await offline(page, true);
      await create(page).click();
      await dialog(page).getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('button', { name: /^Workspace:/ }).click();
      await page.getByRole('menuitemradio', { name: other.slug }).click();
      await page.waitForURL(`**/console/${other.slug}/links`);
      await offline(page, false);
      await page.getByText('/later created').waitFor();
      await page.getByText('No links yet').waitFor();
      // The late answer does not navigate away from the current view.
      expect(page.url()).to.contain(`/console/${other.slug}/links`);
    });
    expect(await keys()).to.deep.equal(['later']);
  });

  it('says that a change was refused when its form is closed, and has what was typed', async () => {
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await destination(page).fill(A);
      await slug(page).fill('taken');
      await page.getByText('This slug is free.').waitFor();
      await offline(page, true);
      await create(page).click();
      await dialog(page).getByRole('button', { name: 'Close' }).last().click();
      await world.api.post('/links', { url: A, key: 'taken' });
      await offline(page, false);
      await page.getByText('The link isn’t saved. The slug “taken” is taken.').waitFor();
      await page.getByRole('button', { name: 'Create link' }).click();
      await page.getByText(RESTORED).waitFor();
      expect(await slug(page).inputValue()).to.equal('taken');
      await slug(page).fill('free');
      await create(page).click();
      await row(page, 'free').waitFor();
    });
    expect(await keys()).to.have.members(['free', 'taken']);
  });

  it('waits for views that are not loaded yet, and keeps the present one', async () => {
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await destination(page).fill(A);
      await slug(page).fill('later');
      await page.getByText('This slug is free.').waitFor();
      await page.evaluate('globalThis.isSameDocument = true');
      await offline(page, true);
      await create(page).click();
      await dialog(page).getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('link', { name: 'Domains' }).hover();
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('One change waits, and will be sent when it is back.').waitFor();
      await offline(page, false);
      await page.getByRole('heading', { name: 'Webhooks', exact: true }).waitFor();
      await eventually(async () => expect(await keys()).to.deep.equal(['later']));
      expect(await page.evaluate('globalThis.isSameDocument')).to.equal(true);
    });
  });

  it('deletes QR codes once the connection is back', async () => {
    await world.api.post('/qrcodes', { type: 'url', url: A, title: 'goes' });
    await inConsole(world, 'qrcodes', {}, async (page) => {
      await page.getByRole('button', { name: 'Actions for goes' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await offline(page, true);
      await dialog(page).getByRole('button', { name: 'Delete QR code' }).click();
      await page.getByText('One change waits').waitFor();
      // The change would be lost if the window closed now.
      expect(await answerDialog(page, false, () => page.reload())).to.equal('beforeunload');
      await offline(page, false);
      await page.getByText('1 QR code deleted').waitFor();
      await eventually(async () =>
        expect((await world.api.get('/qrcodes')).body).to.deep.equal([]),
      );
    });
  });

  for (const size of sizes) {
    it(`restores the form of a link after a reload, and asks before (${size})`, async () => {
      await inConsole(world, 'links?new=link', { size }, async (page) => {
        await destination(page).fill(A);
        await slug(page).fill('typed');
        await page.locator('summary', { hasText: 'Targets' }).click();
        await dialog(page).getByLabel('iOS').fill('https://example.com/ios');
        expect(await answerDialog(page, true, () => page.reload())).to.equal('beforeunload');
        await page.getByText(RESTORED).waitFor();
        expect(await destination(page).inputValue()).to.equal(A);
        expect(await slug(page).inputValue()).to.equal('typed');
        await create(page).click();
        await row(page, 'typed').waitFor();
        await dialog(page).waitFor({ state: 'detached' });
        // After saving, a reload shows no warning, and the next form is empty.
        await page.reload();
        await row(page, 'typed').waitFor();
        await page.getByRole('button', { name: 'Create link' }).click();
        await destination(page).waitFor();
        expect(await destination(page).inputValue()).to.equal('');
        expect(await page.getByText(RESTORED).count()).to.equal(0);
      });
      const { body } = await world.api.get('/links');
      expect(body[0]).to.include({ key: 'typed', ios: 'https://example.com/ios' });
    });
  }

  it('makes one record of what is sent again after a reload', async () => {
    const made: [path: string, fillIn: (page: Page) => Promise<void>, button: string][] = [
      ['links?new=link', (page) => destination(page).fill(A), 'Create link'],
      ['qrcodes/new', (page) => page.getByLabel('URL', { exact: true }).fill(A), 'Create QR code'],
    ];
    for (const [path, fillIn, button] of made) {
      const [list = ''] = path.split(/[?/]/);
      await inConsole(world, path, {}, async (page) => {
        await fillIn(page);
        // The first answer is lost on its way.
        let isLost = false;
        const sent = new Promise<number>((resolve) => {
          void page.route(`**/${list}`, async (route) => {
            const request = route.request();
            if (request.method() !== 'POST' || isLost) return route.continue();
            isLost = true;
            // Browsers add this header to their own requests.
            const headers = { ...request.headers(), 'sec-fetch-site': 'same-origin' };
            return resolve((await route.fetch({ headers })).status());
          });
        });
        const create = () => page.getByRole('button', { name: button }).last().click();
        await create();
        expect(await sent).to.equal(201);
        await answerDialog(page, true, () => page.reload());
        await page.getByText(RESTORED).waitFor();
        await create();
        await page.getByText(/(?:created and copied|QR code created)$/).waitFor();
        expect((await world.api.get(`/${list}`)).body, path).to.have.length(1);
      });
    }
  });

  it('restores only what was changed of a link that others change too', async () => {
    const { body } = await world.api.post('/links', { url: A, key: 'shared', comments: 'old' });
    await inConsole(world, `links?edit=${body.id}`, {}, async (page) => {
      await destination(page).fill('https://example.com/mine');
      await world.api.patch(`/links/${body.id}`, { comments: 'theirs' });
      await answerDialog(page, true, () => page.reload());
      await page.getByText(RESTORED).waitFor();
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await dialog(page).waitFor({ state: 'detached' });
    });
    expect((await world.api.get(`/links/${body.id}`)).body).to.include({
      url: 'https://example.com/mine',
      comments: 'theirs',
    });
  });

  it('forgets what is discarded, and what belongs to the person before', async () => {
    const { email } = await aPerson({ in: { ...world, role: 'owner' }, password: PASSWORD });
    await inConsole(world, 'links', {}, async (page) => {
      const open = () => page.getByRole('button', { name: 'Create the first link' }).click();
      const close = () => dialog(page).getByRole('button', { name: 'Close' }).click();
      const shown = async () => {
        await destination(page).waitFor();
        return destination(page).inputValue();
      };
      await open();
      await destination(page).fill(A);
      await close();
      await dialog(page).getByRole('button', { name: 'Discard' }).click();
      await open();
      expect(await shown()).to.equal('');
      await destination(page).fill(A);
      // Going back closes the form without a warning.
      await page.goBack();
      await dialog(page).waitFor({ state: 'detached' });
      await open();
      expect(await shown()).to.equal(A);
      await dialog(page).getByRole('button', { name: 'Start over' }).click();
      expect(await shown()).to.equal('');
      await destination(page).fill(A);
      await page.goBack();
      await dialog(page).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /^Account:/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await open();
      expect(await shown()).to.equal('');
    });
  });

  it('has a form again after a session that ended while it was filled in', async () => {
    const { userId, email, token } = await aPerson({
      in: { ...world, role: 'owner' },
      password: PASSWORD,
    });
    await inConsole(world, 'links?new=link', { token }, async (page) => {
      await destination(page).fill(A);
      await db()('sessions').where({ user_id: userId }).update({ ended_at: new Date() });
      await create(page).click();
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(RESTORED).waitFor();
      await create(page).click();
      await eventually(async () => expect(await keys()).to.have.length(1));
    });
  });

  it('restores a QR code that is being designed, and asks before it is left', async () => {
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      const address = page.getByLabel('URL', { exact: true });
      const dots = page.getByRole('radio', { name: 'Dots' });
      await address.fill('https://example.com/menu');
      await dots.check();
      expect(await answerDialog(page, true, () => page.reload())).to.equal('beforeunload');
      await page.getByText(RESTORED).waitFor();
      expect(await address.inputValue()).to.equal('https://example.com/menu');
      expect(await dots.isChecked()).to.equal(true);
      const leave = () => page.getByRole('link', { name: 'All QR codes' }).click();
      expect(await answerDialog(page, false, leave)).to.equal('confirm');
      await page.getByRole('button', { name: 'Create QR code' }).click();
      // The page of the new code takes the place of the form, and has no link to the list.
      await page.waitForURL(/\/edit$/);
      await page
        .getByRole('navigation', { name: 'Workspace' })
        .getByRole('link', { name: 'QR codes', exact: true })
        .click();
      await page.getByRole('link', { name: 'Create QR code' }).click();
      await address.waitFor();
      expect(await address.inputValue()).to.equal('');
    });
    expect((await world.api.get('/qrcodes')).body[0]).to.include({ pattern: 'dots' });
  });

  it('asks once before another view is opened over forms that are not saved', async () => {
    const { body } = await world.api.post('/pages', { title: 'Before you go' });
    const changes: [path: string, values: Record<string, string>][] = [
      [`pages/${body.id}`, { Title: 'Other', Text: 'Wait' }],
      ['settings/workspace', { Name: 'Other', Color: '#0f766e' }],
    ];
    for (const [path, values] of changes) {
      await inConsole(world, path, {}, async (page) => {
        for (const [label, value] of Object.entries(values)) {
          await page.getByLabel(label, { exact: true }).first().fill(value);
        }
        const leave = () => page.getByRole('link', { name: 'Domains' }).click();
        expect(await answerDialog(page, false, leave)).to.equal('confirm');
        expect(new URL(page.url()).pathname).to.equal(`/console/${world.slug}/${path}`);
        const [first = ''] = Object.keys(values);
        const field = page.getByLabel(first, { exact: true }).first();
        expect(await field.inputValue()).to.equal('Other');
        expect(await answerDialog(page, true, leave)).to.equal('confirm');
        await page.getByRole('heading', { name: 'Domains', exact: true }).waitFor();
      });
    }
  });

  it('asks before the window is closed over a form that is not saved', async () => {
    const { body } = await world.api.post('/pages', { title: 'Before you go' });
    const changes: [path: string, change: (page: Page) => Promise<void>][] = [
      [
        'settings/workspace',
        (page) => page.getByLabel('Name', { exact: true }).first().fill('Other'),
      ],
      [`pages/${body.id}`, (page) => page.getByLabel('Text', { exact: true }).fill('Wait')],
      [
        'labels',
        async (page) => {
          await page.getByRole('button', { name: 'Create tag' }).first().click();
          await dialog(page).getByLabel('Name').fill('Spring');
        },
      ],
    ];
    for (const [path, change] of changes) {
      await inConsole(world, path, {}, async (page) => {
        await change(page);
        const close = () => page.close({ runBeforeUnload: true });
        expect(await answerDialog(page, false, close), path).to.equal('beforeunload');
        // Chromium 156 crashes when a context closes after a person chose to stay on the page.
        await page.close();
      });
    }
  });
});
