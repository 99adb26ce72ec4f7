import type { Role } from '../workspaces/roles.ts';

/** A webhook event with an alert by email. */
interface AlertDefinition {
  /** End of the sentence "Get an email when …", for the reference and the console. */
  when: string;
  /** Roles that receive it by default. */
  roles: readonly Role[];
  /** Time for which events are collected for one mail, in minutes. */
  gatheredMinutes: number;
  /** Subject of a mail about a number of events. */
  title(count: number): string;
  /** Line about an event, from its webhook data. */
  line(data: Readonly<Record<string, unknown>>): string;
  /** Path of the console view to open, below the workspace. */
  view: string;
}

/** All alerts: subscriptions, mails, reference and console derive from this table. */
const ALERTS = {
  'limit.reached': {
    when: 'the workspace uses 80% or all of a limit of its plan',
    roles: ['owner'],
    gatheredMinutes: 0,
    title: () => 'A limit of the plan is close, or reached',
    line: ({ percent, limit, most }) =>
      `${percent === 100 ? 'All' : `${String(percent)}%`} of ${String(most)} ${NAMES_OF_LIMITS[String(limit)] ?? String(limit)} used`,
    view: 'settings',
  },
  'link.expired': {
    when: 'a link expires, by its date or its number of visits',
    roles: [],
    gatheredMinutes: 10,
    title: (count) => (count === 1 ? 'A link has expired' : `${count} links have expired`),
    line: ({ shortLink, url }) => `${String(shortLink)} (to ${String(url)})`,
    view: 'links',
  },
  'link.broken': {
    when: 'the destination of a link stops responding',
    roles: [],
    gatheredMinutes: 10,
    title: (count) =>
      count === 1
        ? 'The destination of a link is broken'
        : `The destinations of ${count} links are broken`,
    // A link has several destinations, and the check names the broken one.
    line: ({ shortLink, destinationCheck }) => {
      const { url, error } = destinationCheck as { url: string; error: string };
      return `${String(shortLink)}: ${url} ${error}`;
    },
    view: 'links',
  },
  'webhook.disabled': {
    when: 'a webhook is disabled because its receiver fails',
    roles: ['owner'],
    gatheredMinutes: 0,
    title: (count) => (count === 1 ? 'A webhook was disabled' : `${count} webhooks were disabled`),
    line: ({ name, url, disabledReason }) =>
      `${String(name)}, ${String(url)}: ${String(disabledReason)}`,
    view: 'webhooks',
  },
} as const satisfies Record<string, AlertDefinition>;

const NAMES_OF_LIMITS: Readonly<Record<string, string>> = {
  requestsPerMinute: 'requests a minute',
};

export type AlertKind = keyof typeof ALERTS;

/** All kinds of alerts, in the order of the reference. */
export const ALERT_KINDS = Object.keys(ALERTS) as readonly AlertKind[];

export const isAlertKind = (kind: string): kind is AlertKind => Object.hasOwn(ALERTS, kind);

export const alertOf = (kind: AlertKind): AlertDefinition => ALERTS[kind];

/** The alerts that a person receives: the chosen ones, or the defaults of their role. */
export const alertsOf = (role: Role, chosen: readonly AlertKind[] | null): AlertKind[] =>
  ALERT_KINDS.filter((kind) =>
    chosen === null ? alertOf(kind).roles.includes(role) : chosen.includes(kind),
  );
