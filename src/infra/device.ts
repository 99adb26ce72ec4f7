import UAParser from 'ua-parser-js';
import { UNKNOWN } from './places.ts';

/** What a visitor came with. */
export interface Device {
  /** Desktop, Mobile, Tablet, Smarttv, Console, Wearable, Embedded. */
  device: string;
  browser: string;
  os: string;
}

/**
 * An iPad calls itself a Macintosh. Other browsers than Safari give it away by the names that they have on iOS alone, and
 * views inside apps by the word "Mobile". Safari itself can't be told from that of a Mac.
 */
const DISGUISED_IPAD = /macintosh.*(crios|fxios|edgios|opios|opt\/|gsa\/|duckduckgo\/\d|mobile\/)/i;

/** Whether a user agent is one of an iPhone, iPod or iPad. */
export const isIos = (userAgent: string): boolean =>
  /iphone|ipad|ipod/i.test(userAgent) || DISGUISED_IPAD.test(userAgent);

const REMEMBERED = 10_000;
const remembered = new Map<string, Device>();

/** Reads a user agent. */
export function readDevice(userAgent: string): Device {
  const known = remembered.get(userAgent);
  if (known !== undefined) return known;
  const { browser, os, device } = new UAParser(userAgent).getResult();
  const type = device.type ?? 'desktop';
  const read = {
    device: type.charAt(0).toUpperCase() + type.slice(1),
    browser: browser.name ?? UNKNOWN,
    os: os.name ?? UNKNOWN,
  };
  if (DISGUISED_IPAD.test(userAgent)) Object.assign(read, { device: 'Tablet', os: 'iOS' });
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(userAgent, read);
  return read;
}
