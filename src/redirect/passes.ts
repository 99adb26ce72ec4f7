import { randomBytes } from 'node:crypto';
import { isSigned, sign } from '../infra/secrets.ts';

/** How long the address that leads on past a page holds, in ms: long enough for a long form. */
const HOLDS_MS = 2 * 3_600_000;

/** What an address that leads on past a page says. */
export interface Pass {
  /** When the page was shown, milliseconds since 1970. */
  at: number;
  /** Differs each time that a page is shown: what its form sends twice counts once. */
  nonce: string;
}

/** A pass for a visitor of a link who is shown the page before it; part of an address. */
export function makePass(linkId: string, now: number): string {
  const [at, nonce] = [now.toString(36), randomBytes(9).toString('base64url')];
  return `${at}.${nonce}.${sign('pass', signed(linkId, at, nonce))}`;
}

/** What a pass says; `undefined` when it is not one of this link, or too old. */
export function readPass(linkId: string, pass: string, now: number): Pass | undefined {
  const [at = '', nonce = '', signature = ''] = pass.split('.');
  if (!isSigned('pass', signed(linkId, at, nonce), signature)) return undefined;
  const shownAt = Number.parseInt(at, 36);
  return shownAt + HOLDS_MS > now ? { at: shownAt, nonce } : undefined;
}

const signed = (linkId: string, at: string, nonce: string) => `${linkId}\n${at}\n${nonce}`;
