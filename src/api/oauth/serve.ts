import {
  InvalidClientError,
  InvalidRequestError,
  OAuthError,
  ServerError,
  TemporarilyUnavailableError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js';
import type { Express, Request, Response } from 'express';
import { config } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { answerError } from '../../http/answer-error.ts';
import { readBody, readForm } from '../../http/input.ts';
import { networkOf } from '../../infra/network.ts';
import { issuer } from '../../oauth/authorization.ts';
import { findClient, type OauthClient } from '../../oauth/queries.ts';
import { consoleUrl } from '../../users/accounts.ts';
import { NOBODY } from '../authenticate.ts';
import type { ErrorAnswer } from '../compat.ts';
import { allowOrigin, serveOptions } from '../cors.ts';
import type { InnerDependencies } from '../inner-context.ts';
import { toolScopes } from '../routes.ts';
import { type Parameters, register } from './register.ts';
import { exchangeToken, type OauthRequest, revokeToken } from './tokens.ts';

/*
 * The authorization server of the MCP server (OAuth 2.1; MCP 2025-11-25, Authorization). The router
 * of the MCP SDK is not used: it counts requests in the memory of one process, takes /authorize,
 * /token, /register and /revoke at the root, reads a code and exchanges it in two steps, gives
 * clients secrets, and checks neither the resource nor the issuer. Its errors are.
 */

/** Path of the metadata of the authorization server (RFC 8414, 3). */
const METADATA = '/.well-known/oauth-authorization-server';
const REGISTER = '/oauth/register';
const TOKEN = '/oauth/token';
const REVOKE = '/oauth/revoke';
/** Maximum size of a request, in bytes. */
const LIMIT = 65_536;

/** Serves the endpoints of OAuth that programs use; people use the console. */
export function serveOauth(app: Express, dependencies: InnerDependencies): void {
  const { admission } = dependencies;
  app.get(METADATA, (request, response) => {
    response.locals['route'] = METADATA;
    allowOrigin(request, response, true);
    response.json(metadata());
  });
  serve(app, REGISTER, dependencies, async (request, response, origin) => {
    await admission.takeRegistration(origin.caller.network!, response);
    response.status(201).json(await register(origin, await readBody(request, LIMIT)));
  });
  serve(app, TOKEN, dependencies, async (request, response, origin) => {
    const parameters = await formOf(request);
    const client = await clientOf(parameters);
    response.json(await exchangeToken(origin, client, parameters));
  });
  serve(app, REVOKE, dependencies, async (request, response, origin) => {
    const parameters = await formOf(request);
    await revokeToken(origin, await clientOf(parameters), parameters);
    response.status(200).end();
  });
}

/** Serves an endpoint to programs, also to those in browsers, whose cookies are ignored. */
function serve(
  app: Express,
  path: string,
  { admission, queues }: InnerDependencies,
  answer: (request: Request, response: Response, origin: OauthRequest) => Promise<void>,
): void {
  app.post(path, async (request, response) => {
    response.locals['route'] = path;
    response.locals['errors'] = toOauthError;
    allowOrigin(request, response, true);
    const network = networkOf(request.ip ?? '');
    await admission.takePublic(network, response);
    const requestId = String(response.locals['requestId']);
    await answer(request, response, { queues, requestId, caller: { ...NOBODY, network } });
  });
  serveOptions(app, [{ method: 'post', path, scope: 'public', isForPages: true }]);
}

const metadata = () => ({
  issuer: issuer(),
  authorization_endpoint: `${consoleUrl()}/authorize`,
  token_endpoint: issuer() + TOKEN,
  registration_endpoint: issuer() + REGISTER,
  revocation_endpoint: issuer() + REVOKE,
  scopes_supported: toolScopes(),
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${config().DOCS_URL}/mcp`,
});

/** @throws InvalidRequestError for a parameter that is repeated (OAuth 2.1, 3.2) */
async function formOf(request: Request): Promise<Parameters> {
  const form = await readForm(request, LIMIT);
  const repeated = Object.keys(form).find((name) => typeof form[name] !== 'string');
  if (repeated !== undefined) {
    throw new InvalidRequestError(`${repeated.slice(0, 100)} must not be repeated`);
  }
  return form as Parameters;
}

/** @throws InvalidClientError for an unknown client */
async function clientOf({ client_id: id }: Parameters): Promise<OauthClient> {
  if (!id) throw new InvalidRequestError('client_id is required');
  const client = id.includes('\0') ? undefined : await findClient(id);
  if (client === undefined) throw new InvalidClientError('There is no such client');
  return client;
}

/** Converts errors to the form of OAuth 2.1, section 3.2.4. */
const toOauthError: ErrorAnswer = (thrown, requestId) => {
  if (thrown instanceof OAuthError) return { status: 400, body: thrown.toResponseObject() };
  const { status, body } = answerError(thrown, requestId);
  const { message } = body.error;
  const error =
    !(thrown instanceof Refusal) || status === 500
      ? new ServerError(message)
      : status === 429 || status === 503
        ? new TemporarilyUnavailableError(message)
        : new InvalidRequestError(message);
  return { status, body: error.toResponseObject() };
};
