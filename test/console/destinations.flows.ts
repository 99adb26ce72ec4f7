import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { db } from '../../src/infra/db.ts';
import { AnalyticsServer, TOKEN } from '../support/analytics-servers.ts';
import { browser as userAgent } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/* Tests the view of event destinations. See flows.ts. */

const VIEW = 'settings/destinations';
const UMAMI = { websiteId: '4fb7fa4c-5b46-438d-94b3-3a8fb9bc2e8b' };

const card = (page: Page, name: string) => page.getByRole('listitem', { name });

/** Opens the menu of a destination and selects an action. */
async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** The item of a menu that has the focus. */
const focusedItem = (page: Page) => page.locator('[role=menuitem]:focus');

const press = (page: Page, name: string) =>
  dialog(page).getByRole('button', { name, exact: true }).click();

describe('event destinations in the console', function () {
  useBrowser();
  let world: World;
  let server: AnalyticsServer | undefined;

  beforeEach(async () => {
    world = await aWorkspace();
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  const connect = async (fields: object) => {
    const { status, body } = await world.api.post('/destinations', fields);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id as string;
  };
  const change = (id: string, columns: object) =>
    db()('destinations').where({ id }).update(columns);

  for (const size of sizes) {
    it(`creates one, shows refused settings, and sends a test event (${size})`, async () => {
      server = await new AnalyticsServer('plausible').start();
      const { url } = server;
      await inConsole(world, VIEW, { size }, async (page) => {
        await page.getByText('No destinations yet').waitFor();
        await expectAccessible(page, `destinations-empty-${size}`);
        await page.getByRole('button', { name: 'Create destination' }).click();
        await dialog(page).getByLabel('Send events to').selectOption('plausible');
        await dialog(page).getByLabel('Name').fill('Web analytics');
        await dialog(page).getByLabel('Domain of the site').fill('not a domain');
        await dialog(page).getByLabel('URL of Plausible').fill(url);
        await dialog(page).getByLabel('With these devices').fill('Phone,');
        await press(page, 'Create destination');
        const domain = dialog(page).getByLabel('Domain of the site');
        await expectInvalid(domain);
        await expectAccessible(page, `destination-new-${size}`);
        await domain.fill('stats.example');
        await press(page, 'Create destination');
        await dialog(page).waitFor({ state: 'detached' });
        const made = card(page, 'Web analytics');
        await made.getByText('Active', { exact: true }).waitFor();
        await made.getByText('No event yet').waitFor();
        await choose(page, 'Web analytics', 'Send test event');
        await press(page, 'Send');
        await dialog(page).getByText('Accepted', { exact: true }).waitFor();
        await dialog(page).getByText('Status 202').waitFor();
        expect(await dialog(page).getByLabel('Response').inputValue()).to.equal('ok');
        server!.reply = { status: 403, body: 'The site is locked.' };
        await press(page, 'Send again');
        await dialog(page).getByText('Not accepted', { exact: true }).waitFor();
        await dialog(page).getByText('must respond with status 2xx, not 403').waitFor();
        await expectAccessible(page, `destination-test-${size}`);
        expect(server!.taken).to.have.length(1);
        await dialog(page).getByRole('button', { name: 'Done' }).click();
        await made.getByText('Not accepted').waitFor();
      });
      const [stored] = (await world.api.get('/destinations')).body;
      expect(stored.filter).to.deep.equal({ device: ['Mobile'] });
    });

    it(`says why one is disabled, and activates it with a new secret (${size})`, async () => {
      server = await new AnalyticsServer('matomo').start();
      const settings = { url: server.url, siteId: 7 };
      const id = await connect({ type: 'matomo', name: 'Matomo', settings, secret: 'wrong' });
      const paused = await connect({
        type: 'redis',
        name: 'Warehouse',
        settings: { url: 'rediss://events@redis.example.com:443', stream: 'visits' },
      });
      await change(id, {
        status: 'disabled',
        failing_since: new Date(Date.now() - 7_200_000),
        error: 'Matomo must know the site, and the token must be allowed to track it',
        last_sent_at: new Date(Date.now() - 86_400_000),
        refused: 1_204,
        last_refusal: 'Matomo found the event invalid',
        last_refused_at: new Date(),
      });
      await world.api.patch(`/destinations/${paused}`, { status: 'paused' });
      await inConsole(world, VIEW, { size }, async (page) => {
        const matomo = card(page, 'Matomo');
        await matomo.getByText('Disabled', { exact: true }).waitFor();
        await matomo.getByText('Disabled: the receiver refuses events since 2 hours ago').waitFor();
        await matomo.getByText('1,204 events').waitFor();
        await card(page, 'Warehouse').getByText('Paused', { exact: true }).waitFor();
        await expectAccessible(page, `destinations-states-${size}`);
        await choose(page, 'Warehouse', 'Activate');
        await card(page, 'Warehouse').getByText('Active', { exact: true }).waitFor();
        await choose(page, 'Warehouse', 'Pause');
        await card(page, 'Warehouse').getByText('Paused', { exact: true }).waitFor();
        await choose(page, 'Matomo', 'Edit');
        expect(await dialog(page).getByLabel('New token').inputValue()).to.equal('');
        expect(await dialog(page).getByLabel('Site ID').inputValue()).to.equal('7');
        await dialog(page).getByLabel('URL of Matomo').fill('https://other.example/');
        await press(page, 'Save');
        await dialog(page)
          .getByText(/must be set again/)
          .first()
          .waitFor();
        await dialog(page).getByLabel('URL of Matomo').fill(settings.url);
        await dialog(page).getByLabel('New token').fill(TOKEN);
        await expectAccessible(page, `destination-edit-${size}`);
        await press(page, 'Save');
        await matomo.getByText('Active', { exact: true }).waitFor();
        await choose(page, 'Matomo', 'Send test event');
        await press(page, 'Send');
        await dialog(page).getByText('Accepted', { exact: true }).waitFor();
        expect(await page.content()).not.to.contain(TOKEN);
        await page.keyboard.press('Escape');
        await choose(page, 'Matomo', 'Delete');
        await expectAccessible(page, `destination-delete-${size}`);
        await press(page, 'Delete destination');
        await page.getByText('Destination “Matomo” deleted').waitFor();
        await matomo.waitFor({ state: 'detached' });
        expect((await world.api.get('/destinations')).body).to.have.length(1);
      });
    });

    it(`sends earlier events and shows the progress (${size})`, async () => {
      server = await new AnalyticsServer('umami').start();
      const { body: link } = await world.api.post('/links', { url: 'https://example.com/a' });
      for (let n = 0; n < 3; n += 1) await world.visit(`/${link.key}`, { userAgent: userAgent(n) });
      await eventually(async () => {
        expect((await world.api.get('/analytics')).body.clicks).to.equal(3);
      });
      // The form has whole minutes.
      const { projectId: project_id } = world;
      const occurred_at = new Date(Date.now() - 600_000);
      await db()('events').where({ project_id }).update({ occurred_at });
      await connect({ type: 'umami', name: 'Umami', settings: { ...UMAMI, url: server.url } });
      await inConsole(world, VIEW, { size }, async (page) => {
        await choose(page, 'Umami', 'Send earlier events');
        await dialog(page).getByLabel('Until').fill('2999-01-01T00:00');
        await press(page, 'Send');
        await dialog(page)
          .getByText(/must not be in the future/)
          .first()
          .waitFor();
        const until = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000);
        await dialog(page).getByLabel('Until').fill(until.toISOString().slice(0, 16));
        await expectAccessible(page, `destination-backfill-${size}`);
        await press(page, 'Send');
        await page.getByText('Sending earlier events').waitFor();
        await card(page, 'Umami')
          .getByText(/^3 sent, finished/)
          .waitFor();
        await expectAccessible(page, `destination-backfilled-${size}`);
      });
    });
  }

  it('is found by the palette and used with the keyboard', async () => {
    await connect({ type: 'umami', name: 'Umami', settings: UMAMI });
    await inConsole(world, 'links', {}, async (page) => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('ControlOrMeta+k');
      await page.keyboard.type('matomo');
      await page.getByRole('option', { name: /Event destinations/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: 'Event destinations' }).waitFor();
      await page.getByRole('button', { name: 'Actions for Umami' }).focus();
      await page.keyboard.press('ArrowDown');
      await focusedItem(page).waitFor();
      await page.keyboard.press('p');
      await page.keyboard.press('Enter');
      await card(page, 'Umami').getByText('Paused', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Actions for Umami' }).focus();
      await page.keyboard.press('Enter');
      await focusedItem(page).waitFor();
      await page.keyboard.press('Enter');
      await dialog(page).getByText('marked as a test').waitFor();
      expect(await dialog(page).getByRole('button', { name: 'Send' }).evaluate(isFocused)).to.equal(
        true,
      );
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
    });
  });

  it('is for people with access, and part of the plan Business', async () => {
    await inConsole(world, VIEW, { role: 'viewer' }, async (page) => {
      await page.getByText('You don’t have access to event destinations').waitFor();
    });
    world = await aWorkspace({ plan: 'free' });
    await inConsole(world, VIEW, {}, async (page) => {
      await page.getByText('Event destinations are part of the Business plan').waitFor();
    });
  });
});

const isFocused = (element: unknown): boolean =>
  element ===
  (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement;

async function expectInvalid(field: ReturnType<Page['getByLabel']>): Promise<void> {
  await eventually(async () => {
    expect(await field.getAttribute('aria-invalid')).to.equal('true');
  });
}
