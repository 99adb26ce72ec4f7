import { timeChart, timeFormat } from '../public-stats/chart.ts';
import { panel, placesNotice, STATS_STYLE } from '../public-stats/parts.ts';
import type { PlacesOwner } from '../visitors/places.ts';
import { type Language, say } from '../web/language.ts';
import { type Html, html, type Page, pageAssets, wholePage } from '../web/layout.ts';
import type { ReportList, ReportNumbers } from './numbers.ts';
import { REFRESH_SCRIPT, RELOAD_SECONDS } from './script.ts';
import { formats, periodInWords, rowNames, shownNumbers, titleOf } from './words.ts';

/** Number of rows that a list shows; others are summed up. */
const SHOWN_ROWS = 10;

const ASSETS = pageAssets(
  `${STATS_STYLE}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,8rem),1fr));gap:1rem;margin:0}
.tiles dt{color:var(--muted);font-size:.875rem}
.tiles dd{margin:0;font-size:clamp(1.25rem,6vw,1.75rem);font-weight:600;line-height:1.2;font-variant-numeric:tabular-nums}
table{overflow-wrap:normal}
td:not(:first-child),th:not(:first-child){text-align:end;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}`,
  REFRESH_SCRIPT,
);

/** The texts of a report, and its reader. */
export interface ReportPageOptions {
  name: string;
  language: Language;
  /** Owner of the database of places, if its license requires a link. */
  locationsBy: PlacesOwner | undefined;
}

/** Builds the page of a report. */
export function reportPage(numbers: ReportNumbers, options: ReportPageOptions): Page {
  const { names, totals, times, span, lists, at } = numbers;
  const { name, language, locationsBy } = options;
  const words = formats(language);
  const [measure] = names as [string];
  const label = `${words.nameOf(measure)}: ${words.show(measure, totals[measure]!)}`;
  const shown = shownNumbers(names, totals);
  const tiles = shown.map(
    (one) =>
      html`<div><dt>${words.nameOf(one)}</dt><dd>${words.show(one, totals[one]!)}</dd></div>\n`,
  );
  const points = times.map((row) => ({ start: new Date(row.start), count: Number(row[measure]) }));
  // Lists can count other events than the totals: `top_qrcodes` counts scans, totals clicks.
  const isEmpty =
    names.every((one) => totals[one] === 0) && lists.every(({ rows }) => rows.length === 0);
  const zone = span.timezone.replaceAll('_', ' ');
  const updated = new Intl.DateTimeFormat(language, {
    timeStyle: 'medium',
    timeZone: span.timezone,
  });
  const body = html`<main>
<header>
<h1><small>${periodInWords(span, language)}</small><span dir="auto">${name}</span></h1>
</header>
<dl class="tiles">
${tiles}</dl>
${
  isEmpty
    ? html`<p class="panel">${say(language, 'No events in this period yet.')}</p>`
    : html`<section class="panel" aria-labelledby="time">
<h2 id="time">${say(language, 'Over time')}</h2>
${timeChart(points, span, language, label)}
${timeTable(numbers, shown, language)}
</section>
<div class="panels">
${lists.flatMap((list) => listPanel(list, language))}</div>`
}
<footer><span>${say(language, 'Times are in {}.', zone)} ${say(language, 'Updated {}', updated.format(at))}</span>${placesNotice(locationsBy)}<a href="?format=csv" rel="nofollow">${say(language, 'Download as CSV')}</a></footer>
</main>`;
  const head = html`<noscript><meta http-equiv="refresh" content="${RELOAD_SECONDS}"></noscript>\n`;
  const parts = { language, title: name, body, head, allow: { fetches: true } };
  return wholePage(200, ASSETS, parts, ['X-Robots-Tag', 'noindex']);
}

function timeTable(
  { times, span }: ReportNumbers,
  names: readonly string[],
  language: Language,
): Html {
  const { nameOf, show } = formats(language);
  const time = timeFormat(span.granularity, language, span.timezone);
  const rows = times
    .filter((row) => names.some((name) => row[name] !== 0))
    .map(
      (row) =>
        html`<tr><td>${time.format(new Date(row.start))}</td>${names.map((name) => html`<td>${show(name, Number(row[name]))}</td>`)}</tr>\n`,
    );
  const head = names.map((name) => html`<th scope="col">${nameOf(name)}</th>`);
  return html`<details><summary>${say(language, 'Show as a table')}</summary>
<div class="scroll"><table><thead><tr><th scope="col">${say(language, 'Time')}</th>${head}</tr></thead><tbody>
${rows}</tbody></table></div></details>`;
}

function listPanel(
  { group, names: [measure], rows, rest }: ReportList,
  language: Language,
): Html[] {
  if (rows.length === 0) return [];
  const nameOf = rowNames(group, language);
  const bars = rows.map((row) => ({ name: nameOf(row), count: Number(row[measure!]) }));
  const count = new Intl.NumberFormat(language);
  return [
    panel(bars, {
      id: group,
      title: titleOf(group, language),
      limit: SHOWN_ROWS,
      rest,
      total: bars.reduce((sum, bar) => sum + bar.count, rest),
      language,
      format: (value) => count.format(value),
    }),
  ];
}
