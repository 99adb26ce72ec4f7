import type { Schemas } from '../api/client.ts';
import { CARDS, EVENTS_TAB } from './cards.ts';

/** A value of `groupBy` that a report can show. */
export type ReportGroup = Schemas['SharedReport']['groups'][number];

/** Lists of a report under the titles of the cards of analytics. */
export const REPORT_GROUPS = [
  ...CARDS.map(({ title, tabs }) => ({
    title,
    groups: tabs.map(({ group, label }) => ({ group: group as ReportGroup, label })),
  })),
  {
    title: 'Conversions',
    groups: [{ group: EVENTS_TAB.group as ReportGroup, label: 'Names of leads and sales' }],
  },
];

/** Maximum number of lists of a report. */
export const MAX_GROUPS = 12;
