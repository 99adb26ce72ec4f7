import type { NewSale, TrackedSale } from '../conversions/commands.ts';
import type { LeadResult } from '../conversions/record.ts';
import type { LeadBody } from '../conversions/schema.ts';
import type { CustomerChanges } from '../customers/commands.ts';
import type { CustomerRecord } from '../customers/record.ts';
import type { DomainRecord } from '../domains/record.ts';
import type { DomainChanges, NewDomain } from '../domains/schema.ts';
import type { FolderRecord } from '../folders/record.ts';
import type { SealedLink } from '../links/record.ts';
import type { LinkChanges, NewLink } from '../links/schema.ts';
import type { PageRecord } from '../pages/record.ts';
import type { NewPage, PageChanges } from '../pages/schema.ts';
import type { SealedQrCode } from '../qrcodes/record.ts';
import type { NewQrCode, QrCodeChanges } from '../qrcodes/schema.ts';
import type { EventsFate } from '../records/commands.ts';
import type { FoundPreview } from '../records/preview.ts';
import type { TagRecord } from '../tags/record.ts';
import type { WebhookKind } from '../webhooks/kinds.ts';
import type { DeliveryRecord, WebhookRecord, WebhookWithSecret } from '../webhooks/record.ts';
import type { NewWebhook, ResendBody, WebhookBody } from '../webhooks/schema.ts';
import { defineQueue, type Job } from './queue.ts';

/** Creates, changes and deletions of single records. Ids of new records are made before the job. */
export const writes = defineQueue<{
  'link.create': Job<{ userId: string; link: NewLink }, SealedLink>;
  /** The result has the id of the job's own link where that was made, else of the one that was there. */
  'link.upsert': Job<{ userId: string; link: NewLink }, SealedLink>;
  'link.update': Job<{ linkId: string; changes: LinkChanges }, SealedLink>;
  /** What was found for the card of a link. */
  'link.fill': Job<FoundPreview, { id: string }>;
  'link.delete': Job<{ linkId: string; events?: EventsFate }, { id: string }>;
  'qrcode.create': Job<{ userId: string; qrcode: NewQrCode }, SealedQrCode>;
  'qrcode.update': Job<{ qrcodeId: string; changes: QrCodeChanges }, SealedQrCode>;
  'qrcode.fill': Job<FoundPreview, { id: string }>;
  'qrcode.delete': Job<{ qrcodeId: string; events?: EventsFate }, { id: string }>;
  'template.delete': Job<{ id: string }, { id: string }>;
  'tag.create': Job<{ id: string; name: string; color: string }, TagRecord>;
  'tag.update': Job<{ id: string; name?: string; color?: string }, TagRecord>;
  'tag.delete': Job<{ id: string }, { id: string }>;
  'folder.create': Job<{ id: string; name: string }, FolderRecord>;
  'folder.update': Job<{ id: string; name: string }, FolderRecord>;
  'folder.delete': Job<{ id: string }, { id: string }>;
  'page.create': Job<{ id: string; page: NewPage }, PageRecord>;
  'page.update': Job<{ id: string; changes: PageChanges }, PageRecord>;
  'page.delete': Job<{ id: string }, { id: string }>;
  'domain.create': Job<NewDomain & { id: string }, DomainRecord>;
  'domain.update': Job<{ id: string; changes: DomainChanges }, DomainRecord>;
  'domain.verify': Job<{ id: string }, DomainRecord>;
  'domain.delete': Job<{ id: string }, { id: string }>;
  'lead.track': Job<{ eventId: string; at: string; lead: LeadBody }, LeadResult>;
  'sale.track': Job<NewSale, TrackedSale>;
  'customer.update': Job<{ id: string; changes: CustomerChanges }, CustomerRecord>;
  'customer.delete': Job<{ id: string }, { id: string }>;
  /** Secrets are sealed, here and in the results. */
  'webhook.create': Job<NewWebhook & { id: string; secret: string }, WebhookWithSecret>;
  'webhook.update': Job<{ id: string; changes: WebhookBody }, WebhookRecord>;
  'webhook.delete': Job<{ id: string }, { id: string }>;
  'webhook.rotate': Job<{ id: string; secret: string }, WebhookWithSecret>;
  'webhook.test': Job<{ id: string; deliveryId: string; kind: WebhookKind }, DeliveryRecord>;
  'webhook.resend': Job<{ id: string; deliveryId: string }, DeliveryRecord>;
  'webhook.resendAll': Job<ResendBody & { id: string }, { count: number }>;
  'apiKey.used': Job<{ apiKeyId: string; at: string }, undefined>;
}>('writes', { attempts: 12 });
