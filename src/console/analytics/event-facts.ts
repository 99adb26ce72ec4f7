import type { LucideIcon } from 'lucide-react';
import { BadgeDollarSign, Eye, MousePointerClick, ScanQrCode, UserRoundPlus } from 'lucide-react';
import type { Schemas } from '../api/client.ts';
import { formatCents, nameOfCountry, nameOfSource } from './names.ts';

type EventRecord = Schemas['Event'];

const KINDS: Record<EventRecord['event'], { icon: LucideIcon; name: string }> = {
  click: { icon: MousePointerClick, name: 'Click' },
  scan: { icon: ScanQrCode, name: 'Scan' },
  view: { icon: Eye, name: 'Page view' },
  lead: { icon: UserRoundPlus, name: 'Lead' },
  sale: { icon: BadgeDollarSign, name: 'Sale' },
};
export const kindOfEvent = ({ event }: EventRecord) => KINDS[event];

/** The short link that an event is about. */
export function shortLinkOf(event: EventRecord): { domain: string; key: string } | undefined {
  const record =
    ('link' in event ? event.link : undefined) ?? ('qrcode' in event ? event.qrcode : undefined);
  return record != null && 'domain' in record ? record : undefined;
}

/** The link, code or page that an event is about. */
export function subjectOf(event: EventRecord): string {
  const link = shortLinkOf(event);
  if (link !== undefined) return `${link.domain}/${link.key}`;
  return 'page' in event && event.page != null ? event.page.title : 'No link';
}

/** City and country. */
export function placeOf({ click }: EventRecord): string {
  const parts = click === null ? [] : [click.city, nameOfCountry(click.country)];
  return known(parts).join(', ') || 'Unknown location';
}

const known = (parts: string[]): string[] =>
  parts.filter((part) => part !== '' && part !== 'Unknown');

/** Browser, system and device. */
export const deviceOf = ({ click }: EventRecord): string =>
  click === null ? '' : known([click.browser, click.os, click.device]).join(' · ');

/** Where the visitor came from; for leads and sales, the name of the event. */
export function sourceOf(event: EventRecord): string {
  if (event.event === 'lead') return event.eventName;
  if (event.event === 'sale') return `${event.eventName} · ${formatCents(event.sale.amount)}`;
  return nameOfSource(event.click.referer);
}
