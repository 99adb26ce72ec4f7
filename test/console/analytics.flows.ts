import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { eventsStore } from '../../src/events/store/index.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, browser as userAgent, type World } from '../support/world.ts';
import { addSampleEvents } from './sample-events.ts';
import { expectAccessible, inConsole, sizes, useBrowser } from './window.ts';

const METRICS = ['clicks', 'scans', 'views', 'leads', 'sales', 'revenue'] as const;

const card = (page: Page, title: string): Locator =>
  page.getByRole('region', { name: title, exact: true });

/** Numbers of the tiles, by the metric; amounts in cents. */
async function totalsOf(page: Page): Promise<Record<string, number>> {
  const values = await page
    .getByRole('group', { name: 'Totals' })
    .getByRole('button')
    .evaluateAll((tiles) =>
      tiles.map((tile) => {
        const { dataset } = tile as unknown as { dataset: { metric: string } };
        const value = (
          tile as unknown as { querySelector(s: string): { dataset: { value: string } } | null }
        ).querySelector('[data-value]');
        return [dataset.metric, Number(value?.dataset.value)] as const;
      }),
    );
  return Object.fromEntries(values);
}

/** Names and counts of a card's rows. */
async function rowsOf(card: Locator): Promise<[string, number][]> {
  const texts = await card.getByRole('listitem').allInnerTexts();
  return texts.map((text) => {
    const lines = text.split('\n').filter(Boolean);
    return [lines[0]!, Number(lines.at(-1)!.replaceAll(/[$,]/g, ''))];
  });
}

