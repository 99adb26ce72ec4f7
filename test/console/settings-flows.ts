import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { exportOf } from '../support/imports.ts';
import { OneProcess } from '../support/one-process.ts';
import { PEER_APIS, PeerServer } from '../support/peers.ts';
import { aPerson, mailedInvitations } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { clipboard, dialog, expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/* Tests settings, imports and the records other than links. See flows.ts. */

/** Reads the text alignment of an element; runs in the page. */
const alignmentOf = (element: unknown): string =>
  (
    globalThis as unknown as { getComputedStyle(of: unknown): { textAlign: string } }
  ).getComputedStyle(element).textAlign;

const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });

describe('settings in the console', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  /** Opens the menu of a row and selects an action. */
  const choose = async (page: Page, row: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${row}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const secretShown = (page: Page, label: string) =>
    dialog(page).getByLabel(label, { exact: true }).inputValue();
  const statusOf = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await fetch(`${stack().apiUrl}/tags`, { headers })).status;
  };

  for (const size of sizes) {
    it(`shows operators the processes and queues (${size})`, async () => {
      const { token } = await aPerson({ isOperator: true });
      await inConsole(world, '', { size, role: null }, async (page) => {
        await page.context().addCookies([{ name: 'session', value: token, url: stack().apiUrl }]);
        await page.goto(`${stack().apiUrl}/console/admin`);
        const processes = page.getByRole('table', { name: 'Processes' });
        for (const name of ['api', 'redirect', 'worker_scheduler', 'worker_writes']) {
          const row = processes.getByRole('row').filter({ hasText: name }).first();
          await row.getByText('Ready', { exact: true }).waitFor();
        }
        await page.getByRole('table', { name: 'Queues' }).waitFor();
        await expectAccessible(page, `admin-${size}`);
      });
    });

    it(`connects a payment processor (${size})`, async () => {
      await inConsole(world, 'settings/payments', { size }, async (page) => {
        await page.getByRole('button', { name: 'Connect' }).click();
        await dialog(page).getByLabel('Name').fill('Shop');
        await dialog(page).getByLabel('Secret').fill('whsec_first');
        await expectAccessible(page, `payments-${size}`);
        await dialog(page).getByRole('button', { name: 'Connect' }).click();
        await page.getByRole('row').filter({ hasText: 'Shop' }).waitFor();
        const { body } = await world.api.get('/integrations');
        expect(body).to.have.length(1);
        await page.getByText(body[0].url).waitFor();
        await choose(page, 'Shop', 'Edit');
        await dialog(page).getByLabel('Name').fill('Store');
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await page.getByRole('row').filter({ hasText: 'Store' }).waitFor();
        await choose(page, 'Store', 'Delete');
        await dialog(page).getByRole('button', { name: 'Delete connection' }).click();
        await page.getByText('No connections').waitFor();
        expect((await world.api.get('/integrations')).body).to.deep.equal([]);
      });
    });

    it(`keeps UTM templates, which the form of a link takes (${size})`, async () => {
      const key = 'templated';
      await inConsole(world, 'settings/utm-templates', { size }, async (page) => {
        await page.getByRole('button', { name: 'Create template' }).click();
        await dialog(page).getByLabel('Name').fill('Newsletter');
        await dialog(page).getByRole('button', { name: 'Create template' }).click();
        await dialog(page).getByText('Enter at least one UTM parameter.').waitFor();
        await page.keyboard.type('news');
        await dialog(page)
          .getByText('Enter at least one UTM parameter.')
          .waitFor({ state: 'detached' });
        expect(await dialog(page).getByLabel('Source').inputValue()).to.equal('news');
        await dialog(page).getByLabel('Medium').fill('email');
        await dialog(page).getByRole('button', { name: 'Create template' }).click();
        const newsletter = page.getByRole('row').filter({ hasText: 'Newsletter' });
        // Columns on a desktop, a line below the name on a phone.
        const shown = size === 'desk' ? 'news' : 'news · email';
        await newsletter.getByText(shown, { exact: true }).filter({ visible: true }).waitFor();
        await choose(page, 'Newsletter', 'Edit');
        await dialog(page).getByLabel('Name').fill('Letter');
        await dialog(page).getByLabel('Medium').fill('');
        await expectAccessible(page, `utm-template-${size}`);
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await page
          .getByRole('row')
          .filter({ hasText: /^Letter/ })
          .waitFor();
        const { body } = await world.api.get('/utm-templates');
        expect(body).to.have.length(1);
        expect(body[0]).to.include({ name: 'Letter', utm_source: 'news', utm_medium: null });

        await page.goto(`${stack().apiUrl}/console/${world.slug}/links?new=link`);
        await dialog(page).getByLabel('Destination', { exact: true }).fill('https://example.com/a');
        await dialog(page).getByRole('textbox', { name: 'Short link' }).fill(key);
        await page.locator('summary', { hasText: 'UTM parameters' }).click();
        await dialog(page).getByRole('button', { name: 'Templates' }).click();
        await page.getByRole('button', { name: 'Letter', exact: true }).click();
        await dialog(page).getByRole('button', { name: 'Create link' }).click();
        await page.getByRole('row').filter({ hasText: key }).waitFor();

        await page.goto(`${stack().apiUrl}/console/${world.slug}/settings/utm-templates`);
        await choose(page, 'Letter', 'Delete');
        await dialog(page).getByRole('button', { name: 'Delete template' }).click();
        await page.getByText('No UTM templates yet').waitFor();
      });
      const { body } = await world.api.get('/links/info', { domain: world.domain, key });
      expect(body.url).to.equal('https://example.com/a?utm_source=news');
    });

    it(`creates a key, shows it once, rotates and revokes it (${size})`, async () => {
      await inConsole(world, 'settings/keys', { size }, async (page) => {
        await page.getByRole('button', { name: 'Create key' }).click();
        await dialog(page).getByLabel('Name').fill('Shop');
        await dialog(page).getByLabel('Permissions').selectOption('limited');
        const resource = (name: string) => dialog(page).getByRole('radiogroup', { name });
        await resource('Tags').getByText('Read').click();
        // Each resource has the choices that the API has, of which one is taken.
        expect(await resource('Tags').getByRole('radio').count()).to.equal(3);
        const readable = resource('Audit log').getByRole('radio');
        expect(await readable.count()).to.equal(2);
        expect(await readable.first().isChecked()).to.equal(true);
        expect(await resource('Conversions').getByText('Read').count()).to.equal(0);
        await dialog(page).getByRole('button', { name: 'Create key' }).click();
        const first = await secretShown(page, 'API key');
        expect(await statusOf(first)).to.equal(200);
        await dialog(page).getByRole('button', { name: 'Done' }).click();

        await choose(page, 'Shop', 'Rotate');
        await dialog(page).getByRole('button', { name: 'Rotate key' }).click();
        await dialog(page).getByRole('button', { name: 'Done' }).waitFor();
        const second = await secretShown(page, 'API key');
        await dialog(page).getByRole('button', { name: 'Done' }).click();
        expect([await statusOf(first), await statusOf(second)]).to.deep.equal([401, 200]);

        await choose(page, 'Shop', 'Revoke');
        await dialog(page).getByText('You can’t undo this.').waitFor();
        await dialog(page).getByRole('button', { name: 'Revoke key' }).click();
        await page.getByText('“Shop” revoked').waitFor();
        expect(await statusOf(second)).to.equal(401);
      });
    });

    it(`creates a publishable key, shows its snippet and edits its origins (${size})`, async () => {
      const keyOf = async () => (await world.api.get('/keys')).body[0];
      const snippet = (page: Page) => dialog(page).getByLabel('Snippet', { exact: true });
      const done = (page: Page) => dialog(page).getByRole('button', { name: 'Done' }).click();
      const element = (key: string) =>
        `<script defer src="${stack().apiUrl}/track.js" data-key="${key}"></script>`;
      await inConsole(world, 'settings/keys', { size }, async (page) => {
        await page.getByRole('button', { name: 'Create key' }).click();
        await dialog(page).getByLabel('Type').selectOption('publishable');
        await dialog(page).getByLabel('Name').fill('Site');
        const sites = dialog(page).getByLabel('Origins');
        await sites.fill('https://shop.example\nshop.example/a');
        await dialog(page).getByRole('button', { name: 'Create key' }).click();
        await dialog(page).getByText('“shop.example/a” isn’t an origin').waitFor();
        await expectAccessible(page, `publishable-new-${size}`);
        await sites.fill('https://shop.example\nhttps://www.shop.example');
        await dialog(page).getByRole('button', { name: 'Create key' }).click();
        await snippet(page).waitFor();
        const first = await keyOf();
        expect(first.origins).to.deep.equal(['https://shop.example', 'https://www.shop.example']);
        expect(first.expiresAt).to.equal(null);
        expect(await snippet(page).inputValue()).to.equal(element(first.publicKey));
        await dialog(page).getByRole('button', { name: 'Copy snippet' }).click();
        expect(await clipboard(page)).to.equal(element(first.publicKey));
        await expectAccessible(page, `publishable-snippet-${size}`);
        await done(page);

        await choose(page, 'Site', 'Edit');
        expect(await dialog(page).getByLabel('Permissions').count()).to.equal(0);
        await dialog(page).getByLabel('Origins').fill('https://other.example');
        await expectAccessible(page, `publishable-edit-${size}`);
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await dialog(page).waitFor({ state: 'detached' });
        expect((await keyOf()).origins).to.deep.equal(['https://other.example']);
        await expectAccessible(page, `publishable-list-${size}`);

        await choose(page, 'Site', 'Rotate');
        await dialog(page).getByRole('button', { name: 'Rotate key' }).click();
        await snippet(page).waitFor();
        const second = await keyOf();
        expect(second.publicKey).to.not.equal(first.publicKey);
        expect(await snippet(page).inputValue()).to.equal(element(second.publicKey));
        await done(page);
        await choose(page, 'Site', 'Show snippet');
        expect(await snippet(page).inputValue()).to.equal(element(second.publicKey));
        await done(page);
      });
    });
  }

  for (const size of sizes) {
    it(`invites a person, who joins in another browser (${size})`, async () => {
      await inConsole(world, 'settings/members', { size }, async (page) => {
        await page.getByRole('button', { name: 'Invite' }).click();
        await dialog(page).getByLabel('Email').fill(`grace-${size}@people.test`);
        await dialog(page).getByText('viewer').click();
        await dialog(page).getByRole('button', { name: 'Create invitation' }).click();
        await page.getByText(`Invitation sent to grace-${size}@people.test`).waitFor();
        await dialog(page).waitFor({ state: 'detached' });
        const [address] = await mailedInvitations(`grace-${size}@people.test`);
        const { pathname, hash } = new URL(address!);
        const opened = pathname.replace('/console', '') + hash;
        await inConsole(world, opened, { size, role: null }, async (other) => {
          await other.getByLabel('Your name').fill('Grace Hopper');
          await other.getByLabel('New password').fill('correct horse battery staple');
          await other.getByRole('button', { name: 'Join' }).click();
          await other.getByRole('heading', { name: 'Links', exact: true }).waitFor();
          expect(other.url()).not.to.contain(hash);
        });
        await page.reload();
        const row = page.getByRole('row').filter({ hasText: 'Grace Hopper' });
        await row.getByText('viewer').waitFor();
      });
    });
  }

  for (const size of sizes) {
    it(`chooses alerts and a report, which stay (${size})`, async () => {
      const person = await aPerson({ in: { ...world, role: 'viewer' } });
      const { token } = person;
      await inConsole(world, 'settings/profile', { size, token }, async (page) => {
        const alert = page.getByRole('switch', { name: 'Link expired' });
        const isOn = (on: boolean) =>
          page.locator(`[role=switch][aria-checked=${on}]`).filter({ visible: true });
        await alert.click();
        await page.getByText('Saved').first().waitFor();
        await isOn(true).waitFor();
        await page.getByLabel('Report').selectOption('weekly');
        await page.getByText(/Sent at 8:00/).waitFor();
        await expectAccessible(page, `notifications-${size}`);

        await page.getByRole('button', { name: 'Preview the report' }).click();
        const mail = page.frameLocator('iframe[title=Email]');
        await mail.getByRole('heading', { name: /weekly report/ }).waitFor();
        const number = mail.getByText('0 (0 before)').first();
        expect(await number.evaluate(alignmentOf)).to.equal('right');
        await expectAccessible(page, `report-preview-${size}`);
        await dialog(page).getByRole('button', { name: 'Close' }).click();

        await page.reload();
        await isOn(true).waitFor();
        expect(await alert.getAttribute('aria-checked')).to.equal('true');
        expect(await page.getByLabel('Report').inputValue()).to.equal('weekly');
      });
      const { body } = await person.api.get('/me/notifications');
      const [{ alerts, report }] = body.workspaces;
      expect(alerts).to.deep.equal(['link.expired']);
      expect(report.every).to.equal('weekly');
    });
  }

  it('says where e-mail is not set up', async () => {
    const settings = { SMTP_URL: undefined, MAIL_FROM: undefined, API_PORT: '0', HEALTH_PORT: '0' };
    const api = new OneProcess('api', settings);
    try {
      const { port } = await api.logged('API is listening');
      const origin = `http://127.0.0.1:${String(port)}`;
      await inConsole(world, 'settings/profile', { origin }, async (page) => {
        await page.getByText('Email isn’t set up').waitFor();
        await expectAccessible(page, 'notifications-not-set-up');
      });
    } finally {
      await api.stop();
    }
  });

  it('signs out everywhere else, and that browser no longer works', async () => {
    const { email, token } = await aPerson({ in: { ...world, role: 'owner' } });
    await inConsole(world, 'settings/profile', { token }, async (page) => {
      const password = 'correct horse battery staple';
      await page.getByLabel('New password').fill(password);
      await page.getByRole('button', { name: 'Set password' }).click();
      await page.getByText('Password saved.').waitFor();
      await inConsole(world, 'links', { role: null }, async (other) => {
        await other.getByLabel('Email').fill(email);
        await other.getByLabel('Password').fill(password);
        await other.getByRole('button', { name: 'Sign in' }).click();
        await other.getByRole('heading', { name: 'Links' }).waitFor();
        await page.reload();
        await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
        await page.getByText('All other devices are signed out').waitFor();
        await other.reload();
        await other.getByLabel('Password').waitFor();
      });
      expect(
        await page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count(),
      ).to.equal(1);
    });
  });

  for (const size of sizes) {
    it(`imports 10,000 rows, hands over the errors, and undoes it all (${size})`, async () => {
      const rows = Array.from(
        { length: 10_000 },
        (_, at) => `https://example.com/${at},row-${at},spring`,
      );
      rows[7] = 'not an address,row-bad,spring';
      const file = `Long URL,Slug,Labels\n${rows.join('\n')}`;
      await inConsole(world, 'imports', { size }, async (page) => {
        page.setDefaultTimeout(60_000);
        await page
          .getByLabel('File to import')
          .setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
        await status(page, 'Ready to import').waitFor();
        await page.getByText('Destination: Enter a full URL').first().waitFor();
        expect((await world.api.get('/links/count')).body).to.equal(0);
        const started = Date.now();
        await page.getByRole('button', { name: 'Import', exact: true }).click();
        await status(page, 'Done').waitFor();
        console.log(`      10,000 rows in ${((Date.now() - started) / 1000).toFixed(1)} s`);
        expect((await world.api.get('/links/count')).body).to.equal(9_999);
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Download errors' }).click();
        expect((await download).suggestedFilename()).to.equal('errors of links.csv');
        await page.getByRole('button', { name: 'Undo' }).click();
        await dialog(page).getByRole('button', { name: 'Delete links' }).click();
        await status(page, 'Undone').waitFor();
        expect((await world.api.get('/links/count')).body).to.equal(0);
      });
    });
  }

  for (const size of sizes) {
    it(`says why there is nothing to import, and what becomes of each row (${size})`, async () => {
      await world.api.post('/links', { url: 'https://example.com/', key: 'taken' });
      await inConsole(world, 'imports', { size }, async (page) => {
        const choose = (name: string, rows: readonly string[]) =>
          page.getByLabel('File to import').setInputFiles({
            name,
            mimeType: 'text/csv',
            buffer: Buffer.from(['Long URL,Slug,Expires', ...rows].join('\n')),
          });
        await choose('empty.csv', []);
        await page.getByText('We found no links to import.').waitFor();
        await status(page, 'Nothing to import').waitFor();
        await expectAccessible(page, `import-of-nothing-${size}`);
        await page.goBack();
        await choose('old.csv', [
          'https://example.com/a,taken,',
          'https://example.com/b,dated,some day',
        ]);
        await page.getByText('every row would be skipped or refused').waitFor();
        const first = page.getByRole('table', { name: 'First rows' }).getByRole('row');
        const skipped = first.filter({ hasText: 'https://example.com/a' });
        await skipped.getByText('This link already exists').waitFor();
        await skipped.getByText('taken').filter({ visible: true }).waitFor();
        await first.getByText('such as 2026-12-24 18:00').waitFor();
        await expectAccessible(page, `import-of-old-rows-${size}`);
      });
    });
  }

  it('says first that a file has no slugs, and imports it with consent', async () => {
    await inConsole(world, 'imports', {}, async (page) => {
      const buffer = Buffer.from('Long URL,Created at\nhttps://example.com/a,8/15/2024 15:03\n');
      await page
        .getByLabel('File to import')
        .setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer });
      const warnings = page.getByRole('region', { name: 'Warnings' });
      await warnings.getByText('The only row has no slug').waitFor();
      await warnings.getByText('Created at: Dates such as 8/9/2024').waitFor();
      const start = page.getByRole('button', { name: 'Import', exact: true });
      expect(await start.isDisabled()).to.equal(true);
      await expectAccessible(page, 'import-without-slugs');
      await page.getByRole('checkbox', { name: 'Give these links random slugs' }).click();
      await start.click();
      await status(page, 'Done').waitFor();
    });
    expect((await world.api.get('/links/count')).body).to.equal(1);
  });

  it('exports the workspace, and imports the file into another one', async () => {
    await world.api.post('/links', { url: 'https://example.com/', key: 'a', password: 'pw' });
    const target = await aWorkspace();
    let buffer = Buffer.alloc(0);
    await inConsole(world, 'settings/exports', {}, async (page) => {
      const title = page.getByRole('heading', { name: 'Whole workspace' });
      const whole = page.locator('section').filter({ has: title });
      await whole.getByLabel('Passphrase').fill('correct horse');
      const download = page.waitForEvent('download');
      await whole.getByRole('button', { name: 'Download' }).click();
      expect((await download).suggestedFilename()).to.equal('workspace.jsonl.gz');
      buffer = readFileSync(await (await download).path());
    });
    await inConsole(target, 'imports', {}, async (page) => {
      const given = { name: 'acme.jsonl.gz', mimeType: 'application/gzip', buffer };
      await page.getByLabel('File to import').setInputFiles(given);
      await page.getByText('Password must be decrypted').first().waitFor();
      await page.getByText(`New domains: ${world.domain}`).waitFor();
      await page.getByLabel('Export passphrase').fill('correct horse');
      await page.getByRole('button', { name: 'Check again' }).click();
      await page.getByText('Password must be decrypted').first().waitFor({ state: 'detached' });
      await status(page, 'Ready to import').waitFor();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await status(page, 'Done').waitFor();
      await expectAccessible(page, 'import-of-workspace');
    });
    expect((await target.api.get('/links')).body[0].password).to.equal('pw');
  });

  it('imports the account of another service', async () => {
    const peer = await PeerServer.start(PEER_APIS['dub']!(world.domain, 120));
    await inConsole(world, 'imports', {}, async (page) => {
      await page.getByRole('button', { name: 'Import from another service' }).click();
      await dialog(page).getByLabel('Service').selectOption('Dub');
      await dialog(page).getByLabel('URL').fill(peer.url);
      await dialog(page).getByLabel('API key').fill('token-1');
      await dialog(page).getByRole('button', { name: 'Fetch links' }).click();
      await status(page, 'Ready to import').waitFor();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await status(page, 'Done').waitFor();
      expect((await world.api.get('/links/count')).body).to.equal(120);
      await page.goBack();
      await page.getByLabel('File to import').setInputFiles({
        name: 'links.json',
        mimeType: 'application/json',
        buffer: Buffer.from(exportOf('kutt.json', 'elsewhere.test')),
      });
      await page.getByText('This workspace doesn’t have these domains: elsewhere.test').waitFor();
      await page.getByText('To keep these short links, add your domains').waitFor();
      await page.getByText('the other service does not export it').first().waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
    });
    await peer.close();
  });

  it('shows viewers no controls that write', async () => {
    for (const path of ['domains', 'labels', 'pages', 'imports', 'settings/workspace']) {
      await inConsole(world, path, { role: 'viewer' }, async (page) => {
        await page.getByRole('heading', { level: 1 }).waitFor();
        await status(page, 'Loading').first().waitFor({ state: 'detached' });
        const writes = page.getByRole('main').getByRole('button', {
          name: /Add|Create|Save|Choose a file|Actions/,
        });
        expect(await writes.count(), path).to.equal(0);
      });
    }
  });
});

