import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { browser as userAgent } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { addSampleEvents } from './sample-events.ts';
import {
  clipboard,
  dialog,
  expectAccessible,
  inConsole,
  sizes,
  tabTo,
  useBrowser,
} from './window.ts';

/*
 * Opens the page of a link or QR code from its list: numbers, rules, history with reverts, and the
 * trash. See flows.ts.
 */

const A = 'https://example.com/spring';
const B = 'https://example.com/autumn';

const row = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });
const heading = (page: Page, name: string): Locator =>
  page.getByRole('heading', { level: 1, name, exact: true });
const panel = (page: Page, name: string): Locator =>
  page.getByRole('region', { name, exact: true });
const menu = async (page: Page, item: string): Promise<void> => {
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Actions for/ })
    .last()
    .click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};
const rowMenu = async (page: Page, text: string, item: string): Promise<void> => {
  await row(page, text)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

describe('the page of a link in the console', function () {
  useBrowser();
  let world: World;
  let linkId: string;
  let qrcodeId: string;

  beforeEach(async () => {
    world = await aWorkspace();
    const link = await world.api.post('/links', {
      url: A,
      key: 'spring',
      title: 'Spring sale',
      comments: 'Printed on 500 posters.',
      ios: 'https://apps.apple.com/app/1',
      expiresAt: '2040-01-01T00:00:00Z',
    });
    linkId = link.body.id;
    const code = { type: 'url', url: A, key: 'code', title: 'Poster' };
    qrcodeId = (await world.api.post('/qrcodes', code)).body.id;
    await addSampleEvents(world, [linkId], qrcodeId);
  });

  const linkNow = async () => (await world.api.get(`/links/${linkId}`)).body;

  it('names a link without a title once', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'untitled', title: null });
    await inConsole(world, `links/${link.id}`, {}, async (page) => {
      await heading(page, `${world.domain}/untitled`).waitFor();
      const summary = panel(page, 'Summary');
      await summary.getByText('Short link', { exact: true }).waitFor();
      expect(await summary.getByText('/untitled').count()).to.equal(0);
      await summary.getByRole('button', { name: 'Copy the short link' }).click();
      expect(await clipboard(page)).to.equal(link.shortLink);
    });
  });

  for (const size of sizes) {
    it(`shows numbers, edits, reverts, deletes, and restores a link (${size})`, async () => {
      const { body: count } = await world.api.get('/analytics', {
        groupBy: 'count',
        linkId,
        interval: '30d',
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      });
      await inConsole(world, 'links', { size }, async (page) => {
        await row(page, 'Spring sale').click();
        await heading(page, 'Spring sale').waitFor();
        expect(new URL(page.url()).pathname).to.equal(`/console/${world.slug}/links/${linkId}`);
        await page.locator(`[data-metric=clicks] [data-value="${count.clicks}"]`).waitFor();
        await panel(page, 'Rules').getByText('Visitors on iOS go to').waitFor();
        await panel(page, 'Rules')
          .getByText(/^Expires on /)
          .waitFor();
        await panel(page, 'Comments').getByText('Printed on 500 posters.').waitFor();
        await panel(page, 'History').getByText('No changes yet.').waitFor();
        await panel(page, 'QR code').getByRole('img').waitFor();
        await panel(page, 'Summary').getByRole('button', { name: 'Copy the short link' }).click();
        expect(await clipboard(page)).to.match(/\/spring$/);
        await page.locator('canvas').first().waitFor();
        await expectAccessible(page, `link-page-${size}`);

        await page.getByRole('button', { name: 'Edit', exact: true }).click();
        await dialog(page).getByLabel('Destination', { exact: true }).fill(B);
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await panel(page, 'Summary').getByText(B).waitFor();
        const history = panel(page, 'History');
        await history.getByText('changed the link').waitFor();
        await history.locator('del', { hasText: A }).waitFor();
        await history.locator('ins', { hasText: B }).waitFor();

        await history.getByRole('button', { name: /^Revert the change of Destination/ }).click();
        await dialog(page).locator('del', { hasText: B }).waitFor();
        await dialog(page).locator('ins', { hasText: A }).waitFor();
        await expectAccessible(page, `link-revert-${size}`);
        await dialog(page).getByRole('button', { name: 'Revert', exact: true }).click();
        await page.getByText('Change reverted').waitFor();
        await panel(page, 'Summary').getByText(A).waitFor();
        await history.getByText('reverted a change of the link').waitFor();
        expect((await linkNow()).url).to.equal(A);

        await menu(page, 'Delete');
        await dialog(page).getByText('You can restore it from the trash for 30 days.').waitFor();
        await dialog(page).getByRole('button', { name: 'Delete link' }).click();
        await heading(page, 'Links').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('1 link restored').waitFor();
        await row(page, 'Spring sale').waitFor();
        expect((await linkNow()).id).to.equal(linkId);

        await rowMenu(page, 'Spring sale', 'Delete');
        await dialog(page).getByRole('button', { name: 'Delete link' }).click();
        await page.getByText('1 link deleted').waitFor();
        if (size === 'phone') await page.getByRole('button', { name: 'Navigation' }).click();
        await page.getByRole('link', { name: 'Trash' }).click();
        await heading(page, 'Trash').waitFor();
        await row(page, 'Spring sale').waitFor();
        await expectAccessible(page, `trash-${size}`);
        await page.getByRole('button', { name: /^Restore .*\/spring$/ }).click();
        await page.getByText(/\/spring restored$/).waitFor();
        await page.getByText('The trash is empty').waitFor();
        await expectAccessible(page, `trash-empty-${size}`);
        expect((await linkNow()).clicks).to.be.greaterThan(0);
      });
    });

    it(`shows the page of a QR code, and leads to its form (${size})`, async () => {
      await inConsole(world, 'qrcodes', { size }, async (page) => {
        await row(page, 'Poster').click();
        await heading(page, 'Poster').waitFor();
        await panel(page, 'QR code').getByRole('img', { name: 'QR code Poster' }).waitFor();
        await page.locator('[data-metric=scans] [data-value]').waitFor();
        await page.locator('canvas').first().waitFor();
        await expectAccessible(page, `code-page-${size}`);
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          panel(page, 'QR code').getByRole('button', { name: 'SVG' }).click(),
        ]);
        expect(download.suggestedFilename()).to.equal('Poster.svg');

        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        await page.getByLabel('URL', { exact: true }).fill(B);
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('Changes saved').waitFor();
        await page.getByRole('link', { name: 'Scans and history' }).click();
        const history = panel(page, 'History');
        await history
          .getByRole('button', { name: /^Revert/ })
          .first()
          .click();
        await dialog(page).getByRole('button', { name: 'Revert', exact: true }).click();
        await page.getByText('Change reverted').waitFor();
        expect((await world.api.get(`/qrcodes/${qrcodeId}`)).body.url).to.equal(A);

        await menu(page, 'Duplicate');
        await page.waitForURL(/\/qrcodes\/qr_\w+\/edit$/);
        expect(page.url()).not.to.contain(qrcodeId);
        await eventually(async () =>
          expect((await world.api.get('/qrcodes')).body).to.have.length(2),
        );
      });
    });
  }

  for (const size of sizes) {
    it(`tells of visits that were not counted, and why (${size})`, async () => {
      /** Opens a page, and returns once its stream of live events is open. */
      const open = async (page: Page, list: string, text: string) => {
        await page.goto(page.url().replace(/[^/]*$/, list));
        const answer = page.waitForResponse((one) => one.url().includes('/events/live?'));
        await row(page, text).click();
        await answer;
      };
      const visitor = size === 'phone' ? 981 : 982;
      const visit = (key: string) => world.visit(`/${key}`, { userAgent: userAgent(visitor) });
      const summary = (page: Page) => panel(page, 'Summary');
      await inConsole(world, 'links', { size }, async (page) => {
        const streams: string[] = [];
        page.on('request', (request) => {
          const { pathname, searchParams } = new URL(request.url());
          if (pathname !== '/events/live') return;
          streams.push(searchParams.get('linkId') ?? searchParams.get('qrcodeId') ?? '');
        });
        await open(page, 'links', 'Spring sale');
        await visit('spring');
        await visit('spring');
        await summary(page).getByText('1 more visit was not counted').waitFor();
        await visit('spring');
        await summary(page).getByText('2 more visits were not counted').waitFor();
        await expectAccessible(page, `link-page-uncounted-${size}`);
        await page.emulateMedia({ colorScheme: 'dark' });
        await expectAccessible(page, `link-page-uncounted-dark-${size}`);
        await page.emulateMedia({ colorScheme: 'light' });
        const reason = summary(page).getByRole('link', { name: 'same visitor within an hour' });
        expect(await reason.getAttribute('href')).to.match(/\/settings\/workspace$/);
        await summary(page).getByRole('link', { name: 'Watch in Live' }).click();
        await heading(page, 'Live').waitFor();
        expect(new URL(page.url()).searchParams.get('linkId')).to.equal(linkId);
        await open(page, 'qrcodes', 'Poster');
        await visit('code');
        await visit('code');
        await summary(page).getByText('1 more visit was not counted').waitFor();
        // One stream for each page, and that of the live view between.
        expect(streams).to.deep.equal([linkId, linkId, qrcodeId]);
      });
    });
  }

  it('watches the visits of a link in no more than one hidden page', async () => {
    const isStream = (one: { url(): string }) => one.url().includes('/events/live?');
    const hide = (page: Page, isHidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    await inConsole(world, 'links', {}, async (page) => {
      const opened = page.waitForResponse(isStream);
      await row(page, 'Spring sale').click();
      await opened;
      await hide(page, true);
      const ended = page.waitForEvent('requestfailed', isStream);
      const other = await page.context().newPage();
      await other.goto(page.url());
      await ended;
      const again = page.waitForResponse(isStream);
      await hide(page, false);
      await again;
    });
  });

  it('leads from a source, country or device to analytics of the link', async () => {
    await inConsole(world, `links/${linkId}?interval=90d`, {}, async (page) => {
      await panel(page, 'Locations').getByRole('button', { name: 'Germany' }).click();
      await page.waitForURL(/\/analytics\?/);
      const { searchParams } = new URL(page.url());
      expect(Object.fromEntries(searchParams)).to.deep.equal({
        linkId,
        interval: '90d',
        country: 'DE',
      });
      await page.goBack();
      await panel(page, 'Referrers')
        .getByRole('button', { name: /of sources$/ })
        .click();
      await dialog(page).getByRole('heading', { name: 'Sources' }).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Last 90 days' }).click();
      await page.getByRole('button', { name: 'Last 7 days' }).click();
      await page.waitForURL(/\/links\/.*interval=7d/);
      await page.locator('[data-metric=leads]').click();
      await page.waitForURL(/event=leads/);
      await page.getByText('Leads', { exact: true }).first().waitFor();
    });
  });

  it('says which later changes a revert replaces, and notices a change in between', async () => {
    await world.api.patch(`/links/${linkId}`, { url: B, password: 'secret' });
    await world.api.patch(`/links/${linkId}`, { url: `${B}?2` });
    await inConsole(world, `links/${linkId}`, {}, async (page) => {
      const history = panel(page, 'History');
      const entry = history.getByRole('listitem').filter({ hasText: 'Password' });
      await entry.getByText('None').waitFor();
      await entry.getByRole('button', { name: /^Revert/ }).click();
      await dialog(page).getByText('Changed since').waitFor();
      await dialog(page).getByText('A later change has set some of these fields too.').waitFor();
      await dialog(page)
        .locator('del', { hasText: `${B}?2` })
        .waitFor();
      await world.api.patch(`/links/${linkId}`, { url: `${B}?3` });
      await dialog(page).getByRole('button', { name: 'Revert', exact: true }).click();
      await dialog(page).getByRole('alert').waitFor();
      await dialog(page)
        .locator('del', { hasText: `${B}?3` })
        .waitFor();
      expect(await linkNow()).to.include({ url: `${B}?3`, hasPassword: true });
      await dialog(page).getByRole('button', { name: 'Revert', exact: true }).click();
      await page.getByText('Change reverted').waitFor();
      expect(await linkNow()).to.include({ url: A, hasPassword: false });
    });
  });

  it('shows why a change cannot be reverted', async () => {
    for (const externalId of ['first', 'second']) {
      await world.api.patch(`/links/${linkId}`, { externalId });
    }
    const { status } = await world.api.post('/links', { url: A, externalId: 'first' });
    expect(status).to.equal(201);
    await inConsole(world, `links/${linkId}`, {}, async (page) => {
      await panel(page, 'History')
        .getByRole('button', { name: /^Revert/ })
        .first()
        .click();
      await dialog(page).getByRole('button', { name: 'Revert', exact: true }).click();
      await dialog(page).getByText('Another record has the external ID “first”.').waitFor();
      expect((await linkNow()).externalId).to.equal('second');
    });
  });

  it('is used by the keyboard alone', async () => {
    await inConsole(world, 'links', {}, async (page) => {
      const { keyboard } = page;
      await row(page, 'Spring sale').waitFor();
      await keyboard.press('j');
      await keyboard.press('Enter');
      await heading(page, 'Spring sale').waitFor();
      await keyboard.press('y');
      await page.getByText(/\/spring copied$/).waitFor();
      expect(await clipboard(page)).to.match(/\/spring$/);
      await keyboard.press('e');
      await dialog(page).getByLabel('Destination', { exact: true }).fill(B);
      await keyboard.press('Enter');
      await dialog(page).waitFor({ state: 'detached' });
      const revert = panel(page, 'History').getByRole('button', { name: /^Revert/ });
      await tabTo(page, revert);
      await keyboard.press('Enter');
      await dialog(page).locator('ins', { hasText: A }).waitFor();
      await tabTo(page, dialog(page).getByRole('button', { name: 'Revert', exact: true }));
      await keyboard.press('Enter');
      await page.getByText('Change reverted').waitFor();
      await keyboard.press('g');
      await keyboard.press('r');
      await heading(page, 'Trash').waitFor();
    });
  });

  for (const size of sizes) {
    it(`schedules a change of a link, and cancels it (${size})`, async () => {
      await inConsole(world, `links/${linkId}`, { size }, async (page) => {
        await page.getByRole('button', { name: 'Edit', exact: true }).click();
        const schedule = () => dialog(page).getByRole('button', { name: 'Schedule', exact: true });
        expect(await schedule().isDisabled()).to.equal(true);
        await dialog(page).getByLabel('Destination', { exact: true }).fill(B);
        await schedule().click();
        const at = page.getByLabel('Apply at');
        await at.fill('2020-01-01T08:00');
        await dialog(page).getByRole('button', { name: 'Schedule', exact: true }).last().click();
        expect(
          await at.evaluate((field: HTMLInputElement) => field.validity.rangeUnderflow),
        ).to.equal(true);
        const time = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
        await at.fill(time);
        await expectAccessible(page, `link-schedule-${size}`);
        await page.keyboard.press('Control+Enter');
        await page.getByText(/^Scheduled for /).waitFor();
        await dialog(page).waitFor({ state: 'detached' });
        const scheduled = panel(page, 'Scheduled changes');
        await scheduled.locator('del', { hasText: A }).waitFor();
        await scheduled.locator('ins', { hasText: B }).waitFor();
        await expectAccessible(page, `link-scheduled-${size}`);
        const { body: changes } = await world.api.get(`/links/${linkId}/changes`);
        expect(changes).to.have.length(1);
        expect(changes[0].changes).to.deep.equal({ url: B });
        expect(changes[0].at.slice(0, 16)).to.equal(time);
        expect((await linkNow()).url).to.equal(A);
        await scheduled.getByRole('button', { name: /^Cancel the change of / }).click();
        await page.getByText('Scheduled change cancelled').waitFor();
        await scheduled.waitFor({ state: 'detached' });
        expect((await world.api.get(`/links/${linkId}/changes`)).body).to.deep.equal([]);
      });
    });
  }

  it('shows a scheduled change that becomes effective while the page is open', async () => {
    await inConsole(world, `links/${linkId}`, {}, async (page) => {
      await panel(page, 'Summary').getByText(A).waitFor();
      const at = new Date(Date.now() + 5_000).toISOString();
      await world.api.patch(`/links/${linkId}`, { url: B, at });
      await page.reload();
      await panel(page, 'Summary').getByText(B).waitFor();
      await panel(page, 'History').getByText('changed the link').waitFor();
      await panel(page, 'Scheduled changes').waitFor({ state: 'detached' });
    });
  });

  it('tells why a scheduled change was not applied', async () => {
    const { body: other } = await world.api.post('/links', { url: A, key: 'other' });
    const at = new Date(Date.now() + 2_000).toISOString();
    await world.api.patch(`/links/${linkId}`, { key: 'taken', at });
    await world.api.patch(`/links/${other.id as string}`, { key: 'taken' });
    await eventually(async () => {
      const { body } = await world.api.get(`/links/${linkId}/changes`, { status: 'failed' });
      expect(body).to.have.length(1);
    });
    await inConsole(world, `links/${linkId}`, {}, async (page) => {
      const scheduled = panel(page, 'Scheduled changes');
      await scheduled.getByText('Not applied').waitFor();
      await scheduled.getByText(/taken/).first().waitFor();
      await scheduled.getByRole('button', { name: /^Remove the change of / }).click();
      await scheduled.waitFor({ state: 'detached' });
    });
  });

  it('schedules a change of a QR code', async () => {
    const { body: tag } = await world.api.post('/tags', { name: 'Autumn' });
    await inConsole(world, `qrcodes/${qrcodeId}/edit`, {}, async (page) => {
      await page.getByLabel('Title', { exact: true }).fill('Autumn poster');
      await page.getByRole('button', { name: 'Schedule', exact: true }).first().click();
      await dialog(page).getByRole('button', { name: 'Schedule', exact: true }).click();
      await page.getByText(/^Scheduled for /).waitFor();
      expect(await page.getByLabel('Title', { exact: true }).inputValue()).to.equal('Poster');
      const at = new Date(Date.now() + 86_400_000).toISOString();
      await world.api.patch(`/qrcodes/${qrcodeId}`, { tagIds: [tag.id], at });
      await page.getByRole('link', { name: 'Scans and history' }).click();
      const scheduled = panel(page, 'Scheduled changes');
      await scheduled.locator('ins', { hasText: 'Autumn poster' }).waitFor();
      await scheduled.locator('ins', { hasText: /^→Autumn$/ }).waitFor();
    });
  });

  it('shows viewers the page and the trash, without what writes', async () => {
    await world.api.patch(`/links/${linkId}`, { url: B });
    await world.api.delete(`/qrcodes/${qrcodeId}`);
    await inConsole(world, `links/${linkId}`, { role: 'viewer' }, async (page) => {
      await panel(page, 'History').getByText('changed the link').waitFor();
      expect(await page.getByRole('button', { name: /^(?:Edit|Revert)/ }).count()).to.equal(0);
      await page
        .getByRole('main')
        .getByRole('button', { name: /^Actions for/ })
        .click();
      expect(await page.getByRole('menuitem').allInnerTexts()).to.deep.equal([
        'Open destination',
        'Share',
        'Analytics',
        'Test redirect',
      ]);
      await page.keyboard.press('Escape');
      await page.goto(page.url().replace(/links\/.*/, 'trash'));
      await row(page, 'Poster').waitFor();
      expect(await page.getByRole('button', { name: /^(?:Restore|Actions for)/ }).count()).to.equal(
        0,
      );
      expect(await page.getByRole('checkbox').count()).to.equal(0);
    });
  });

  it('shares a short link by the dialog of the system', async () => {
    await inConsole(world, 'links', {}, async (page) => {
      await page.evaluate(`Object.defineProperty(navigator, 'share', {
        value: async (data) => { globalThis.shared = data; },
      })`);
      await rowMenu(page, 'Spring sale', 'Share');
      expect(await page.evaluate('globalThis.shared')).to.deep.equal({
        title: 'Spring sale',
        url: (await linkNow()).shortLink,
      });
    });
  });

  it('shows a static code without counts', async () => {
    const { body } = await world.api.post('/qrcodes', {
      type: 'text',
      text: 'Hello',
      static: true,
      title: 'Greeting',
    });
    await inConsole(world, `qrcodes/${body.id}`, {}, async (page) => {
      await panel(page, 'QR code').getByRole('img').waitFor();
      await panel(page, 'Summary').getByText('Text: Hello').waitFor();
      await panel(page, 'History').getByText('QR code created').waitFor();
      expect(await panel(page, 'Analytics').count()).to.equal(0);
      expect(await panel(page, 'Rules').count()).to.equal(0);
      await expectAccessible(page, 'code-page-static');
    });
  });

  it('shows that a static code is archived', async () => {
    const code = { type: 'text', text: 'Hello', static: true, archived: true };
    const { body, status } = await world.api.post('/qrcodes', code);
    expect(status).to.equal(201);
    await inConsole(world, `qrcodes/${body.id}`, {}, async (page) => {
      await panel(page, 'Summary').getByText('Archived', { exact: true }).waitFor();
      await expectAccessible(page, 'code-page-static-archived');
    });
  });

  it('names the records that a change refers to, and shows the ids of unreadable ones', async () => {
    const code = { type: 'url', url: A };
    const blue = { ...code, useAsTemplate: true, templateName: 'Blue' };
    const { templateId } = (await world.api.post('/qrcodes', blue)).body;
    const { status } = await world.api.patch(`/qrcodes/${qrcodeId}`, { templateId });
    expect(status).to.equal(200);
    const webhook = { name: 'Hook', url: 'https://example.com/hook', kinds: ['link.clicked'] };
    const { body: hook } = await world.api.post('/webhooks', webhook);
    const { body: other } = await world.api.post('/webhooks', webhook);
    for (const webhookIds of [[hook.id], [hook.id, other.id]]) {
      expect((await world.api.patch(`/links/${linkId}`, { webhookIds })).status).to.equal(200);
    }
    await world.api.delete(`/webhooks/${other.id}`);
    await inConsole(world, `qrcodes/${qrcodeId}`, {}, async (page) => {
      await panel(page, 'History').locator('ins', { hasText: 'Blue' }).waitFor();
      await panel(page, 'History')
        .getByRole('button', { name: /^Revert the change of Template/ })
        .click();
      await dialog(page).locator('del', { hasText: 'Blue' }).waitFor();
    });
    await inConsole(world, `links/${linkId}`, {}, async (page) => {
      const both = panel(page, 'History').locator('ins', { hasText: 'A deleted one' });
      await both.getByText(webhook.url).waitFor();
    });
    await inConsole(world, `links/${linkId}`, { role: 'viewer' }, async (page) => {
      const history = panel(page, 'History');
      await history.locator('ins', { hasText: hook.id }).first().waitFor();
      await history.locator('ins', { hasText: other.id }).waitFor();
      expect(await history.getByText('A deleted one').count()).to.equal(0);
    });
  });

  it('shows a link without clicks, and one with many rules', async () => {
    const { body } = await world.api.post('/links', {
      url: A,
      key: 'a-slug-that-says-everything-about-the-page-it-leads-to',
      password: 'secret',
      maxVisits: 500,
      geo: { DE: `${A}/de`, AT: `${A}/at` },
      rules: [
        { value: { device: ['mobile'], language: ['fr'], query: { ref: 'mail' } }, url: `${A}/fr` },
      ],
      testVariants: [
        { name: 'Short', url: `${A}/short`, percentage: 50 },
        { name: 'Long', url: `${A}/long`, percentage: 50 },
      ],
      flexible: true,
      redirectStatus: 301,
    });
    for (const size of sizes) {
      await inConsole(world, `links/${body.id}`, { size }, async (page) => {
        await panel(page, 'Analytics').getByText('No clicks in this period.').waitFor();
        await panel(page, 'Rules').getByText('Visitors in Germany go to').waitFor();
        await panel(page, 'Rules').scrollIntoViewIfNeeded();
        await expectAccessible(page, `link-page-rules-${size}`);
      });
    }
  });
});

