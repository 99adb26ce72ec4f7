import { randomBytes } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import { formsOf } from '../infra/normalize.ts';
import { Busy, PasswordHashes } from '../infra/password-hashes.ts';
import { isSigned, sign } from '../infra/secrets.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import type { PasswordTries } from './limits.ts';

/** Time for which a link stays unlocked after its password was entered, in seconds. */
const UNLOCKED_SECONDS = 3_600;
/** Validity of the URL that continues after a page, in ms, long enough for a long form. */
const CONTINUE_MS = 2 * 3_600_000;

/** Outcome of an attempt to unlock a link. */
export type Attempt =
  /** The value of a `Set-Cookie` header comes with it. */
  | { outcome: 'unlocked'; cookie: string }
  | { outcome: 'wrong' }
  | { outcome: 'tooMany'; waitSeconds: number }
  | { outcome: 'busy'; error: Busy };

/**
 * Checks the passwords of links. The right one earns a cookie that unlocks this link, under this
 * password, for an hour.
 */
export class Passwords {
  readonly #tries: PasswordTries;
  readonly #hashes = new PasswordHashes();

  constructor(tries: PasswordTries) {
    this.#tries = tries;
  }

  /** True when a cookie of the visitor unlocks the link. */
  isUnlocked(link: LinkEntry, cookies: string | undefined, now: number): boolean {
    const value = cookies === undefined ? undefined : parseCookie(cookies)[cookieName(link)];
    if (value === undefined) return false;
    const [until = '', signature = ''] = value.split('.');
    return (
      Number.parseInt(until, 36) > now && isSigned('unlock', unlockText(link, until), signature)
    );
  }

  /** Consumes an attempt, and checks the password unless there were too many attempts. */
  async unlock(
    link: LinkEntry,
    password: string,
    { ip, isSecure }: { ip: string; isSecure: boolean },
    now: number,
  ): Promise<Attempt> {
    const waitMs = await this.#tries.take(link.id, ip);
    if (waitMs !== undefined) return { outcome: 'tooMany', waitSeconds: Math.ceil(waitMs / 1000) };
    try {
      if (!(await this.#isRight(link, password))) return { outcome: 'wrong' };
    } catch (thrown) {
      if (!(thrown instanceof Busy)) throw thrown;
      await this.#tries.giveBack(link.id, ip);
      return { outcome: 'busy', error: thrown };
    }
    await this.#tries.reset(link.id, ip);
    const until = (now + UNLOCKED_SECONDS * 1000).toString(36);
    const cookie = stringifySetCookie({
      name: cookieName(link),
      value: `${until}.${sign('unlock', unlockText(link, until))}`,
      maxAge: UNLOCKED_SECONDS,
      path: '/',
      // The cookie must accompany links that are followed from other sites.
      sameSite: 'lax',
      secure: isSecure,
      httpOnly: true,
    });
    return { outcome: 'unlocked', cookie };
  }

  /** Hashes of version 0.5 and earlier are of the password in the form in which it was set. */
  async #isRight({ id, passwordHash }: LinkEntry, password: string): Promise<boolean> {
    for (const form of formsOf(password)) {
      if (await this.#hashes.isOf(passwordHash!, form, id)) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#hashes.close();
  }
}

const cookieName = ({ id }: LinkEntry): string => `unlock_${id}`;

// The hash is part of the text, so that a new password locks the link again.
const unlockText = ({ id, passwordHash }: LinkEntry, until: string): string =>
  `${id}\n${until}\n${passwordHash}`;

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
