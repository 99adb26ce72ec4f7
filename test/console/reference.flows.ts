import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ApiClient } from '../support/client.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/*
 * Tests the examples of the API reference: their language, and the key in them. See flows.ts.
 */

const REFERENCE = '/docs/api-reference#/Links/createLink';

const example = (page: Page) => page.locator('.examples').getByRole('tabpanel');
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Opens an operation of the reference; `null` is nobody. */
const inReference = (
  world: World,
  role: 'owner' | 'viewer' | null,
  work: (page: Page) => Promise<void>,
) =>
  inConsole(world, '/', { role }, async (page) => {
    await page.goto(stack().apiUrl + REFERENCE);
    await example(page).waitFor();
    await work(page);
  });

async function openKeys(page: Page): Promise<void> {
  const asked = page.waitForResponse((answer) => answer.url().endsWith('/me'));
  await page.locator('.examples').getByRole('button', { name: /key$/ }).click();
  await (await asked).finished();
  await dialog(page).waitFor();
}

describe('the examples of the API reference', function () {
  this.timeout(180_000);
  useBrowser();
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  it('are in the language that was chosen last, by mouse and keyboard', async () => {
    await inReference(world, null, async (page) => {
      expect(await example(page).textContent()).to.match(/^curl -X POST /);
      await tab(page, 'Python').click();
      expect(await example(page).textContent()).to.match(/^import requests\n/);
      await page.keyboard.press('ArrowRight');
      await page.locator('[role=tab][aria-selected=true]:focus', { hasText: 'PHP' }).waitFor();
      await page.reload();
      await example(page).waitFor();
      expect(await example(page).textContent()).to.match(/^<\?php\n/);
    });
  });

  it('have the key that was entered until it is forgotten, and send it nowhere', async () => {
    await inReference(world, null, async (page) => {
      const sent: string[] = [];
      page.on('request', (request) => sent.push(JSON.stringify(request.headers()) + request.url()));
      await openKeys(page);
      expect(await button(page, 'Create a key').isVisible()).to.equal(false);
      const field = dialog(page).getByLabel('API key');
      await field.fill(`sk_1'<img src=x onerror=alert(1)>`);
      await button(page, 'Use this key').click();
      await dialog(page).getByText('This is not an API key').waitFor();
      await field.fill(` ${world.apiKey} `);
      await field.press('Enter');
      await dialog(page).waitFor({ state: 'hidden' });
      expect(await example(page).textContent()).to.contain(
        `'Authorization: Bearer ${world.apiKey}'`,
      );
      await page.reload();
      await tab(page, 'TypeScript').click();
      expect(await example(page).textContent()).to.contain(`apiKey: '${world.apiKey}'`);
      expect(sent.join('\n')).not.to.contain(world.apiKey);
      await openKeys(page);
      await button(page, 'Forget the key').click();
      expect(await example(page).textContent()).to.contain("apiKey: 'API_KEY'");
    });
  });

  it('show a hostile stored key as text', async () => {
    await inReference(world, null, async (page) => {
      const hostile = '$&<img src=x onerror=alert(1)>';
      await page.evaluate((value) => sessionStorage.setItem('docs-key', value), hostile);
      await page.reload();
      await example(page).waitFor();
      expect(await example(page).textContent()).to.contain(`Bearer ${hostile}`);
      expect(await page.locator('.examples img').count()).to.equal(0);
    });
  });

  it('have a key for a day that a signed-in person creates', async () => {
    await inReference(world, 'owner', async (page) => {
      await openKeys(page);
      await button(page, 'Create a key').click();
      await dialog(page).waitFor({ state: 'hidden' });
      const [, apiKey] = /Bearer (sk_\w+)/.exec((await example(page).textContent())!)!;
      const { body } = await new ApiClient(apiKey!).get('/keys');
      const { expiresAt } = (body as { name: string; expiresAt: string }[]).find(
        ({ name }) => name === 'API reference',
      )!;
      const hours = (Date.parse(expiresAt) - Date.now()) / 3_600_000;
      expect(hours).to.be.within(23, 24);
    });
  });

  it('offer no new key to people who may not create one', async () => {
    await inReference(world, 'viewer', async (page) => {
      await openKeys(page);
      expect(await button(page, 'Create a key').isVisible()).to.equal(false);
    });
  });

  for (const size of sizes) {
    for (const scheme of ['light', 'dark'] as const) {
      it(`are accessible, with the dialog for a key (${size}, ${scheme})`, async () => {
        await inConsole(world, '/', { size, scheme }, async (page) => {
          await page.goto(stack().apiUrl + REFERENCE);
          await example(page).scrollIntoViewIfNeeded();
          await expectAccessible(page, `examples-${size}-${scheme}`);
          await openKeys(page);
          await button(page, 'Create a key').waitFor();
          await expectAccessible(page, `examples-key-${size}-${scheme}`);
        });
      });
    }
  }
});
