import type { Granularity, Span } from '../events/span.ts';
import type { Language } from '../web/language.ts';
import { type Html, html } from '../web/layout.ts';

/** Approximate number of grid lines, and of labels under the bars. */
const LINES = 4;
const WORDS = 6;
/** Maximum width and minimum height of a bar, in percent of the chart. */
const MAX_WIDTH = 7;
const MIN_HEIGHT = 0.75;

/** Formats of time steps. */
const FORMATS: Record<Granularity, Intl.DateTimeFormatOptions> = {
  minute: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  hour: { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  month: { month: 'short', year: 'numeric' },
};

/** Returns the format for the steps of a chart. */
export function timeFormat(
  granularity: Granularity,
  language: Language,
  timeZone = 'UTC',
): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { ...FORMATS[granularity], timeZone });
}

/**
 * Draws bars over time as SVG. A table next to it has the same data. All positions are in percent,
 * so that text keeps its size on a phone.
 *
 * @param label text for screen readers
 */
export function timeChart(
  points: readonly { start: Date; count: number }[],
  { granularity, timezone }: Pick<Span, 'granularity' | 'timezone'>,
  language: Language,
  label: string,
): Html {
  const most = Math.max(1, ...points.map(({ count }) => count));
  const step = niceStep(most / LINES);
  const top = Math.ceil(most / step) * step;
  const slot = 100 / points.length;
  const width = Math.min(slot * 0.72, MAX_WIDTH);
  const number = new Intl.NumberFormat(language, {
    notation: top < 10_000 ? 'standard' : 'compact',
  });
  const format = timeFormat(granularity, language, timezone);
  const values = Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step);
  const scale = values.map((value) => html`<span>${number.format(value)}</span>`);
  const lines = values.map((value) => {
    const y = percent(100 - (100 * value) / top);
    return html`<line x2="100%" y1="${y}" y2="${y}"/>`;
  });
  const bars = points.flatMap(({ count }, at) => {
    if (count === 0) return [];
    const y = 100 - Math.max(MIN_HEIGHT, (100 * count) / top);
    // Taller than visible, since its lower corners are rounded too and must be clipped.
    return [
      html`<rect x="${percent(slot * at + (slot - width) / 2)}" y="${percent(y)}" width="${percent(width)}" height="110%" rx="3"/>`,
    ];
  });
  const every = Math.max(1, Math.ceil(points.length / WORDS));
  const words = points.flatMap(({ start }, at) =>
    at % every === 0
      ? [html`<text x="${percent(slot * (at + 0.5))}" y="1em">${format.format(start)}</text>`]
      : [],
  );
  return html`<div class="chart" role="img" aria-label="${label}">
<div class="scale">${scale}</div>
<svg class="plot"><g class="lines">${lines}</g><g class="bars">${bars}</g></svg>
<svg class="words">${words}</svg>
</div>`;
}

const percent = (value: number): string => `${Math.round(value * 100) / 100}%`;

/** Returns the next larger of 1, 2, 5, 10, 20, 50 … */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const step = [1, 2, 5, 10].find((one) => one * power >= least) ?? 10;
  return Math.max(1, step * power);
}
