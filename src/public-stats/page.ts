import { config } from '../config.ts';
import { INTERVALS, type Interval } from '../events/span.ts';
import { BOM, csvLines } from '../infra/csv.ts';
import { isStorable } from '../infra/storable-text.ts';
import { workspaceEntry } from '../lookup/entry.ts';
import { normalizeKey } from '../lookup/short-link.ts';
import { readSettings } from '../settings/queries.ts';
import { type PlacesOwner, placesOwner, UNKNOWN } from '../visitors/places.ts';
import { branded } from '../web/brand.ts';
import { type Language, say } from '../web/language.ts';
import {
  answer,
  BASE_STYLE,
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

const ASSETS = pageAssets(`${BASE_STYLE}
main{max-width:56rem;display:flex;flex-direction:column;gap:1.5rem}
header{display:flex;flex-wrap:wrap;align-items:end;justify-content:space-between;gap:.5rem 2rem}
h1 small{display:block;color:var(--muted);font-size:.875rem;font-weight:500;letter-spacing:0}
h2{margin:0 0 .75rem;font-size:1rem}
.total{font-size:1rem;color:var(--muted)}
.total strong{color:var(--text);font-size:2rem;line-height:1;margin-inline-end:.375rem;
font-variant-numeric:tabular-nums}
nav ul{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,6.5rem),1fr));gap:.25rem;margin:0;padding:.25rem;
background:var(--inset);border:1px solid var(--line);border-radius:1rem;list-style:none}
nav a{display:grid;place-items:center;height:100%;min-height:2.75rem;padding:.375rem;border-radius:.75rem;
color:var(--muted);font-size:.9375rem;line-height:1.25;text-align:center;text-decoration:none}
nav a[aria-current]{background:var(--tint);color:var(--on-tint);font-weight:600}
@media (hover:hover){nav a:hover{color:var(--text)}nav a[aria-current]:hover{color:var(--on-tint)}}
section{min-width:0}
.panel{padding:1.25rem;background:var(--inset);border:1px solid var(--line);border-radius:1rem}
.panels{display:grid;gap:1.25rem}
.chart{display:grid;grid-template-columns:auto 1fr;gap:.5rem .75rem;padding-top:.5rem;
color:var(--muted);font-size:min(.75rem,1.25vw + .375rem)}
.scale{display:flex;flex-direction:column-reverse;justify-content:space-between;text-align:end}
.scale span{height:0;line-height:0;font-variant-numeric:tabular-nums}
.chart svg{width:100%;fill:var(--muted);stroke:none}
.chart .plot{height:clamp(10rem,24vw,14rem)}
.chart .words{grid-column:2;height:1.5em;overflow:visible;text-anchor:middle}
.lines line{stroke:var(--line);stroke-width:1}
.bars{fill:var(--accent)}
@media (max-width:36rem){.words text:nth-child(even){display:none}}
ol{margin:0;padding:0;list-style:none;display:flex;flex-direction:column;gap:.625rem}
li{position:relative}
.share{display:flex;justify-content:space-between;gap:1rem}
.share span:first-child{min-width:0;overflow-wrap:anywhere}
.share span:last-child{flex:none;font-variant-numeric:tabular-nums;color:var(--muted)}
.bar{display:block;width:100%;height:.375rem;margin-top:.25rem;border-radius:.1875rem;background:var(--line);
stroke:none;fill:var(--accent)}
details{margin-top:1rem}
summary{min-height:2.75rem;padding:.625rem 0;cursor:pointer;color:var(--on-tint)}
table{width:100%;border-collapse:collapse;font-size:.875rem}
th,td{padding:.375rem .5rem;border-bottom:1px solid var(--line);text-align:start}
td:last-child,th:last-child{text-align:end;font-variant-numeric:tabular-nums}
footer{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;gap:.75rem;color:var(--muted);
font-size:.875rem}
footer a{display:inline-block;padding:.75rem 0;color:var(--on-tint)}
@media (min-width:44rem){.panels{grid-template-columns:1fr 1fr}}
@media print{:root{--ground:#fff;--surface:#fff;--inset:#fff;--text:#000;--muted:#333;--line:#bbb;--accent:#225}
body{padding:0}main{max-width:none;box-shadow:none;padding:0}nav,footer a{display:none}
.panel,li,tr{break-inside:avoid}.bars,.bar{-webkit-print-color-adjust:exact;print-color-adjust:exact}}`);

/** The attribution that the license of the database requires, word for word. */
const DB_IP = html`<a href="https://db-ip.com" rel="noreferrer" lang="en">IP Geolocation by DB-IP</a>`;

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
    return answer(200, 'text/csv', "default-src 'none'; sandbox", toCsv(statistics), [
      'Content-Disposition',
      'attachment; filename="statistics.csv"',
      'X-Robots-Tag',
      'noindex',
    ]);
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
  const { brand } = workspaceEntry(await readSettings(projectId));
  const { BASE_URL: baseUrl } = config();
  return brand === undefined ? page : branded(page, brand, { baseUrl, projectId });
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
${timeChart(times, span.granularity, language, label)}
${timeTable(statistics, options)}
</section>
<div class="panels">
${panels(statistics, language)}</div>`
}
<footer><span>${say(language, 'Times are in UTC.')}</span>${locationsBy === 'DB-IP' ? DB_IP : NOTHING}<a href="?interval=${interval}&amp;format=csv" rel="nofollow">${say(language, 'Download as CSV')}</a></footer>
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
  const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'code' });
  const country = (code: string) => (/^[A-Z]{2}$/.test(code) ? names.of(code)! : code);
  const device = (name: string) =>
    name === 'Desktop' || name === 'Mobile' || name === 'Tablet' ? say(language, name) : name;
  const source = (name: string) => (name === '(direct)' ? say(language, 'Direct') : name);
  return [
    panel('Countries', countries, country, total, language),
    panel('Devices', devices, device, total, language),
    panel('Referrers', sources, source, total, language),
    panel('Browsers', browsers, (name) => name, total, language),
  ];
}

function panel(
  phrase: Phrase,
  shares: readonly Share[],
  nameOf: (value: string) => string,
  total: number,
  language: Language,
): Html {
  const number = new Intl.NumberFormat(language);
  const shown = shares.slice(0, MAX_ROWS).map(({ value, count }) => ({
    name: value === UNKNOWN ? say(language, 'Unknown') : nameOf(value),
    count,
  }));
  const rest = shares.slice(MAX_ROWS).reduce((sum, { count }) => sum + count, 0);
  if (rest > 0) shown.push({ name: say(language, 'Others'), count: rest });
  const rows = shown.map(
    ({ name, count }) =>
      html`<li><div class="share"><span dir="auto">${name}</span><span>${number.format(count)}</span></div>
<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect width="${Math.max(0.5, Math.round((1000 * count) / total) / 10)}" height="1"/></svg></li>\n`,
  );
  const id = `panel-${phrase.toLowerCase()}`;
  return html`<section class="panel" aria-labelledby="${id}">
<h2 id="${id}">${say(language, phrase)}</h2>
<ol>
${rows}</ol>
</section>\n`;
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
