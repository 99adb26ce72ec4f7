import { config } from '../../config.ts';
import type { Message } from '../../mail/message.ts';
import { EVENT_KINDS, kindOf } from '../kinds.ts';
import { showDollars } from '../show-dollars.ts';
import type { Change, Report } from './report.ts';

/** Converts a field name of analytics to words: "Clicks", "Sale amount". */
function labelOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Names of totals in US cents. */
const AMOUNTS = new Set(EVENT_KINDS.map((kind) => kindOf(kind).amount));
const whole = (value: number): string => value.toLocaleString('en-US');

function compared(name: string, { value, previous }: Change): string {
  const format = AMOUNTS.has(name) ? showDollars : whole;
  if (previous === 0) return `${format(value)} (${format(previous)} before)`;
  const percent = Math.round((100 * (value - previous)) / Math.abs(previous));
  return `${format(value)} (${format(previous)} before, ${percent > 0 ? '+' : ''}${percent}%)`;
}

const rowsOf = <Row extends { clicks: number }>(rows: readonly Row[], name: (row: Row) => string) =>
  rows.map((row) => [name(row) || 'unknown', whole(row.clicks)]);

/** Formats a day in the report's zone: "1 March 2026". */
const dayOf = (at: string, timeZone: string): string =>
  new Date(at).toLocaleDateString('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });

/** Writes the mail of a report. */
export function reportMessage(
  { every, timezone, start, end, totals, topLinks, countries, referers }: Report,
  workspace: { name: string; slug: string },
): Message {
  const lastDay = new Date(Date.parse(end) - 1).toISOString();
  const lists = [
    { title: 'Most clicked links', rows: rowsOf(topLinks, ({ shortLink }) => shortLink) },
    { title: 'Countries', rows: rowsOf(countries, ({ country }) => country) },
    { title: 'Sources', rows: rowsOf(referers, ({ referer }) => referer) },
  ];
  return {
    subject: `${workspace.name}: ${every} report, ${dayOf(start, timezone)} to ${dayOf(lastDay, timezone)}`,
    lines: [`Days are those of ${timezone}.`],
    tables: [
      {
        title: 'Totals',
        rows: Object.entries(totals).map(([name, change]) => [
          labelOf(name),
          compared(name, change),
        ]),
      },
      ...lists.filter(({ rows }) => rows.length > 0),
    ],
    action: {
      label: 'Open analytics',
      url: `${config().BASE_URL}/console/${workspace.slug}/analytics`,
    },
    reason: `You get this because you subscribed to the ${every} report of "${workspace.name}".`,
  };
}
