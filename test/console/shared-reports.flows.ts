import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson } from '../support/people.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { addSampleEvents } from './sample-events.ts';
import {
  clipboard,
  dialog,
  expectAccessible,
  inConsole,
  newContext,
  SIZES,
  type Size,
  sizes,
  useBrowser,
  watch,
} from './window.ts';

/* Shares analytics as a report, which a reader without an account opens. See flows.ts. */

/** Opens the URL of a report as a reader does, whose window has no session. */
async function asReader(
  url: string,
  { size, scheme = 'light' }: { size: Size; scheme?: 'light' | 'dark' },
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await newContext({ viewport: SIZES[size], colorScheme: scheme });
  try {
    const page = await context.newPage();
    const faults = watch(page);
    await page.clock.install();
    await page.goto(stack().apiUrl + new URL(url).pathname);
    await work(page);
    expect(faults).to.deep.equal([]);
  } finally {
    await context.close();
  }
}

describe('shared reports in the console', function () {
  useBrowser();
  let world: World;
  let linkIds: string[];
  let tagId: string;
  let site: Site;

  before(async () => {
    site = await Site.start();
    world = await aWorkspace();
    tagId = (await world.api.post('/tags', { name: 'Seasonal' })).body.id;
    linkIds = [];
    for (let n = 0; n < 5; n += 1) {
      const labels = n < 2 ? { tagIds: [tagId] } : {};
      const link = { url: `https://example.com/${n}`, key: `link-${n}`, ...labels };
      linkIds.push((await world.api.post('/links', link)).body.id);
    }
    const code = { type: 'url', key: 'code', url: 'https://example.com/code' };
    await addSampleEvents(world, linkIds, (await world.api.post('/qrcodes', code)).body.id);
  });
  after(() => site.stop());

  afterEach(async () => {
    const { body } = await world.api.get('/reports');
    for (const { id } of body) await world.api.delete(`/reports/${id}`);
  });

  const urlShown = (page: Page): Promise<string> =>
    dialog(page).getByLabel('URL', { exact: true }).inputValue();
  const clicksOf = (page: Page): Promise<number> =>
    page
      .locator('.tiles div', { hasText: 'Clicks' })
      .locator('dd')
      .innerText()
      .then((text) => Number(text.replaceAll(',', '')));

  for (const size of sizes) {
    it(`shares the period and filters of the page (${size})`, async () => {
      await inConsole(world, `analytics?tagId=${tagId}`, { size }, async (page) => {
        await page.getByRole('button', { name: 'Share', exact: true }).click();
        await dialog(page).getByText('Last 30 days').waitFor();
        await dialog(page).getByText('Seasonal').waitFor();
        await dialog(page).getByLabel('Name', { exact: true }).fill('Seasonal links');
        await dialog(page).getByLabel('Numbers').selectOption('Clicks, leads and sales');
        await dialog(page).getByRole('checkbox', { name: 'Links', exact: true }).check();
        await dialog(page).getByRole('checkbox', { name: 'Browsers' }).uncheck();
        await expectAccessible(page, `share-report-${size}`);
        await dialog(page).getByRole('button', { name: 'Create URL' }).click();
        const url = await urlShown(page);
        await expectAccessible(page, `shared-report-url-${size}`);
        await dialog(page).getByRole('button', { name: 'Copy URL' }).click();
        expect(await clipboard(page)).to.equal(url);

        const [report] = (await world.api.get('/reports')).body;
        expect(report).to.deep.include({
          name: 'Seasonal links',
          url,
          groups: ['countries', 'sources', 'devices', 'top_links'],
        });
        const query = `${report.query}&groupBy=composite`;
        const { clicks } = (await world.api.get(`/analytics?${query}`)).body;
        expect(clicks).to.be.above(0);
        for (const scheme of ['light', 'dark'] as const) {
          await asReader(url, { size, scheme }, async (reader) => {
            await reader.getByRole('heading', { level: 1, name: 'Seasonal links' }).waitFor();
            expect(await clicksOf(reader)).to.equal(clicks);
            await reader.getByText(`${world.domain}/link-0`).waitFor();
            expect(await reader.getByText(`${world.domain}/link-4`).count()).to.equal(0);
            await expectAccessible(reader, `reader-${scheme}-${size}`);
          });
        }
      });
    });

    it(`lists reports, changes, rotates and deletes them (${size})`, async () => {
      const { body: report } = await world.api.post('/reports', {
        name: 'Weekly numbers',
        query: 'interval=7d',
      });
      const choose = async (page: Page, action: string) => {
        await page.getByRole('button', { name: /^Actions for/ }).click();
        await page.getByRole('menuitem', { name: action }).click();
      };
      await inConsole(world, 'settings/reports', { size }, async (page) => {
        await page.getByRole('row').filter({ hasText: 'Weekly numbers' }).waitFor();
        await expectAccessible(page, `shared-reports-${size}`);
        await choose(page, 'Copy URL');
        expect(await clipboard(page)).to.equal(report.url);
        await choose(page, 'Edit');
        await dialog(page).getByLabel('Name', { exact: true }).fill('Numbers of the week');
        await dialog(page).getByLabel('Password').fill('for readers');
        await dialog(page).getByRole('switch', { name: 'Allow embedding' }).click();
        await dialog(page).getByLabel('Origins').fill('https://shop.example/path');
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await dialog(page).getByText('isn’t an origin').waitFor();
        await dialog(page).getByLabel('Origins').fill('https://shop.example');
        await expectAccessible(page, `edit-report-${size}`);
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await page.getByRole('row').filter({ hasText: 'Numbers of the week' }).waitFor();
        expect((await world.api.get(`/reports/${report.id}`)).body).to.deep.include({
          hasPassword: true,
          embedOrigins: ['https://shop.example'],
          url: report.url,
        });
        await choose(page, 'Edit');
        await dialog(page).getByRole('switch', { name: 'Remove the password' }).click();
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await eventually(async () => {
          const { body } = await world.api.get(`/reports/${report.id}`);
          expect(body.hasPassword).to.equal(false);
        });
        await choose(page, 'Rotate URL');
        await dialog(page).getByRole('button', { name: 'Rotate URL' }).click();
        await page.getByText('New URL copied').waitFor();
        const copied = await clipboard(page);
        expect(copied).to.equal((await world.api.get(`/reports/${report.id}`)).body.url);
        expect(copied).not.to.equal(report.url);
        await choose(page, 'Delete');
        await dialog(page).getByRole('button', { name: 'Delete report' }).click();
        await page.getByText('No shared reports').waitFor();
        await expectAccessible(page, `no-shared-reports-${size}`);
      });
    });

    it(`sends a report by email (${size})`, async () => {
      const { body: report } = await world.api.post('/reports', {
        name: 'Weekly numbers',
        query: 'interval=7d',
      });
      const email = `client-${size}@people.test`;
      const read = async () => (await world.api.get(`/reports/${report.id}`)).body;
      const openMail = async (page: Page) => {
        await page.getByRole('button', { name: /^Actions for Weekly/ }).click();
        await page.getByRole('menuitem', { name: 'Send by email' }).click();
        await dialog(page).getByRole('heading', { name: 'Recipients' }).waitFor();
      };
      await inConsole(world, 'settings/reports', { size }, async (page) => {
        await openMail(page);
        await dialog(page).getByText('It isn’t sent.').waitFor();
        await dialog(page).getByText('No recipients yet.').waitFor();
        await expectAccessible(page, `report-mail-empty-${size}`);
        await dialog(page).getByLabel('Frequency').selectOption('Every month');
        await dialog(page).getByLabel('Day of the month').selectOption('31');
        await dialog(page).getByLabel('Frequency').selectOption('Every week');
        await dialog(page).getByLabel('Day', { exact: true }).selectOption('Friday');
        await dialog(page).getByLabel('Time', { exact: true }).selectOption('17:00');
        await dialog(page).getByLabel('Time zone').selectOption('Asia/Tokyo');
        await dialog(page).getByRole('button', { name: 'Save schedule' }).click();
        await dialog(page).getByText('Next email:').waitFor();
        expect((await read()).schedule).to.deep.equal({
          every: 'week',
          day: 5,
          hour: 17,
          timezone: 'Asia/Tokyo',
        });
        // The form has the version that it saved.
        await dialog(page).getByLabel('Time', { exact: true }).selectOption('9:00');
        await dialog(page).getByRole('button', { name: 'Save schedule' }).click();
        await eventually(async () => expect((await read()).schedule.hour).to.equal(9));

        await dialog(page).getByLabel('Email', { exact: true }).fill(email);
        await dialog(page).getByLabel('Language').selectOption('Deutsch');
        await dialog(page).getByRole('button', { name: 'Add recipient' }).click();
        const row = dialog(page).getByRole('row').filter({ hasText: email });
        await row.getByText('Not confirmed').waitFor();
        await expectAccessible(page, `report-mail-${size}`);
        await page.keyboard.press('Escape');
        await page.getByText('By email', { exact: true }).waitFor();

        const [mail] = await stack().mail.arrived(email);
        const url = /http\S+\/subscriptions\/[\w-]+/.exec(mail!.body)![0];
        await asReader(url, { size }, async (reader) => {
          await reader.getByText('Weekly numbers').waitFor();
          await expectAccessible(reader, `confirm-report-${size}`);
          await reader.getByRole('button', { name: 'Yes, send me this report' }).click();
          await reader.getByText('You will get this report by email').waitFor();
          await expectAccessible(reader, `confirmed-report-${size}`);
        });
        await openMail(page);
        await row.getByText('Confirmed').waitFor();
        await row.getByRole('button', { name: `Actions for ${email}` }).click();
        expect(await page.getByRole('menuitem').allInnerTexts()).to.deep.equal(['Remove']);
        await page.getByRole('menuitem', { name: 'Remove' }).click();
        await dialog(page).getByText('No recipients yet.').waitFor();

        await dialog(page).getByLabel('Email', { exact: true }).fill(`new-${email}`);
        await dialog(page).getByRole('button', { name: 'Add recipient' }).click();
        const waiting = dialog(page)
          .getByRole('row')
          .filter({ hasText: `new-${email}` });
        await waiting.getByRole('button').click();
        await page.getByRole('menuitem', { name: 'Resend confirmation email' }).click();
        await stack().mail.arrived(`new-${email}`, 2);
        await dialog(page).getByLabel('Frequency').selectOption('Not sent');
        await dialog(page).getByRole('button', { name: 'Save schedule' }).click();
        await dialog(page).getByText('It isn’t sent.').waitFor();
        expect((await read()).schedule).to.equal(null);
      });
    });

    it(`renews an open report, and locks it when its URL is revoked (${size})`, async () => {
      const { body: report } = await world.api.post('/reports', {
        name: 'Live numbers',
        query: `interval=30d&linkId=${linkIds[4]}`,
      });
      await asReader(report.url, { size }, async (page) => {
        const before = await clicksOf(page);
        await page.locator('summary').click();
        await page.locator('summary').focus();
        await world.visit('/link-4', {
          headers: { 'x-forwarded-for': `198.51.100.${size.length}` },
        });
        await eventually(async () => {
          await page.clock.runFor(31_000);
          expect(await clicksOf(page)).to.equal(before + 1);
        });
        expect(await page.locator('details').getAttribute('open')).to.equal('');
        expect(await page.locator('summary:focus').count()).to.equal(1);
        await world.api.post(`/reports/${report.id}/rotate`);
        await page.clock.runFor(31_000);
        await page.getByText('Report not found').waitFor();
      });
    });
  }

  it('shares scans of QR codes beside clicks', async () => {
    await inConsole(world, 'analytics', {}, async (page) => {
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await dialog(page).getByLabel('Name', { exact: true }).fill('Clicks and codes');
      await dialog(page).getByLabel('Numbers').selectOption('Clicks');
      await dialog(page).getByRole('checkbox', { name: 'QR codes', exact: true }).check();
      await dialog(page).getByRole('button', { name: 'Create URL' }).click();
      await asReader(await urlShown(page), { size: 'desk' }, async (reader) => {
        await reader.getByText(`${world.domain}/code`).waitFor();
        expect(await clicksOf(reader)).to.be.above(0);
      });
      await dialog(page).getByRole('button', { name: 'Send by email' }).click();
      await dialog(page).getByRole('heading', { name: 'Recipients' }).waitFor();
    });
  });

  it('says that a report of a past month keeps its dates', async () => {
    await inConsole(world, 'analytics?interval=last_month', {}, async (page) => {
      await page.getByRole('button', { name: 'Share', exact: true }).click();
      await dialog(page).getByText('The report stays at these dates.').waitFor();
    });
  });

  it('changes only what the form changes', async () => {
    const { body: report } = await world.api.post('/reports', {
      name: 'Codes',
      query: 'interval=30d&timezone=Europe/Berlin',
      groups: ['top_qrcodes'],
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    const expired = new Date(Date.now() - 86_400_000);
    await db()('shared_reports').where({ id: report.id }).update({ expires_at: expired });
    const read = async () => (await world.api.get(`/reports/${report.id}`)).body;
    await inConsole(world, 'settings/reports', {}, async (page) => {
      const edit = async (name: string, event?: string) => {
        await page.getByRole('button', { name: /^Actions for/ }).click();
        await page.getByRole('menuitem', { name: 'Edit' }).click();
        await dialog(page).getByLabel('Name', { exact: true }).fill(name);
        if (event !== undefined) await dialog(page).getByLabel('Numbers').selectOption(event);
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await page.getByRole('row').filter({ hasText: name }).waitFor();
      };
      await edit('Renamed');
      const expiresAt = expired.toISOString();
      expect(await read()).to.deep.equal({ ...report, name: 'Renamed', expiresAt });
      await edit('Scanned', 'Scans of QR codes');
      const query = 'interval=30d&timezone=Europe%2FBerlin';
      expect((await read()).query).to.equal(`${query}&event=scans`);
      await edit('Clicked', 'Clicks');
      expect((await read()).query).to.equal(query);
    });
  });

  it('says when the new URL of a report was not copied', async () => {
    await world.api.post('/reports', { name: 'Weekly numbers', query: 'interval=7d' });
    await inConsole(world, 'settings/reports', {}, async (page) => {
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.evaluate(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'));
      });
      await page.getByRole('menuitem', { name: 'Rotate URL' }).click();
      await dialog(page).getByRole('button', { name: 'Rotate URL' }).click();
      await page.getByText('URL rotated. Copy the new one from the menu.').waitFor();
      expect(await page.getByText('New URL copied').count()).to.equal(0);
    });
  });

  it('says that reports cannot be sent where email is not set up', async () => {
    await world.api.post('/reports', { name: 'Weekly numbers', query: 'interval=7d' });
    await inConsole(world, 'settings/reports', {}, async (page) => {
      await page.route('**/me/notifications', async (route) => {
        const response = await route.fetch();
        const json = { ...((await response.json()) as object), isMailSetUp: false };
        await route.fulfill({ response, json });
      });
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Send by email' }).click();
      await dialog(page).getByText('Email isn’t set up, so reports can’t be sent.').waitFor();
      expect(await dialog(page).getByRole('textbox').count()).to.equal(0);
      await expectAccessible(page, 'report-mail-without-server');
    });
  });

  it('leaves out what members with limits cannot do', async () => {
    const { userId, token } = await aPerson({ in: { ...world, role: 'member' } });
    await world.api.patch(`/members/${userId}`, { limits: { own: true } });
    await inConsole(world, 'analytics', { token }, async (page) => {
      await page.getByRole('button', { name: 'Export' }).waitFor();
      expect(await page.getByRole('button', { name: 'Share', exact: true }).count()).to.equal(0);
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox').fill('shared');
      await page.getByRole('option', { name: /^Search the docs/ }).waitFor();
      expect(await page.getByRole('option', { name: /^Shared reports/ }).count()).to.equal(0);
      await page.goto(`${stack().apiUrl}/console/${world.slug}/settings/reports`);
      await page.getByText('You don’t have access to shared reports').waitFor();
      const settings = page.getByRole('navigation', { name: 'Settings' });
      await settings.getByRole('link', { name: 'My profile' }).waitFor();
      expect(await settings.getByRole('link', { name: 'Shared reports' }).count()).to.equal(0);
      expect(await page.getByText('No shared reports').count()).to.equal(0);
    });
  });

  it('leaves out what viewers cannot do', async () => {
    await world.api.post('/reports', { name: 'Weekly numbers', query: 'interval=7d' });
    await inConsole(world, 'settings/reports', { role: 'viewer' }, async (page) => {
      await page.getByRole('button', { name: 'Actions for Weekly numbers' }).click();
      expect(await page.getByRole('menuitem').allInnerTexts()).to.deep.equal(['Copy URL', 'Open']);
    });
    await inConsole(world, 'analytics', { role: 'viewer' }, async (page) => {
      await page.getByRole('button', { name: 'Export' }).waitFor();
      expect(await page.getByRole('button', { name: 'Share', exact: true }).count()).to.equal(0);
    });
  });

  it('is embedded by the pages that may, with its password', async () => {
    const { body: report } = await world.api.post('/reports', {
      name: 'Embedded numbers',
      query: 'interval=30d',
      embedOrigins: [site.url],
    });
    const src = stack().apiUrl + new URL(report.url).pathname;
    const type = 'text/html; charset=utf-8';
    const body = `<!doctype html><title>Shop</title><iframe src="${src}" title="Numbers" width="600" height="900"></iframe>`;
    const shop = site.answer('/shop', { type, body });
    const context = await newContext({ viewport: SIZES.desk });
    try {
      const page = await context.newPage();
      await page.goto(shop);
      await page.frameLocator('iframe').getByText('Embedded numbers').waitFor();
      await world.api.patch(`/reports/${report.id}`, { embedOrigins: ['https://other.example'] });
      const refused = page.waitForEvent('console', (message) =>
        message.text().includes('frame-ancestors'),
      );
      await page.goto(shop);
      await refused;
      expect(await page.frameLocator('iframe').getByText('Embedded numbers').count()).to.equal(0);
    } finally {
      await context.close();
    }
  });

  it('prints a report in black on white', async () => {
    const { body: report } = await world.api.post('/reports', {
      name: 'Printed numbers',
      query: 'interval=30d',
    });
    await asReader(report.url, { size: 'desk', scheme: 'dark' }, async (page) => {
      await page.emulateMedia({ media: 'print', colorScheme: 'light' });
      await page.getByText('Printed numbers').waitFor();
      await expectAccessible(page, 'printed-report');
    });
  });
});
