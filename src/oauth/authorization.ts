import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { Scope } from '../workspaces/scopes.ts';
import { findClient, type OauthClient } from './queries.ts';
import { isRegistered, withParameters } from './redirect-uris.ts';
import type { AuthorizationParameters } from './schema.ts';

/** Identifier of the authorization server (RFC 8414, 2). */
export const issuer = (): string => config().BASE_URL;

/** The only resource that tokens are for (RFC 8707): the MCP server. */
export const resourceUrl = (): string => `${config().BASE_URL}/mcp`;

/** Returns true for the URL of the MCP server. Some clients add a slash. */
export const isResource = (resource: string): boolean =>
  resource === resourceUrl() || resource === `${resourceUrl()}/`;

/** An authorization request of a registered client. */
export interface Authorization {
  client: OauthClient;
  parameters: AuthorizationParameters;
  scopes: Scope[];
  /** Error of the request, which its client learns at the redirect URI; `undefined` for none. */
  error: { code: string; description: string } | undefined;
}

/**
 * Checks an authorization request.
 *
 * @param offered scopes that clients can ask for
 * @throws Refusal `not_found` for an unknown client; `unprocessable_entity` for a redirect URI that
 *   is not one of its own, to which nothing must be sent
 */
export async function checkAuthorization(
  parameters: AuthorizationParameters,
  offered: readonly Scope[],
): Promise<Authorization> {
  const { client_id: clientId, redirect_uri: redirectUri, scope } = parameters;
  const client = await findClient(clientId);
  if (client === undefined) throw new Refusal('not_found', `There is no app "${clientId}"`);
  if (!isRegistered(redirectUri, client.redirectUris)) {
    throw new Refusal(
      'unprocessable_entity',
      'redirect_uri must be one of the URLs that the app has registered',
    );
  }
  const requested = new Set((scope ?? '').split(' '));
  const scopes = scope ? offered.filter((one) => requested.has(one)) : [...offered];
  return { client, parameters, scopes, error: errorOf(parameters, scopes) };
}

/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

function errorOf(
  parameters: AuthorizationParameters,
  scopes: readonly Scope[],
): Authorization['error'] {
  const { response_type, code_challenge, code_challenge_method: method, resource } = parameters;
  if (response_type !== 'code') {
    return { code: 'unsupported_response_type', description: 'response_type must be code' };
  }
  if (method !== 'S256') {
    return { code: 'invalid_request', description: 'code_challenge_method must be S256' };
  }
  if (!CHALLENGE.test(code_challenge ?? '')) {
    const description = 'code_challenge must be a SHA-256 in base64url';
    return { code: 'invalid_request', description };
  }
  if (resource && !isResource(resource)) {
    return { code: 'invalid_target', description: `resource must be ${resourceUrl()}` };
  }
  if (scopes.length === 0) {
    return { code: 'invalid_scope', description: 'scope must have a scope of a tool' };
  }
  return undefined;
}

/** Builds the URL at which the client learns the result (RFC 9207 adds the issuer). */
const responseUrl = (
  { parameters: { redirect_uri, state } }: Authorization,
  result: Record<string, string>,
): string => withParameters(redirect_uri, { ...result, state, iss: issuer() });

/** Builds the URL at which the client learns its error, or that the person refused. */
export function refusalUrl(authorization: Authorization): string {
  const refused = { code: 'access_denied', description: 'The person refused' };
  const { code, description } = authorization.error ?? refused;
  return responseUrl(authorization, { error: code, error_description: description });
}

/** Builds the URL at which the client gets its code. */
export const codeUrl = (authorization: Authorization, code: string): string =>
  responseUrl(authorization, { code });
