import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { memoize } from '../infra/memoize.ts';
import { parseUrl } from '../infra/url.ts';
import type { Traffic, TrafficReason } from './traffic.ts';

/*
 * Names programs whose requests are not counted as visits. Anybody can send any user agent, so
 * names are short and have few characters; their number is limited where they are counted.
 */

/** Maximum length of a name. */
const MAX_LENGTH = 48;
/** Number of user agents to remember. */
const REMEMBERED = 5_000;
const UNKNOWN_PROGRAM = 'Unknown program';

/** Names of requests that say nothing about the program in their user agent. */
const NAMES: Readonly<Partial<Record<TrafficReason, string>>> = {
  'no-user-agent': 'No user agent',
  reset: 'Connection reset',
  office: 'Microsoft Office',
  'image-proxy': 'Discord',
  image: 'Image of a page',
  script: 'Script of a page',
};

/** Returns the name of the program that has sent a request of the class `bot` or `preview`. */
export function programOf(
  { reason }: Traffic,
  headers: IncomingHttpHeaders,
  userAgent: string,
): string {
  if (reason === 'assistant') return assistantOf(String(headers['signature-agent']));
  return NAMES[reason] ?? programOfAgent(userAgent);
}

/** Products of user agents of browsers. */
const BROWSER_PRODUCTS = new Set([
  'mozilla',
  'applewebkit',
  'khtml',
  'gecko',
  'version',
  'mobile',
  'build',
  'chrome',
  'chromium',
  'safari',
  'firefox',
  'edg',
  'opr',
  'ubuntu',
]);

/** Name in a comment, as in `(compatible; Googlebot/2.1; …)`. */
const COMPATIBLE = /\bcompatible; *(?!msie)([^;/)]+)/i;
/** Names and versions, as in `Rocket.Chat/6.1.0`. */
const PRODUCT = /(?<![\w.-])([a-z][\w.-]*)\/v?\d/gi;
/** Words that describe programs, as in `… Safari/537.36 GTmetrix`. */
const WORD = /(?<![\w.-])[\w.-]*(?:bot|crawl|spider|preview|proxy|scan|fetch|monitor)[\w.-]*/i;
/** Version after a name without a slash, as in `Slackbot-LinkExpanding 1.0`. */
const VERSION = / v?\d[\d.]*$/i;

const programOfAgent = memoize(
  (userAgent: string): string => {
    if (!/^mozilla\//i.test(userAgent)) return nameOf(/^[^/(;,:]*/.exec(userAgent)?.[0] ?? '');
    const [, compatible] = COMPATIBLE.exec(userAgent) ?? [];
    if (compatible !== undefined) return nameOf(compatible);
    const products = [...userAgent.matchAll(PRODUCT)].flatMap(([, name = '']) =>
      BROWSER_PRODUCTS.has(name.toLowerCase()) ? [] : [name],
    );
    return nameOf(products.at(-1) ?? WORD.exec(userAgent)?.[0] ?? lastWord(userAgent));
  },
  new LRUCache<string, string>({ max: REMEMBERED }),
);

/** Returns the last word of a user agent; empty if it is no name. */
const lastWord = (userAgent: string): string =>
  /^[a-z][\w.-]*$/i.exec(userAgent.slice(userAgent.lastIndexOf(' ') + 1))?.[0] ?? '';

/** Names an assistant by the host that signs its requests (IETF draft Web Bot Auth). */
const assistantOf = (signer: string): string =>
  nameOf(parseUrl(signer.replaceAll('"', ''))?.hostname ?? '');

function nameOf(text: string): string {
  const name = text
    .slice(0, 4 * MAX_LENGTH)
    .replaceAll(/[^\w.!+-]+/g, ' ')
    .trim()
    .replace(VERSION, '')
    .slice(0, MAX_LENGTH)
    .trim();
  return name === '' ? UNKNOWN_PROGRAM : name;
}
