import type { SentEvent } from './sent-event.ts';

/*
 * Receivers read browser and system from a user agent, and take requests without one for programs.
 * The visitor's own is not stored: this is one of the same browser and system.
 */

const SYSTEMS: Readonly<Record<string, string>> = {
  Windows: 'Windows NT 10.0; Win64; x64',
  'Mac OS': 'Macintosh; Intel Mac OS X 10_15_7',
  iOS: 'iPhone; CPU iPhone OS 18_0 like Mac OS X',
  Android: 'Linux; Android 10; K',
  'Chromium OS': 'X11; CrOS x86_64 14541.0.0',
};
const LINUX = 'X11; Linux x86_64';

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0';
const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

/** Builds a user agent with the browser and system of an event. */
export function userAgentOf({ browser, os, device }: SentEvent): string {
  const isMobile = device === 'Mobile';
  const start = `Mozilla/5.0 (${SYSTEMS[os] ?? LINUX}`;
  const safari = `${isMobile ? 'Mobile ' : ''}Safari/537.36`;
  if (/Firefox/.test(browser)) return `${start}; rv:140.0) Gecko/20100101 Firefox/140.0`;
  if (/Safari/.test(browser)) {
    return `${start}) ${WEBKIT} Version/18.0 ${isMobile ? 'Mobile/15E148 ' : ''}Safari/604.1`;
  }
  if (/Edge/.test(browser)) return `${start}) ${CHROME} ${safari} Edg/139.0.0.0`;
  if (/Opera/.test(browser)) return `${start}) ${CHROME} ${safari} OPR/124.0.0.0`;
  if (/Samsung/.test(browser)) {
    return `${start}) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 ${safari}`;
  }
  return `${start}) ${CHROME} ${safari}`;
}

/** Address of nobody, for receivers that would otherwise take the address of this service. */
const NO_ADDRESS = '0.0.0.0';

/** Returns the truncated IP address of an event for receivers that need one. */
export const addressOf = ({ ip }: SentEvent): string => ip || NO_ADDRESS;
