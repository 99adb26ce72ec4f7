import { expect } from 'chai';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { db, execute } from '../../src/infra/db.ts';
import { createSignInAddress } from '../../src/users/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson } from '../support/people.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import {
  dialog,
  expectAccessible,
  inConsole,
  measureFrames,
  noteFirstRow,
  sizes,
  typeLetter,
  useBrowser,
} from './window.ts';

/*
 * Runs flows through the console in Chromium, on a whole service: `npm run console:flows`. `npm
 * test` does not include them, since not every machine has a browser. CONSOLE_SCREENSHOTS names a
 * folder for screenshots of the views.
 */

const A = 'https://example.com/a';

const row = (page: Page, key: string) => page.getByRole('row').filter({ hasText: `/${key}` });
const slugField = (page: Page) => dialog(page).getByRole('textbox', { name: 'Short link' });

describe('links in the console', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  /** Creates links with these slugs, the last one newest. */
  const someLinks = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await world.api.post('/links', { url: A, key });
  };
  const linkOf = async (key: string) =>
    (await world.api.get('/links/info', { domain: world.domain, key })).body;

  for (const size of sizes) {
    it(`makes a link with targets, and shows it in the list (${size})`, async () => {
      await inConsole(world, 'links', { size }, async (page) => {
        await page.getByRole('button', { name: 'Create the first link' }).click();
        await dialog(page)
          .getByLabel('Destination', { exact: true })
          .fill('https://example.com/spring');
        await slugField(page).fill('spring');
        await dialog(page).getByText('This slug is free.').waitFor();
        await page.locator('summary', { hasText: 'UTM parameters' }).click();
        await dialog(page).getByLabel('Source').fill('news letter');
        await page.locator('summary', { hasText: 'Targets' }).click();
        await dialog(page).getByLabel('iOS').fill('https://example.com/ios');
        await dialog(page).getByRole('button', { name: 'Create link' }).click();
        await row(page, 'spring').waitFor();
      });
      const { url, ios, utm_source } = await linkOf('spring');
      expect({ url, ios, utm_source }).to.deep.equal({
        url: 'https://example.com/spring?utm_source=news%20letter',
        ios: 'https://example.com/ios',
        utm_source: 'news letter',
      });
    });

    it(`shows what the API refuses at its field, and keeps what was typed (${size})`, async () => {
      await someLinks('taken');
      await inConsole(world, 'links?new=link', { size }, async (page) => {
        await dialog(page).getByLabel('Destination', { exact: true }).fill('not an address');
        await slugField(page).fill('taken');
        await dialog(page).getByText('The slug is taken').waitFor();
        await dialog(page).getByRole('button', { name: 'Create link' }).click();
        await dialog(page).getByText('Enter a full URL').waitFor();
        await dialog(page).getByLabel('Destination', { exact: true }).fill(A);
        await dialog(page).getByRole('button', { name: 'Create link' }).click();
        await dialog(page).getByText('The slug “taken” is taken.').waitFor();
        expect(await slugField(page).inputValue()).to.equal('taken');
      });
    });

    it(`deletes with undo, and without (${size})`, async () => {
      await someLinks('stays', 'goes');
      await inConsole(world, 'links', { size }, async (page) => {
        for (const key of ['stays', 'goes']) {
          await row(page, key)
            .getByRole('button', { name: /Actions for/ })
            .click();
          await page.getByRole('menuitem', { name: 'Delete' }).click();
          await row(page, key).waitFor({ state: 'detached' });
          await page.getByText('1 link deleted').waitFor();
          if (key === 'stays') {
            await page.getByRole('button', { name: 'Undo' }).click();
            await row(page, key).waitFor();
            await page.getByText('1 link deleted').waitFor({ state: 'detached' });
          }
        }
        // A deletion is sent at once, so the page can be closed while it can still be undone.
        await page.goto('about:blank');
        await eventually(async () => {
          const { body } = await world.api.get('/links');
          expect(body.map(({ key }: { key: string }) => key)).to.deep.equal(['stays']);
        });
      });
    });
  }

  it('finds, filters, sorts, and keeps a view', async () => {
    await someLinks('alpha', 'beta', 'alphabet');
    const { id } = await linkOf('beta');
    await world.api.patch(`/links/${id}`, { password: 'secret' });
    await inConsole(world, 'links', {}, async (page) => {
      await row(page, 'beta').waitFor();
      await page.getByRole('searchbox').fill('alpha');
      await row(page, 'beta').waitFor({ state: 'detached' });
      await eventually(async () => expect(await page.getByRole('row').count()).to.equal(2));
      await page.getByRole('searchbox').fill('');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByLabel('Password', { exact: true }).selectOption('true');
      await row(page, 'alpha').first().waitFor({ state: 'detached' });
      expect(page.url()).to.contain('hasPassword=true');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByLabel('View name').fill('Locked');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: /With: Password/ }).click();
      await row(page, 'alphabet').waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('button', { name: 'Locked', exact: true }).click();
      await row(page, 'beta').waitFor();
      await row(page, 'alphabet').waitFor({ state: 'detached' });
    });
  });

  it('shows the title of a link before its short link, and its destination where there is room', async () => {
    await world.api.post('/links', { url: A, key: 'titled', title: 'Spring sale' });
    for (const size of sizes) {
      await inConsole(world, 'links', { size }, async (page) => {
        await row(page, 'titled').getByText('Spring sale').waitFor();
        await row(page, 'titled').getByText('/titled', { exact: true }).waitFor();
        expect(await row(page, 'titled').getByText(A).isVisible()).to.equal(size === 'desk');
      });
    }
  });

  it('shares views with the workspace, and keeps one’s own apart', async () => {
    const views = (page: Page) => page.getByRole('button', { name: 'Views' }).click();
    await someLinks('a');
    await inConsole(world, 'links?hasPassword=true', {}, async (page) => {
      for (const [name, isOwn] of [
        ['Locked', false],
        ['Mine', true],
      ] as const) {
        await views(page);
        if (isOwn) await page.getByLabel('Only for me').check();
        await page.getByLabel('View name').fill(name);
        await page.keyboard.press('Enter');
        await page.getByText(`View “${name}” saved`).waitFor();
      }
      await views(page);
      await page.getByText('Only you can see it').waitFor();
      await expectAccessible(page, 'views');
    });
    await inConsole(world, 'links', { role: 'viewer' }, async (page) => {
      await views(page);
      await page.getByRole('button', { name: 'Locked', exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Mine', exact: true }).count()).to.equal(0);
      expect(await page.getByLabel('View name').count()).to.equal(0);
      await page.getByRole('button', { name: 'Locked', exact: true }).click();
      await page.getByRole('button', { name: /With: Password/ }).waitFor();
    });
  });

  it('takes the UTM parameters of a template that somebody else saved', async () => {
    const open = async (page: Page, url: string) => {
      await dialog(page).getByLabel('Destination', { exact: true }).fill(url);
      await page.locator('summary', { hasText: 'UTM parameters' }).click();
    };
    const templates = (page: Page) =>
      dialog(page).getByRole('button', { name: 'Templates' }).click();
    await inConsole(world, 'links?new=link', {}, async (page) => {
      await open(page, `${A}?utm_source=news&utm_medium=email`);
      await templates(page);
      await page.getByLabel('Template name').fill('Weekly');
      await page.keyboard.press('Enter');
      await page.getByText('Template “Weekly” saved').waitFor();
    });
    await inConsole(world, 'links?new=link', { role: 'member' }, async (page) => {
      await open(page, `${A}?x=1&utm_term=shoes`);
      await templates(page);
      await page.getByRole('button', { name: 'Weekly', exact: true }).click();
      const destination = dialog(page).getByLabel('Destination', { exact: true });
      expect(await destination.inputValue()).to.equal(`${A}?x=1&utm_source=news&utm_medium=email`);
    });
  });

  it('shows the image of the link preview, or why it can’t', async () => {
    const site = await Site.start();
    try {
      const body = await sharp({
        create: { width: 600, height: 314, channels: 3, background: 'red' },
      })
        .png()
        .toBuffer();
      const image = site.answer('/og.png', { type: 'image/png', body });
      await world.api.post('/links', { url: A, key: 'card', proxy: true, title: 'T', image });
      await inConsole(world, `links?edit=${(await linkOf('card')).id}`, {}, async (page) => {
        const shown = dialog(page).getByAltText('Of the link preview');
        await shown.waitFor();
        const size = await shown.evaluate((element) => {
          const { naturalWidth } = element as HTMLImageElement;
          const { width, height } = element.getBoundingClientRect();
          return { naturalWidth, ratio: width / height };
        });
        expect(size.naturalWidth).to.equal(600);
        expect(size.ratio).to.be.within(1.85, 1.95);
        await expectAccessible(page, 'link-preview');
        await page.locator('summary', { hasText: 'Link preview' }).click();
        await dialog(page).getByLabel('Image URL').fill(`${site.url}/gone.png`);
        await dialog(page).getByText('We can’t load the image from').waitFor();
      });
    } finally {
      await site.stop();
    }
  });

  it('changes many links at once', async () => {
    await someLinks('one', 'two', 'three');
    await world.api.post('/tags', { name: 'Spring' });
    await inConsole(world, 'links', {}, async (page) => {
      await row(page, 'one').getByRole('checkbox').click();
      await row(page, 'three')
        .getByRole('checkbox')
        .click({ modifiers: ['Shift'] });
      await page.getByText('3 selected').waitFor();
      await page.getByRole('toolbar').getByRole('button', { name: 'Tags' }).click();
      await page.getByLabel('Spring').check();
      await page.getByRole('button', { name: 'Apply' }).click();
      await row(page, 'two').getByText('Spring').waitFor();
      await page.goto('about:blank');
      await eventually(async () => {
        const { body } = await world.api.get('/links', { tagNames: 'Spring' });
        expect(body).to.have.length(3);
      });
    });
  });

  it('is used by the keyboard alone', async () => {
    await someLinks('first', 'second');
    await inConsole(world, 'links', {}, async (page) => {
      await row(page, 'first').waitFor();
      const { keyboard } = page;
      await keyboard.press('c');
      await dialog(page).getByLabel('Destination', { exact: true }).waitFor();
      await keyboard.type(`${A}?third`);
      // Tab moves past the title and the domain.
      for (let tabs = 0; tabs < 3; tabs += 1) await keyboard.press('Tab');
      await keyboard.type('third');
      await keyboard.press('Enter');
      await row(page, 'third').waitFor();
      await dialog(page).waitFor({ state: 'detached' });
      await keyboard.press('j');
      await keyboard.press('j');
      await keyboard.press('x');
      await page.getByText('1 selected').waitFor();
      expect(await row(page, 'second').getAttribute('aria-selected')).to.equal('true');
      await keyboard.press('Escape');
      await keyboard.press('e');
      await dialog(page).getByText('second').first().waitFor();
      await keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
      await keyboard.press('/');
      await keyboard.type('fir');
      await row(page, 'second').waitFor({ state: 'detached' });
      await keyboard.press('Escape');
      await keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
      await keyboard.type('second');
      await page.getByRole('option', { name: /second/ }).waitFor();
      await keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: `${world.domain}/second` }).waitFor();
    });
  });

  it('offers every folder, also beyond the first page of them', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `Folder ${index}`);
    for (const name of names) await world.api.post('/folders', { name });
    await inConsole(world, 'links?new=link', {}, async (page) => {
      const folders = dialog(page).getByLabel('Folder', { exact: true });
      await folders.locator('option', { hasText: 'Folder 100' }).waitFor({ state: 'attached' });
      expect(await folders.locator('option').allTextContents()).to.include.members(names);
    });
  });

  it('moves rules by keys, buttons, and drag and drop', async () => {
    const rules = ['DE', 'AT', 'CH'].map((code) => ({
      value: { country: [code] },
      url: `https://example.com/${code}`,
    }));
    const { body } = await world.api.post('/links', { url: A, key: 'ruled', rules });
    await inConsole(world, `links?edit=${body.id}`, {}, async (page) => {
      await page.locator('summary', { hasText: 'Rules' }).click();
      const values = () =>
        page
          .getByRole('listitem', { name: /^Rule/ })
          .getByRole('button', { name: /^Remove (?!rule|condition)/ })
          .evaluateAll((buttons) =>
            buttons.map((one) =>
              (one as { ariaLabel?: string }).ariaLabel?.slice('Remove '.length),
            ),
          );
      await page.getByRole('button', { name: 'Move rule 1 down' }).click();
      expect(await values()).to.deep.equal(['Austria', 'Germany', 'Switzerland']);
      await page.getByLabel('Destination of rule 3').focus();
      await page.keyboard.press('Alt+ArrowUp');
      expect(await values()).to.deep.equal(['Austria', 'Switzerland', 'Germany']);
      await page
        .locator('[draggable=true]')
        .nth(2)
        .dragTo(page.getByRole('listitem', { name: 'Rule 1' }));
      expect(await values()).to.deep.equal(['Germany', 'Austria', 'Switzerland']);
      await page.getByRole('button', { name: 'Move rule 3 up' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await dialog(page).waitFor({ state: 'detached' });
    });
    const order = (await linkOf('ruled')).rules.map(
      ({ value }: { value: { country: string[] } }) => value.country[0],
    );
    expect(order).to.deep.equal(['DE', 'CH', 'AT']);
  });

  it('shows viewers no controls that write', async () => {
    await someLinks('seen');
    await inConsole(world, 'links', { role: 'viewer' }, async (page) => {
      await row(page, 'seen').waitFor();
      expect(await page.getByRole('checkbox').count()).to.equal(0);
      expect(await page.getByRole('button', { name: /Create/ }).count()).to.equal(0);
      await page.keyboard.press('c');
      await row(page, 'seen')
        .getByRole('button', { name: /Actions for/ })
        .click();
      expect(await page.getByRole('menuitem').allTextContents()).to.deep.equal([
        'Copy short linky',
        'Open destination',
        'Detailse',
        'QR code',
        'Share',
        'Analytics',
        'Test redirect',
      ]);
      // The page of the link has its details; there is no form that a viewer could not send.
      await page.getByRole('menuitem', { name: 'Details' }).click();
      await page.getByRole('heading', { level: 1, name: `${world.domain}/seen` }).waitFor();
      expect(await page.getByRole('button', { name: /^(?:Edit|Revert)/ }).count()).to.equal(0);
      await page.keyboard.press('e');
      await page.goto(`${page.url()}?edit=form`);
      await dialog(page).getByRole('button', { name: 'Close' }).first().waitFor();
      expect(await dialog(page).getByLabel('Destination', { exact: true }).isDisabled()).to.equal(
        true,
      );
      expect(await dialog(page).getByRole('button', { name: 'Save' }).count()).to.equal(0);
    });
  });

  it('scrolls through 100,000 links, and finds one of them while one types', async () => {
    const { body } = await world.api.post('/links', { url: A, key: 'sample' });
    await execute(
      db(),
      `INSERT INTO links
       SELECT copy.*
         FROM links AS link, generate_series(1, 99999) AS n,
           jsonb_populate_record(link, jsonb_build_object(
             'id', link.id || n, 'key', 'bulk-' || n,
             'search_text', replace(link.search_text, 'sample', 'bulk-' || n),
             'created_at', link.created_at - n * interval '1 second')) AS copy
         WHERE link.id = :id`,
      { id: body.id },
    );
    await execute(db(), 'ANALYZE links');
    await inConsole(world, 'settings', {}, async (page) => {
      const view = await page.context().newPage();
      await (await page.context().newCDPSession(view)).send('Network.clearBrowserCache');
      await noteFirstRow(view);
      await view.goto(new URL(`/console/${world.slug}/links`, stack().apiUrl).href);
      await row(view, 'bulk-1').first().waitFor();
      const firstView = await view.evaluate(
        () => performance.getEntriesByName('row')[0]?.startTime,
      );
      console.log(`      first view: ${firstView?.toFixed(0)} ms`);
    });
    await inConsole(world, 'links', {}, async (page) => {
      await row(page, 'bulk-1').first().waitFor();
      await page.getByText('100,000 links').waitFor();
      const scroller = page.getByRole('grid').locator('..');
      await measureFrames(scroller);
      await scroller.evaluate((element) => {
        (element as unknown as { scrollTop: number }).scrollTop = 50_000 * 60;
      });
      await row(page, 'bulk-50000').waitFor();
      const times: number[] = [];
      for (const letter of 'bulk-77777') times.push(await typeLetter(page, letter));
      await row(page, 'bulk-77777').waitFor();
      expect(await page.getByRole('row').count()).to.equal(1);
      console.log(
        `      from a key to its rows: ${times.map((ms) => ms.toFixed(0)).join(', ')} ms`,
      );
    });
  });
});

