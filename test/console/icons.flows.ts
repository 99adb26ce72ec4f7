import { expect } from 'chai';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/* Icons of destinations in the lists of links and QR codes. See flows.ts. */

describe('icons of destinations in the console', function () {
  useBrowser();
  let world: World;
  let site: Site;

  beforeEach(async () => {
    world = await aWorkspace();
    site = await Site.start();
    const background = { r: 220, g: 20, b: 30 };
    const icon = sharp({ create: { width: 64, height: 64, channels: 3, background } }).png();
    site.answer('/favicon.ico', { body: await icon.toBuffer() });
  });
  afterEach(() => site.stop());

  const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  for (const size of sizes) {
    it(`are shown in rows, from this service alone (${size})`, async () => {
      const { api } = world;
      for (const n of [1, 2, 3])
        await api.post('/links', { url: `${site.url}/${n}`, key: `n-${n}` });
      const { body: last } = await api.post('/links', { url: `${site.url}/last`, key: 'n-last' });
      await api.post('/links', { url: 'https://without-icon.example/', key: 'letter' });
      await api.post('/links', { url: 'mailto:someone@people.test', key: 'mail' });
      await api.post('/qrcodes', { type: 'url', url: site.url, title: 'Poster' });
      await eventually(async () => {
        // A site that a busy machine has read too late is asked again.
        await db()('icons')
          .where({ project_id: world.projectId, png: null })
          .whereLike('origin', 'http:%')
          .delete();
        const { status } = await api.download(`/links/${last.id}/icon`);
        expect(status).to.equal(200);
      });
      const asked: string[] = [];
      await inConsole(world, 'links', { size }, async (page) => {
        page.on('request', (request) => asked.push(request.url()));
        await page.reload();
        for (const key of ['n-1', 'n-2', 'n-3', 'n-last']) {
          await rowOf(page, key).locator('img').waitFor();
        }
        expect(await rowOf(page, 'letter').locator('img').count()).to.equal(0);
        await rowOf(page, 'letter').getByText('w', { exact: true }).waitFor();
        expect(await rowOf(page, 'mail').locator('img').count()).to.equal(0);
        await expectAccessible(page, `link-icons-${size}`);
        const icons = asked.filter((url) => url.includes('/icon?'));
        // One for each host, and once more for the one without an icon.
        expect(new Set(icons).size).to.equal(2);
        const others = asked.filter(
          (url) => /^https?:/.test(url) && !url.startsWith(stack().apiUrl),
        );
        expect(others).to.deep.equal([]);
      });
      await inConsole(world, 'qrcodes', { size }, async (page) => {
        await rowOf(page, 'Poster').locator('img').nth(1).waitFor();
        await expectAccessible(page, `code-icons-${size}`);
      });
    });
  }
});