describe('analytics in the console', function () {
  useBrowser();
  let world: World;
  let linkIds: string[];
  let qrcodeId: string;

  before(async () => {
    world = await aWorkspace();
    linkIds = [];
    for (let n = 0; n < 5; n += 1) {
      const { body } = await world.api.post('/links', {
        url: `https://example.com/${n}`,
        key: `link-${n}`,
      });
      linkIds.push(body.id);
    }
    const { body } = await world.api.post('/qrcodes', {
      type: 'url',
      key: 'code',
      content: { url: 'https://example.com/code' },
    });
    qrcodeId = body.id;
    await addSampleEvents(world, linkIds, qrcodeId);
  });

  const ask = async (query: Record<string, string>) => {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const { status, body } = await world.api.get('/analytics', { timezone, ...query });
    expect(status).to.equal(200);
    return body;
  };
  /** The tiles, as the API counts them. */
  const expectTotals = async (page: Page, query: Record<string, string>) => {
    const kpis = await ask({ interval: '30d', ...query, groupBy: 'kpis' });
    const expected = Object.fromEntries(
      METRICS.map((name) => [name, kpis[name === 'revenue' ? 'saleAmount' : name].value]),
    );
    await eventually(async () => expect(await totalsOf(page)).to.deep.equal(expected));
    return expected;
  };

  for (const size of sizes) {
    it(`shows the numbers of the API, and filters by what is clicked (${size})`, async () => {
      await inConsole(world, 'analytics', { size }, async (page) => {
        const { clicks } = await expectTotals(page, {});
        expect(clicks).to.be.above(500);

        const countries = await ask({ interval: '30d', groupBy: 'countries' });
        const shown = await rowsOf(card(page, 'Locations'));
        expect(shown.map(([, count]) => count)).to.deep.equal(
          countries.slice(0, shown.length).map((row: { clicks: number }) => row.clicks),
        );
        await card(page, 'Locations').getByRole('button', { name: 'Germany' }).click();
        await page.waitForURL(/country=DE/);
        await expectTotals(page, { country: 'DE' });

        await card(page, 'Devices').getByRole('tab', { name: 'Browsers' }).click();
        await card(page, 'Devices').getByRole('button', { name: 'Firefox' }).click();
        await page.waitForURL(/browser=Firefox/);
        await expectTotals(page, { country: 'DE', browser: 'Firefox' });

        await card(page, 'Links').getByRole('button', { name: '/link-0' }).click();
        const filters = { country: 'DE', browser: 'Firefox', linkId: linkIds[0]! };
        await expectTotals(page, filters);
        await page.getByText(`${world.domain}/link-0`).first().waitFor();

        await page.goBack();
        await expectTotals(page, { country: 'DE', browser: 'Firefox' });
        await page.reload();
        await expectTotals(page, { country: 'DE', browser: 'Firefox' });
        await page.getByRole('button', { name: 'Clear all' }).click();
        await expectTotals(page, {});
      });
    });
  }

  it('shows every metric by every group, as the API counts them', async () => {
    await inConsole(world, 'analytics?interval=90d', {}, async (page) => {
      const totals = await expectTotals(page, { interval: '90d' });
      const { sales, leads, clicks, scans } = totals as Record<string, number>;
      const step = (name: string) => page.locator(`[data-step=${name}]`).innerText();
      const count = new Intl.NumberFormat('en').format;
      expect(await step('Visits')).to.equal(count(clicks! + scans!));
      expect(await step('Leads')).to.equal(count(leads!));
      expect(await step('Sales')).to.equal(count(sales!));

      await page.getByRole('button', { name: /^Leads/ }).click();
      const cities = await ask({ interval: '90d', event: 'leads', groupBy: 'cities' });
      await card(page, 'Locations').getByRole('tab', { name: 'Cities' }).click();
      await eventually(async () => {
        const rows = await rowsOf(card(page, 'Locations'));
        expect(rows.map(([, number]) => number)).to.deep.equal(
          cities.slice(0, rows.length).map((row: { leads: number }) => row.leads),
        );
      });

      await page.getByRole('button', { name: /^Revenue/ }).click();
      const sources: { utm_source: string; saleAmount: number }[] = await ask({
        interval: '90d',
        event: 'sales',
        groupBy: 'utm_sources',
      });
      const spring = sources.find(({ utm_source }) => utm_source === 'spring')!.saleAmount;
      await eventually(async () => {
        const rows = await rowsOf(card(page, 'Campaigns'));
        expect(rows.find(([name]) => name === 'spring')?.[1]).to.equal(spring / 100);
      });
    });
  });

  it('shows the course of time as a chart and a table, compared with the span before', async () => {
    await inConsole(world, 'analytics?interval=7d', {}, async (page) => {
      const rows: { start: string; clicks: number }[] = await ask({
        interval: '7d',
        groupBy: 'timeseries',
      });
      const start = Date.parse(rows[0]!.start);
      const before: { clicks: number }[] = await ask({
        start: new Date(start - 7 * 86_400_000).toISOString(),
        end: rows[0]!.start,
        groupBy: 'timeseries',
      });
      await page.getByRole('slider').focus();
      await page.keyboard.press('Home');
      const told = await page.getByRole('slider').getAttribute('aria-valuetext');
      expect(told).to.contain(`: ${rows[0]!.clicks}, before: ${before[0]!.clicks}`);
      await page.getByRole('button', { name: 'Show as table' }).click();
      const cells = await page.getByRole('table').getByRole('cell').allInnerTexts();
      expect(cells.map(Number)).to.deep.equal(
        rows.flatMap(({ clicks }, index) => [clicks, before[index]!.clicks]),
      );
    });
  });

  it('compares every interval with the span that the totals are compared with', async () => {
    await inConsole(world, 'analytics', {}, async (page) => {
      for (const interval of ['7d', '30d', '90d', 'ytd', '1y']) {
        await page.goto(page.url().replace(/(\?.*)?$/, `?interval=${interval}`));
        await page.getByRole('button', { name: 'Show as table' }).click();
        const kpis = await ask({ interval, groupBy: 'kpis' });
        await eventually(async () => {
          const cells = await page.getByRole('table').getByRole('cell').allInnerTexts();
          const sumOf = (column: number) =>
            cells.reduce((sum, text, at) => (at % 2 === column ? sum + Number(text) : sum), 0);
          const { value, previous } = kpis.clicks;
          expect([sumOf(0), sumOf(1)], interval).to.deep.equal([value, previous]);
        });
      }
    });
  });

  it('lists all values of a group, searches in them, and saves them as CSV', async () => {
    await inConsole(world, 'analytics', {}, async (page) => {
      await page.getByRole('button', { name: /of referrers$/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Referrers' });
      await dialog.getByRole('searchbox').fill('social');
      await dialog.getByText('1 value').waitFor();
      const saved = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'CSV' }).click();
      const stream = await (await saved).createReadStream();
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const referers = await ask({ interval: '30d', groupBy: 'referers' });
      const { clicks } = referers.find(
        ({ referer }: { referer: string }) => referer === 'social.example',
      );
      expect(Buffer.concat(chunks).toString()).to.equal(
        `\ufeffReferrers,Details,Clicks\r\nsocial.example,,${clicks}\r\n`,
      );
      await dialog.getByRole('button', { name: 'social.example' }).click();
      await expectTotals(page, { referer: 'social.example' });
    });
  });

  it('is used by the keyboard alone', async () => {
    await inConsole(world, 'links', {}, async (page) => {
      const { keyboard } = page;
      await page.getByRole('heading', { name: 'Links' }).waitFor();
      await keyboard.press('g');
      await keyboard.press('a');
      await page.getByRole('heading', { name: 'Analytics' }).waitFor();
      await page.getByRole('button', { name: 'Last 30 days' }).focus();
      await keyboard.press('Enter');
      await page.getByRole('button', { name: 'Last hour' }).waitFor();
      for (let step = 0; step < 4; step += 1) await keyboard.press('Tab');
      await keyboard.press('Enter');
      await page.waitForURL(/interval=90d/);
      await expectTotals(page, { interval: '90d' });
      await card(page, 'Locations').getByRole('tab', { name: 'Countries' }).focus();
      await keyboard.press('ArrowRight');
      await page.waitForURL(/tabs=regions/);
      await keyboard.press('ArrowRight');
      await page.waitForURL(/tabs=cities/);
      await card(page, 'Locations').getByRole('button', { name: 'Tokyo' }).focus();
      await keyboard.press('Enter');
      await page.waitForURL(/city=Tokyo/);
      await expectTotals(page, { interval: '90d', city: 'Tokyo', country: 'JP' });
      await page.getByRole('slider').focus();
      await keyboard.press('End');
      await keyboard.press('ArrowLeft');
      await keyboard.press('Enter');
      await page.waitForURL(/start=.*end=/);
    });
  });

  for (const size of sizes) {
    it(`shows a click in the live view within 2 s (${size})`, async () => {
      await inConsole(world, 'live', { size }, async (page) => {
        await page.getByText('Connected', { exact: true }).waitFor();
        const visitor = size === 'phone' ? 901 : 902;
        const began = Date.now();
        await world.visit('/link-1', {
          userAgent: userAgent(visitor),
          headers: { 'x-forwarded-for': `198.51.100.${visitor - 800}` },
        });
        const entry = page.getByRole('listitem').filter({ hasText: `${world.domain}/link-1` });
        await entry.first().waitFor({ timeout: 2_000 });
        console.log(`      shown after ${Date.now() - began} ms`);
        expect(await entry.first().innerText()).to.contain('Tokyo, Japan');
        await eventually(async () => {
          const shown = Number(await page.locator('[data-visitors]').innerText());
          const trend = await ask({ groupBy: 'trend_live' });
          expect(shown).to.equal(trend.visitors);
          expect(shown).to.be.above(0);
        });

        await page.getByRole('button', { name: 'Pause' }).click();
        await world.visit('/link-2', {
          userAgent: userAgent(visitor + 10),
          headers: { 'x-forwarded-for': `192.0.2.${visitor - 800}` },
        });
        await page.getByRole('button', { name: 'Go on (1)' }).click();
        await page.getByRole('listitem').filter({ hasText: '/link-2' }).first().waitFor();
      });
    });
  }

  it('goes on with the live view after the connection was lost, without a gap', async () => {
    await inConsole(world, 'live', {}, async (page) => {
      await page.getByText('Connected', { exact: true }).waitFor();
      await world.visit('/link-3', {
        userAgent: userAgent(930),
        headers: { 'x-forwarded-for': '192.0.2.30' },
      });
      await page.getByRole('listitem').filter({ hasText: '/link-3' }).waitFor();
      await page.context().setOffline(true);
      await page.getByText('Reconnecting').waitFor();
      await world.visit('/link-4', {
        userAgent: userAgent(931),
        headers: { 'x-forwarded-for': '192.0.2.31' },
      });
      await page.context().setOffline(false);
      await page.getByRole('listitem').filter({ hasText: '/link-4' }).waitFor();
      expect(await page.getByRole('listitem').filter({ hasText: '/link-3' }).count()).to.equal(1);
    });
  });

  it('says how many events the live view left out when it fell behind', async () => {
    const busy = await aWorkspace();
    await busy.api.post('/links', { url: 'https://example.com/', key: 'a' });
    await inConsole(busy, 'live', {}, async (page) => {
      await page.getByText('Connected', { exact: true }).waitFor();
      await busy.visit('/a', { userAgent: userAgent(940) });
      await page.getByRole('listitem').filter({ hasText: '/a' }).waitFor();
      await page.context().setOffline(true);
      await page.getByText('Reconnecting').waitFor();
      // More than the stream repeats.
      const rows = Array.from({ length: 400 }, () =>
        anEvent(busy.projectId, { id: newId('event'), occurred_at: new Date().toISOString() }),
      );
      await db().transaction((trx) => eventsStore.append(trx, rows));
      await page.context().setOffline(false);
      await page.getByText(/^10\d events are left out here/).waitFor();
      await page.getByText('Connected', { exact: true }).waitFor();
      // It goes on with what comes.
      await busy.visit('/a', { userAgent: userAgent(941) });
      const shown = page.getByRole('group', { name: 'Events, the newest first' });
      await shown.getByRole('listitem').first().filter({ hasText: '/a' }).waitFor();
    });
  });

  it('lists events, page by page, and shows everything about one', async () => {
    await inConsole(world, 'events?country=BR', {}, async (page) => {
      const { body: first } = await world.api.get('/events', {
        interval: '30d',
        country: 'BR',
        limit: '1000',
      });
      const rows = page.getByRole('table').locator('tbody tr');
      await rows.first().waitFor();
      expect(await rows.count()).to.equal(50);
      while ((await page.getByRole('button', { name: 'Show more' }).count()) > 0) {
        const count = await rows.count();
        await page.getByRole('button', { name: 'Show more' }).click();
        await rows.nth(count).waitFor();
      }
      expect(await rows.count()).to.equal(first.length);
      await rows.first().getByRole('button').click();
      await page.getByRole('dialog').getByText('São Paulo, Brazil').waitFor();
    });
  });

  it('leads from a link to its analytics', async () => {
    const query = { linkId: linkIds[0]! };
    const { clicks } = await ask({ interval: '30d', groupBy: 'kpis', ...query });
    await inConsole(world, `links?edit=${linkIds[0]}`, {}, async (page) => {
      const summary = page.getByRole('region', { name: 'Last 30 days' });
      await summary.getByText(new Intl.NumberFormat('en').format(clicks.value)).first().waitFor();
      await summary.getByRole('link', { name: 'All analytics' }).click();
      await page.waitForURL(/\/analytics\?linkId=/);
      await expectTotals(page, query);
    });
  });

  it('says which plan is needed, and how to get it', async () => {
    const free = await aWorkspace({ plan: 'free' });
    for (const [view, plan] of Object.entries({
      analytics: 'pro',
      live: 'business',
      events: 'business',
    })) {
      await inConsole(free, view, {}, async (page) => {
        await page.getByText(`--plan ${plan}`).waitFor();
        await expectAccessible(page, `plan-${view}`);
      });
    }
  });

  it('says how the first events come about', async () => {
    const empty = await aWorkspace();
    await inConsole(empty, 'analytics', {}, async (page) => {
      await page.getByText('No events in this span').waitFor();
      await expectAccessible(page, 'analytics-empty');
      await page.goto(page.url().replace('analytics', 'live'));
      await page.getByText('Waiting for the next visit').waitFor();
      await expectAccessible(page, 'live-empty');
    });
  });

  for (const size of sizes) {
    for (const scheme of ['light', 'dark'] as const) {
      it(`keeps all rules of axe, ${size}, ${scheme}`, async () => {
        const name = (view: string) => `${view}-${size}-${scheme}`;
        await inConsole(world, 'analytics', { size, scheme }, async (page) => {
          await page.locator('.u-over').waitFor();
          await page.getByRole('img', { name: /map/ }).waitFor();
          await page.waitForLoadState('networkidle');
          await expectAccessible(page, name('analytics'));
          await page.getByRole('button', { name: 'Show as table' }).click();
          await page.getByRole('button', { name: 'Last 30 days' }).click();
          await expectAccessible(page, name('interval'));
          await page.keyboard.press('Escape');
          await page.getByRole('button', { name: 'Filter', exact: true }).click();
          await expectAccessible(page, name('filter'));
          await page.keyboard.press('Escape');
          await page.getByRole('button', { name: /of countries$/ }).click();
          await page.getByRole('dialog').getByText('values').waitFor();
          await expectAccessible(page, name('countries'));
        });
        await inConsole(world, 'live', { size, scheme }, async (page) => {
          await page.getByText('Connected', { exact: true }).waitFor();
          const visitor = 950 + sizes.indexOf(size) * 2 + (scheme === 'dark' ? 1 : 0);
          for (const [at, network] of ['192.0.2', '198.51.100', '203.0.113'].entries()) {
            await world.visit(`/link-${at}`, {
              userAgent: userAgent(visitor + at * 20),
              headers: { 'x-forwarded-for': `${network}.${visitor - 800 + at}` },
            });
          }
          await page.getByRole('listitem').nth(2).waitFor();
          await page.getByRole('img', { name: /map/ }).waitFor();
          await expectAccessible(page, name('live'));
        });
        await inConsole(world, 'events', { size, scheme }, async (page) => {
          await page.getByRole('table').waitFor();
          await expectAccessible(page, name('events'));
        });
      });
    }
  }
});