describe('signing in to the console', function () {
  useBrowser();
  let world: World;

  before(async () => {
    world = await aWorkspace();
    await world.api.post('/links', { url: A, key: 'mine' });
  });

  for (const size of sizes) {
    it(`takes a password, leads to where one wanted to go, and ends (${size})`, async () => {
      const { email } = await aPerson({
        in: { ...world, role: 'owner' },
        password: 'correct horse',
      });
      await inConsole(world, 'links?search=mine', { size, role: null }, async (page) => {
        await page.getByLabel('Email').fill(email);
        await page.getByLabel('Password').fill('wrong horse');
        await page.keyboard.press('Enter');
        await page.getByText('Email or password is wrong.').waitFor();
        await page.getByLabel('Password').fill('correct horse');
        await page.keyboard.press('Enter');
        await row(page, 'mine').waitFor();
        expect(page.url()).to.match(/links\?search=mine$/);
        if (size === 'phone') await page.getByRole('button', { name: 'Navigation' }).click();
        await page.getByRole('button', { name: /^Account:/ }).click();
        await page.getByRole('menuitem', { name: 'Sign out' }).click();
        await page.getByLabel('Email').waitFor();
        await page.goBack();
        await page.getByLabel('Email').waitFor();
      });
    });
  }

  it('takes a one-time address, and removes its token from the address at once', async () => {
    const { userId } = await aPerson({ in: { ...world, role: 'member' } });
    const token = new URL(await createSignInAddress(db(), userId)).hash;
    const use = (work: (page: Page) => Promise<unknown>) =>
      inConsole(world, 'links', { role: null }, async (page) => {
        await page.getByLabel('Email').waitFor();
        // A blank page first forces a reload, since a new fragment alone only scrolls.
        await page.goto('about:blank');
        await page.goto(new URL(`/console/sign-in${token}`, stack().apiUrl).href);
        await work(page);
        expect(page.url()).not.to.contain(token);
      });
    await use(async (page) => {
      await page.getByRole('button', { name: /^Sign in as/ }).click();
      await page.getByRole('button', { name: 'Not now' }).click();
      await row(page, 'mine').waitFor();
    });
    await use((page) => page.getByText('This sign-in link was used already').waitFor());
  });

  it('shows the workspace in the color of its brand', async () => {
    await world.api.patch('/workspace', { brandColor: '#ffd000' });
    for (const scheme of ['light', 'dark'] as const) {
      await inConsole(world, 'links', { scheme }, async (page) => {
        const button = page.getByRole('button', { name: 'Create link' });
        await row(page, 'mine').waitFor();
        await eventually(async () => {
          const color = await button.evaluate(
            (element) =>
              (
                globalThis as unknown as {
                  getComputedStyle(of: unknown): { backgroundColor: string };
                }
              ).getComputedStyle(element).backgroundColor,
          );
          expect(color).to.equal('rgb(255, 208, 0)');
        });
        await expectAccessible(page, `brand-${scheme}`);
      });
    }
  });
});

