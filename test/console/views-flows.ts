import { Buffer } from 'node:buffer';
import type { Page } from 'playwright-core';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { connectRedis, redisReady } from '../../src/infra/redis.ts';
import { Inspector } from '../../src/queues/inspect.ts';
import { Producer } from '../../src/queues/producer.ts';
import { browser as userAgent } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { broken } from '../support/failed-jobs.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { aSampleWorkspace, type SampleWorkspace } from './sample-workspace.ts';
import { expectNothing, sweep, type View } from './sweep.ts';
import { pathWith, viewsOfWorkspace } from './table-of-views.ts';
import { dialog, newContext, PASSWORD, useBrowser, watch } from './window.ts';

/*
 * Inspects every view at three widths and in both color schemes. See flows.ts, and sweep.ts for the
 * checks.
 */

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
/** Opens a dialog by a button of the page. */
const press = (name: string | RegExp) => (page: Page) => button(page, name).first().click();
/** Selects from the menu of a row. */
const choose = (row: string | RegExp, item: string | RegExp) => async (page: Page) => {
  await button(page, row).first().click();
  await page.getByRole('menuitem', { name: item }).click();
};
const openSections = async (page: Page) => {
  for (const summary of await dialog(page).locator('summary').all()) await summary.click();
};

describe('every view of the console', function () {
  this.timeout(1_200_000);
  useBrowser();
  let sample: SampleWorkspace;
  let empty: World;

  before(async () => {
    [sample, empty] = await Promise.all([aSampleWorkspace(), aWorkspace()]);
  });

  /** Inspects views in one window, signed in or not. */
  async function look(
    views: readonly View[],
    { isOperator = false, worlds = [] as World[], origins = [stack().apiUrl] } = {},
  ): Promise<void> {
    const context = await newContext({ baseURL: stack().apiUrl });
    try {
      const [first, ...others] = worlds;
      if (first !== undefined || isOperator) {
        const person = await aPerson({
          ...(first && { in: { ...first, role: 'owner' as const } }),
          isOperator,
          password: PASSWORD,
        });
        for (const { projectId } of others) {
          const member = { project_id: projectId, user_id: person.userId, role: 'owner' };
          await db()('workspace_users').insert(member);
        }
        await db()('users').where({ id: person.userId }).update({ name: 'Annie Easley' });
        await context.addCookies([{ name: 'session', value: person.token, url: stack().apiUrl }]);
      }
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      page.on('dialog', (asked) => void asked.accept());
      const faults = watch(page, origins);
      const found = await sweep(page, views);
      expectNothing([...found, ...new Set(faults)]);
    } finally {
      await context.close();
    }
  }

  /** Returns the URL of a view of the filled workspace. */
  const inSample = (path: string) => `/console/${sample.world.slug}/${path}`;

  it('of a workspace with records', async () => {
    const { linkId, qrcodeId, customerId, pageId, webhookId, imports, world } = sample;
    const values = {
      link: linkId,
      qrcode: qrcodeId,
      customerId,
      pageId,
      webhookId,
      importId: imports.done,
    };
    const views = viewsOfWorkspace().map((path) => ({
      name: path.replaceAll('/', '-').replaceAll('$', ''),
      path: inSample(pathWith(path, values)),
    }));
    await look(views, { worlds: [world] });
  });

  it('of links', async () => {
    const { linkId } = sample;
    const select = async (page: Page) => {
      await page.getByRole('checkbox').nth(1).click();
      await page.getByRole('checkbox').nth(3).click();
    };
    await look(
      [
        { name: 'links-filtered', path: inSample('links?search=northwind&hasPassword=false') },
        { name: 'links-none', path: inSample('links?search=nothing-like-this') },
        { name: 'links-selected', path: inSample('links'), open: select },
        {
          name: 'links-tags-of-selected',
          path: inSample('links'),
          async open(page) {
            await select(page);
            await page.getByRole('toolbar').getByRole('button', { name: 'Tags' }).click();
          },
        },
        { name: 'links-filters', path: inSample('links'), open: press('Filter') },
        { name: 'links-views', path: inSample('links'), open: press('Views') },
        { name: 'links-sort', path: inSample('links'), open: press(/^Sort by/) },
        { name: 'links-menu', path: inSample('links'), open: press(/^Actions for/) },
        {
          name: 'navigation',
          path: inSample('links'),
          open: press('Navigation'),
          sizes: ['phone'],
        },
        {
          name: 'account',
          path: inSample('links'),
          async open(page) {
            const navigation = button(page, 'Navigation');
            if (await navigation.isVisible()) await navigation.click();
            await button(page, /^Account:/).click();
          },
        },
        { name: 'workspaces', path: inSample('links'), open: press(/^Workspace:/) },
        {
          name: 'palette',
          path: inSample('links'),
          async open(page) {
            await page.keyboard.press('Control+k');
            await page.getByRole('combobox').fill('sp');
            await page.getByRole('option', { name: /spring/ }).waitFor();
          },
        },
        {
          name: 'shortcuts',
          path: inSample('links'),
          async open(page) {
            await page.keyboard.press('?');
            await dialog(page).waitFor();
          },
        },
        {
          name: 'link-new',
          path: inSample('links?new=link'),
          open: (page) => dialog(page).waitFor(),
        },
        { name: 'link-new-all', path: inSample('links?new=link'), open: openSections },
        {
          name: 'link-test',
          path: inSample('links?search=winter'),
          async open(page) {
            await choose(/^Actions for/, 'Edit')(page);
            await dialog(page).locator('summary', { hasText: 'A/B test' }).click();
            await dialog(page).getByText('Not enough data yet').waitFor();
          },
        },
        {
          name: 'link-refused',
          path: inSample('links?new=link'),
          async open(page) {
            await dialog(page).getByLabel('Destination', { exact: true }).fill('not an address');
            await dialog(page).getByRole('textbox', { name: 'Short link' }).fill('spring');
            await dialog(page).getByRole('button', { name: 'Create link' }).click();
            await dialog(page).getByText('Enter a full URL').waitFor();
            await dialog(page).getByRole('button', { name: 'Close' }).first().click();
            await button(page, 'Keep editing').waitFor();
          },
        },
        {
          name: 'link-edit',
          path: inSample(`links?edit=${linkId}`),
          open: (page) => dialog(page).getByRole('region', { name: 'Last 30 days' }).waitFor(),
        },
        { name: 'link-edit-all', path: inSample(`links?edit=${linkId}`), open: openSections },
      ],
      { worlds: [sample.world, empty] },
    );
  });

  it('of QR codes', async () => {
    const { qrcodeId } = sample;
    const kind = (name: string) => async (page: Page) => {
      await page.getByRole('radio', { name, exact: true }).check();
      // A static code has no picture before its content is complete.
      await page
        .getByText(/^(Easy to scan|Enter the content to see the code\.|Not complete)$/)
        .filter({ visible: true })
        .first()
        .waitFor();
    };
    const firstCode = (page: Page) => page.getByRole('checkbox').nth(1).check();
    await look(
      [
        { name: 'qrcodes-none', path: inSample('qrcodes?search=nothing-like-this') },
        { name: 'qrcodes-selected', path: inSample('qrcodes'), open: firstCode },
        {
          name: 'qrcodes-sheet',
          path: inSample('qrcodes'),
          async open(page) {
            await firstCode(page);
            await button(page, 'Sheet or ZIP').click();
            await page.getByRole('img', { name: 'The first page' }).waitFor();
          },
        },
        {
          name: 'qrcodes-delete',
          path: inSample('qrcodes'),
          open: choose(/^Actions for/, 'Delete'),
        },
        ...['Text', 'Email', 'Wi-Fi', 'Contact', 'Crypto', 'Location', 'Pix'].map((name) => ({
          name: `qrcode-new-${name.toLowerCase()}`,
          path: inSample('qrcodes/new'),
          open: kind(name),
        })),
        {
          name: 'qrcode-new-look',
          path: inSample('qrcodes/new'),
          async open(page) {
            await page.getByRole('radio', { name: 'Label bottom' }).check();
            await page.getByLabel('Color', { exact: true }).fill('#DDDDDD');
            await page
              .locator('input[type=file]')
              .first()
              .setInputFiles({
                name: 'logo.svg',
                mimeType: 'image/svg+xml',
                buffer: Buffer.from(
                  '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"><circle cx="30" cy="30" r="28" fill="#0f766e"/></svg>',
                ),
              });
            await page.getByText('Can’t be scanned').first().waitFor();
          },
        },
        {
          name: 'qrcode',
          path: inSample(`qrcodes/${qrcodeId}/edit`),
          open: (page) => page.getByRole('button', { name: 'Download', exact: true }).waitFor(),
        },
      ],
      { worlds: [sample.world] },
    );
  });

  it('of statistics', async () => {
    let visitors = 100;
    await look(
      [
        { name: 'analytics-filtered', path: inSample('analytics?country=DE&browser=Firefox') },
        { name: 'analytics-nothing', path: inSample('analytics?country=AQ') },
        {
          name: 'analytics-interval',
          path: inSample('analytics'),
          open: press('Period: Last 30 days'),
        },
        { name: 'analytics-filter', path: inSample('analytics'), open: press('Filter') },
        { name: 'analytics-all', path: inSample('analytics'), open: press(/of sources$/) },
        { name: 'analytics-table', path: inSample('analytics'), open: press('Show as table') },
        {
          name: 'live',
          path: inSample('live'),
          async open(page) {
            await page.getByText('Connected', { exact: true }).waitFor();
            // Each visit is by a new visitor, since a visitor counts once an hour.
            visitors += 1;
            await sample.world.visit('/spring', {
              userAgent: userAgent(visitors),
              headers: { 'x-forwarded-for': '198.51.100.7' },
            });
            await page.getByRole('listitem').filter({ hasText: '/spring' }).first().waitFor();
          },
        },
        { name: 'events-nothing', path: inSample('events?country=AQ') },
        {
          name: 'event',
          path: inSample('events'),
          open: (page) => page.locator('tbody').getByRole('button').first().click(),
        },
      ],
      { worlds: [sample.world] },
    );
  });

  it('of domains, labels, pages and customers', async () => {
    const { pageId, customerId, world } = sample;
    await look(
      [
        { name: 'domain-new', path: inSample('domains'), open: press('Add domain') },
        {
          name: 'domain-edit',
          path: inSample('domains'),
          open: choose(`Actions for ${world.domain}`, 'Edit'),
        },
        {
          name: 'domain-delete',
          path: inSample('domains'),
          open: choose(`Actions for go.${world.domain}`, 'Delete'),
        },
        { name: 'tag-new', path: inSample('labels'), open: press('Create tag') },
        { name: 'folder-new', path: inSample('labels'), open: press('Create folder') },
        {
          name: 'tag-delete',
          path: inSample('labels'),
          open: choose(/^Actions for the tag/, 'Delete'),
        },
        { name: 'page-new', path: inSample('pages'), open: press('Create page') },
        {
          name: 'page-delete',
          path: inSample(`pages/${pageId}`),
          open: choose('Actions for the page', 'Delete'),
        },
        {
          name: 'customer-edit',
          path: inSample(`customers/${customerId}`),
          open: choose('Actions for the customer', 'Edit'),
        },
        {
          name: 'customer-erase',
          path: inSample(`customers/${customerId}`),
          open: choose('Actions for the customer', 'Erase'),
        },
      ],
      { worlds: [sample.world] },
    );
  });

  it('of webhooks and imports', async () => {
    const { webhookId, imports } = sample;
    const webhook = inSample(`webhooks/${webhookId}`);
    const ofWebhook = (item: string) => choose('Actions for the webhook', item);
    await look(
      [
        { name: 'webhook-new', path: inSample('webhooks'), open: press('Create webhook') },
        { name: 'webhook-edit', path: webhook, open: ofWebhook('Edit') },
        { name: 'webhook-rotate', path: webhook, open: ofWebhook('Rotate secret') },
        { name: 'webhook-delete', path: webhook, open: ofWebhook('Delete') },
        { name: 'webhook-test', path: webhook, open: press('Send test event') },
        { name: 'webhook-resend', path: webhook, open: press('Resend') },
        {
          name: 'delivery',
          path: webhook,
          async open(page) {
            await page.locator('tbody').getByRole('button').first().click();
            await dialog(page).getByText('Attempts').waitFor();
            await dialog(page).locator('summary').click();
          },
        },
        {
          name: 'import-account',
          path: inSample('imports'),
          open: press('Import from another service'),
        },
        { name: 'import-checked', path: inSample(`imports/${imports.checked}`) },
        {
          name: 'import-undo',
          path: inSample(`imports/${imports.done}`),
          open: press('Undo'),
        },
      ],
      { worlds: [sample.world] },
    );
  });

  it('of the settings', async () => {
    const limited = async (page: Page) => {
      await button(page, 'Create key').click();
      await dialog(page).getByLabel('Permissions').selectOption('limited');
    };
    await look(
      [
        { name: 'member-invite', path: inSample('settings/members'), open: press('Invite') },
        {
          name: 'member-role',
          path: inSample('settings/members'),
          open: choose(/^Actions for/, 'Change access'),
        },
        {
          name: 'member-remove',
          path: inSample('settings/members'),
          open: choose(/^Actions for/, /Remove|Leave/),
        },
        { name: 'key-new', path: inSample('settings/keys'), open: limited },
        {
          name: 'key-made',
          path: inSample('settings/keys'),
          async open(page) {
            await button(page, 'Create key').click();
            await dialog(page).getByLabel('Name').fill('Warehouse');
            await dialog(page).getByRole('button', { name: 'Create key' }).click();
            await dialog(page).getByRole('button', { name: 'Done' }).waitFor();
          },
        },
        {
          name: 'key-publishable',
          path: inSample('settings/keys'),
          async open(page) {
            await button(page, 'Create key').click();
            await dialog(page).getByLabel('Type').selectOption('publishable');
          },
        },
        {
          name: 'key-edit',
          path: inSample('settings/keys'),
          open: choose('Actions for Shop', 'Edit'),
        },
        {
          name: 'key-revoke',
          path: inSample('settings/keys'),
          open: choose('Actions for Shop', 'Revoke'),
        },
        {
          name: 'destination-new',
          path: inSample('settings/destinations'),
          open: press('Create destination'),
        },
        {
          name: 'destination-test',
          path: inSample('settings/destinations'),
          open: choose('Actions for Umami', 'Send test event'),
        },
        {
          name: 'destination-backfill',
          path: inSample('settings/destinations'),
          open: choose('Actions for Umami', 'Send earlier events'),
        },
        {
          name: 'destination-edit',
          path: inSample('settings/destinations'),
          open: choose('Actions for Matomo', 'Edit'),
        },
        {
          name: 'destination-delete',
          path: inSample('settings/destinations'),
          open: choose('Actions for Matomo', 'Delete'),
        },
        {
          name: 'utm-template-new',
          path: inSample('settings/utm-templates'),
          open: press('Create template'),
        },
      ],
      { worlds: [sample.world] },
    );
  });

  it('of an empty workspace', async () => {
    // Only settings with lists of records look different when empty.
    const paths = viewsOfWorkspace().filter(
      (path) => !/\/(?!keys|audit-log|destinations)/.test(path),
    );
    await look(
      paths.map((path) => ({
        name: `empty-${path.replace('/', '-')}`,
        path: `/console/${empty.slug}/${path}`,
      })),
      { worlds: [empty] },
    );
  });

  it('outside of a workspace', async () => {
    await look(
      [
        { name: 'welcome', path: '/console/welcome' },
        { name: 'not-a-member', path: '/console/somebody-elses/links' },
        { name: 'no-such-view', path: inSample('no-such-view') },
        { name: 'no-such-link', path: inSample('pages/page_nothing') },
      ],
      { worlds: [sample.world] },
    );
    const { pathname, hash } = new URL(sample.invitationUrl);
    await look([
      { name: 'sign-in', path: '/console/sign-in' },
      {
        name: 'sign-in-refused',
        path: '/console/sign-in',
        async open(page) {
          await page.getByLabel('Email').fill('nobody@people.example');
          await page.getByLabel('Password').fill('wrong horse');
          await button(page, 'Sign in').click();
          await page.getByRole('alert').waitFor();
        },
      },
      {
        name: 'invitation',
        path: `${pathname}${hash}`,
        open: (page) => page.getByLabel('Your name').waitFor(),
      },
      { name: 'invitation-gone', path: '/console/invitation' },
    ]);
  });

  it('of operators', async () => {
    const redis = connectRedis(process.env['REDIS_URL']!, 'wait');
    await redisReady(redis);
    const producer = new Producer(redis);
    const inspector = new Inspector(redis);
    try {
      const jobId = newId('job');
      const { projectId } = sample.world;
      const data = { rates: 'https://rates.example/daily.xml' };
      await producer.add(broken, data, { jobId, projectId, requestId: 'asked' });
      await eventually(async () => {
        if ((await inspector.findFailed(broken.queue, jobId)) === undefined)
          throw new Error('not yet');
      });
    } finally {
      await producer.close();
      await inspector.close();
      redis.disconnect();
    }
    await look(
      [
        { name: 'operation', path: '/console/admin' },
        {
          name: 'dead-letter',
          path: '/console/admin',
          async open(page) {
            await button(page, 'nobody.does').first().click();
            await dialog(page).getByLabel('Job input').waitFor();
          },
        },
      ],
      { isOperator: true, worlds: [sample.world] },
    );
  });

  it('of the documentation', async () => {
    const guides = ['getting-started', 'redirects', 'analytics', 'configuration', 'operations'];
    await look([
      { name: 'docs', path: '/docs' },
      ...guides.map((name) => ({ name: `docs-${name}`, path: `/docs/${name}` })),
      { name: 'docs-search', path: '/docs/search?q=webhook' },
      { name: 'docs-nothing', path: '/docs/search?q=xyzzy' },
      { name: 'docs-errors', path: '/docs/api-reference/errors' },
      {
        name: 'docs-reference',
        path: '/docs/api-reference',
        open: (page) => page.locator('.opblock-tag').first().waitFor(),
        isForeign: true,
      },
      {
        name: 'docs-operation',
        path: '/docs/api-reference#/Links/createLink',
        open: (page) => page.locator('.opblock-body textarea').first().waitFor(),
        isForeign: true,
      },
    ]);
  });

  it('of visitors, in the look of the workspace', async () => {
    const { world } = sample;
    const { redirectPort: port } = stack();
    const own = `http://${world.domain}:${port}`;
    // The redirect process loads the logo from the API under this host name.
    const api = `http://localhost:${new URL(stack().apiUrl).port}`;
    await look(
      [
        { name: 'visitor-home', path: `http://localhost:${port}/` },
        { name: 'visitor-root', path: `${own}/` },
        { name: 'visitor-password', path: `${own}/press-kit` },
        { name: 'visitor-before', path: `${own}/catalogue` },
        { name: 'visitor-expired', path: `${own}/survey` },
        { name: 'visitor-not-found', path: `${own}/nothing-here` },
        { name: 'visitor-preview', path: `${own}/careers+` },
        { name: 'visitor-wifi', path: `${own}/wifi` },
        { name: 'visitor-contact', path: `${own}/ada` },
      ],
      { origins: [api, own, `http://localhost:${port}`] },
    );
  });
});
