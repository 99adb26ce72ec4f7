import { config } from '../config.ts';
import type { ValueNames } from '../events/query/groups/group.ts';
import { isUnknown } from '../events/query/groups/list.ts';
import { workspaceEntry } from '../lookup/entry.ts';
import type { SettingsRow } from '../settings/queries.ts';
import type { PlacesOwner } from '../visitors/places.ts';
import { branded } from '../web/brand.ts';
import { type Language, say } from '../web/language.ts';
import { answer, BASE_STYLE, type Html, html, NOTHING, type Page } from '../web/layout.ts';

/* Parts that pages with statistics share. */

/** The style sheet of pages with statistics. */
export const STATS_STYLE = `${BASE_STYLE}
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
.panel,li,tr{break-inside:avoid}.bars,.bar{-webkit-print-color-adjust:exact;print-color-adjust:exact}}`;

/** The attribution that the license of the database requires, word for word. */
const DB_IP = html`<a href="https://db-ip.com" rel="noreferrer" lang="en">IP Geolocation by DB-IP</a>`;

/** Names the owner of the database of places, if its license requires that. */
export const placesNotice = (owner: PlacesOwner | undefined): Html =>
  owner === 'DB-IP' ? DB_IP : NOTHING;

/** Codes of continents in UN M49, by which `Intl` names them; Antarctica has that of a country. */
const CONTINENT_CODES: Readonly<Record<string, string>> = {
  AF: '002',
  AN: 'AQ',
  AS: '142',
  EU: '150',
  NA: '003',
  OC: '009',
  SA: '005',
};

/** Returns the names of values in a language. */
export function valueNames(language: Language): ValueNames {
  const regions = new Intl.DisplayNames([language], { type: 'region', fallback: 'code' });
  const known = (name: string) => (isUnknown(name) ? say(language, 'Unknown') : name);
  return {
    country: (code) => (/^[A-Z]{2}$/.test(code) ? regions.of(code)! : known(code)),
    continent(code) {
      const region = CONTINENT_CODES[code];
      return region === undefined ? known(code) : regions.of(region)!;
    },
    device: (name) =>
      name === 'Desktop' || name === 'Mobile' || name === 'Tablet'
        ? say(language, name)
        : known(name),
    source: (name) => (name === '(direct)' ? say(language, 'Direct') : known(name)),
  };
}

/** A value of a list, with its count. */
export interface Bar {
  name: string;
  count: number;
}

interface PanelOptions {
  /** Part of the id of its heading. */
  id: string;
  title: string;
  /** Number of rows; others are summed up. */
  limit: number;
  /** Count of values that are not among the bars. */
  rest?: number;
  /** Count that fills a bar. */
  total: number;
  language: Language;
  /** Formats a count. */
  format(count: number): string;
}

/** Draws a list of values with bars. */
export function panel(
  bars: readonly Bar[],
  { id, title, limit, rest = 0, total, language, format }: PanelOptions,
): Html {
  const shown = bars.slice(0, limit);
  const others = bars.slice(limit).reduce((sum, { count }) => sum + count, rest);
  if (others > 0) shown.push({ name: say(language, 'Others'), count: others });
  const rows = shown.map(
    ({ name, count }) =>
      html`<li><div class="share"><span dir="auto">${name}</span><span>${format(count)}</span></div>
<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect width="${widthOf(count, total)}" height="1"/></svg></li>\n`,
  );
  return html`<section class="panel" aria-labelledby="panel-${id}">
<h2 id="panel-${id}">${title}</h2>
<ol>
${rows}</ol>
</section>\n`;
}

/** Width of a bar, in percent. */
const widthOf = (count: number, total: number): number =>
  Math.min(100, Math.max(0.5, Math.round((1000 * count) / Math.max(1, total)) / 10));

/** Answers with numbers as a CSV file, which no search engine lists. */
export const csvAnswer = (fileName: string, csv: string): Page =>
  answer(200, 'text/csv', "default-src 'none'; sandbox", csv, [
    'Content-Disposition',
    `attachment; filename="${fileName}"`,
    'X-Robots-Tag',
    'noindex',
  ]);

/** Gives a page the brand of a workspace, if it has one. */
export function inBrandOf(page: Page, projectId: string, settings: SettingsRow): Page {
  const { brand } = workspaceEntry(settings);
  const { BASE_URL: baseUrl } = config();
  return brand === undefined ? page : branded(page, brand, { baseUrl, projectId });
}
