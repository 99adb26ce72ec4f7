import type { Granularity } from '../analytics/interval.ts';
import type { Language } from '../html/language.ts';
import { type Html, html } from '../html/layout.ts';

/** Sides of the chart, in units of its own, and the room around the bars for words. */
const WIDTH = 720;
const HEIGHT = 240;
const ROOM = { top: 12, right: 8, bottom: 28, left: 48 };
const PLOT = { width: WIDTH - ROOM.left - ROOM.right, height: HEIGHT - ROOM.top - ROOM.bottom };
/** About so many lines across, and words under the bars. */
const LINES = 4;
const WORDS = 6;

/** How a step of time is written. */
const FORMATS: Record<Granularity, Intl.DateTimeFormatOptions> = {
  minute: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  hour: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
};

/** Writes the steps of a chart, in UTC. */
export function timeFormat(granularity: Granularity, language: Language): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { ...FORMATS[granularity], timeZone: 'UTC' });
}

/**
 * Bars over time, drawn as SVG. Everything that it says stands in a table beside it too.
 *
 * @param label what a screen reader says of it
 */
export function timeChart(
  points: readonly { start: Date; count: number }[],
  granularity: Granularity,
  language: Language,
  label: string,
): Html {
  const most = Math.max(1, ...points.map(({ count }) => count));
  const step = niceStep(most / LINES);
  const top = Math.ceil(most / step) * step;
  const y = (count: number) => ROOM.top + PLOT.height * (1 - count / top);
  const slot = PLOT.width / points.length;
  const bar = Math.max(1, Math.min(slot * 0.72, 48));
  const number = new Intl.NumberFormat(language);
  const format = timeFormat(granularity, language);
  const lines = Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step).map(
    (value) =>
      html`<line x1="${ROOM.left}" x2="${WIDTH - ROOM.right}" y1="${round(y(value))}" y2="${round(y(value))}"/><text class="scale" x="${ROOM.left - 8}" y="${round(y(value) + 4)}">${number.format(value)}</text>\n`,
  );
  const bars = points.flatMap(({ count }, at) => {
    if (count === 0) return [];
    const x = ROOM.left + slot * at + (slot - bar) / 2;
    const height = Math.max(1.5, ROOM.top + PLOT.height - y(count));
    const corner = Math.min(3, bar / 3, height);
    return [
      html`<path d="${`M${round(x)} ${ROOM.top + PLOT.height}v${round(corner - height)}q0 ${-round(corner)} ${round(corner)} ${-round(corner)}h${round(bar - 2 * corner)}q${round(corner)} 0 ${round(corner)} ${round(corner)}v${round(height - corner)}z`}"/>\n`,
    ];
  });
  const every = Math.max(1, Math.ceil(points.length / WORDS));
  const words = points.flatMap(({ start }, at) =>
    at % every === 0
      ? [
          html`<text x="${round(ROOM.left + slot * (at + 0.5))}" y="${HEIGHT - 8}">${format.format(start)}</text>\n`,
        ]
      : [],
  );
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
<g class="lines">
${lines}</g>
<g class="bars">
${bars}</g>
<g class="words">
${words}</g>
</svg>`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** The next larger of 1, 2, 5, 10, 20, 50 … */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = [1, 2, 5, 10].find((one) => one * power >= least) ?? 10;
  return Math.max(1, step * power);
}
