import type { LucideIcon } from 'lucide-react';
import {
  BadgeDollarSign,
  Eye,
  MousePointerClick,
  ScanQrCode,
  Undo2,
  UserRoundPlus,
} from 'lucide-react';
import type { Schemas } from '../api/client.ts';
import { formatCents, isKnown, nameOfCountry, nameOfDevice, nameOfSource } from './names.ts';

type EventRecord = Schemas['Event'];

const KINDS: Record<EventRecord['event'], { icon: LucideIcon; name: string }> = {
  click: { icon: MousePointerClick, name: 'Click' },
  scan: { icon: ScanQrCode, name: 'Scan' },
  view: { icon: Eye, name: 'Page view' },
  lead: { icon: UserRoundPlus, name: 'Lead' },
  sale: { icon: BadgeDollarSign, name: 'Sale' },
  refund: { icon: Undo2, name: 'Refund' },
};
export const kindOfEvent = ({ event }: EventRecord) => KINDS[event];

/** Returns the short link of an event's link or code. */
export function shortLinkOf(event: EventRecord): { domain: string; key: string } | undefined {
  const record =
    ('link' in event ? event.link : undefined) ?? ('qrcode' in event ? event.qrcode : undefined);
  return record != null && 'domain' in record ? record : undefined;
}

/** Names the link, code or page of an event. */
export function subjectOf(event: EventRecord): string {
  const link = shortLinkOf(event);
  if (link !== undefined) return `${link.domain}/${link.key}`;
  return 'page' in event && event.page != null ? event.page.title : 'No link';
}

/** Returns the city and country of an event. */
export function placeOf({ click }: EventRecord): string {
  if (click === null || !(isKnown(click.city) || isKnown(click.country))) return 'Unknown location';
  const country = isKnown(click.country) ? nameOfCountry(click.country) : '';
  return [click.city, country].filter(isKnown).join(', ');
}

/** Returns the browser, system and device of an event. */
export function deviceOf({ click }: EventRecord): string {
  if (click === null) return '';
  const { browser, os, device } = click;
  return [browser, os, isKnown(device) ? nameOfDevice(device) : ''].filter(isKnown).join(' · ');
}

/** Returns the source of a visit; for leads, sales and refunds, the name of the event. */
export function sourceOf(event: EventRecord): string {
  if (event.event === 'lead') return event.eventName;
  if (event.event === 'sale') return `${event.eventName} · ${amountOf(event.sale)}`;
  if (event.event === 'refund') return `${event.eventName} · −${amountOf(event.refund)}`;
  return nameOfSource(event.click.referer);
}

/** Formats an amount; it is unknown until its currency has an exchange rate. */
const amountOf = ({ amount, pending }: { amount: number; pending?: true }): string =>
  pending ? 'no exchange rate yet' : formatCents(amount);
