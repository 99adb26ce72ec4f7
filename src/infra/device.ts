import UAParser from 'ua-parser-js';
import { UNKNOWN } from './places.ts';

/** What a visitor came with. */
export interface Device {
  /** Desktop, Mobile, Tablet, Smarttv, Console, Wearable, Embedded. */
  device: string;
  browser: string;
  os: string;
}

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
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(userAgent, read);
  return read;
}
