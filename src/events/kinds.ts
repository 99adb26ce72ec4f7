import { kindOfId } from '../ids.ts';
import type { WebhookKind } from '../webhooks/kinds.ts';

/** Some fields of the public record of an event. */
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
  | 'deprecatedFields';

/** The counters of records that count events: columns of `counters`, added to and summed. */
export const COUNTERS = ['visits', 'leads', 'sales'] as const;

export type Counter = (typeof COUNTERS)[number];

/** Everything that is particular to one kind of event. */
interface KindDefinition {
  /** Name of its count in the totals object of the contract, where that is not its plural. */
  totalName?: string;
  /** Name of the sum of its amounts in answers, in US cents; absent: it has no amounts. */
  amount?: string;
  /** A click or scan, a page that was shown, or a lead or sale. */
  family: 'visit' | 'view' | 'conversion';
  /** Counted with others by the parameter `composite`. */
  isComposite?: true;
  /** The counter that it adds one to. */
  counter: Counter;
  /** Columns that name the records whose counters it adds to. */
  countsFor: readonly ('link_id' | 'page_id')[];
  /** The kind of webhook event that it is published as; absent: none. */
  webhook?: WebhookKind;
  /** Its public record after `event` and `timestamp`, in this order. */
  record: readonly RecordPart[];
}

/**
 * The table of event kinds. Events are stored under the names of its rows; types, parameters, counts, counters, public
 * records and webhooks follow from it. The order is that of counts in answers.
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
    // The contract spells it so.
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
} as const satisfies Record<string, KindDefinition>;

export type EventKind = keyof typeof KINDS;

/** All kinds of events. */
export const EVENT_KINDS = Object.keys(KINDS) as readonly EventKind[];

/** The definition of a kind. */
export const kindOf = (kind: EventKind): KindDefinition => KINDS[kind];

/** Name of a kind's count in answers, and value of the parameter `event`. */
export type PluralOf<Kind extends EventKind> = `${Kind}s`;

/** Name of a kind's count in answers, and value of the parameter `event`. */
export const pluralOf = <Kind extends EventKind>(kind: Kind): PluralOf<Kind> => `${kind}s`;

/** The kind of a visit, by the record that was visited. */
export const VISIT_KINDS = { link: 'click', qrcode: 'scan' } as const satisfies Record<
  string,
  EventKind
>;

export type VisitKind = (typeof VISIT_KINDS)[keyof typeof VISIT_KINDS];

/** The kind of a visit to a link or QR code; with an empty id, to the root of a domain. */
export const visitKindOf = (recordId: string): VisitKind =>
  VISIT_KINDS[kindOfId(recordId) === 'qrcode' ? 'qrcode' : 'link'];

/** The kinds of a family. */
export const kindsOfFamily = (family: KindDefinition['family']): EventKind[] =>
  EVENT_KINDS.filter((kind) => kindOf(kind).family === family);

/** Values of the parameter `event` that mean one kind. */
export type KindParameter = PluralOf<EventKind>;

/** Values of the parameter `event` that mean one kind, in alphabetical order. */
export const KIND_PARAMETERS: readonly KindParameter[] = EVENT_KINDS.map(pluralOf).toSorted();

/** Values of the parameter `event`. */
export type EventParameter = KindParameter | 'composite';

export const EVENT_PARAMETERS: readonly EventParameter[] = [...KIND_PARAMETERS, 'composite'];

/** The kinds that a value of the parameter `event` means. */
export const kindsOf = (parameter: EventParameter): EventKind[] =>
  EVENT_KINDS.filter((kind) =>
    parameter === 'composite' ? kindOf(kind).isComposite : pluralOf(kind) === parameter,
  );

/** The kind that a value of the parameter `event` means. */
export const kindNamed = (parameter: KindParameter): EventKind =>
  EVENT_KINDS.find((kind) => pluralOf(kind) === parameter)!;
