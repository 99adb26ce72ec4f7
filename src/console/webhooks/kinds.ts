import type { Schemas } from '../api/client.ts';

export type WebhookKind = Schemas['WebhookKind'];

/** Kinds of events that a webhook subscribes to, by what they are about. */
export const KIND_GROUPS: readonly { label: string; kinds: readonly WebhookKind[] }[] = [
  {
    label: 'Links',
    kinds: [
      'link.created',
      'link.updated',
      'link.deleted',
      'link.expired',
      'link.broken',
      'link.recovered',
    ],
  },
  { label: 'QR codes', kinds: ['qrcode.created', 'qrcode.updated', 'qrcode.deleted'] },
  { label: 'Conversions', kinds: ['lead.created', 'sale.created'] },
  { label: 'Workspace', kinds: ['webhook.disabled', 'limit.reached'] },
  { label: 'Visits', kinds: ['link.clicked', 'qrcode.scanned'] },
];

export const ALL_KINDS = KIND_GROUPS.flatMap(({ kinds }) => kinds);
