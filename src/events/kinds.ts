import { kindOfId } from '../ids.ts';
import type { WebhookKind } from '../webhooks/kinds.ts';

/** A group of fields in the public record of an event. */
export type RecordPart =
  | 'eventName'
  | 'customer'
  | 'click'
  | 'attributedClick'
  | 'page'
  | 'link'
  | 'qrcode'
  | 'linkOrQrCode'
  | 'metadata'
  | 'sale'
  | 'refund'
  | 'deprecatedFields';

/** Counters of records that count events: columns of `counters`. */
export const COUNTERS = ['visits', 'suspects', 'leads', 'sales', 'refunds'] as const;

export type Counter = (typeof COUNTERS)[number];

/** Everything specific to one kind of event. */
interface KindDefinition {
  /** Name of the kind's count in the totals object of the contract, if it is not the plural. */
  totalName?: string;
  /** Name of the sum of amounts in answers, in US cents. Absent for kinds without amounts. */
  amount?: string;
  /** The kind from whose sum of amounts those of this kind are subtracted. */
  reduces?: 'sale';
  /**
   * `visit` for clicks and scans, `view` for shown pages, `conversion` for leads, sales and refunds.
   */
  family: 'visit' | 'view' | 'conversion';
  /** True if the parameter `composite` includes the kind. */
  isComposite?: true;
  /** The counter that an event of this kind increments. */
  counter: Counter;
  /** Columns with the ids of the records whose counters are incremented. */
  countsFor: readonly ('link_id' | 'page_id')[];
  /** Kind of the webhook event that is published; absent if there is none. */
  webhook?: WebhookKind;
  /** Parts of the public record after `event` and `timestamp`, in this order. */
  record: readonly RecordPart[];
}

/**
 * The event kinds. Events are stored under the names of the rows; types, parameters, counts,
 * counters, public records and webhooks are derived from this table. Counts in answers have the
 * same order.
 */
const KINDS = {
  click: {
    family: 'visit',
    isComposite: true,
    counter: 'visits',
    countsFor: ['link_id'],
    webhook: 'link.clicked',
    record: ['click', 'link', 'deprecatedFields'],
  },
  scan: {
    family: 'visit',
    counter: 'visits',
    countsFor: ['link_id'],
    webhook: 'qrcode.scanned',
    record: ['click', 'qrcode'],
  },
  view: {
    // The contract spells it this way.
    totalName: 'viwes',
    family: 'view',
    counter: 'visits',
    countsFor: ['page_id'],
    record: ['click', 'page', 'linkOrQrCode'],
  },
  lead: {
    family: 'conversion',
    isComposite: true,
    counter: 'leads',
    countsFor: ['link_id', 'page_id'],
    webhook: 'lead.created',
    record: ['eventName', 'customer', 'attributedClick', 'linkOrQrCode', 'metadata'],
  },
  sale: {
    amount: 'saleAmount',
    family: 'conversion',
    isComposite: true,
    counter: 'sales',
    countsFor: ['link_id', 'page_id'],
    webhook: 'sale.created',
    record: ['eventName', 'customer', 'attributedClick', 'linkOrQrCode', 'metadata', 'sale'],
  },
  refund: {
    amount: 'refundAmount',
    reduces: 'sale',
    family: 'conversion',
    counter: 'refunds',
    countsFor: ['link_id', 'page_id'],
    webhook: 'sale.refunded',
    record: ['eventName', 'customer', 'attributedClick', 'linkOrQrCode', 'metadata', 'refund'],
  },
} as const satisfies Record<string, KindDefinition>;

export type EventKind = keyof typeof KINDS;

/** All kinds of events. */
export const EVENT_KINDS = Object.keys(KINDS) as readonly EventKind[];

/**
 * Names under which events are stored. Visits and views that may come from a program have names of
 * their own, so that queries about people do not read them.
 */
export type StoredKind = EventKind | `suspect_${VisitKind | 'view'}`;

const SUSPECT = 'suspect_';

/** Returns true for visits and views that may come from a program. */
const isSuspect = (stored: StoredKind): boolean => stored.startsWith(SUSPECT);

/** Returns the kind of an event, by the name under which it is stored. */
export const kindOfStored = (stored: StoredKind): EventKind =>
  (isSuspect(stored) ? stored.slice(SUSPECT.length) : stored) as EventKind;

