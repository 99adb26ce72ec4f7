import { randomBytes } from 'node:crypto';
import { isSigned, sign } from '../infra/secrets.ts';
import type { LinkEntry } from '../lookup/entry.ts';

/** Validity of the URL that continues after a page, in ms, long enough for a long form. */
const CONTINUE_MS = 2 * 3_600_000;

/** The content of a signed token in the URL that continues past a page before a destination. */
export interface ContinueToken {
  /** Milliseconds since 1970. */
  shownAt: number;
  /** Unique to each time the page is shown, so that a form sent twice counts once. */
  nonce: string;
}

/**
 * Creates the token for a visitor who sees the page before a link's destination. It is safe in a
 * path.
 */
export function signContinueToken(link: LinkEntry, now: number): string {
  const [shownAt, nonce] = [now.toString(36), randomBytes(9).toString('base64url')];
  return `${shownAt}.${nonce}.${sign('pass', continueText(link, shownAt, nonce))}`;
}

/**
 * Verifies a token; `undefined` if it is expired or belongs to another link. It was issued to a
 * visitor for whom the link was unlocked, and unlocks it again: the form of an owner's own page
 * comes from another site, for which browsers withhold the password cookie.
 */
export function verifyContinueToken(
  link: LinkEntry,
  token: string,
  now: number,
): ContinueToken | undefined {
  const [at = '', nonce = '', signature = ''] = token.split('.');
  if (!isSigned('pass', continueText(link, at, nonce), signature)) return undefined;
  const shownAt = Number.parseInt(at, 36);
  return shownAt + CONTINUE_MS > now ? { shownAt, nonce } : undefined;
}

const continueText = ({ id, passwordHash = '' }: LinkEntry, shownAt: string, nonce: string) =>
  `${id}\n${shownAt}\n${nonce}\n${passwordHash}`;
