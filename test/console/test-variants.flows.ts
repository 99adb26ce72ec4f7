import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { EventRow } from '../../src/events/event.ts';
import { eventsStore } from '../../src/events/store/index.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { dialog, expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

/* Tests A/B tests in the console. See flows.ts. */

const variant = (page: Page, name: string) => dialog(page).locator(`[data-variant="${name}"]`);

describe('an A/B test in the console', function () {
  useBrowser();
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const linkOf = async (key: string) =>
    (await world.api.get('/links/info', { domain: world.domain, key })).body;

  /** Adds clicks and leads of a variant with the current time. */
  async function addEvents(linkId: string, name: string, clicks: number, leads: number) {
    const event = (fields: Partial<EventRow>) =>
      anEvent(world.projectId, {
        id: newId('event'),
        occurred_at: new Date().toISOString(),
        link_id: linkId,
        domain: world.domain,
        variant: name,
        ...fields,
      });
    const rows = [
      ...Array.from({ length: clicks }, () => event({})),
      ...Array.from({ length: leads }, () => event({ event: 'lead', event_name: 'Sign up' })),
    ];
    await db().transaction((trx) => eventsStore().append(trx, rows));
  }

  const openTest = async (page: Page) => {
    await dialog(page).locator('summary', { hasText: 'A/B test' }).click();
  };

  for (const size of sizes) {
    it(`is set up, and shares are kept at 100% (${size})`, async () => {
      await inConsole(world, 'links?new=link', { size }, async (page) => {
        await dialog(page).getByLabel('Destination', { exact: true }).fill('https://example.com/a');
        await dialog(page).getByRole('textbox', { name: 'Short link' }).fill('split');
        await openTest(page);
        await dialog(page).getByRole('button', { name: 'Set up test' }).click();
        await dialog(page).getByRole('button', { name: 'Add variant' }).click();
        for (const name of ['A', 'B', 'C']) {
          await dialog(page)
            .getByLabel(`Destination of variant ${name}`)
            .fill(`https://example.com/${name}`);
        }
        await dialog(page).getByLabel('Percentage of variant A').fill('50');
        await dialog(page).getByText('add up to 116').waitFor();
        await dialog(page).getByRole('button', { name: 'Create link' }).click();
        await dialog(page).getByText('The percentages must add up to 100.').waitFor();
        await dialog(page).getByLabel('Percentage of variant A').fill('34');
        await expectAccessible(page, `test-new-${size}`);
        await dialog(page).getByRole('button', { name: 'Create link' }).click();
        await page.getByRole('row').filter({ hasText: '/split' }).waitFor();
      });
      const { testVariants } = await linkOf('split');
      expect(testVariants).to.deep.equal([
        { name: 'A', url: 'https://example.com/A', percentage: 34 },
        { name: 'B', url: 'https://example.com/B', percentage: 33 },
        { name: 'C', url: 'https://example.com/C', percentage: 33 },
      ]);
    });

    it(`shows what is known of its variants, and ends with the winner (${size})`, async () => {
      const { body: link } = await world.api.post('/links', {
        url: 'https://example.com/now',
        key: 'won',
        trackConversion: true,
        testVariants: [
          { url: 'https://example.com/long', percentage: 50 },
          { url: 'https://example.com/short', percentage: 50 },
        ],
      });
      await addEvents(link.id, 'A', 50, 3);
      await inConsole(world, `links?edit=${link.id}`, { size }, async (page) => {
        await openTest(page);
        await variant(page, 'A').getByText('50 visits, 3 leads, 0 sales').waitFor();
        await variant(page, 'A').getByText('6% leads (2.1% to 16.2%)').waitFor();
        await variant(page, 'B').getByText('No visits yet').waitFor();
        await dialog(page).getByText('Not enough data yet').waitFor();

        await addEvents(link.id, 'A', 350, 21);
        await addEvents(link.id, 'B', 400, 30);
        await page.reload();
        await openTest(page);
        await variant(page, 'B').getByText('7.5% leads').waitFor();
        await dialog(page).getByText('No clear difference').waitFor();

        await addEvents(link.id, 'B', 0, 40);
        await page.reload();
        await openTest(page);
        await dialog(page).getByText('B brings more leads').waitFor();
        await expectAccessible(page, `test-results-${size}`);
        await dialog(page).getByRole('button', { name: 'Choose B' }).click();
        await dialog(page).getByRole('button', { name: 'End the test with B' }).click();
        await page.getByText('All visitors now go to B').waitFor();
        await eventually(async () => {
          const field = dialog(page).getByLabel('Destination', { exact: true });
          expect(await field.inputValue()).to.equal('https://example.com/short');
        });
      });
      expect(await linkOf('won')).to.include({ url: 'https://example.com/short', testWinner: 'B' });
    });
  }
});