/** Returns the name under which suspect visits or views are stored. */
export const suspectKind = (kind: VisitKind | 'view'): StoredKind => `${SUSPECT}${kind}`;

/** Returns the definition of a kind. Suspects have a counter of their own. */
export function kindOf(stored: StoredKind): KindDefinition {
  const definition: KindDefinition = KINDS[kindOfStored(stored)];
  return isSuspect(stored) ? { ...definition, counter: 'suspects' } : definition;
}

/**
 * Visits that a query is about: of people, of suspects, or of both. Leads, sales and refunds belong
 * to people.
 */
export const TRAFFIC = ['person', 'suspect', 'all'] as const;

export type Traffic = (typeof TRAFFIC)[number];

/** Lists the names under which the events of some kinds are stored. */
export const storedKinds = (
  kinds: readonly EventKind[],
  traffic: Traffic = 'person',
): StoredKind[] =>
  kinds.flatMap((kind): StoredKind[] => [
    ...(traffic === 'suspect' ? [] : [kind]),
    ...(traffic === 'person' || kindOf(kind).family === 'conversion'
      ? []
      : [suspectKind(kind as VisitKind | 'view')]),
  ]);

/** Name of a kind's count in answers, and its value of the parameter `event`. */
export type PluralOf<Kind extends EventKind> = `${Kind}s`;

/**
 * Returns the name of a kind's count in answers, which is also its value of the parameter `event`.
 */
export const pluralOf = <Kind extends EventKind>(kind: Kind): PluralOf<Kind> => `${kind}s`;

/** Kind of a visit, by the type of the visited record. */
export const VISIT_KINDS = { link: 'click', qrcode: 'scan' } as const satisfies Record<
  string,
  EventKind
>;

export type VisitKind = (typeof VISIT_KINDS)[keyof typeof VISIT_KINDS];

/** Returns the kind of a visit to a link or QR code; an empty id means the root of a domain. */
export const visitKindOf = (recordId: string): VisitKind =>
  VISIT_KINDS[kindOfId(recordId) === 'qrcode' ? 'qrcode' : 'link'];

/** Lists the kinds of a family. */
export const kindsOfFamily = (family: KindDefinition['family']): EventKind[] =>
  EVENT_KINDS.filter((kind) => kindOf(kind).family === family);

/**
 * Lists the kinds whose visitors are counted in answers about these kinds: clicks and scans,
 * otherwise views. A page before a destination has visitors of its own, which would be counted
 * twice together with those of the link.
 */
export function kindsWithVisitors(kinds: readonly EventKind[]): EventKind[] {
  const visits = kinds.filter((kind) => kindOf(kind).family === 'visit');
  return visits.length > 0 ? visits : kinds.filter((kind) => kindOf(kind).family === 'view');
}

/** All names under which events are stored. */
export const STORED_KINDS: readonly StoredKind[] = storedKinds(EVENT_KINDS, 'all');

/** Values of the parameter `event` that mean a single kind. */
export type KindParameter = PluralOf<EventKind>;

/** Values of the parameter `event` that mean a single kind, in alphabetical order. */
export const KIND_PARAMETERS: readonly KindParameter[] = EVENT_KINDS.map(pluralOf).toSorted();

/** Values of the parameter `event`. */
export type EventParameter = KindParameter | 'composite';

export const EVENT_PARAMETERS: readonly EventParameter[] = [...KIND_PARAMETERS, 'composite'];

/**
 * Lists the kinds that a value of the parameter `event` means. Sales come with their refunds, which
 * reduce their amounts.
 */
export function kindsOf(parameter: EventParameter): EventKind[] {
  const named = EVENT_KINDS.filter((kind) =>
    parameter === 'composite' ? kindOf(kind).isComposite : pluralOf(kind) === parameter,
  );
  return EVENT_KINDS.filter((kind) => {
    const { reduces } = kindOf(kind);
    return named.includes(kind) || (reduces !== undefined && named.includes(reduces));
  });
}

/** Lists the kinds among these that reduce the amounts of a kind. */
export const reducersOf = (kind: EventKind, kinds: readonly EventKind[]): EventKind[] =>
  kinds.filter((other) => kindOf(other).reduces === kind);

/** Returns the kind that a value of the parameter `event` means. */
export const kindNamed = (parameter: KindParameter): EventKind =>
  EVENT_KINDS.find((kind) => pluralOf(kind) === parameter)!;
