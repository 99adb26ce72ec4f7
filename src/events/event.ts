/** What can happen. */
export const EVENT_NAMES = ['click', 'scan', 'view', 'lead', 'sale'] as const;

/** What happened. */
export type EventName = (typeof EVENT_NAMES)[number];

/** Name of the lead that a form before a destination makes. */
export const FORM_SUBMITTED = 'Form submitted';

/** How a sale came about. */
export interface SaleDetails {
  paymentProcessor: string;
  invoiceId: string | null;
  /** As sold: minor units of the currency, ISO 4217. */
  amount: number;
  currency: string;
  /** US dollars for one unit of the currency, as an exact fraction, and its day. */
  rate: string;
  rateDate: string | null;
}

/** A row of `events`; named as its columns. */
export interface EventRow {
  project_id: string;
  occurred_at: string;
  id: string;
  event: EventName;
  /** The link, or the QR code of a scan. `null`: the root of a domain. */
  link_id: string | null;
  domain: string;
  key: string;
  url: string;
  continent: string;
  country: string;
  region: string;
  city: string;
  device: string;
  browser: string;
  os: string;
  referer: string;
  referer_url: string;
  via: 'link' | 'qr';
  ip: string;
  /** The page that was shown, or whose form was sent. */
  page_id: string | null;
  /** The click that a lead belongs to. */
  click_id: string | null;
  event_name: string | null;
  /** The answers of a form. */
  metadata: Record<string, unknown> | null;
  customer_id: string | null;
  /** Of a sale, in US cents. */
  amount_cents: number | null;
  sale: SaleDetails | null;
}
