import type { Browser } from 'playwright-core';
import { findBrowser, newContextIn, startBrowser } from '../pages/browser.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { addSampleEvents } from './sample-events.ts';
import { expectNothing, sweep } from './sweep.ts';
import { PASSWORD, watch } from './window.ts';

/*
 * Inspects some views at the width of a phone in both color schemes, where faults are most likely.
 * Without a browser, which nothing else of `npm test` needs, the tests count as skipped.
 */
describe('views of the console on a phone', function () {
  let browser: Browser | undefined;
  let world: World;
  let linkId: string;
  let qrcodeId: string;

  before(async function () {
    if (findBrowser() === undefined) this.skip();
    browser = await startBrowser();
    world = await aWorkspace();
    const links = [];
    for (const key of ['spring', 'a-slug-that-says-everything-about-its-page']) {
      const fields = { url: `https://example.com/${key}`, key, title: 'Spring in the garden' };
      links.push((await world.api.post('/links', fields)).body.id);
    }
    linkId = links[0];
    const code = { type: 'url', url: 'https://example.com/menu', key: 'code' };
    qrcodeId = (await world.api.post('/qrcodes', code)).body.id;
    await addSampleEvents(world, links, qrcodeId);
  });
  after(() => browser?.close());

  it('keep the rules of axe, fit into the window, and can be tapped', async () => {
    const { slug, projectId } = world;
    const context = await newContextIn(browser!, { baseURL: stack().apiUrl });
    const page = await context.newPage();
    const faults = watch(page);
    const found = await sweep(page, [{ name: 'sign-in', path: '/console/sign-in' }], ['phone']);
    const { token } = await aPerson({
      in: { projectId, slug, role: 'owner' },
      password: PASSWORD,
    });
    await context.addCookies([{ name: 'session', value: token, url: stack().apiUrl }]);
    const views = [
      'links',
      'links?new=link',
      `links/${linkId}`,
      `qrcodes/${qrcodeId}`,
      `qrcodes/${qrcodeId}/edit`,
      'trash',
      'analytics',
    ].map((path) => ({
      name: path,
      path: `/console/${slug}/${path}`,
    }));
    found.push(...(await sweep(page, views, ['phone'])));
    expectNothing([...found, ...faults]);
  });
});
