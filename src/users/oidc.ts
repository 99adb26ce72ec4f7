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

/*
 * Signing in with a provider of OpenID Connect Core 1.0: the authorization code flow with PKCE (RFC 7636).
 *
 *   begin ─▶ the provider's page ─▶ finish: code ─▶ ID token ─▶ identity
 *
 * State, nonce and code verifier wait in a sealed cookie, so that only the browser that began can finish.
 */

/** Time that a person has at the provider, in seconds. */
export const ATTEMPT_SECONDS = 600;
/** Time for which the provider's metadata is kept, in ms. */
const METADATA_MS = 3_600_000;
const ATTEMPT: SealContext = { purpose: 'sign-in', owner: '' };
const ANSWER = { maxBytes: 1024 * 1024, timeoutMs: 10_000, maxRedirects: 0 };

/** An account at the provider. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Only one that the provider has verified. */
  email?: string | undefined;
  name?: string | undefined;
}

/** What the browser keeps until it returns from the provider. */
interface Attempt {
  state: string;
  nonce: string;
  verifier: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** The name of the provider; `undefined` where none is set. */
export const providerName = (): string | undefined =>
  config().OIDC_ISSUER === '' ? undefined : config().OIDC_NAME;

const callbackUrl = (): string => `${config().BASE_URL}/auth/oidc/callback`;

/** Where to send the browser, and the value of the cookie that it keeps meanwhile. */
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
    scope: 'openid email profile',
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  });
  return { url: url.href, cookie: seal(ATTEMPT, JSON.stringify(attempt)) };
}

/**
 * The account of the person who has returned from the provider.
 *
 * @param answer parameters of the callback
 * @param cookie what `beginAttempt` made; `undefined` when the browser has none
 * @returns `undefined` when this browser began no such attempt, or too long ago
 * @throws Error when the provider refused, did not answer, or answered what does not hold
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
  // Many providers tell the email address only here (OpenID Connect Core 1.0, 5.4).
  const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined;
  const told =
    claims['email'] === undefined && hasMore
      ? { ...claims, ...(await fetchUserInfo(provider, tokens.access_token, subject)) }
      : claims;
  const { email, email_verified: isVerified, name } = told as Record<string, unknown>;
  return {
    issuer,
    subject,
    email: typeof email === 'string' && isVerified === true ? email : undefined,
    name: typeof name === 'string' ? name : undefined,
  };
}

function readAttempt(cookie: string | undefined): Attempt | undefined {
  if (cookie === undefined) return undefined;
  try {
    const attempt = JSON.parse(unseal(ATTEMPT, cookie)) as Attempt;
    return attempt.until > Date.now() ? attempt : undefined;
  } catch {
    // Another key sealed it, or it was changed.
    return undefined;
  }
}

// One per process: its settings name one provider.
let known: { provider: Promise<Configuration>; until: number } | undefined;

/** The provider by its metadata (OpenID Connect Discovery 1.0), which is fetched once an hour. */
function findProvider(): Promise<Configuration> {
  if (known === undefined || known.until <= Date.now()) {
    const finding = { provider: discover(), until: Date.now() + METADATA_MS };
    known = finding;
    finding.provider.catch(() => {
      if (known === finding) known = undefined;
    });
  }
  return known.provider;
}

function discover(): Promise<Configuration> {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = config();
  const issuer = new URL(OIDC_ISSUER);
  return discovery(issuer, OIDC_CLIENT_ID, undefined, authenticateBy(OIDC_CLIENT_SECRET), {
    [customFetch]: fetchFromProvider,
    // oxlint-disable-next-line typescript/no-deprecated -- marked so to be noticed; operators may run a provider beside us
    execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
  });
}

/** How this service proves to the provider that it is itself: as the provider prefers. */
function authenticateBy(secret: string): ClientAuth {
  if (secret === '') return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const authenticate = methods.includes('client_secret_basic') ? basic : post;
    authenticate(server, client, body, headers);
  };
}

/** Outbound requests of the library, by the same rules as all of ours: private addresses need OUTBOUND_ALLOW. */
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
