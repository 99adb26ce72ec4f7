import {
  InvalidGrantError,
  InvalidRequestError,
  InvalidScopeError,
  InvalidTargetError,
  UnsupportedGrantTypeError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { Refusal } from '../../errors.ts';
import type { Requester } from '../../http/route.ts';
import { newId } from '../../ids.ts';
import { hashToken } from '../../infra/secrets.ts';
import { runJob } from '../../jobs/run-job.ts';
import { keyJobs } from '../../keys/jobs.ts';
import { isResource, resourceUrl } from '../../oauth/authorization.ts';
import { type Exchanged, oauthJobs } from '../../oauth/jobs.ts';
import {
  type FoundGrant,
  findGrantOfCode,
  findGrantOfFamily,
  findKeyOf,
  type OauthClient,
} from '../../oauth/queries.ts';
import { ACCESS_SECONDS, drawTokens, familyOf, isVerifier } from '../../oauth/tokens.ts';
import type { Job } from '../../queues/job.ts';
import { includesScope, type Scope } from '../../workspaces/scopes.ts';
import type { Parameters } from './register.ts';

/** The parts of a request of a client that a job needs. Its caller has no workspace. */
export type OauthRequest = Requester;

/** Maximum length of a code or token that is looked up. */
const MAX_LENGTH = 200;

/**
 * Exchanges a code or a refresh token for an API key that expires, and a new refresh token.
 *
 * @throws OAuthError
 */
export function exchangeToken(origin: OauthRequest, client: OauthClient, parameters: Parameters) {
  const { resource } = parameters;
  if (resource && !isResource(resource)) {
    throw new InvalidTargetError(`resource must be ${resourceUrl()}`);
  }
  const grantType = parameters['grant_type'];
  if (grantType === 'authorization_code') return exchangeCode(origin, client, parameters);
  if (grantType === 'refresh_token') return refresh(origin, client, parameters);
  throw new UnsupportedGrantTypeError('grant_type must be authorization_code or refresh_token');
}

async function exchangeCode(origin: OauthRequest, client: OauthClient, parameters: Parameters) {
  const { code, code_verifier: verifier, redirect_uri: redirectUri } = parameters;
  if (!code) throw new InvalidRequestError('code is required');
  if (!verifier) throw new InvalidRequestError('code_verifier is required');
  const grant = code.length > MAX_LENGTH ? undefined : await findGrantOfCode(code);
  if (grant?.clientId !== client.id) {
    throw new InvalidGrantError('The code has expired, or is not for this client');
  }
  if (redirectUri !== grant.redirectUri) {
    throw new InvalidGrantError('redirect_uri must be that of the authorization request');
  }
  if (!isVerifier(verifier, grant.codeChallenge)) {
    throw new InvalidGrantError('code_verifier does not match the code_challenge');
  }
  const { stored, familyHash, ...tokens } = drawTokens();
  const data = { grantId: grant.id, keyId: newId('apiKey'), familyHash, ...stored };
  return answer(await run(origin, grant, oauthJobs['apiKey.authorize'], data), tokens);
}

async function refresh(origin: OauthRequest, client: OauthClient, parameters: Parameters) {
  const { refresh_token: sent, scope } = parameters;
  if (!sent) throw new InvalidRequestError('refresh_token is required');
  const family = familyOf(sent);
  const grant = family === undefined ? undefined : await findGrantOfFamily(family);
  if (grant?.clientId !== client.id) {
    throw new InvalidGrantError('The refresh token has expired, or is not for this client');
  }
  refuseFurther(scope, grant);
  const { stored, ...tokens } = drawTokens(family);
  const data = { grantId: grant.id, sentHash: hashToken(sent), ...stored };
  return answer(await run(origin, grant, oauthJobs['apiKey.renew'], data), tokens);
}

/** @throws InvalidScopeError for scopes that the person has not allowed (OAuth 2.1, 4.3.1) */
function refuseFurther(scope: string | undefined, { scopes }: FoundGrant): void {
  const further = (scope ?? '')
    .split(' ')
    .find((one) => one !== '' && !includesScope(scopes, one as Scope));
  if (further !== undefined) {
    throw new InvalidScopeError('scope must not have more than the person allowed');
  }
}

/** Runs a job of a grant in its workspace, with the person who allowed it as the actor. */
async function run<Data>(
  { caller, ...origin }: OauthRequest,
  { projectId, userId }: FoundGrant,
  job: Job<Data, Exchanged>,
  data: NoInfer<Data>,
): Promise<Exchanged> {
  try {
    return await runJob({ ...origin, caller: { ...caller, projectId, userId } }, job, data);
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code === 'service_unavailable') throw thrown;
    throw new InvalidGrantError(thrown.message);
  }
}

function answer(exchanged: Exchanged, tokens: { accessToken: string; refreshToken: string }) {
  if ('count' in exchanged) {
    throw new InvalidGrantError('It was used before, so its access has been revoked');
  }
  return {
    access_token: tokens.accessToken,
    token_type: 'Bearer',
    expires_in: ACCESS_SECONDS,
    refresh_token: tokens.refreshToken,
    scope: exchanged.scopes.join(' '),
  };
}

/**
 * Revokes the key of a client by its access token or refresh token (RFC 7009). A token that is not
 * valid needs no revocation.
 *
 * @throws InvalidRequestError without a token
 */
export async function revokeToken(
  { caller, ...origin }: OauthRequest,
  client: OauthClient,
  { token }: Parameters,
): Promise<void> {
  if (!token) throw new InvalidRequestError('token is required');
  const key = await findKeyOf(client.id, token, familyOf(token));
  if (key === undefined) return;
  const { id, projectId, userId } = key;
  const owner = { ...caller, projectId, userId, apiKeyId: id };
  try {
    await runJob({ ...origin, caller: owner }, keyJobs['apiKey.revoke'], { id });
  } catch (thrown) {
    // Somebody else has revoked it meanwhile.
    if (!(thrown instanceof Refusal) || thrown.code !== 'not_found') throw thrown;
  }
}
