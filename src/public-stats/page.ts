import { isUnknown } from '../events/query/groups/list.ts';
import { INTERVALS, type Interval } from '../events/span.ts';
import { BOM, csvLines } from '../infra/csv.ts';
import { isStorable } from '../infra/storable-text.ts';
import { normalizeKey } from '../lookup/short-link.ts';
import { readSettings } from '../settings/queries.ts';
import { type PlacesOwner, placesOwner } from '../visitors/places.ts';
import { type Language, say } from '../web/language.ts';
import {
  fixedNotice,
  type Html,
  html,
  NOTHING,
  type Page,
  pageAssets,
  wholePage,
} from '../web/layout.ts';
import type { Phrase } from '../web/phrases/en.ts';
import { timeChart, timeFormat } from './chart.ts';
import { csvAnswer, inBrandOf, panel, placesNotice, STATS_STYLE, valueNames } from './parts.ts';
import { findPublicRecord, readStatistics, type Share, type Statistics } from './queries.ts';

/** Periods that the page offers, with their names; its URL takes all intervals of analytics. */
const OFFERED = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '1y': 'Last year',
  all: 'All time',
} as const satisfies Partial<Record<Interval, Phrase>>;

/** Maximum rows of a list; the rest is summed up. */
const MAX_ROWS = 8;

const ASSETS = pageAssets(STATS_STYLE);

/** Shown both for an unknown link and for one without public statistics. */
const missing = fixedNotice(404, {
  title: 'Link not found',
  text: 'There is nothing at this address. Check it for typing errors.',
});

/** A request for the statistics of a link. */
export interface StatsRequest {
  domain: string;
  key: string;
  /** Decoded query of the request. */
  query: URLSearchParams;
  language: Language;
}

/**
 * Answers with the public statistics of a link or QR code, as a page or, with `format=csv`, as a
 * file. They do not reveal its destination.
 */
export async function statsAnswer({ domain, key, query, language }: StatsRequest): Promise<Page> {
  const canExist = isStorable(domain) && isStorable(key);
  const record = canExist
    ? await findPublicRecord(domain.toLowerCase(), normalizeKey(key))
    : undefined;
  if (record === undefined) return missing(language);
  const interval = INTERVALS.find((name) => name === query.get('interval')) ?? '30d';
  const statistics = await readStatistics(record, interval);
  if (query.get('format') === 'csv') {
    return csvAnswer('statistics.csv', toCsv(statistics));
  }
  const what = say(language, record.event === 'click' ? 'Clicks' : 'Scans');
  const page = statsPage(statistics, {
    name: `${domain}/${key}`,
    what,
    interval,
    language,
    locationsBy: await placesOwner(),
  });
  const { projectId } = record;
  return inBrandOf(page, projectId, await readSettings(projectId));
}

interface StatsPageOptions {
  /** Short link without its scheme. */
  name: string;
  /** Noun for the counted events. */
  what: string;
  interval: Interval;
  language: Language;
  /** Owner of the database of countries, if its license requires a link. */
  locationsBy?: PlacesOwner;
}

/** Builds the page of statistics. */
export function statsPage(statistics: Statistics, options: StatsPageOptions): Page {
  const { name, what, interval, language, locationsBy } = options;
  const { total, span, times } = statistics;
  const number = new Intl.NumberFormat(language);
  const title = `${say(language, 'Statistics')} · ${name}`;
  const label = `${what}: ${number.format(total)}`;
  const body = html`<main>
<header>
<h1><small>${say(language, 'Statistics')}</small><span dir="ltr">${name}</span></h1>
<p class="total"><strong>${number.format(total)}</strong>${what}</p>
</header>
${periods(interval, language)}
${
  total === 0
    ? html`<p class="panel">${say(language, 'Nobody has come in this period yet.')}</p>`
    : html`<section class="panel" aria-labelledby="time">
<h2 id="time">${say(language, 'Over time')}</h2>
${timeChart(times, span, language, label)}
${timeTable(statistics, options)}
</section>
<div class="panels">
${panels(statistics, language)}</div>`
}
<footer><span>${say(language, 'Times are in {}.', 'UTC')}</span>${placesNotice(locationsBy)}<a href="?interval=${interval}&amp;format=csv" rel="nofollow">${say(language, 'Download as CSV')}</a></footer>
</main>`;
  return wholePage(200, ASSETS, { language, title, body }, ['X-Robots-Tag', 'noindex']);
}

function periods(current: Interval, language: Language): Html {
  const links = Object.entries(OFFERED).map(
    ([name, phrase]) =>
      html`<li><a href="?interval=${name}"${name === current ? html` aria-current="page"` : NOTHING}>${say(language, phrase)}</a></li>\n`,
  );
  return html`<nav aria-label="${say(language, 'Period')}"><ul>\n${links}</ul></nav>`;
}

function timeTable({ times, span }: Statistics, { what, language }: StatsPageOptions): Html {
  const format = timeFormat(span.granularity, language);
  const number = new Intl.NumberFormat(language);
  const rows = times.flatMap(({ start, count }) =>
    count === 0
      ? []
      : [html`<tr><td>${format.format(start)}</td><td>${number.format(count)}</td></tr>\n`],
  );
  const head = html`<tr><th scope="col">${say(language, 'Time')}</th><th scope="col">${what}</th></tr>`;
  return html`<details><summary>${say(language, 'Show as a table')}</summary>
<table><thead>${head}</thead><tbody>
${rows}</tbody></table></details>`;
}

function panels(
  { countries, devices, browsers, sources, total }: Statistics,
  language: Language,
): Html[] {
  const { country, device, source } = valueNames(language);
  const number = new Intl.NumberFormat(language);
  const list = (phrase: Phrase, shares: readonly Share[], nameOf: (value: string) => string) => {
    const bars = shares.map(({ value, count }) => ({ name: nameOf(value), count }));
    return panel(bars, {
      id: phrase.toLowerCase(),
      title: say(language, phrase),
      limit: MAX_ROWS,
      total,
      language,
      format: (count) => number.format(count),
    });
  };
  return [
    list('Countries', countries, country),
    list('Devices', devices, device),
    list('Referrers', sources, source),
    list('Browsers', browsers, (name) => (isUnknown(name) ? say(language, 'Unknown') : name)),
  ];
}

/** Formats the numbers of a statistics page as CSV, with a row for each value of each group. */
function toCsv({ times, ...values }: Statistics): string {
  const groups = {
    country: values.countries,
    device: values.devices,
    browser: values.browsers,
    referrer: values.referrers,
    source: values.sources,
  };
  const rows = [
    ...times.map(({ start, count }) => ['time', start.toISOString(), count]),
    ...Object.entries(groups).flatMap(([group, shares]) =>
      shares.map(({ value, count }) => [group, value, count]),
    ),
  ];
  return BOM + csvLines([['group', 'value', 'visits'], ...rows]);
}
