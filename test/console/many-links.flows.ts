import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { linkOf } from '../support/imports.ts';
import { aPerson } from '../support/people.ts';
import { Site } from '../support/site.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, expectAccessible, inConsole, sizes, tabTo, useBrowser } from './window.ts';

/* Flows of the table that creates many links, and of the rules for UTM parameters. */

const A = 'https://example.com/a';

const text = (page: Page) => page.getByLabel('URLs or rows');
const cell = (page: Page, column: string, row: number) =>
  page.getByRole('textbox', { name: `${column} of row ${row}`, exact: true });

/** Pastes a text into the focused element. */
async function paste(page: Page, pasted: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`);
  await page.keyboard.press('ControlOrMeta+v');
}

const downloaded = async (page: Page, name: string): Promise<Buffer> => {
  const button = page.getByRole('button', { name, exact: true });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return readFileSync(await download.path());
};

describe('many links in the console', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  for (const size of sizes) {
    it(`become forty links by a paste and a click (${size})`, async () => {
      const urls = Array.from({ length: 40 }, (_, n) => `${A}?n=${n}`);
      await inConsole(world, 'links', { size }, async (page) => {
        await page.getByRole('link', { name: 'Create many' }).click();
        await text(page).focus();
        await paste(page, urls.join('\n'));
        await page.getByText('40 links ready.').waitFor();
        await expectAccessible(page, `many-links-${size}`);
        await page.getByRole('button', { name: 'Create 40 links' }).click();
        await page.getByRole('link', { name: 'Show links' }).waitFor();
        expect(await page.getByRole('region', { name: 'Warnings' }).count()).to.equal(0);
        await expectAccessible(page, `many-links-done-${size}`);
        await page.getByRole('link', { name: 'Show links' }).click();
        await page.getByText('40 links', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'From one import' }).waitFor();
      });
      const { body } = await world.api.get('/links');
      expect(body.map(({ url }: { url: string }) => url)).to.deep.equal(urls.toReversed());
    });

    it(`show conflicts of each row, which can be fixed there (${size})`, async () => {
      await world.api.post('/links', { url: A, key: 'taken' });
      const sheet = `Slug,URL,Title,Owner\ntaken,${A},One,x\ntwice,nope,Two,x\ntwice,${A},Three,x`;
      await inConsole(world, 'links/batch', { size }, async (page) => {
        await page.getByLabel('CSV or TSV file of links').setInputFiles({
          name: 'links.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from(sheet),
        });
        await page.getByText('Columns left out: Owner.').waitFor();
        await page.getByText('3 rows to fix.').waitFor();
        await page.getByText('The slug “taken” is taken.').waitFor();
        await page.getByText('Enter a full URL, such as https://example.com/page.').waitFor();
        await page.getByText('Row 2 has this slug too.').waitFor();
        expect(await page.getByRole('button', { name: 'Create 3 links' }).isDisabled()).to.equal(
          true,
        );
        await expectAccessible(page, `many-links-conflicts-${size}`);
        await page.getByRole('button', { name: 'Go to first error' }).click();
        await page.keyboard.press('ControlOrMeta+a');
        await page.keyboard.type('free');
        await cell(page, 'Destination', 2).fill(`${A}/two`);
        await page.getByText('1 row to fix.').waitFor();
        await page.getByRole('button', { name: 'Remove rows with errors' }).click();
        await page.getByText('2 links ready.').waitFor();
        await page.getByRole('button', { name: 'Create 2 links' }).click();
        await page.getByRole('link', { name: 'Show links' }).waitFor();
      });
      expect(await linkOf(world, 'free')).to.include({ url: A, title: 'One' });
      expect(await linkOf(world, 'twice')).to.include({ url: `${A}/two`, title: 'Two' });
    });
  }

  it('get titles of their destinations, and a domain, folder, tags and UTM template', async () => {
    const { api } = world;
    await api.post('/folders', { name: 'Spring' });
    await api.post('/tags', { name: 'Mail' });
    await api.post('/utm-templates', { name: 'Letter', utm_source: 'letter' });
    const site = await Site.start();
    try {
      const url = site.answer('/page', { type: 'text/html', body: '<title>From the page</title>' });
      await inConsole(world, 'links/batch', {}, async (page) => {
        const checks: (string | null)[] = [];
        page.on('request', (request) => {
          if (request.url().endsWith('/links/bulk/check')) checks.push(request.postData());
        });
        await text(page).fill(`${url}\n${A}?utm_source=x&utm_term=y`);
        await page.getByRole('button', { name: 'Continue' }).click();
        await eventually(async () =>
          expect(await cell(page, 'Title', 1).inputValue()).to.equal('From the page'),
        );
        await cell(page, 'Title', 2).fill('Own');
        await page.getByLabel('Domain').selectOption('localhost');
        await page.getByLabel('Folder').selectOption('Spring');
        await page.getByLabel('UTM template').selectOption('Letter');
        await page.getByRole('button', { name: 'Tags:' }).click();
        await page.getByLabel('Mail').check();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Create 2 links' }).click();
        await page.getByRole('link', { name: 'Show links' }).waitFor();
        // Titles that arrive must not start the check again.
        expect(checks).not.to.have.length(0);
        for (const body of checks) expect(body).not.to.contain('"title"');
      });
      const { body } = await api.get('/links', { tagNames: 'Mail', domain: 'localhost' });
      const shown = body.map(({ url, title }: { url: string; title: string }) => [url, title]);
      expect(shown).to.deep.equal([
        [`${A}?utm_source=letter&utm_term=y`, 'Own'],
        [`${url}?utm_source=letter`, 'From the page'],
      ]);
      expect(body[0].folderId).to.be.a('string');
    } finally {
      await site.stop();
    }
  });

  it('have results as CSV and a sheet of codes, and can be undone', async () => {
    await inConsole(world, 'links/batch', {}, async (page) => {
      await text(page).fill(`${A}\tone\tOne\n${A}2\ttwo\tTwo`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Create 2 links' }).click();
      await page.getByRole('link', { name: 'Show links' }).waitFor();
      const csv = (await downloaded(page, 'Download links')).toString();
      expect(csv.trim().split('\r\n')).to.have.length(3);
      expect(csv).to.contain(`${world.domain},one,`);
      await page.getByRole('button', { name: 'QR codes' }).click();
      await page.getByLabel('Images as').selectOption('sheet');
      await page.getByRole('button', { name: 'Draw images' }).click();
      const pdf = await downloaded(page, 'Download PDF');
      expect(pdf.toString('latin1')).to.match(/\/Count 1 /);
      await page.getByRole('button', { name: 'Undo' }).click();
      await dialog(page).getByRole('button', { name: 'Delete links' }).click();
      await page.getByText('2 of 2 links deleted.').waitFor();
    });
    expect((await world.api.get('/links')).body).to.deep.equal([]);
  });

  it('take the slugs that only some rows have, and name spaces in URLs', async () => {
    await inConsole(world, 'links/batch', {}, async (page) => {
      await text(page).fill(`${A}\n${A}2, second\n${A}3 third`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('3 links ready.').waitFor();
      expect(await page.locator(':focus').getAttribute('role')).to.equal('status');
      expect(await cell(page, 'Slug', 2).inputValue()).to.equal('second');
      await page.getByText('Contains a space. A slug goes into a separate field.').waitFor();
    });
  });

  it('are listed with the rows of their file after an undo', async () => {
    const file = `url,key\n${A},kept\nnot a URL,refused\n${A}2,also`;
    const { body } = await world.api.post('/imports', file, {
      headers: { 'content-type': 'text/csv' },
      query: { name: 'three rows.csv' },
    });
    const stateIs = (state: string) =>
      eventually(async () => {
        expect((await world.api.get(`/imports/${body.id}`)).body.state).to.equal(state);
      });
    await stateIs('done');
    await world.api.post(`/imports/${body.id}/undo`);
    await stateIs('undone');
    await inConsole(world, 'imports', {}, async (page) => {
      const cells = page.getByRole('row').filter({ hasText: 'three rows.csv' }).getByRole('cell');
      await cells.first().waitFor();
      expect((await cells.allInnerTexts()).slice(1)).to.deep.equal(['Undone', '2', '0', '1', '3']);
    });
  });

  it('are made with the keyboard alone', async () => {
    await inConsole(world, 'links/batch', {}, async (page) => {
      await tabTo(page, text(page));
      await page.keyboard.type(`${A} ${A}2`);
      await page.keyboard.press('ControlOrMeta+Enter');
      const slug = cell(page, 'Slug', 2);
      await tabTo(page, slug);
      await page.keyboard.type('typed');
      const create = page.getByRole('button', { name: 'Create 2 links' });
      await eventually(async () => expect(await create.isEnabled()).to.equal(true));
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Show links' }).waitFor();
    });
    expect((await linkOf(world, 'typed')).url).to.equal(`${A}2`);
  });

  it('begin with URLs that were pasted as a destination', async () => {
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await dialog(page).getByLabel('Destination', { exact: true }).focus();
      await paste(page, `${A}\n${A}2\n${A}3`);
      await dialog(page).getByRole('button', { name: 'Create 3 links' }).click();
      await page.getByText('3 links ready.').waitFor();
      expect(await cell(page, 'Destination', 3).inputValue()).to.equal(`${A}3`);
    });
  });

  it('keep the first of two equal rows', async () => {
    await inConsole(world, 'links/batch', {}, async (page) => {
      await text(page).fill(`url,slug,title\n${A},same,One\n${A},same,One`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('1 row to fix.').waitFor();
      await page.getByText('Row 1 has this slug too.').waitFor();
      await page.getByRole('button', { name: 'Remove rows with errors' }).click();
      await page.getByText('1 link ready.').waitFor();
      await page.getByRole('button', { name: 'Create 1 link' }).click();
      await page.getByRole('link', { name: 'Show links' }).waitFor();
    });
    expect((await linkOf(world, 'same')).title).to.equal('One');
  });

  it('keep the domains of their short links', async () => {
    await inConsole(world, 'links/batch', {}, async (page) => {
      const sheet = `url,short link\n${A},https://localhost/${world.slug}\n${A}2,${world.domain}/b`;
      await text(page).fill(sheet);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('2 links ready.').waitFor();
      await page.getByRole('button', { name: 'Create 2 links' }).click();
      await page.getByRole('link', { name: 'Show links' }).waitFor();
    });
    const { body } = await world.api.get('/links');
    const places = body.map(({ domain, key }: { domain: string; key: string }) => [domain, key]);
    expect(places).to.have.deep.members([
      ['localhost', world.slug],
      [world.domain, 'b'],
    ]);
  });

  it('say that a title of a sheet is too long', async () => {
    await inConsole(world, 'links/batch', {}, async (page) => {
      await text(page).fill(`url,title\n${A},${'x'.repeat(1_001)}`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('1 row to fix.').waitFor();
      await cell(page, 'Title', 1).fill('Short');
      await page.getByText('1 link ready.').waitFor();
    });
  });

  it('go back to the text, after a question if rows were edited', async () => {
    const pasted = `${A}\n${A}2`;
    await inConsole(world, 'links/batch', {}, async (page) => {
      const questions: string[] = [];
      page.on('dialog', (asked) => {
        questions.push(asked.message());
        void (questions.length === 1 ? asked.dismiss() : asked.accept());
      });
      const again = page.getByRole('button', { name: 'Start over' });
      await text(page).fill(pasted);
      await page.getByRole('button', { name: 'Continue' }).click();
      await again.click();
      expect(await text(page).inputValue()).to.equal(pasted);
      await page.getByRole('button', { name: 'Continue' }).click();
      await cell(page, 'Slug', 1).fill('edited');
      await again.click();
      expect(await cell(page, 'Slug', 1).inputValue()).to.equal('edited');
      await again.click();
      expect(await text(page).inputValue()).to.equal(pasted);
      const question = 'Start over? Your edits of the rows will be lost.';
      expect(questions).to.deep.equal([question, question]);
    });
  });

  it('are refused to viewers and limited members', async () => {
    const { userId, token } = await aPerson({ in: { ...world, role: 'member' } });
    await world.api.patch(`/members/${userId}`, { limits: { own: true } });
    const people: Parameters<typeof inConsole>[2][] = [{ role: 'viewer' }, { token }];
    for (const person of people) {
      await inConsole(world, 'links/batch', person, async (page) => {
        await page.getByText('You don’t have access to create many links').waitFor();
        expect(await text(page).count()).to.equal(0);
      });
    }
  });

  it('are not offered to viewers', async () => {
    await world.api.post('/links', { url: A, key: 'one' });
    await inConsole(world, 'links', { role: 'viewer' }, async (page) => {
      await page.getByText('/one').first().waitFor();
      expect(await page.getByRole('link', { name: 'Create many' }).count()).to.equal(0);
    });
  });
});

