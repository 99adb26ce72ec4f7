/** A row of `events`; named as its columns. */
export interface EventRow {
  project_id: string;
  occurred_at: string;
  id: string;
  event: 'click' | 'scan' | 'view' | 'lead';
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
}