describe('views beside links', function () {
  useBrowser();
  let world: World;
  let views: Record<string, string>;

  before(async () => {
    world = await aWorkspace();
    const { api } = world;
    await api.post('/tags', { name: 'Spring', color: 'green' });
    await api.post('/folders', { name: 'Campaigns' });
    await api.post('/domains', { slug: 'go.acme.test', target: 'https://example.com' });
    const { body: webhook } = await api.post('/webhooks', {
      name: 'Orders',
      url: 'https://hooks.example.com/orders',
      kinds: ['link.created', 'sale.created'],
    });
    const fields = [
      { name: 'email', label: 'Your e-mail', type: 'email', required: true },
      { name: 'size', label: 'Size', type: 'select', options: ['S', 'M'] },
    ];
    const { body: page } = await api.post('/pages', { title: 'Before you go', fields });
    views = {
      domains: 'domains',
      labels: 'labels',
      pages: 'pages',
      page: `pages/${page.id}`,
      customers: 'customers',
      webhooks: 'webhooks',
      webhook: `webhooks/${webhook.id}`,
      imports: 'imports',
      workspace: 'settings/workspace',
      members: 'settings/members',
      keys: 'settings/keys',
      destinations: 'settings/destinations',
      'audit-log': 'settings/audit-log',
      exports: 'settings/exports',
      profile: 'settings/profile',
    };
  });

  for (const size of sizes) {
    for (const scheme of ['light', 'dark'] as const) {
      it(`keep all rules of axe, ${size}, ${scheme}`, async () => {
        for (const [name, path] of Object.entries(views)) {
          await inConsole(world, path, { size, scheme }, async (page) => {
            await page.getByRole('heading', { level: 1 }).waitFor();
            await status(page, 'Loading').first().waitFor({ state: 'detached' });
            await expectAccessible(page, `${name}-${size}-${scheme}`);
          });
        }
      });
    }
  }
});
