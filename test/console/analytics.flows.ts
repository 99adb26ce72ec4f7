import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { eventsStore } from '../../src/events/store/index.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { browser as userAgent } from '../support/browser.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { addSampleEvents } from './sample-events.ts';
import { expectAccessible, inConsole, sizes, tabTo, useBrowser } from './window.ts';

const DAY_MS = 86_400_000;
const METRICS = ['clicks', 'scans', 'views', 'leads', 'sales', 'revenue'] as const;

const card = (page: Page, title: string): Locator =>
  page.getByRole('region', { name: title, exact: true });

/** Reads the numbers of the tiles by metric; amounts are in cents. */
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

/** Reads the number of clicks in the previous period. */
const previousClicks = async (page: Page): Promise<number> =>
  Number(await page.locator('[data-metric=clicks] [data-previous]').getAttribute('data-previous'));

/** Selects a period in the picker. */
async function choosePeriod(page: Page, now: string, next: string): Promise<void> {
  await page.getByRole('button', { name: now, exact: true }).first().click();
  const picker = page.getByRole('dialog', { name: 'Period' });
  await picker.getByRole('button', { name: next, exact: true }).click();
}

const daysFrom = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** Reads the names and counts of a card's rows. */
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

  /** Creates a record, and repeats the request while a busy machine answers 202. */
  async function idOf(path: string, body: object): Promise<string> {
    const headers = { 'Idempotency-Key': newId('event') };
    let id = '';
    await eventually(async () => {
      const { status, body: made } = await world.api.post(path, body, { headers });
      expect([200, 201], JSON.stringify(made)).to.include(status);
      id = made.id;
    });
    return id;
  }

  before(async () => {
    world = await aWorkspace();
    linkIds = [];
    const tagId = await idOf('/tags', { name: 'Seasonal' });
    const folderId = await idOf('/folders', { name: 'Restaurants' });
    for (let n = 0; n < 5; n += 1) {
      const id = await idOf('/links', {
        url: `https://example.com/${n}`,
        key: `link-${n}`,
        ...(n === 1 && { title: 'Autumn menu', tagIds: [tagId], folderId }),
      });
      linkIds.push(id);
    }
    qrcodeId = await idOf('/qrcodes', {
      type: 'url',
      key: 'code',
      url: 'https://example.com/code',
    });
    await addSampleEvents(world, linkIds, qrcodeId);
  });

  const ask = async (query: Record<string, string>) => {
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const { status, body } = await world.api.get('/analytics', { timezone, ...query });
    expect(status).to.equal(200);
    return body;
  };
  /** Expects the tiles to show the numbers of the API. */
  const expectTotals = async (page: Page, query: Record<string, string>) => {
    const { interval = '30d', ...others } = query;
    const kpis = await ask({ ...(interval && { interval }), ...others, groupBy: 'kpis' });
    const expected = Object.fromEntries(
      METRICS.map((name) => [name, kpis[name === 'revenue' ? 'saleAmount' : name].value]),
    );
    await eventually(async () => expect(await totalsOf(page)).to.deep.equal(expected));
    const visitors = page.locator('[data-total=visitors] [data-value]');
    expect(await visitors.getAttribute('data-value')).to.equal(String(kpis.visitors.value));
    return expected;
  };

  /** Builds a click of this moment. */
  const anEventNow = () =>
    db().transaction((trx) =>
      eventsStore().append(trx, [
        anEvent(world.projectId, {
          id: newId('event'),
          occurred_at: new Date(Date.now() - 60_000).toISOString(),
          domain: world.domain,
        }),
      ]),
    );

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

  it('shows the course of time as a chart and a table, compared with the period before', async () => {
    await inConsole(world, 'analytics?interval=7d', {}, async (page) => {
      const rows: { start: string; clicks: number; visitors: number }[] = await ask({
        interval: '7d',
        groupBy: 'timeseries',
      });
      const now = Date.now();
      const weekBefore = (moment: number) => new Date(moment - 7 * DAY_MS).toISOString();
      const before: { clicks: number }[] = await ask({
        start: weekBefore(Date.parse(rows[0]!.start)),
        end: weekBefore(now),
        groupBy: 'timeseries',
      });
      await page.getByRole('slider').focus();
      await page.keyboard.press('Home');
      const told = await page.getByRole('slider').getAttribute('aria-valuetext');
      const { clicks: first, visitors } = rows[0]!;
      const named = `${visitors} ${visitors === 1 ? 'visitor' : 'visitors'}`;
      expect(told).to.contain(`: ${first}, ${named}, before: ${before[0]!.clicks}`);
      await page.getByRole('button', { name: 'Show as table' }).click();
      const cells = await page.getByRole('table').getByRole('cell').allInnerTexts();
      expect(cells.map(Number)).to.deep.equal(
        rows.flatMap((row, index) => [row.clicks, row.visitors, before[index]!.clicks]),
      );
      // The current day is not complete.
      const steps = await page.getByRole('table').getByRole('rowheader').allInnerTexts();
      expect(steps.filter((step) => step.endsWith(', so far'))).to.deep.equal([steps.at(-1)]);
      await page.getByText('Today so far').waitFor();
    });
  });

  it('compares every period up to the same hour, in the totals as in the chart', async () => {
    // After midnight, today may have no other event.
    const now = anEvent(world.projectId, {
      id: newId('event'),
      occurred_at: new Date().toISOString(),
    });
    await db().transaction((trx) => eventsStore().append(trx, [now]));
    await inConsole(world, 'analytics?interval=7d', {}, async (page) => {
      await page.getByRole('group', { name: 'Totals' }).waitFor();
      const midnight = (await ask({ interval: '7d', groupBy: 'timeseries' }))[0].start;
      const { clicks } = await ask({
        start: new Date(Date.parse(midnight) - 7 * DAY_MS).toISOString(),
        end: new Date(Date.now() - 7 * DAY_MS).toISOString(),
        groupBy: 'clicks',
      });
      await eventually(async () => expect(await previousClicks(page)).to.equal(clicks));
      for (const interval of ['30d', '90d', '1y', 'wtd', 'month', 'yesterday', 'today']) {
        await page.goto(page.url().replace(/(\?.*)?$/, `?interval=${interval}`));
        await page.getByRole('group', { name: 'Totals' }).getByText('Clicks').waitFor();
        await page.getByRole('button', { name: 'Show as table' }).click();
        await eventually(async () => {
          const cells = await page.getByRole('table').getByRole('cell').allInnerTexts();
          const sumOf = (column: number) =>
            cells.reduce(
              (sum, text, at) => (at % 3 === column ? sum + Number(text.replaceAll(',', '')) : sum),
              0,
            );
          const totals = await totalsOf(page);
          const shown = [totals['clicks'], await previousClicks(page)];
          expect([sumOf(0), sumOf(2)], interval).to.deep.equal(shown);
        });
      }
    });
  });

  it('compares with the same period a year earlier', async () => {
    const old = await aWorkspace();
    await db().raw("SELECT ensure_events_partition((current_date - interval '1 year')::date)");
    const at = (moment: Date) =>
      anEvent(old.projectId, { id: newId('event'), occurred_at: moment.toISOString() });
    const [now, then] = [new Date(), new Date()];
    then.setUTCFullYear(now.getUTCFullYear() - 1, now.getUTCMonth(), now.getUTCDate() - 3);
    const rows = [at(new Date(now.getTime() - 1_000)), at(then), at(then)];
    await db().transaction((trx) => eventsStore().append(trx, rows));
    await inConsole(old, 'analytics', {}, async (page) => {
      await page.getByRole('button', { name: 'Last 30 days' }).click();
      await page.getByLabel('Compare with').selectOption('Same period a year earlier');
      await page.waitForURL(/compare=year/);
      await page.keyboard.press('Escape');
      await eventually(async () => expect(await previousClicks(page)).to.equal(2));
      await page.getByText('A year earlier', { exact: true }).first().waitFor();
    });
  });

  it('shows months and quarters of the calendar in the chosen time zone', async () => {
    const timezone = 'Asia/Kathmandu';
    const midnight = (day: string) => `${day}T00:00:00+05:45`;
    await inConsole(world, `analytics?timezone=${timezone}`, {}, async (page) => {
      const today = new Intl.DateTimeFormat('sv', { timeZone: timezone }).format();
      const [year, month] = today.split('-').map(Number) as [number, number];
      const first = (months: number) =>
        new Date(Date.UTC(year, months, 1)).toISOString().slice(0, 10);
      const last = (months: number) =>
        new Date(Date.UTC(year, months, 0)).toISOString().slice(0, 10);
      const quarter = month - 1 - ((month - 1) % 3);
      const periods = {
        Yesterday: [daysFrom(today, -1), daysFrom(today, -1)],
        'This month': [first(month - 1), today],
        'Last month': [first(month - 2), last(month - 1)],
        'This quarter': [first(quarter), today],
        'Last quarter': [first(quarter - 3), last(quarter)],
      };
      let shown = 'Last 30 days';
      for (const [name, [start, end]] of Object.entries(periods)) {
        await choosePeriod(page, shown, name);
        const span = { start: midnight(start!), end: midnight(daysFrom(end!, 1)) };
        await expectTotals(page, { interval: '', ...span, timezone });
        shown = name;
      }
    });
  });

  it('lists all values of a group, searches in them, and saves them as CSV', async () => {
    await inConsole(world, 'analytics', {}, async (page) => {
      await page.getByRole('tab', { name: 'Referrers' }).click();
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
      const { clicks, visitors } = referers.find(
        ({ referer }: { referer: string }) => referer === 'social.example',
      );
      expect(Buffer.concat(chunks).toString()).to.equal(
        `\ufeffReferrers,Details,Clicks,Visitors\r\nsocial.example,,${clicks},${visitors}\r\n`,
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
      await tabTo(page, page.getByRole('button', { name: 'Last 90 days' }));
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
      for (const key of [`live-${size}`, `paused-${size}`]) {
        await world.api.post('/links', { url: 'https://example.com/', key });
      }
      await inConsole(world, 'live', { size }, async (page) => {
        await page.getByText('Connected', { exact: true }).waitFor();
        const visitor = size === 'phone' ? 901 : 902;
        const began = Date.now();
        await world.visit(`/live-${size}`, {
          userAgent: userAgent(visitor),
          headers: { 'x-forwarded-for': `198.51.100.${visitor - 800}` },
        });
        const entry = page
          .getByRole('listitem')
          .filter({ hasText: `${world.domain}/live-${size}` });
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
        await world.visit(`/paused-${size}`, {
          userAgent: userAgent(visitor + 10),
          headers: { 'x-forwarded-for': `192.0.2.${visitor - 800}` },
        });
        await page.getByRole('button', { name: 'Resume (1)' }).click();
        await page
          .getByRole('listitem')
          .filter({ hasText: `/paused-${size}` })
          .waitFor();
      });
    });
  }

  it('goes on with the live view after the connection was lost, without a gap', async () => {
    for (const key of ['before-break', 'in-break']) {
      await world.api.post('/links', { url: 'https://example.com/', key });
    }
    const entry = (page: Page, key: string) =>
      page.getByRole('listitem').filter({ hasText: `/${key}` });
    await inConsole(world, 'live', {}, async (page) => {
      await page.getByText('Connected', { exact: true }).waitFor();
      await world.visit('/before-break', {
        userAgent: userAgent(930),
        headers: { 'x-forwarded-for': '192.0.2.30' },
      });
      await entry(page, 'before-break').waitFor();
      await page.context().setOffline(true);
      await page.getByText('Reconnecting').waitFor();
      await world.visit('/in-break', {
        userAgent: userAgent(931),
        headers: { 'x-forwarded-for': '192.0.2.31' },
      });
      await page.context().setOffline(false);
      await entry(page, 'in-break').waitFor();
      expect(await entry(page, 'before-break').count()).to.equal(1);
    });
  });

  for (const size of sizes) {
    it(`shows a second visit of the same visitor, and the whole reason why it was not counted (${size})`, async () => {
      const own = await aWorkspace();
      await own.api.post('/links', { url: 'https://example.com/', key: 'a' });
      await inConsole(own, 'live', { size }, async (page) => {
        await page.getByText('Connected', { exact: true }).waitFor();
        await own.visit('/a', { userAgent: userAgent(970) });
        const shown = page.getByRole('listitem').filter({ hasText: '/a' });
        await shown.waitFor();
        await own.visit('/a', { userAgent: userAgent(970) });
        const repeated = shown.filter({ hasText: 'Seen, not counted' });
        const reason = repeated.getByRole('link', { name: 'same visitor within an hour' });
        await reason.waitFor();
        const isCut = await reason.evaluate((link) => {
          const { scrollWidth, clientWidth } = link.parentElement!;
          return scrollWidth > clientWidth;
        });
        expect(isCut).to.equal(false);
        await eventually(async () => {
          const [above, below] = [
            await shown.nth(0).boundingBox(),
            await shown.nth(1).boundingBox(),
          ];
          expect(above!.y + above!.height).to.be.at.most(below!.y + 1);
        });
        await repeated.scrollIntoViewIfNeeded();
        await expectAccessible(page, `live-repeated-${size}`);
        await reason.click();
        await page.waitForURL(/settings\/workspace/);
      });
    });
  }

  it('fills the live view with the latest events, each once', async () => {
    const quiet = await aWorkspace();
    const hourBefore = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const rows = Array.from({ length: 60 }, (_, n) =>
      anEvent(quiet.projectId, {
        id: newId('event'),
        occurred_at: hourBefore(n + 1),
        key: `hour-${n + 1}`,
        event: n % 2 === 0 ? 'click' : 'scan',
      }),
    );
    await db().transaction((trx) => eventsStore().append(trx, rows));
    await quiet.api.post('/links', { url: 'https://example.com/', key: 'a' });
    await inConsole(quiet, 'live', {}, async (page) => {
      const shown = page.getByRole('group', { name: 'Events, newest first' });
      const first = shown.getByRole('listitem').first();
      await first.filter({ hasText: '/hour-1' }).waitFor();
      expect(await first.getAttribute('aria-setsize')).to.equal('50');
      await quiet.visit('/a', { userAgent: userAgent(960) });
      await first.filter({ hasText: '/a' }).waitFor();
      expect(await first.getAttribute('aria-setsize')).to.equal('51');
      await page.reload();
      await first.filter({ hasText: '/a' }).waitFor();
      expect(await first.getAttribute('aria-setsize')).to.equal('50');
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
      // The stream repeats fewer events than these.
      const rows = Array.from({ length: 400 }, () =>
        anEvent(busy.projectId, { id: newId('event'), occurred_at: new Date().toISOString() }),
      );
      await db().transaction((trx) => eventsStore().append(trx, rows));
      await page.context().setOffline(false);
      await page.getByText(/^10\d events are missing here/).waitFor();
      await page.getByText('Connected', { exact: true }).waitFor();
      // The stream continues with new events.
      await busy.visit('/a', { userAgent: userAgent(941) });
      const shown = page.getByRole('group', { name: 'Events, newest first' });
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

  it('lists the events of the last hour, and shows their links on a tablet', async () => {
    await anEventNow();
    await inConsole(world, 'events', {}, async (page) => {
      await page.setViewportSize({ width: 834, height: 1112 });
      const rows = page.getByRole('table').locator('tbody tr');
      await rows.first().waitFor();
      const link = rows.first().getByRole('cell').nth(1);
      expect((await link.boundingBox())!.width).to.be.at.least(160);
      const text = await rows.first().getByRole('cell').first().innerText();
      expect(text).to.match(/^[A-Z][a-z]{2} \d{1,2}, \d{2}:\d{2}$/);

      await choosePeriod(page, 'Last 30 days', 'Last hour');
      await page.waitForURL(/interval=1h/);
      await eventually(async () => expect(await rows.count()).to.be.above(0));
    });
  });

  it('leaves out what a URL has wrong, and says so', async () => {
    const faults = 'interval=bogus&timezone=Mars&country=ZZ&device=Desktop&linkId=link_none';
    for (const view of ['analytics', 'events', 'live']) {
      await inConsole(world, `${view}?${faults}`, {}, async (page) => {
        await page.getByText('Not applied: Period, Time zone,').waitFor();
        await eventually(async () => {
          const { searchParams } = new URL(page.url());
          expect(searchParams.get('country'), view).to.equal(null);
          expect(searchParams.get('linkId'), view).to.equal(null);
          expect(searchParams.get('device'), view).to.equal('Desktop');
        });
        const notice = page.getByRole('status').filter({ hasText: 'Not applied' });
        expect(await notice.innerText())
          .to.contain('Country')
          .and.to.contain('Link');
        expect(await page.getByText('must be one of').count()).to.equal(0);
        if (view === 'analytics') await expectTotals(page, { device: 'Desktop' });
        await notice.getByRole('button', { name: 'Dismiss' }).click();
        await notice.waitFor({ state: 'detached' });
      });
    }
  });

  it('filters by tag, folder, link, code and country from lists of their names', async () => {
    await inConsole(world, 'analytics', {}, async (page) => {
      const { id: tagId } = (await world.api.get('/tags')).body[0];
      const { id: folderId } = (await world.api.get('/folders')).body[0];
      const linkId = linkIds[1]!;
      const menu = page.getByRole('dialog', { name: 'Add a filter' });
      const choose = async (filter: string, text: string, name: string) => {
        await page.getByRole('button', { name: 'Filter', exact: true }).click();
        await menu.getByLabel('Filter by').selectOption(filter);
        await menu.getByRole('combobox', { name: /^.+ (is|contains)$/ }).fill(text);
        await menu.getByRole('listbox').getByRole('option', { name }).click();
      };
      await choose('Tag', 'season', 'Seasonal');
      await expectTotals(page, { tagId });
      await choose('Folder', '', 'Restaurants');
      await expectTotals(page, { tagId, folderId });
      await page.getByRole('button', { name: 'Clear all' }).click();
      await choose('Link', 'autumn', 'Autumn menu');
      await page.waitForURL(/linkId=/);
      await expectTotals(page, { linkId });
      await page.getByRole('button', { name: 'Remove filter: Link' }).click();
      await choose('Country', 'braz', 'Brazil');
      await page.waitForURL(/country=BR/);
      // The filter still offers the values that it excludes.
      await choose('Country', 'germ', 'Germany');
      await page.waitForURL(/country=BR%2CDE/);
      await expectTotals(page, { country: 'BR,DE' });
      await choose('Country', 'braz', 'Brazil');
      await expectTotals(page, { country: 'DE' });
      await choose('QR code', 'code', 'code');
      await page.waitForURL(/event=scans/);
      await expectTotals(page, { country: 'DE', qrcodeId });
      await page.getByRole('button', { name: 'Clear all' }).click();

      // Filters with the keyboard alone, by a text that is only a part of a value.
      await page.getByRole('button', { name: 'Filter', exact: true }).focus();
      await page.keyboard.press('Enter');
      await menu.getByLabel('Filter by').selectOption('Referrer');
      const value = menu.getByRole('combobox', { name: 'Referrer contains' });
      await value.fill('social');
      await menu.getByRole('listbox').getByRole('option', { name: 'social.example' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(/referer=social(&|$)/);
      await expectTotals(page, { referer: 'social' });
    });
  });

  it('shows links by their titles', async () => {
    await inConsole(world, 'analytics', {}, async (page) => {
      const row = card(page, 'Links').getByRole('listitem').filter({ hasText: 'Autumn menu' });
      await row.getByText(`${world.domain}/link-1`).waitFor();
      await row.getByRole('button', { name: 'Autumn menu' }).click();
      await expectTotals(page, { linkId: linkIds[1]! });
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
      await page.getByText('No events in this period').waitFor();
      expect(await page.getByRole('group', { name: 'Totals' }).count()).to.equal(0);
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
