import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/* Tests input, refusals and messages of forms. See flows.ts. */

const A = 'https://example.com/a';

const row = (page: Page, key: string) => page.getByRole('row').filter({ hasText: `/${key}` });
const destination = (page: Page) => dialog(page).getByLabel('Destination', { exact: true });
const slug = (page: Page) => dialog(page).getByRole('textbox', { name: 'Short link' });
const create = (page: Page) => dialog(page).getByRole('button', { name: 'Create link' });

/** Pastes a text into the focused element. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('ControlOrMeta+v');
}

describe('forms of the console', function () {
  this.timeout(300_000);
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const linkOf = async (key: string) =>
    (await world.api.get('/links/info', { domain: world.domain, key })).body;

  for (const size of sizes) {
    it(`refuses a pasted list of URLs, and says how many there are (${size})`, async () => {
      const urls = Array.from({ length: 20 }, (_, index) => `https://example.com/${index}`);
      await inConsole(world, 'links?new=link', { size }, async (page) => {
        await destination(page).focus();
        await paste(page, urls.join('\n'));
        await dialog(page).getByText('You pasted 20 URLs, and this field takes one.').waitFor();
        expect(await destination(page).inputValue()).to.equal('');
        await expectAccessible(page, `pasted-list-${size}`);
        await paste(page, urls.slice(0, 3).join(' '));
        await dialog(page).getByText('You pasted 3 URLs').waitFor();
        await paste(page, 'https://example.com/long-\npath');
        await dialog(page).getByText('You pasted several lines.').waitFor();
        await paste(page, `${urls[0]}\n`);
        await dialog(page).getByText('You pasted').waitFor({ state: 'detached' });
        await slug(page).fill('one');
        await create(page).click();
        await row(page, 'one').waitFor();
      });
      expect((await linkOf('one')).url).to.equal(urls[0]);
    });
  }

  it('checks slugs on the default domain, and offers one that can be had', async () => {
    const [domain] = (await world.api.get('/domains')).body;
    expect((await world.api.delete(`/domains/${domain.id}`)).status).to.equal(200);
    const key = `offer-${world.slug}`;
    const { body: made } = await world.api.post('/links', { url: A, key });
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await destination(page).fill(A);
      expect(
        await dialog(page).getByLabel('Domain').locator('option').first().textContent(),
      ).to.equal(made.domain);
      await slug(page).fill(key);
      await dialog(page).getByText('The slug is taken by another link.').waitFor();
      await slug(page).fill(`${key}-2`);
      await dialog(page).getByText('This slug is free.').waitFor();
    });
  });

  it('says where a link will live, and makes slugs of names with umlauts', async () => {
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await destination(page).fill(A);
      await dialog(page).getByText(`${world.domain}/(7 random characters)`).waitFor();
      await slug(page).pressSequentially('My Spring Sale!');
      await dialog(page).getByText('Use letters, digits, emoji').waitFor();
      await dialog(page).getByRole('button', { name: 'Use my-spring-sale' }).click();
      await dialog(page).getByText('This slug is free.').waitFor();
      await dialog(page).getByText(`${world.domain}/my-spring-sale`).waitFor();
      await slug(page).fill('');
      await dialog(page).getByLabel('Title').fill('Müller & Söhne');
      await dialog(page).getByRole('button', { name: 'Use mueller-soehne' }).click();
      await page.keyboard.press('ControlOrMeta+Enter');
      await row(page, 'mueller-soehne').waitFor();
    });
    expect((await linkOf('mueller-soehne')).title).to.equal('Müller & Söhne');
  });

  it('offers the next steps with a new link', async () => {
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await destination(page).fill(A);
      await slug(page).fill('first');
      await create(page).click();
      const said = page.getByLabel('Messages');
      await said.getByText('/first created and copied').waitFor();
      const { shortLink } = await linkOf('first');
      expect(await said.getByRole('link', { name: 'Open' }).getAttribute('href')).to.equal(
        shortLink,
      );
      // The message closes by itself, so nothing slow may come before this click.
      await said.getByRole('button', { name: 'QR code' }).click();
      await dialog(page)
        .getByRole('img', { name: /^QR code of/ })
        .waitFor();
      await expectAccessible(page, 'created');
      await dialog(page).getByRole('button', { name: 'Close' }).click();
    });
  });

  it('names what is missing in a rule, in the words of the form', async () => {
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await destination(page).fill(A);
      await page.locator('summary', { hasText: 'Rules' }).click();
      await page.getByRole('button', { name: 'Add rule' }).click();
      await create(page).click();
      await dialog(page).getByText('Choose a country.').waitFor();
      await dialog(page).getByText('Enter a URL.').waitFor();
      expect(
        await dialog(page)
          .getByText(/rules\[|must contain/)
          .count(),
      ).to.equal(0);
      await expectAccessible(page, 'rule-refused');
      const country = page.getByLabel('Value of condition 1 of rule 1');
      await country.fill('Atlantis');
      await page.keyboard.press('Enter');
      await dialog(page).getByText('“Atlantis” isn’t in the list.').waitFor();
      await country.fill('Germany, at');
      await page.keyboard.press('Enter');
      await dialog(page).getByRole('button', { name: 'Remove Germany' }).waitFor();
      await page.getByLabel('Destination of rule 1').fill('https://example.de');
      await page.locator('summary', { hasText: 'Germany, Austria → https://example.de' }).waitFor();
      await slug(page).fill('ruled');
      await create(page).click();
      await row(page, 'ruled').waitFor();
    });
    expect((await linkOf('ruled')).rules).to.deep.equal([
      { value: { country: ['DE', 'AT'] }, url: 'https://example.de' },
    ]);
  });

  it('keeps UTM parameters that were set before the destination was pasted', async () => {
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await page.locator('summary', { hasText: 'UTM parameters' }).click();
      await dialog(page).getByLabel('Source').fill('news');
      await dialog(page).getByLabel('Medium').fill('email');
      await destination(page).focus();
      await page.keyboard.press('ControlOrMeta+a');
      await paste(page, A);
      expect(await destination(page).inputValue()).to.equal(
        `${A}?utm_source=news&utm_medium=email`,
      );
      await destination(page).fill('https://example.com/b?utm_source=their');
      expect(await dialog(page).getByLabel('Source').inputValue()).to.equal('their');
    });
  });

  it('shows the value of a condition in full on a phone', async () => {
    await inConsole(world, 'links?new=link', { size: 'phone' }, async (page) => {
      await page.locator('summary', { hasText: 'Rules' }).click();
      await page.getByRole('button', { name: 'Add rule' }).click();
      await page.getByRole('button', { name: 'Add condition' }).click();
      const country = page.getByLabel('Value of condition 1 of rule 1');
      await country.fill('United Kingdom,');
      const chosen = page.getByText('United Kingdom', { exact: true });
      expect((await chosen.boundingBox())!.height).to.be.lessThan(60);
      await page.getByLabel('Condition 2 of rule 1', { exact: true }).selectOption('From');
      const from = page.getByLabel('Value of condition 2 of rule 1');
      expect((await from.boundingBox())!.width).to.be.greaterThan(220);
      await expectAccessible(page, 'rule-phone');
    });
  });

  for (const size of sizes) {
    it(`limits a rule to times of some days, without a syntax to know (${size})`, async () => {
      const key = `hours-${size}`;
      const hours = (page: Page) =>
        page.getByRole('group', { name: 'Value of condition 1 of rule 1' });
      await inConsole(world, 'links?new=link', { size }, async (page) => {
        await destination(page).fill(A);
        await slug(page).fill(key);
        await page.locator('summary', { hasText: 'Rules' }).click();
        await page.getByRole('button', { name: 'Add rule' }).click();
        await page.getByLabel('Condition 1 of rule 1', { exact: true }).selectOption('Time of day');
        await page.getByLabel('Destination of rule 1').fill('https://example.com/open');
        await create(page).click();
        await dialog(page).getByText('Enter when it begins.').waitFor();
        await hours(page).getByLabel('From').fill('09:00');
        await hours(page).getByLabel('Until').fill('17:30');
        await hours(page).getByLabel('Friday').check();
        await hours(page).getByLabel('Monday').check();
        const zone = hours(page).getByLabel('Time zone');
        const ofBrowser = await page.evaluate(
          () => Intl.DateTimeFormat().resolvedOptions().timeZone,
        );
        expect(await zone.inputValue()).to.equal(ofBrowser);
        await zone.selectOption('Europe/Berlin');
        await expectAccessible(page, `time-of-day-${size}`);
        await create(page).click();
        await dialog(page).waitFor({ state: 'detached' });
      });
      const time = { from: '09:00', to: '17:30', days: ['mon', 'fri'], timezone: 'Europe/Berlin' };
      const link = await linkOf(key);
      expect(link.rules[0].value).to.deep.equal({ time });
      await inConsole(world, `links?edit=${link.id}`, { size }, async (page) => {
        await page.locator('summary', { hasText: 'Rules' }).click();
        expect(await hours(page).getByLabel('Until').inputValue()).to.equal('17:30');
        expect(await hours(page).getByLabel('Friday').isChecked()).to.equal(true);
        expect(await hours(page).getByLabel('Tuesday').isChecked()).to.equal(false);
        await hours(page).getByLabel('Friday').uncheck();
        await hours(page).getByLabel('Monday').uncheck();
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await dialog(page).waitFor({ state: 'detached' });
      });
      expect((await linkOf(key)).rules[0].value.time).to.not.have.property('days');
    });
  }

  it('warns of a rule that never matches, until the rule before it moves', async () => {
    const rules = [
      { value: { country: ['FR', 'BE'] }, url: 'https://example.com/fr' },
      { value: { country: ['FR'], os: ['ios'] }, url: 'https://example.com/fr/app' },
    ];
    const { body: made } = await world.api.post('/links', { url: A, key: 'never', rules });
    await inConsole(world, `links?edit=${made.id}`, {}, async (page) => {
      const summary = page.locator('summary', { hasText: 'Rules' });
      await summary.waitFor();
      const warning = dialog(page).getByText(
        'This rule never matches: rule 1 matches all of its visitors first.',
      );
      if (!(await warning.isVisible())) await summary.click();
      await warning.waitFor();
      await expectAccessible(page, 'rule-never');
      await page.getByRole('button', { name: 'Move rule 2 up' }).click();
      await warning.waitFor({ state: 'detached' });
    });
  });

  it('keeps the focus in a section after a part of it is removed', async () => {
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await page.locator('summary', { hasText: 'Rules' }).click();
      for (let rule = 0; rule < 3; rule += 1) {
        await page.getByRole('button', { name: 'Add rule' }).click();
      }
      const remove = (rule: number) =>
        page
          .getByRole('listitem', { name: `Rule ${rule}`, exact: true })
          .getByRole('button', { name: 'Remove rule' })
          .press('Enter');
      const focused = page.locator(':focus');
      await remove(1);
      expect(await focused.getAttribute('aria-label')).to.equal('Rule 1');
      await page.getByText('Rule 1 removed').waitFor();
      await remove(2);
      expect(await focused.getAttribute('aria-label')).to.equal('Rule 1');
      await page.getByRole('button', { name: 'Add condition' }).click();
      await page.getByRole('button', { name: 'Remove condition 2 of rule 1' }).press('Enter');
      expect(await focused.getAttribute('aria-label')).to.equal('Rule 1');
      await remove(1);
      expect(await focused.innerText()).to.equal('Add rule');

      await page.locator('summary', { hasText: 'Targets by device and country' }).click();
      await page.getByRole('button', { name: 'Add country' }).click();
      await page.getByLabel('Country 1', { exact: true }).selectOption('DE');
      await page.getByRole('button', { name: 'Remove country 1' }).press('Enter');
      expect(await focused.innerText()).to.equal('Add country');

      await page.locator('summary', { hasText: 'A/B test' }).click();
      await page.getByRole('button', { name: 'Set up test' }).click();
      await page.getByRole('button', { name: 'Add variant' }).click();
      await page.getByRole('button', { name: 'Remove variant B' }).press('Enter');
      expect(await focused.getAttribute('aria-label')).to.equal('Destination of variant C');
      await page.getByRole('button', { name: 'Remove test' }).press('Enter');
      expect(await focused.innerText()).to.match(/A\/B test/);
    });
  });

  it('suggests cities in a rule as they are typed', async () => {
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await destination(page).fill(A);
      await page.locator('summary', { hasText: 'Rules' }).click();
      await page.getByRole('button', { name: 'Add rule' }).click();
      await page.getByLabel('Condition 1 of rule 1', { exact: true }).selectOption('city');
      const city = page.getByLabel('Value of condition 1 of rule 1');
      await city.fill('sao');
      await page.locator('option[value="São Paulo"]').waitFor({ state: 'attached' });
      await city.fill('são paulo');
      await page.keyboard.press('Enter');
      await dialog(page).getByRole('button', { name: 'Remove São Paulo' }).waitFor();
      await page.getByLabel('Destination of rule 1').fill('https://example.com/br');
      await slug(page).fill('cities');
      await create(page).click();
      await row(page, 'cities').waitFor();
    });
    expect((await linkOf('cities')).rules).to.deep.equal([
      { value: { city: ['São Paulo'] }, url: 'https://example.com/br' },
    ]);
  });

  for (const size of sizes) {
    it(`asks whose change is kept where two people change the same (${size})`, async () => {
      const { body: made } = await world.api.post('/links', { url: A, key: 'shared' });
      const grace = await aPerson({ in: { ...world, role: 'member' } });
      await db()('users').where({ id: grace.userId }).update({ name: 'Grace' });
      const change = (url: string) =>
        grace.api
          .patch(`/links/${made.id}`, { url })
          .then(({ status }) => expect(status).to.equal(200));
      await inConsole(world, `links?edit=${made.id}`, { size }, async (page) => {
        const headers: (string | null)[] = [];
        page.on('request', (request) => {
          if (request.method() === 'PATCH') headers.push(request.headers()['if-match'] ?? null);
        });
        const save = () => dialog(page).getByRole('button', { name: 'Save' }).click();
        await destination(page).fill('https://example.com/mine');
        await change('https://example.com/graces');
        await save();
        await page.getByRole('heading', { name: /^Grace changed the destination/ }).waitFor();
        await page.getByText('https://example.com/graces').waitFor();
        await expectAccessible(page, `conflict-${size}`);
        await page.getByRole('button', { name: 'Back to the form' }).click();
        await dialog(page).getByText('Nothing is saved yet.').waitFor();
        expect((await linkOf('shared')).url).to.equal('https://example.com/graces');
        await save();
        await page.getByRole('button', { name: 'Keep yours' }).click();
        await dialog(page).waitFor({ state: 'detached' });
        expect((await linkOf('shared')).url).to.equal('https://example.com/mine');
        expect(headers.every((header) => header !== null)).to.equal(true);
      });
    });
  }

  it('takes theirs, keeps what only one person changed, and does not ask about that', async () => {
    const { body: made } = await world.api.post('/links', { url: A, key: 'shared' });
    await inConsole(world, `links?edit=${made.id}`, {}, async (page) => {
      const save = () => dialog(page).getByRole('button', { name: 'Save' }).click();
      await dialog(page).getByLabel('Title').fill('Mine');
      await world.api.patch(`/links/${made.id}`, { url: 'https://example.com/theirs' });
      await save();
      await dialog(page).waitFor({ state: 'detached' });
      expect(await linkOf('shared')).to.include({
        url: 'https://example.com/theirs',
        title: 'Mine',
      });
      await page.goto(page.url().replace(/links.*/, `links?edit=${made.id}`));
      await dialog(page).getByLabel('Title').fill('Mine again');
      await world.api.patch(`/links/${made.id}`, { title: 'Theirs' });
      await save();
      await page.getByRole('button', { name: 'Take theirs' }).click();
      await dialog(page).waitFor({ state: 'detached' });
      expect((await linkOf('shared')).title).to.equal('Theirs');
    });
  });

  it('asks before it deletes what somebody has changed meanwhile', async () => {
    const { body: tag } = await world.api.post('/tags', { name: 'spring' });
    await inConsole(world, 'labels', {}, async (page) => {
      await page.getByRole('button', { name: 'Actions for the tag spring' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await world.api.put(`/tags/${tag.id}`, { name: 'summer' });
      await dialog(page).getByRole('button', { name: 'Delete tag' }).click();
      await page.getByRole('heading', { name: /changed the name/ }).waitFor();
      await page.getByRole('button', { name: 'Don’t delete' }).click();
      await dialog(page).getByText('Nothing is saved yet.').waitFor();
      expect((await world.api.get(`/tags/${tag.id}`)).body.name).to.equal('summer');
      await dialog(page).getByRole('button', { name: 'Delete tag' }).click();
      await page.getByRole('button', { name: 'Delete anyway' }).click();
      await eventually(async () =>
        expect((await world.api.get(`/tags/${tag.id}`)).status).to.equal(404),
      );
    });
  });

  it('tells viewers what they have no access to, without a retry', async () => {
    await inConsole(world, 'webhooks', { role: 'viewer' }, async (page) => {
      await page.getByText('You don’t have access to webhooks').waitFor();
      await page.getByText('Ask an owner').waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).to.equal(0);
    });
  });

  for (const size of sizes) {
    it(`tests where a visitor of a link is redirected (${size})`, async () => {
      await world.api.post('/links', {
        url: 'https://example.com/all',
        key: 'menu',
        rules: [
          { value: { country: ['FR'], language: ['fr'] }, url: 'https://example.com/fr' },
          { value: { query: { coupon: true } }, url: 'https://example.com/sale' },
        ],
        ios: 'https://apps.example.com/menu',
      });
      await inConsole(world, 'links', { size }, async (page) => {
        await page.getByRole('button', { name: /^Actions for .*menu/ }).click();
        await page.getByRole('menuitem', { name: 'Test redirect' }).click();
        const result = dialog(page).getByRole('status');
        await result.getByText('Goes to https://example.com/all').waitFor();
        await result.getByText('No rule or target matches').waitFor();
        await dialog(page).getByLabel('Device').selectOption('iPhone');
        await result.getByText('Goes to https://apps.example.com/menu').waitFor();
        await result.getByText('By the destination for iOS').waitFor();
        await dialog(page).getByLabel('Country').selectOption('FR');
        await dialog(page).getByLabel('Language').selectOption('fr');
        await result.getByText('Goes to https://example.com/fr').waitFor();
        await result.getByText('By rule 1').waitFor();
        await dialog(page).getByLabel('Language').selectOption('');
        await dialog(page).getByLabel('Query').fill('?coupon=1');
        await result.getByText('By rule 2').waitFor();
        await expectAccessible(page, `simulate-${size}`);
        await dialog(page).getByLabel('Query').fill('a#b');
        await dialog(page).getByText('Enter parameters, such as utm_source=mail.').waitFor();
        await page.keyboard.press('Escape');
        await dialog(page).waitFor({ state: 'detached' });
      });
    });

    it(`makes codes static that are scanned without a connection (${size})`, async () => {
      await inConsole(world, 'qrcodes/new', { size }, async (page) => {
        const warning = page.getByText('Dynamic needs a connection.');
        const types = page.getByRole('group', { name: 'Type', exact: true });
        const isStatic = () => page.getByRole('radio', { name: 'Static' }).isChecked();
        for (const type of ['Wi-Fi', 'Contact', 'Text']) {
          await types.getByRole('radio', { name: type }).check({ force: true });
          expect(await isStatic(), type).to.equal(true);
        }
        for (const type of ['Website', 'Phone']) {
          await types.getByRole('radio', { name: type }).check({ force: true });
          expect(await isStatic(), type).to.equal(false);
          expect(await warning.count()).to.equal(0);
        }
        await page.getByRole('radio', { name: 'Wi-Fi' }).check({ force: true });
        await page.getByRole('radio', { name: 'Dynamic' }).check();
        await warning.waitFor();
        await expectAccessible(page, `dynamic-wifi-${size}`);
        await page.getByRole('radio', { name: 'Static' }).check();
        await page.getByLabel('Network name').fill('Guests');
        await page.getByRole('button', { name: 'Create QR code' }).last().click();
        await page.getByText('QR code created').waitFor();
      });
      const [{ type, static: isStored }] = (await world.api.get('/qrcodes')).body;
      expect({ type, isStored }).to.deep.equal({ type: 'wifi', isStored: true });
    });
  }

  it('shows in contrast themes what is on and what is chosen', async () => {
    await inConsole(world, 'qrcodes/new', {}, async (page) => {
      await page.emulateMedia({ forcedColors: 'active' });
      const look = (name: string, checked: boolean) =>
        page
          .getByRole('switch', { name, checked })
          .locator('span')
          .first()
          .evaluate((track) => {
            const { getComputedStyle: styleOf } = globalThis as unknown as {
              getComputedStyle(of: unknown): { backgroundColor: string };
            };
            return styleOf(track).backgroundColor;
          });
      const off = await look('Save style as template', false);
      await page.getByRole('switch', { name: 'Save style as template' }).click();
      expect(await look('Save style as template', true)).to.not.equal(off);
      await expectAccessible(page, 'forced-colors');
    });
  });
});
