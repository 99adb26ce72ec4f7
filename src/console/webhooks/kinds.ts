import type { Schemas } from '../api/client.ts';

export type WebhookKind = Schemas['WebhookKind'];

/** Event kinds that a webhook can subscribe to, with their subjects. */
const SUBJECTS: Readonly<Record<WebhookKind, string>> = {
  'link.created': 'Links',
  'link.updated': 'Links',
  'link.deleted': 'Links',
  'link.expired': 'Links',
  'link.broken': 'Links',
  'link.recovered': 'Links',
  'qrcode.created': 'QR codes',
  'qrcode.updated': 'QR codes',
  'qrcode.deleted': 'QR codes',
  'lead.created': 'Conversions',
  'sale.created': 'Conversions',
  'sale.refunded': 'Conversions',
  'webhook.disabled': 'Workspace',
  'limit.reached': 'Workspace',
  'link.clicked': 'Visits',
  'qrcode.scanned': 'Visits',
};

export const ALL_KINDS = Object.keys(SUBJECTS) as WebhookKind[];

/** Event kinds grouped by subject. */
export const KIND_GROUPS = [...new Set(Object.values(SUBJECTS))].map((label) => ({
  label,
  kinds: ALL_KINDS.filter((kind) => SUBJECTS[kind] === label),
}));
