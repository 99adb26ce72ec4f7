import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { addDomainNow } from '../../src/domains/commands.ts';
import { db } from '../../src/infra/db.ts';
import { connectRedis, redisReady } from '../../src/infra/redis.ts';
import { browser as userAgent } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { FailedJobs } from '../support/failed-jobs.ts';
import { aPerson } from '../support/people.ts';
import { Receiver } from '../support/receiver.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { photograph } from './sweep.ts';
import { clipboard, dialog, expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/* Tests the views other than links, QR codes and analytics. See flows.ts. */

const A = 'https://example.com/a';

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/**
 * Downloads a file by an action.
 * @returns its name and text
 */
async function saved(page: Page, action: () => Promise<void>): Promise<[string, string]> {
  const [download] = await Promise.all([page.waitForEvent('download'), action()]);
  return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')];
}

describe('records in the console', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  for (const size of sizes) {
    it(`shows operators the queues, and retries and discards dead letters (${size})`, async () => {
      const redis = connectRedis(process.env['REDIS_URL']!, 'wait');
      await redisReady(redis);
      const failed = new FailedJobs(redis);
      const { token } = await aPerson({ isOperator: true, in: { ...world, role: 'owner' } });
      try {
        await failed.add(world.projectId);
        await inConsole(world, 'links', { size, token }, async (page) => {
          if (size === 'phone') await page.getByRole('button', { name: 'Navigation' }).click();
          await page.getByRole('button', { name: /^Account:/ }).click();
          await page.getByRole('menuitem', { name: 'Admin' }).click();
          const queues = page.getByRole('table', { name: 'Queues' });
          for (const name of ['writes', 'clicks', 'qr', 'webhooks']) {
            await queues.getByRole('row').filter({ hasText: name }).first().waitFor();
          }
          expect(await page.getByText('No worker').count()).to.equal(0);
          const letters = page.getByRole('table', { name: 'Dead letters' });
          const letter = letters.getByRole('row').filter({ hasText: 'nobody.does' });
          await letter.first().waitFor();
          await expectAccessible(page, `admin-${size}`);
          const count = await letter.count();
          await letter.first().getByRole('button').click();
          await dialog(page).getByText('1 attempt, the last').waitFor();
          expect(await dialog(page).getByLabel('Job input').inputValue()).to.contain('"n": 1');
          await expectAccessible(page, `dead-letter-${size}`);
          await dialog(page).getByRole('button', { name: 'Retry' }).click();
          await page.getByText('Job queued again').waitFor();
          // The retried job fails again and reappears.
          await eventually(async () => {
            await page.reload();
            await letter.first().waitFor({ timeout: 1_000 });
            expect(await letter.count()).to.equal(count);
          });
          await letter.first().getByRole('button').click();
          await dialog(page).getByRole('button', { name: 'Discard' }).click();
          await page.getByText('Job discarded').waitFor();
          await eventually(async () => expect(await letter.count()).to.equal(count - 1));
        });
      } finally {
        await failed.close();
        redis.disconnect();
      }
    });
  }

  it('hides the operation from everybody else', async () => {
    await inConsole(world, '/admin', {}, async (page) => {
      await page.getByText('Page not found').waitFor();
    });
  });

  it('saves exports, also those that a worker writes', async () => {
    await world.api.post('/links', { url: A, key: 'größe' });
    await db().raw(
      `INSERT INTO events (project_id, occurred_at, id, event, domain, key, url, continent, country, region, city,
                           device, browser, os, referer, referer_url, via, ip)
       SELECT ?, now() - n * interval '1 second', 'evt_' || n, 'click', 'x.test', 'x', 'https://example.com/', '',
              'DE', '', '', '', '', '', '', '', 'link', '' FROM generate_series(1, 10500) AS n`,
      [world.projectId],
    );
    await inConsole(world, 'settings/exports', {}, async (page) => {
      // The buttons download links, events and the whole workspace.
      const button = page.getByRole('button', { name: 'Download' });
      const [name, links] = await saved(page, () => button.first().click());
      expect(name).to.equal(`${world.slug} links.csv`);
      expect(links).to.contain(`${world.domain},größe,`);
      await page.getByLabel('Format of the events').selectOption('ndjson');
      await page.getByLabel('Period').selectOption('24h');
      const [, clicks] = await saved(page, () => button.nth(1).click());
      const lines = clicks.trimEnd().split('\n');
      expect(lines).to.have.length(10_500);
      expect(JSON.parse(lines[0]!)).to.include({ event: 'click' });
      // The page remains usable after a download.
      await page.getByLabel('Kind').selectOption('leads');
      const [leads, none] = await saved(page, () => button.nth(1).click());
      expect([leads, none]).to.deep.equal([`${world.slug} leads.ndjson`, '']);
    });
  });

  it('shows customers with their leads and sales, changes and erases them', async () => {
    const { api } = world;
    const externalId = 'cus-1';
    await api.post('/links', { url: A, key: 'shop', trackConversion: true });
    const { headers } = await world.visit('/shop', { userAgent: userAgent(803) });
    const clickId = new URL(headers.location!).searchParams.get('click_id');
    const customer = { customerName: 'Ada Lovelace', customerEmail: 'ada@example.com' };
    await api.post('/track/lead', {
      clickId,
      eventName: 'Sign up',
      customerExternalId: externalId,
      ...customer,
    });
    await api.post('/track/sale', {
      customerExternalId: externalId,
      amount: 1999,
    });
    await api.post('/track/lead', {
      clickId,
      eventName: 'Sign up',
      customerExternalId: 'cus-2',
    });
    await inConsole(world, 'customers', {}, async (page) => {
      await row(page, 'cus-2').waitFor();
      await page.getByRole('searchbox').fill('lovel');
      await row(page, 'cus-2').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Ada Lovelace' }).click();
      await row(page, 'Sign up').waitFor();
      await row(page, '$19.99').waitFor();
      const actions = async (name: string) => {
        await page.getByRole('button', { name: 'Actions for the customer' }).click();
        await page.getByRole('menuitem', { name }).click();
      };
      await actions('Edit');
      await dialog(page).getByLabel('Email').fill('no address');
      await dialog(page).getByLabel('Name').fill('Countess Lovelace');
      await dialog(page).getByLabel('Email').fill('');
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Countess Lovelace' }).waitFor();
      await actions('Erase');
      await dialog(page).getByRole('button', { name: 'Erase permanently' }).click();
      await page.getByText('Customer erased').waitFor();
      await row(page, 'cus-2').waitFor();
      await page.getByText('Lovelace').waitFor({ state: 'detached' });
    });
  });

  for (const size of sizes) {
    it(`sorts and filters customers, and shows what one did, on a ${size}`, async () => {
      const { api } = world;
      const { body: link } = await api.post('/links', { url: A, trackConversion: true });
      const { headers } = await world.visit(`/${link.key}`, {
        userAgent: userAgent(size === 'phone' ? 805 : 806),
        headers: { referer: 'https://www.google.com/', 'x-forwarded-for': '192.0.2.1' },
      });
      const clickId = new URL(headers.location!).searchParams.get('click_id');
      const named = [
        ['big', 'Grace Hopper', 125_000],
        ['small', 'Ada Lovelace', 1_999],
      ] as const;
      for (const [customerExternalId, customerName, amount] of named) {
        const customer = { customerExternalId, customerName };
        await api.post('/track/lead', { clickId, eventName: 'Sign up', ...customer });
        await api.post('/track/sale', { ...customer, amount, invoiceId: customerExternalId });
      }
      await api.post('/track/refund', { invoiceId: 'small', amount: 500 });
      await api.post('/customers', { externalId: 'new', name: 'Linus Example', country: 'FR' });
      const names = async (page: Page) => page.getByRole('row').getByRole('link').allInnerTexts();
      await inConsole(world, 'customers', { size }, async (page) => {
        await row(page, 'Linus').waitFor();
        expect(await names(page)).to.deep.equal(['Linus Example', 'Ada Lovelace', 'Grace Hopper']);
        if (size === 'phone') await page.getByLabel('Order').selectOption('saleAmount');
        else await page.getByRole('button', { name: 'Revenue' }).click();
        await eventually(async () => {
          expect(await names(page)).to.deep.equal([
            'Grace Hopper',
            'Ada Lovelace',
            'Linus Example',
          ]);
        });
        const header = page.getByRole('columnheader', { name: 'Revenue' });
        expect(await header.getAttribute('aria-sort')).to.equal('descending');
        await row(page, 'Ada').getByText('$14.99').waitFor();
        await expectAccessible(page, `customers ${size}`);
        await photograph(page, `customers-${size}`);
        await page.getByLabel('Revenue', { exact: true }).selectOption('1000');
        await row(page, 'Ada').waitFor({ state: 'detached' });
        expect(await names(page)).to.deep.equal(['Grace Hopper']);
        await page.getByLabel('Revenue', { exact: true }).selectOption('');
        await page.getByLabel('Country').selectOption('FR');
        await row(page, 'Grace').waitFor({ state: 'detached' });
        // The filters are in the URL.
        await page.reload();
        await row(page, 'Linus').waitFor();
        expect(await names(page)).to.deep.equal(['Linus Example']);
        await page.getByLabel('Country').selectOption('');
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: 'Export' }).click(),
        ]);
        expect(file.suggestedFilename()).to.equal(`${world.slug} customers.csv`);
        await page.getByRole('link', { name: 'Ada Lovelace' }).click();
        for (const event of ['refund', 'sale', 'lead', 'click']) {
          await page.getByRole('row').filter({ hasText: event }).first().waitFor();
        }
        await page.getByText('−$5.00').waitFor();
        await expectAccessible(page, `customer ${size}`);
        await photograph(page, `customer-${size}`);
        await page.getByRole('button', { name: 'Actions for the customer' }).click();
        await page.getByRole('menuitem', { name: 'Merge' }).click();
        await dialog(page).getByLabel('External ID').fill('big');
        await dialog(page).getByRole('button', { name: 'Merge' }).click();
        await page.getByText('Merged with small').waitFor();
        await page.getByText('$1,264.99').waitFor();
      });
    });
  }

  it('shows who changed what, and filters it', async () => {
    const { userId, token, api } = await aPerson({ in: { ...world, role: 'owner' } });
    const { body: link } = await api.post('/links', { url: A, key: 'a' });
    await api.patch(`/links/${link.id}`, { comments: 'secret text' });
    await world.api.post('/tags', { name: 'by key' });
    await inConsole(world, 'settings/audit-log', { token }, async (page) => {
      const change = row(page, 'Link changed');
      await change.getByText('A Person').waitFor();
      await change.getByText('comments').waitFor();
      await change.getByRole('link', { name: `${world.domain}/a`, exact: true }).waitFor();
      await row(page, 'Tag created').getByText('by API key').waitFor();
      expect(await page.getByRole('link', { name: 'Old and new values' }).count()).to.equal(1);
      expect(await page.getByText('secret text').count()).to.equal(0);
      await page.getByLabel('Kind of record').selectOption('link');
      await row(page, 'Tag created').waitFor({ state: 'detached' });
      await page.getByLabel('Kind of record').selectOption('');
      await row(page, 'Tag created').waitFor();
      await page.getByLabel('Changed by').selectOption(userId);
      await row(page, 'Tag created').waitFor({ state: 'detached' });
      await row(page, 'Link created').waitFor();
      await change.getByRole('link', { name: 'Old and new values' }).click();
      const history = page.getByRole('region', { name: 'History' });
      await history.getByText('secret text').waitFor();
      await eventually(async () => {
        const { y } = (await history.boundingBox())!;
        expect(y).to.be.within(0, page.viewportSize()!.height - 100);
      });
      await page.goBack();
      await page.getByLabel('Kind of record').selectOption('customer');
      await page.getByText('No matching changes').waitFor();
    });
  });

  it('checks verified domains once they are seen, and says nothing when a check fails', async () => {
    for (let n = 10; n < 30; n += 1) {
      await addDomainNow(world.projectId, { slug: `d${n}.${world.slug}.example` }, true);
    }
    await inConsole(world, 'links', { size: 'phone' }, async (page) => {
      const checked: string[] = [];
      let [open, most] = [0, 0];
      await page.route('**/domains/*/checks', async (route) => {
        checked.push(route.request().url());
        most = Math.max(most, (open += 1));
        await new Promise((resolve) => setTimeout(resolve, 50));
        await route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: {} });
        open -= 1;
      });
      await page.getByRole('button', { name: 'Navigation' }).click();
      await page.getByRole('link', { name: 'Domains' }).click();
      const last = page.getByRole('listitem').filter({ hasText: `d29.${world.slug}` });
      await last.waitFor();
      await eventually(() => expect(checked).to.have.length.above(2));
      expect(checked).to.have.length.below(15);
      const before = checked.length;
      await last.scrollIntoViewIfNeeded();
      await eventually(() => expect(checked).to.have.length.above(before));
      await last.getByText('Verified').waitFor();
      expect(most).to.be.at.most(2);
      expect(new Set(checked).size).to.equal(checked.length);
    });
  });

  it('keeps the focus in the view when the last domain is deleted and the first is added', async () => {
    await inConsole(world, 'domains', {}, async (page) => {
      const heading = page.getByRole('heading', { name: 'Domains', exact: true });
      const expectFocused = () =>
        eventually(async () =>
          expect(await heading.evaluate((title) => title.matches(':focus'))).to.equal(true),
        );
      await page.getByRole('button', { name: `Actions for ${world.domain}` }).press('Enter');
      await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
      await dialog(page).getByRole('button', { name: 'Delete domain' }).press('Enter');
      await page.getByText('No domains yet').waitFor();
      await expectFocused();
      await page.getByRole('button', { name: 'Add domain' }).press('Enter');
      await dialog(page).getByLabel('Domain').fill(`go.${world.slug}.example`);
      await page.keyboard.press('Enter');
      await page.getByText('Waiting for DNS').waitFor();
      await expectFocused();
    });
  });

  for (const size of sizes) {
    it(`adds a domain with its record, and verifies it (${size})`, async () => {
      const zone = `${world.slug}.example`;
      const host = `go.${zone}`;
      stack().dns.answer(zone, { nameServers: ['ada.ns.cloudflare.com'] });
      await inConsole(world, 'domains', { size }, async (page) => {
        const card = page.getByRole('listitem').filter({ hasText: host });
        await page.getByRole('button', { name: 'Add domain' }).click();
        await dialog(page).waitFor();
        // The domain can be typed at once.
        await page.keyboard.type('no domain');
        await dialog(page).getByRole('button', { name: 'Add domain' }).click();
        // The message appears once, at its field, with the label of the form.
        await dialog(page).getByText('Enter a domain, such as go.example.com.').waitFor();
        const field = dialog(page).getByLabel('Domain');
        expect(await field.evaluate((input) => input.matches(':focus'))).to.equal(true);
        expect(await dialog(page).getByText(/^Slug/).count()).to.equal(0);
        expect(await dialog(page).getByRole('alert').count()).to.equal(0);
        await page.evaluate(
          `navigator.clipboard.writeText('https://${host.toUpperCase()}:8443/a?b')`,
        );
        await dialog(page).getByLabel('Domain').press('ControlOrMeta+a');
        await dialog(page).getByLabel('Domain').press('ControlOrMeta+v');
        expect(await dialog(page).getByLabel('Domain').inputValue()).to.equal(host);
        // A corrected value has no message any more, and a URL needs no scheme.
        expect(
          await dialog(page)
            .getByText(/^Enter a domain/)
            .count(),
        ).to.equal(0);
        const homepage = dialog(page).getByLabel('Redirect homepage to');
        await homepage.fill(`${host}/`);
        await dialog(page).getByRole('button', { name: 'Add domain' }).click();
        await dialog(page).getByText('The homepage can’t redirect to itself.').waitFor();
        expect(await homepage.inputValue()).to.equal(`https://${host}/`);
        await homepage.fill(A);
        await dialog(page).getByRole('button', { name: 'Add domain' }).click();
        await card.getByText('Waiting for DNS').waitFor();
        const checks = card.getByRole('list', { name: 'Checks' });
        await checks.getByText('Waiting for the TXT record').waitFor();
        await checks.getByText('Waiting for the DNS record').waitFor();
        const open = card.getByRole('link', { name: 'Open Cloudflare' });
        expect(await open.getAttribute('href')).to.contain(`${zone}/dns`);
        await expectAccessible(page, `setup of a domain ${size}`);
        await photograph(page, `domain-setup-${size}`);
        const [, name, value] = await card.locator('code').allInnerTexts();
        expect(name).to.equal('_shortlinks.go');
        const check = card.getByRole('button', { name: 'Check now' });
        stack().dns.records.set(`${name}.${zone}`, 'of-another');
        await check.press('Enter');
        await checks.getByText(/has the value "of-another" instead of/).waitFor();
        expect(await check.evaluate((button) => button.matches(':focus'))).to.equal(true);
        await card.getByRole('button', { name: 'Copy value of TXT' }).click();
        expect(await clipboard(page)).to.equal(value);
        stack().dns.records.set(`${name}.${zone}`, value!);
        // The next check finds the record and verifies the domain.
        await checks.getByText('Verified').waitFor();
        await card.getByRole('button', { name: 'Close' }).click();
        const act = async (action: string) => {
          await page.getByRole('button', { name: `Actions for ${host}` }).click();
          await page.getByRole('menuitem', { name: action }).click();
        };
        await act('Make primary');
        await card.getByText('Primary').waitFor();
        await card.getByText('New links use this domain by default.').waitFor();
        await act('Delete');
        await dialog(page).getByRole('link', { name: 'Show its links' }).waitFor();
        await dialog(page).getByRole('button', { name: 'Cancel' }).click();
        await act('Archive');
        await card.getByText('Archived').waitFor();
      });
      const { body } = await world.api.get('/domains', { archived: true });
      const domain = body.find((one: { slug: string }) => one.slug === host);
      expect(domain).to.include({ verified: true, archived: true, target: A });
    });

    it(`says what is wrong with a domain that was verified (${size})`, async () => {
      const host = `moved.${world.slug}.example`;
      await addDomainNow(world.projectId, { slug: host }, true);
      stack().dns.answer(host, ['127.0.0.1']);
      await inConsole(world, 'domains', { size }, async (page) => {
        const card = page.getByRole('listitem').filter({ hasText: host });
        await card.getByText('DNS points elsewhere').waitFor();
        expect(await card.getByText('Verified').count()).to.equal(0);
        // The domain of the workspace has no record at all.
        await page
          .getByRole('listitem')
          .filter({ hasText: world.domain })
          .getByText('No DNS record')
          .waitFor();
        await expectAccessible(page, `moved domain ${size}`);
        await card.getByRole('button', { name: 'Show checks' }).press('Enter');
        const checks = card.getByRole('list', { name: 'Checks' });
        await checks.getByText(`${host} leads to 127.0.0.1.`).waitFor();
        await card.getByText('links.target.example').first().waitFor();
        await expectAccessible(page, `checks of a moved domain ${size}`);
        await photograph(page, `domain-moved-${size}`);

        stack().dns.answer('links.target.example', ['198.51.100.7']);
        stack().dns.answer(host, { cname: 'links.target.example' });
        await card.getByRole('button', { name: 'Check now' }).click();
        await checks.getByText('Points to this service').waitFor({ timeout: 20_000 });
        // The badge follows, and the record need not be added any more.
        await card.getByText('Verified', { exact: true }).first().waitFor();
        expect(await card.getByText('DNS points elsewhere').count()).to.equal(0);
        expect(await card.getByText('links.target.example').count()).to.equal(0);
        await card.getByRole('button', { name: 'Close' }).press('Enter');
        await checks.waitFor({ state: 'detached' });
        const menu = card.getByRole('button', { name: `Actions for ${host}` });
        expect(await menu.evaluate((button) => button.matches(':focus'))).to.equal(true);
      });
    });

    it(`edits the apps that open the links of a domain (${size})`, async () => {
      const fingerprint = '146DE983C5730650D8EEB9952F34FC6416A08342E61DBEA88A0496B23FCF44E5';
      const domain = async () => (await world.api.get(`/domains/${world.domain}`)).body;
      const edit = async (page: Page) => {
        await page.getByRole('button', { name: `Actions for ${world.domain}` }).click();
        await page.getByRole('menuitem', { name: 'Edit' }).click();
      };
      const save = async (page: Page) => {
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await dialog(page).waitFor({ state: 'detached' });
      };
      await inConsole(world, 'domains', { size }, async (page) => {
        await edit(page);
        const ios = dialog(page).getByRole('group', { name: 'iOS apps' });
        const android = dialog(page).getByRole('group', { name: 'Android apps' });
        const addTo = (group: typeof ios) => group.getByRole('button', { name: 'Add app' });
        await addTo(ios).press('Enter');
        // A pasted app ID fills both fields.
        await page.keyboard.insertText('ABCDE12345.com.example.app');
        await addTo(ios).press('Enter');
        await page.keyboard.type('abc');
        await page.keyboard.press('Tab');
        await ios.getByText('Enter 10 letters and digits, such as ABCDE12345.').waitFor();
        await page.keyboard.type('com.example.lite');
        await addTo(android).press('Enter');
        await page.keyboard.type('com.example.app');
        await page.keyboard.press('Tab');
        await page.keyboard.insertText(fingerprint.toLowerCase());
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        // The first wrong field has the focus.
        const team = ios.getByLabel('Team ID').nth(1);
        expect(await team.evaluate((field) => field.matches(':focus'))).to.equal(true);
        await expectAccessible(page, `apps of a domain ${size}`);
        await photograph(page, `domain-apps-${size}`);
        await team.fill('zyxwv54321');
        await save(page);
        const { appleAppSiteAssociation, assetLinks } = await domain();
        expect(appleAppSiteAssociation).to.deep.equal({
          applinks: {
            details: [
              {
                appIDs: ['ABCDE12345.com.example.app', 'ZYXWV54321.com.example.lite'],
                components: [{ '/': '/*' }],
              },
            ],
          },
        });
        expect(assetLinks[0].target).to.deep.equal({
          namespace: 'android_app',
          package_name: 'com.example.app',
          sha256_cert_fingerprints: [fingerprint.match(/../g)!.join(':')],
        });

        await edit(page);
        await ios.getByRole('button', { name: 'Remove app 1' }).press('Enter');
        expect(await ios.getByLabel('Bundle ID').inputValue()).to.equal('com.example.lite');
        await ios.getByRole('button', { name: 'Edit as JSON' }).press('Enter');
        const file = ios.getByLabel('apple-app-site-association');
        const { applinks } = JSON.parse(await file.inputValue());
        const whole = { applinks, webcredentials: { apps: ['ZYXWV54321.com.example.lite'] } };
        await file.fill(JSON.stringify(whole));
        await ios.getByRole('button', { name: 'Use the form' }).press('Enter');
        await ios.getByText('The form can’t show all parts of this file.').waitFor();
        await android.getByRole('button', { name: 'Edit as JSON' }).press('Enter');
        await android.getByLabel('assetlinks.json').fill('[');
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await android.getByText('Enter valid JSON.').waitFor();
        await expectAccessible(page, `files of apps ${size}`);
        await android.getByLabel('assetlinks.json').fill('');
        await android.getByRole('button', { name: 'Use the form' }).click();
        await addTo(android).waitFor();
        await save(page);
        expect(await domain()).to.deep.include({
          appleAppSiteAssociation: whole,
          assetLinks: null,
        });
        await edit(page);
        await file.waitFor();
        expect(JSON.parse(await file.inputValue())).to.deep.equal(whole);
      });
    });

    it(`adds several domains from a pasted list, and says which are refused (${size})`, async () => {
      const hosts = [`a.${size}.${world.slug}.example`, `b.${size}.${world.slug}.example`];
      await inConsole(world, 'domains', { size }, async (page) => {
        const card = (host: string) => page.getByRole('listitem').filter({ hasText: host });
        const add = dialog(page).getByRole('button', { name: 'Add domains' });
        await page.getByRole('button', { name: 'Add domain' }).click();
        await page.evaluate(
          `navigator.clipboard.writeText('https://${hosts[0]!.toUpperCase()}/\\n-bad-.example, ${hosts[0]}')`,
        );
        await dialog(page).getByLabel('Domain').press('ControlOrMeta+v');
        const list = dialog(page).getByLabel('Domains');
        expect(await list.inputValue()).to.equal(`${hosts[0]}\n-bad-.example`);
        await dialog(page).getByLabel('Redirect homepage to').fill(A);
        await add.click();
        await dialog(page).getByText('-bad-.example: Enter a domain').waitFor();
        expect(await list.inputValue()).to.equal('-bad-.example');
        await expectAccessible(page, `several domains ${size}`);
        await photograph(page, `several-domains-${size}`);
        await list.fill(hosts[1]!);
        await add.click();
        await dialog(page).waitFor({ state: 'detached' });
        for (const host of hosts) await card(host).getByText('Waiting for DNS').waitFor();
      });
      const { body } = await world.api.get('/domains');
      const added = body.filter(({ slug }: { slug: string }) => hosts.includes(slug));
      expect(added.map(({ target }: { target: string }) => target)).to.deep.equal([A, A]);
    });

    it(`makes a page with a form, and shows what visitors answered (${size})`, async () => {
      await inConsole(world, 'pages', { size }, async (page) => {
        await page.getByRole('button', { name: 'Create page' }).first().click();
        await dialog(page).getByLabel('Title').fill('Before you go');
        await dialog(page).getByRole('button', { name: 'Create page' }).click();
        await page.getByRole('button', { name: 'Add field' }).click();
        await page.getByLabel('Question').fill('Your email');
        await page.getByLabel('Type').selectOption('email');
        await page.getByLabel('Required').check();
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('Saved', { exact: true }).waitFor();
        await page.getByText('No responses yet').waitFor();
        const [{ id: pageId, fields }] = (await world.api.get('/pages')).body;
        expect(fields).to.deep.equal([
          { name: 'your_email', label: 'Your email', type: 'email', required: true },
        ]);
        const link = { url: A, key: 'asks', preRedirection: true, pageId };
        await world.api.post('/links', link);
        const visitor = { userAgent: userAgent(size === 'phone' ? 801 : 802) };
        const shown = await world.visit('/asks', visitor);
        const onward = /action="([^"]+)"/.exec(shown.body)![1]!.replaceAll('&amp;', '&');
        const form = { your_email: 'grace@example.com' };
        const { status } = await world.visit(onward, { ...visitor, form });
        expect(status).to.equal(303);
        await eventually(async () => {
          await page.reload();
          await page.getByText('grace@example.com').waitFor({ timeout: 1_000 });
        });
      });
    });
  }

  for (const size of sizes) {
    it(`shows by itself that a receiver fails, and that it works again (${size})`, async () => {
      const receiver = await Receiver.start();
      receiver.answerWith(503, {}, 'closed');
      try {
        const body = { name: 'Shop', url: receiver.url, kinds: ['link.created'] };
        const { id } = (await world.api.post('/webhooks', body)).body;
        await inConsole(world, `webhooks/${id}`, { size }, async (page) => {
          await page.getByText('Enabled', { exact: true }).waitFor();
          await page.getByRole('button', { name: 'Send test event' }).click();
          await dialog(page).getByRole('button', { name: 'Send', exact: true }).click();
          await dialog(page).waitFor({ state: 'detached' });
          await row(page, 'link.created').getByText('Retrying').waitFor();
          await page.getByText('Failing', { exact: true }).waitFor();
          const resend = (await page.getByRole('button', { name: 'Resend' }).boundingBox())!;
          expect(resend.width).to.be.greaterThan(80);
          await expectAccessible(page, `failing-webhook-${size}`);
          receiver.accept();
          await row(page, 'link.created').getByRole('button').click();
          await dialog(page).getByText('Retrying').waitFor();
          await dialog(page).getByRole('button', { name: 'Resend' }).click();
          await dialog(page).getByText('204').waitFor();
          await dialog(page).getByRole('button', { name: 'Close' }).click();
          await page.getByText('Enabled', { exact: true }).waitFor();
          await page.getByRole('button', { name: 'Actions for the webhook' }).click();
          await page.getByRole('menuitem', { name: 'Disable' }).click();
          await page.getByText('Nothing is sent while the webhook is disabled.').waitFor();
          expect(await page.getByText('Fix your server').count()).to.equal(0);
        });
      } finally {
        await receiver.stop();
      }
    });
  }

  it('makes a webhook, shows its deliveries, and sends one again', async () => {
    const receiver = await Receiver.start();
    receiver.answerWith(400, {}, 'not today');
    try {
      await inConsole(world, 'webhooks', {}, async (page) => {
        await page.getByRole('button', { name: 'Create webhook' }).click();
        await dialog(page).getByLabel('Name', { exact: true }).fill('Shop');
        await dialog(page).getByLabel('URL').fill(receiver.url);
        await dialog(page).getByLabel('link.created').check();
        await dialog(page).getByLabel('Links and QR codes').selectOption('domain');
        await dialog(page).getByLabel('Domains').fill(`${world.domain},`);
        await dialog(page).getByLabel('With these devices').fill('Phone,');
        await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
        await dialog(page).getByRole('button', { name: 'Done' }).click();
        await page.getByText('No deliveries yet').waitFor();
        await page.getByText('Links and QR codes on 1 domain; Phone').waitFor();
        await page.getByRole('button', { name: 'Send test event' }).click();
        await dialog(page).getByLabel('Event').selectOption('link.created');
        await dialog(page).getByRole('button', { name: 'Send', exact: true }).click();
        await dialog(page).waitFor({ state: 'detached' });
        const delivery = row(page, 'link.created');
        await delivery.getByRole('button').click();
        await dialog(page).getByText('400').first().waitFor();
        expect(await dialog(page).getByLabel('Response body').first().inputValue()).to.equal(
          'not today',
        );
        expect(await dialog(page).getByLabel('Request body').inputValue()).to.contain(
          '"test": true',
        );
        receiver.accept();
        await dialog(page).getByRole('button', { name: 'Resend' }).click();
        await page.getByText('Resending the delivery').waitFor();
        await eventually(() => expect(receiver.received).to.have.length(2));
        await dialog(page).getByText('204').waitFor();
        await dialog(page).getByRole('button', { name: 'Close' }).click();
        await delivery.getByText('delivered').waitFor();
        await page.getByRole('button', { name: 'Resend' }).click();
        await dialog(page).getByLabel('Include deliveries that succeeded').check();
        await dialog(page).getByRole('button', { name: 'Resend' }).click();
        await page.getByText('Resending 1 delivery').waitFor();
        await eventually(() => expect(receiver.received).to.have.length(3));
        expect(new Set(receiver.received.map(({ id }) => id)).size).to.equal(1);
      });
    } finally {
      await receiver.stop();
    }
  });

  for (const size of sizes) {
    it(`finds links whose destination is broken, and says what to do (${size})`, async () => {
      const { body: link } = await world.api.post('/links', { url: A, key: 'gone' });
      await world.api.post('/links', { url: A, key: 'fine' });
      await db()('destination_checks').insert({
        project_id: world.projectId,
        link_id: link.id,
        url: A,
        host: 'example.com',
        state: 'broken',
        status: 404,
        error: 'must respond with status 2xx, not 404',
        failures: 3,
        checked_at: new Date(),
        broken_since: new Date(),
      });
      await inConsole(world, 'links', { size }, async (page) => {
        await row(page, '/fine').waitFor();
        await page.getByRole('button', { name: 'Filter' }).click();
        await page.getByLabel('Destination', { exact: true }).selectOption('broken');
        await row(page, '/fine').waitFor({ state: 'detached' });
        await page.keyboard.press('Escape');
        await row(page, '/gone').getByText('Broken').waitFor();
        await row(page, '/gone').click({ position: { x: 150, y: 45 } });
        const advice = 'This destination is broken: 3 checks in a row failed.';
        await page.getByRole('main').getByText(advice).waitFor();
        await page.getByRole('button', { name: 'Edit', exact: true }).click();
        await dialog(page).getByText(advice).waitFor();
        await expectAccessible(page, `broken-link-${size}`);
        await dialog(page).getByLabel('Destination', { exact: true }).fill('https://example.com/b');
        await dialog(page).getByText('This destination is broken').waitFor({ state: 'detached' });
      });
    });
  }

  for (const size of sizes) {
    it(`lets operators answer abuse reports (${size})`, async () => {
      const { token } = await aPerson({ isOperator: true, in: { ...world, role: 'owner' } });
      const { body: link } = await world.api.post('/links', { url: A, key: 'prize' });
      const form = { link: link.shortLink, category: 'phishing', comment: 'It asks for my PIN.' };
      const headers = { 'x-forwarded-for': `198.18.9.${size === 'phone' ? 1 : 2}` };
      await world.visit('/_/report', { form, headers });
      await eventually(async () =>
        expect(await db()('abuse_reports').where({ record_id: link.id })).to.have.lengthOf(1),
      );
      await inConsole(world, '/admin', { token, size }, async (page) => {
        const reports = page.getByRole('table', { name: 'Abuse reports' });
        await reports.getByRole('button', { name: '/prize' }).first().click();
        await dialog(page).getByText('It asks for my PIN.').waitFor();
        await expectAccessible(page, `abuse-report-${size}`);
        await dialog(page).getByLabel('Decision').selectOption('block-host');
        await dialog(page).getByLabel('Host').fill('example');
        await dialog(page).getByRole('button', { name: 'Answer' }).click();
        await dialog(page).getByText('must be a host name with a dot').first().waitFor();
        await dialog(page).getByLabel('Decision').selectOption('block-link');
        await dialog(page).getByLabel('Note').fill('A copy of a bank');
        await dialog(page).getByRole('button', { name: 'Answer' }).click();
        const blocked = page.getByRole('row').filter({ hasText: 'A copy of a bank' });
        await blocked.first().waitFor();
        await eventually(async () => expect((await world.visit('/prize')).status).to.equal(403));
        await expectAccessible(page, `blocked-links-${size}`);
        await blocked
          .first()
          .getByRole('button', { name: /^Unblock/ })
          .click();
        await dialog(page).getByRole('button', { name: 'Unblock' }).click();
        await eventually(async () =>
          expect((await world.visit('/prize')).headers.location).to.equal(A),
        );
      });
    });
  }

  it('lets operators block a host, and unblock it', async () => {
    const { token } = await aPerson({ isOperator: true, in: { ...world, role: 'owner' } });
    const host = `${world.slug}.example`;
    await inConsole(world, '/admin', { token }, async (page) => {
      await page.getByRole('button', { name: 'Block a host' }).click();
      await dialog(page).getByLabel('Host').fill('example');
      await dialog(page).getByLabel('Reason').fill('Phishing');
      await dialog(page).getByRole('button', { name: 'Block' }).click();
      await dialog(page).getByText('must be a host name with a dot').first().waitFor();
      await expectAccessible(page, 'block-host');
      await dialog(page).getByLabel('Host').fill(host);
      await dialog(page).getByRole('button', { name: 'Block' }).click();
      const blocked = page.getByRole('row').filter({ hasText: host });
      await blocked.getByText('Phishing').waitFor();
      const refused = await world.api.post('/links', { url: `https://${host}` });
      expect(refused.status).to.equal(422);
      await expectAccessible(page, 'blocked-hosts');
      await blocked.getByRole('button', { name: `Unblock ${host}` }).click();
      await dialog(page).getByRole('button', { name: 'Unblock' }).click();
      await blocked.waitFor({ state: 'detached' });
    });
  });
});
