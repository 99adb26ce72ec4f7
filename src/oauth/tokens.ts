import { createHash } from 'node:crypto';
import { hashToken, isEqual, newToken } from '../infra/secrets.ts';
import { drawApiKey } from '../workspaces/api-keys.ts';

/*
 * A refresh token is `rt_`, a half that all refresh tokens of a grant share, and a half of its own.
 * The shared half finds the grant of a token that was replaced: whoever sends it has a copy.
 */

/** Time for which a code can be exchanged, in s. */
export const CODE_SECONDS = 60;
/** Time for which an access token is valid, in s. */
export const ACCESS_SECONDS = 3_600;
/** Time for which a refresh token is valid, in days. */
export const REFRESH_DAYS = 30;

const PREFIX = 'rt_';
/** Length of a token of `newToken`. */
const HALF = 43;

/** Returns the shared half of a refresh token; `undefined` for a text that is none. */
export function familyOf(refreshToken: string): string | undefined {
  const isToken =
    refreshToken.length === PREFIX.length + 2 * HALF && refreshToken.startsWith(PREFIX);
  return isToken ? refreshToken.slice(PREFIX.length, PREFIX.length + HALF) : undefined;
}

/** Draws the tokens of an exchange, with what is stored of them. */
export function drawTokens(family = newToken()) {
  const { apiKey: accessToken, hash, hint } = drawApiKey();
  const refreshToken = PREFIX + family + newToken();
  return {
    accessToken,
    refreshToken,
    familyHash: hashToken(family),
    stored: { hash, hint, refreshHash: hashToken(refreshToken) },
  };
}

/** Returns true for the verifier of a code challenge by the method S256 (RFC 7636, 4.6). */
export const isVerifier = (verifier: string, challenge: string): boolean =>
  isEqual(createHash('sha256').update(verifier).digest('base64url'), challenge);
