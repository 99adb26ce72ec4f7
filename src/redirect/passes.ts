import { randomBytes } from 'node:crypto';
import { isSigned, sign } from '../infra/secrets.ts';
import type { LinkEntry } from '../lookup/entry.ts';

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
export function makePass(link: LinkEntry, now: number): string {
  const [at, nonce] = [now.toString(36), randomBytes(9).toString('base64url')];
  return `${at}.${nonce}.${sign('pass', signed(link, at, nonce))}`;
}

/**
 * What a pass says; `undefined` when it is not one of this link, or too old. It was given to somebody for whom the link
 * was open, and opens it again: the form of an owner's own page is sent from another site, and then browsers keep the
 * cookie of the password to themselves.
 */
export function readPass(link: LinkEntry, pass: string, now: number): Pass | undefined {
  const [at = '', nonce = '', signature = ''] = pass.split('.');
  if (!isSigned('pass', signed(link, at, nonce), signature)) return undefined;
  const shownAt = Number.parseInt(at, 36);
  return shownAt + HOLDS_MS > now ? { at: shownAt, nonce } : undefined;
}

// With the password's hash, so that a new password closes the link again.
const signed = ({ id, passwordHash = '' }: LinkEntry, at: string, nonce: string) =>
  `${id}\n${at}\n${nonce}\n${passwordHash}`;