describe('the trash in the console', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
    for (const key of ['one', 'two', 'three']) {
      const { body } = await world.api.post('/links', { url: A, key });
      await world.api.delete(`/links/${body.id}`);
    }
    const { body } = await world.api.post('/qrcodes', { type: 'url', url: A, key: 'menu' });
    await world.api.delete(`/qrcodes/${body.id}`);
  });

  const keysOf = async (path: string) =>
    ((await world.api.get(path)).body as { key: string }[]).map(({ key }) => key);
  const restoreButton = (page: Page, key: string) =>
    page.getByRole('button', { name: `Restore ${world.domain}/${key}` });

  for (const size of sizes) {
    it(`restores several, and those whose slug is taken under another (${size})`, async () => {
      await world.api.post('/links', { url: B, key: 'two' });
      await world.api.post('/qrcodes', { type: 'url', url: B, key: 'menu' });
      await inConsole(world, 'trash', { size }, async (page) => {
        for (const key of ['one', 'two', 'menu']) {
          await page.getByRole('checkbox', { name: `Select ${world.domain}/${key}` }).check();
        }
        await page.getByRole('button', { name: 'Restore 3 records' }).click();
        const refused = page.getByRole('alert', { name: 'Not restored' });
        await refused.getByText('The slug “two” is taken.').waitFor();
        await refused.getByText('The slug of a printed code can’t change').waitFor();
        await page.getByText('1 record restored').waitFor();
        await row(page, '/one').waitFor({ state: 'detached' });
        await expectAccessible(page, `trash-refused-${size}`);
        await refused.getByRole('button', { name: 'Restore under another slug' }).click();
        await dialog(page).getByLabel('Slug').fill('two');
        await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click();
        await dialog(page).getByText('The slug “two” is taken.').waitFor();
        await expectAccessible(page, `trash-rename-${size}`);
        await dialog(page).getByLabel('Slug').fill('two-again');
        await dialog(page).getByRole('button', { name: 'Restore', exact: true }).click();
        await page.getByText('/two-again restored').waitFor();
        await row(page, '/two').waitFor({ state: 'detached' });
        expect(await refused.getByText('“two”').count()).to.equal(0);
      });
      expect(await keysOf('/links')).to.have.members(['one', 'two', 'two-again']);
      expect(await keysOf('/trash')).to.have.members(['three', 'menu']);
    });
  }

  it('lists one kind, and deletes a record for good after a question', async () => {
    await inConsole(world, 'trash', {}, async (page) => {
      await row(page, '/one').waitFor();
      await page.getByLabel('Kind of record').selectOption('QR codes');
      await row(page, '/one').waitFor({ state: 'detached' });
      await row(page, '/menu').waitFor();
      expect(page.url()).to.match(/\?type=qrcode$/);
      await rowMenu(page, '/menu', 'Delete for good');
      await dialog(page).getByRole('button', { name: 'Delete for good' }).click();
      await page.getByText('No QR codes in the trash').waitFor();
      await page.getByLabel('Kind of record').selectOption('Links');
      await restoreButton(page, 'three').click();
      await page.getByText('/three restored').waitFor();
    });
    expect(await keysOf('/trash')).to.have.members(['one', 'two']);
    expect(await keysOf('/qrcodes')).to.deep.equal([]);
  });

  it('no longer lists a record as not restored once it is deleted for good', async () => {
    await world.api.post('/links', { url: B, key: 'two' });
    await inConsole(world, 'trash', {}, async (page) => {
      await restoreButton(page, 'two').click();
      const refused = page.getByRole('alert', { name: 'Not restored' });
      await refused.waitFor();
      await rowMenu(page, '/two', 'Delete for good');
      await dialog(page).getByRole('button', { name: 'Delete for good' }).click();
      await page.getByText('/two deleted for good').waitFor();
      await refused.waitFor({ state: 'detached' });
    });
  });

  it('offers no undo of a deletion that the trash has undone', async () => {
    await world.api.post('/links', { url: A, key: 'shop' });
    await inConsole(world, 'links', {}, async (page) => {
      // Messages stay, so that only the restoration removes this one.
      await page.clock.install();
      await rowMenu(page, '/shop', 'Delete');
      await page.getByText('1 link deleted').waitFor();
      await page.getByRole('link', { name: 'Trash' }).click();
      await restoreButton(page, 'shop').click();
      await page.getByText('/shop restored').waitFor();
      expect(await page.getByText('1 link deleted').count()).to.equal(0);
      expect(await page.getByRole('button', { name: 'Undo' }).count()).to.equal(0);
    });
    expect(await keysOf('/links')).to.deep.equal(['shop']);
  });

  it('tells how many links an undo has restored before it failed, and restores the others', async () => {
    for (const count of [100, 20]) {
      const links = Array.from({ length: count }, () => ({ url: A }));
      await world.api.post('/links/bulk', links);
    }
    await inConsole(world, 'links', {}, async (page) => {
      let requests = 0;
      await page.route('**/trash/restore', (route) => {
        requests += 1;
        const error = { code: 'forbidden', message: 'Not now' };
        return requests === 2 ? route.fulfill({ status: 403, json: { error } }) : route.continue();
      });
      await page.getByText('120 links').waitFor();
      await page.keyboard.press('Control+a');
      await page.getByText('120 selected').waitFor();
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
      await dialog(page).getByRole('button', { name: 'Delete 120 links' }).click();
      await page.getByText('120 links deleted').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('100 of 120 links restored. Not now').waitFor();
      await page.getByText('100 links', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('20 links restored', { exact: true }).waitFor();
      await page.getByText('120 links', { exact: true }).waitFor();
      expect(await page.getByText('100 of 120 links').count()).to.equal(0);
    });
  });

  it('tells when the undo of a deletion comes too late', async () => {
    await world.api.post('/links', { url: A, key: 'shop' });
    await inConsole(world, 'links', {}, async (page) => {
      await rowMenu(page, '/shop', 'Delete');
      await page.getByText('1 link deleted').waitFor();
      await world.api.post('/links', { url: B, key: 'shop' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page
        .getByText(/1 of 1 link could not be restored. The slug “shop” is taken./)
        .waitFor();
    });
  });
});
