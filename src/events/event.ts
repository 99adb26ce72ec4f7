/** A row of `events`; named as its columns. */
export interface EventRow {
  project_id: string;
  occurred_at: string;
  id: string;
  event: 'click' | 'scan';
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
}

/** What stands where nothing is known. */
export const UNKNOWN = 'Unknown';
