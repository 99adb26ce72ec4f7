/** What webhooks are told of. */
export const WEBHOOK_KINDS = [
  'link.created',
  'link.updated',
  'link.deleted',
  'link.clicked',
  'qrcode.created',
  'qrcode.updated',
  'qrcode.deleted',
  'qrcode.scanned',
  'lead.created',
  'sale.created',
] as const;

export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** Visits: they go to the webhooks that their link or QR code names, and to no others. */
export const VISIT_KINDS: ReadonlySet<WebhookKind> = new Set(['link.clicked', 'qrcode.scanned']);