describe('views of the console', function () {
  useBrowser();
  let world: World;

  before(async () => {
    world = await aWorkspace();
    const { body: tag } = await world.api.post('/tags', { name: 'Spring', color: 'green' });
    await world.api.post('/folders', { name: 'Campaigns' });
    const rules = [{ value: { country: ['DE'] }, url: 'https://example.com/de' }];
    for (const [key, fields] of Object.entries({
      plain: {},
      'with-targets': { ios: 'https://example.com/ios', geo: { DE: 'https://example.de' }, rules },
      locked: { password: 'secret', comments: 'For the team', tagIds: [tag.id] },
      'with-a-slug-that-is-rather-long-for-a-phone': { expiresAt: '2040-01-01T00:00:00Z' },
    })) {
      await world.api.post('/links', {
        url: `https://example.com/${key}?utm_source=news`,
        key,
        ...fields,
      });
    }
  });

  for (const size of sizes) {
    for (const scheme of ['light', 'dark'] as const) {
      const name = (view: string) => `${view}-${size}-${scheme}`;

      it(`keep all rules of axe, ${size}, ${scheme}`, async () => {
        await inConsole(world, 'links', { size, scheme }, async (page) => {
          await row(page, 'plain').waitFor();
          await expectAccessible(page, name('links'));
          await row(page, 'plain').getByRole('checkbox').click();
          await expectAccessible(page, name('selected'));
          await page.keyboard.press('Escape');
          await page.getByRole('button', { name: 'Filter' }).click();
          await expectAccessible(page, name('filters'));
          await page.keyboard.press('Escape');
          await page.keyboard.press('Control+k');
          await page.getByRole('combobox').waitFor();
          await expectAccessible(page, name('palette'));
          await page.keyboard.press('Escape');
          await page.keyboard.press('?');
          await dialog(page).waitFor();
          await expectAccessible(page, name('shortcuts'));
          await page.keyboard.press('Escape');
          await page.goto(`${page.url()}?search=with-targets`);
          await row(page, 'with-targets').waitFor();
          // A click opens the page of the link, which record-page.flows.ts inspects.
          await page.keyboard.press('e');
          await dialog(page).getByLabel('Destination', { exact: true }).waitFor();
          await expectAccessible(page, name('edit'));
          for (const summary of await page.locator('summary').all()) await summary.click();
          await expectAccessible(page, name('edit-all'));
        });
        await inConsole(world, 'links', { size, scheme, role: null }, async (page) => {
          await page.getByLabel('Email').waitFor();
          await expectAccessible(page, name('sign-in'));
        });
      });
    }
  }
});