describe('UTM rules in the console', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  for (const size of sizes) {
    it(`are set in the settings, and checked while typing (${size})`, async () => {
      await world.api.post('/links', { url: `${A}?utm_source=newsletter` });
      await inConsole(world, 'settings/workspace', { size }, async (page) => {
        await page.getByRole('switch', { name: 'Lower case only' }).click();
        await page.getByLabel('Words are separated by').selectOption('-');
        await page.getByLabel('Source', { exact: true }).check();
        const form = page.locator('form').filter({ hasText: 'UTM rules' });
        await form.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved').waitFor();
        await expectAccessible(page, `utm-rules-${size}`);
      });
      const { utmRules } = (await world.api.get('/workspace')).body;
      expect(utmRules).to.deep.equal({
        lowercase: true,
        separator: '-',
        required: ['utm_source'],
      });
      await inConsole(world, 'links?new=link', { size }, async (page) => {
        await dialog(page).getByLabel('Destination', { exact: true }).fill(A);
        await page.locator('summary', { hasText: 'UTM parameters' }).click();
        await dialog(page).getByText('Required in this workspace.').waitFor();
        const campaign = dialog(page).getByLabel('Campaign');
        await campaign.fill('Spring Sale');
        await dialog(page).getByText('Use lower case in this workspace.').waitFor();
        await dialog(page).getByRole('button', { name: 'Use spring-sale' }).click();
        expect(await campaign.inputValue()).to.equal('spring-sale');
        await page
          .locator('datalist option[value=newsletter]')
          .first()
          .waitFor({ state: 'attached' });
        await expectAccessible(page, `utm-fields-${size}`);
        await dialog(page).getByRole('button', { name: 'Create link' }).click();
        await dialog(page).getByText('This workspace requires it.').waitFor();
        await dialog(page).getByLabel('Source').fill('newsletter');
        await dialog(page).getByRole('button', { name: 'Create link' }).click();
        await dialog(page).waitFor({ state: 'detached' });
      });
      const { body } = await world.api.get('/links');
      expect(body[0].url).to.equal(`${A}?utm_source=newsletter&utm_campaign=spring-sale`);
    });
  }

  it('are not applied to stored values, nor to destinations of apps', async () => {
    const { body } = await world.api.post('/links', { url: `${A}?utm_source=Old` });
    await world.api.patch('/workspace', { utmRules: { lowercase: true, required: ['utm_term'] } });
    await inConsole(world, `links?edit=${body.id}`, {}, async (page) => {
      const fault = dialog(page).getByText('Use lower case in this workspace.');
      const required = dialog(page).getByText('Required in this workspace.');
      await dialog(page).locator('summary', { hasText: 'UTM parameters' }).click();
      await dialog(page).getByRole('button', { name: 'Use old' }).waitFor();
      await required.waitFor();
      expect(await fault.count()).to.equal(0);
      await dialog(page).getByLabel('Campaign').fill('New');
      await fault.waitFor();
      const url = 'myapp://open?utm_campaign=New';
      await dialog(page).getByLabel('Destination', { exact: true }).fill(url);
      await required.waitFor({ state: 'detached' });
      expect(await fault.count()).to.equal(0);
      await dialog(page).getByRole('button', { name: 'Save' }).click();
      await dialog(page).waitFor({ state: 'detached' });
      expect((await world.api.get(`/links/${body.id}`)).body.url).to.equal(url);
    });
  });

  it('are checked in UTM columns as in destinations', async () => {
    const utmRules = { lowercase: true, required: ['utm_source', 'utm_medium'] };
    await world.api.patch('/workspace', { utmRules });
    await inConsole(world, 'links/batch', {}, async (page) => {
      const sheet = `url,slug,utm_source,utm_medium\n${A},right,news,mail\n${A},wrong,News,mail`;
      await text(page).fill(sheet);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('1 row to fix.').waitFor();
      await page.getByRole('button', { name: 'Fix UTM parameters' }).click();
      await page.getByText('2 links ready.').waitFor();
      await page.getByRole('button', { name: 'Create 2 links' }).click();
      await page.getByRole('link', { name: 'Show links' }).waitFor();
    });
    for (const key of ['right', 'wrong']) {
      const { url } = await linkOf(world, key);
      expect(url).to.equal(`${A}?utm_source=news&utm_medium=mail`);
    }
  });

  it('are applied to all rows of many links by one button', async () => {
    await world.api.patch('/workspace', { utmRules: { lowercase: true, separator: '_' } });
    await inConsole(world, 'links/batch', {}, async (page) => {
      await text(page).fill(`${A}?utm_source=News%20Letter\n${A}`);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('1 row to fix.').waitFor();
      await page.getByText('Use lower case in this workspace.').waitFor();
      await page.getByRole('button', { name: 'Fix UTM parameters' }).click();
      await page.getByText('2 links ready.').waitFor();
      expect(await cell(page, 'Destination', 1).inputValue()).to.equal(
        `${A}?utm_source=news_letter`,
      );
    });
  });
});
