import { app } from './app.ts';
import type { ContentType } from './content-type.ts';
import { crypto } from './crypto.ts';
import { email } from './email.ts';
import { epc } from './epc.ts';
import { event } from './event.ts';
import { facetime } from './facetime.ts';
import { file } from './file.ts';
import { gs1 } from './gs1.ts';
import { location } from './latlog.ts';
import { lightning } from './lightning.ts';
import { links } from './links.ts';
import { phone } from './phone.ts';
import { pix } from './pix.ts';
import { sms } from './sms.ts';
import { social } from './social.ts';
import { swissqr } from './swissqr.ts';
import { text } from './text.ts';
import { upi } from './upi.ts';
import { url } from './url.ts';
import { vcard } from './vcard.ts';
import { whatsapp } from './whatsapp.ts';
import { wifi } from './wifi.ts';

/** All content types under their names in the contract. A new type is a file and a line here. */
export const CONTENT_TYPES = {
  url,
  text,
  email,
  wifi,
  phone,
  vcard,
  crypto,
  sms,
  whatsapp,
  facetime,
  latlog: location,
  pix,
  event,
  epc,
  upi,
  lightning,
  swissqr,
  app,
  gs1,
  links,
  social,
  file,
} satisfies Record<string, ContentType>;

export type ContentName = keyof typeof CONTENT_TYPES;

export const CONTENT_NAMES = Object.keys(CONTENT_TYPES) as ContentName[];
