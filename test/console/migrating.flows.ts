import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, inConsole, sizes, useBrowser } from './window.ts';

/* Settings for whoever comes from another service, each read by the API and tried afterwards. */

const A = 'https://example.com/a';

describe('the console for whoever comes from another service', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  for (const size of sizes) {
    it(`sets a domain to paths of Shlink and slugs in any case (${size})`, async () => {
      const { domain: slug } = world;
      await inConsole(world, 'domains', { size }, async (page) => {
        await page.getByRole('button', { name: `Actions for ${slug}` }).click();
        await page.getByRole('menuitem', { name: 'Edit' }).click();
        await dialog(page).getByRole('switch', { name: 'Paths of Shlink' }).click();
        await dialog(page).getByRole('switch', { name: 'Ignore case in slugs' }).click();
        await dialog(page).getByRole('button', { name: 'Save' }).click();
        await dialog(page).waitFor({ state: 'detached' });
      });
      const [domain] = (await world.api.get('/domains')).body;
      expect(domain).to.include({ slug, shlinkPaths: true, caseSensitive: false });
      await world.api.post('/links', { url: A, key: 'summer' });
      expect((await world.visit('/SUMMER')).headers.location).to.equal(A);
      const { headers } = await world.visit('/summer/qr-code');
      expect(headers.location).to.contain('/qr?');
    });

    it(`keeps the parameters of a destination, and calls the click ID as Dub does (${size})`, async () => {
      await inConsole(world, 'settings/workspace', { size }, async (page) => {
        await page.getByLabel('Parameters with the same name').selectOption('owner');
        await page.getByLabel('Click ID parameter').selectOption('dub_id');
        await page
          .locator('form')
          .filter({ has: page.getByLabel('Click ID parameter') })
          .getByRole('button', { name: 'Save' })
          .click();
        await page.getByText('Saved', { exact: true }).first().waitFor();
      });
      expect((await world.api.get('/workspace')).body).to.include({
        queryConflict: 'owner',
        clickIdParameter: 'dub_id',
      });
      await inConsole(world, 'links?new=link', { size }, async (page) => {
        await dialog(page).getByLabel('Destination', { exact: true }).fill(`${A}?ref=theirs`);
        await dialog(page).getByRole('textbox', { name: 'Short link' }).fill('asked');
        await page.locator('summary', { hasText: 'Redirect and tracking' }).click();
        await dialog(page).getByLabel('Parameters with the same name').selectOption('visitor');
        await dialog(page).getByRole('button', { name: 'Create link' }).click();
        await dialog(page).waitFor({ state: 'detached' });
      });
      await world.api.post('/links', { url: `${A}?ref=ours`, key: 'usual' });
      const locationOf = async (key: string) =>
        (await world.visit(`/${key}?ref=visitors`)).headers.location;
      expect(await locationOf('asked')).to.equal(`${A}?ref=visitors`);
      expect(await locationOf('usual')).to.equal(`${A}?ref=ours`);
      await world.api.post('/links', { url: A, key: 'shop', trackConversion: true });
      expect(await locationOf('shop')).to.match(/[?&]dub_id=\w/);
    });

    it(`makes a key for signed requests of YOURLS, and shows their URL (${size})`, async () => {
      let [key, url] = ['', ''];
      await inConsole(world, 'settings/keys', { size }, async (page) => {
        await page.getByRole('button', { name: 'Create key' }).click();
        await dialog(page).getByLabel('Name').fill('Blog');
        await dialog(page).getByRole('switch', { name: 'YOURLS signatures' }).click();
        await dialog(page).getByRole('button', { name: 'Create key' }).click();
        key = await dialog(page).getByLabel('API key', { exact: true }).inputValue();
        url = await dialog(page).locator('code', { hasText: 'yourls-api.php' }).innerText();
      });
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const signature = createHash('md5')
        .update(timestamp + key)
        .digest('hex');
      const query = { action: 'shorturl', url: A, format: 'simple', timestamp, signature };
      const answer = await fetch(`${url}?${new URLSearchParams(query)}`);
      expect(await answer.text()).to.match(/^https?:\/\/\S+$/);
    });
  }
});
