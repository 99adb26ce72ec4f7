import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetchOptions,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { config } from '../config.ts';
import { guardedFetch } from '../infra/guarded-fetch.ts';
import { type SealContext, seal, unseal } from '../infra/seal.ts';
import { type Grant, grantsOf, groupsIn } from './groups.ts';

/*
 * Sign-in with a provider of OpenID Connect Core 1.0: the authorization code flow with PKCE (RFC
 * 7636).
 *
 *   begin ─▶ the provider's page ─▶ finish: code ─▶ ID token ─▶ identity
 *
 * State, nonce and code verifier are in a sealed cookie, so that only the browser that began can
 * finish.
 */

/** Time limit for a person at the provider, in seconds. */
export const ATTEMPT_SECONDS = 600;
/** Time for which the provider's metadata is cached, in ms. */
const METADATA_MS = 3_600_000;
/** Authentication method of a sign-in with several factors (RFC 8176, 2). */
const MULTIPLE_FACTORS = 'mfa';
const ATTEMPT: SealContext = { purpose: 'sign-in', owner: '' };
const ANSWER = { maxBytes: 1024 * 1024, timeoutMs: 10_000, maxRedirects: 0 };

/** An account at the provider. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Email address, if the provider has verified it. */
  email?: string | undefined;
  name?: string | undefined;
  /** True if the person has shown a second factor to the provider. */
  hasSecondFactor?: boolean | undefined;
  /**
   * Roles by the groups of the person, which may be none; absent if the groups are unknown or
   * OIDC_ROLE_MAP is empty.
   */
  grants?: Grant[] | undefined;
}

/** Content of the cookie while the person is at the provider. */
interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
  /** Time of expiry, in ms since 1970. */
  until: number;
}

/** Name of the provider; `undefined` if none is configured. */
export const providerName = (): string | undefined =>
  config().OIDC_ISSUER === '' ? undefined : config().OIDC_NAME;

const callbackUrl = (): string => `${config().BASE_URL}/auth/oidc/callback`;

/** Begins a sign-in. @returns the URL for the browser, and the value of its cookie */
export async function beginAttempt(): Promise<{ url: string; cookie: string }> {
  const provider = await findProvider();
  const attempt: Attempt = {
    state: randomState(),
    nonce: randomNonce(),
    verifier: randomPKCECodeVerifier(),
    until: Date.now() + ATTEMPT_SECONDS * 1000,
  };
  const url = buildAuthorizationUrl(provider, {
    redirect_uri: callbackUrl(),
    scope: config().OIDC_SCOPES,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  });
  return { url: url.href, cookie: seal(ATTEMPT, JSON.stringify(attempt)) };
}

/**
 * Returns the account of a person who comes back from the provider.
 *
 * @param answer parameters of the callback
 * @param cookie value by `beginAttempt`; `undefined` if the browser has none
 * @returns `undefined` if this browser began no such attempt, or too long ago
 * @throws Error if the provider refused, did not answer, or its answer is invalid
 */
export async function finishAttempt(
  answer: URLSearchParams,
  cookie: string | undefined,
): Promise<Identity | undefined> {
  const attempt = readAttempt(cookie);
  if (attempt === undefined || answer.get('state') !== attempt.state) return undefined;
  const provider = await findProvider();
  const tokens = await authorizationCodeGrant(provider, new URL(`${callbackUrl()}?${answer}`), {
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    pkceCodeVerifier: attempt.verifier,
  });
  const claims = tokens.claims()!;
  const { iss: issuer, sub: subject } = claims;
  // Many providers return the email address only here (OpenID Connect Core 1.0, 5.4).
  const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined;
  const { OIDC_ROLE_MAP: map, OIDC_GROUPS_CLAIM: groupsClaim } = config();
  const lacksGroups = map.length > 0 && claims[groupsClaim] === undefined;
  const told: Record<string, unknown> =
    (claims['email'] === undefined || lacksGroups) && hasMore
      ? { ...claims, ...(await fetchUserInfo(provider, tokens.access_token, subject)) }
      : claims;
  const { email, email_verified: isVerified, name } = told;
  const { amr } = claims;
  const areKnown = map.length > 0 && !isElsewhere(told, groupsClaim);
  return {
    issuer,
    subject,
    email: typeof email === 'string' && isVerified === true ? email : undefined,
    name: typeof name === 'string' ? name : undefined,
    hasSecondFactor:
      config().OIDC_SECOND_FACTOR === 'always' ||
      (Array.isArray(amr) && amr.includes(MULTIPLE_FACTORS)),
    grants: areKnown ? grantsOf(groupsIn(told[groupsClaim]), map) : undefined,
  };
}

/**
 * Returns true if a provider sends a claim at another endpoint only (OpenID Connect Core 1.0,
 * 5.6.2), as Entra ID does for people in more than 200 groups.
 */
function isElsewhere({ _claim_names: names }: Record<string, unknown>, claim: string): boolean {
  return typeof names === 'object' && names !== null && claim in names;
}

function readAttempt(cookie: string | undefined): Attempt | undefined {
  if (cookie === undefined) return undefined;
  try {
    const attempt = JSON.parse(unseal(ATTEMPT, cookie)) as Attempt;
    return attempt.until > Date.now() ? attempt : undefined;
  } catch {
    // The cookie was changed, or sealed with another key.
    return undefined;
  }
}

// One per process: its settings name one provider.
let cached: { provider: Promise<Configuration>; until: number } | undefined;

/**
 * Returns the provider by its metadata (OpenID Connect Discovery 1.0), which is fetched once an
 * hour.
 */
function findProvider(): Promise<Configuration> {
  if (cached === undefined || cached.until <= Date.now()) {
    const fetching = { provider: discover(), until: Date.now() + METADATA_MS };
    cached = fetching;
    fetching.provider.catch(() => {
      if (cached === fetching) cached = undefined;
    });
  }
  return cached.provider;
}

function discover(): Promise<Configuration> {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = config();
  const issuer = new URL(OIDC_ISSUER);
  return discovery(issuer, OIDC_CLIENT_ID, undefined, authenticateBy(OIDC_CLIENT_SECRET), {
    [customFetch]: fetchFromProvider,
    // oxlint-disable-next-line typescript/no-deprecated -- operators may use a local http provider
    execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
  });
}

/** Chooses the client authentication that the provider supports. */
function authenticateBy(secret: string): ClientAuth {
  if (secret === '') return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const authenticate = methods.includes('client_secret_basic') ? basic : post;
    authenticate(server, client, body, headers);
  };
}

/**
 * Sends the library's requests by the service's rules for outbound requests: private addresses need
 * OUTBOUND_ALLOW.
 */
async function fetchFromProvider(
  url: string,
  { method, headers, body }: CustomFetchOptions,
): Promise<Response> {
  const fetched = await guardedFetch(url, {
    ...ANSWER,
    method: method === 'POST' ? 'POST' : 'GET',
    headers,
    body: (body as URLSearchParams | null | undefined)?.toString(),
  });
  const { status } = fetched;
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : new Uint8Array(fetched.body), {
    status,
    headers: fetched.headers,
  });
}
