import { Refusal } from '../errors.ts';
import { ok, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { hashToken, newToken } from '../infra/secrets.ts';
import { runJob } from '../jobs/run-job.ts';
import { refuseWithoutFactor } from '../users/sessions.ts';
import { type Scope, scopeBeyond } from '../workspaces/scopes.ts';
import { checkAuthorization, codeUrl, refusalUrl } from './authorization.ts';
import { oauthJobs } from './jobs.ts';
import { findOwnWorkspace } from './queries.ts';
import {
  type AuthorizationParameters,
  acceptedRecord,
  authorizationBody,
  authorizationQuery,
  authorizationRecord,
  type NewAuthorization,
} from './schema.ts';

const common = {
  extension: true,
  tag: 'Users',
  scope: 'user',
  path: '/oauth/authorization',
} as const;

/**
 * Endpoints of the page on which people allow apps to use a workspace.
 *
 * @param offered returns the scopes that apps can ask for
 */
export const oauthRoutes = (offered: () => readonly Scope[]): Route[] => [
  route<{ query: AuthorizationParameters }>({
    ...common,
    method: 'get',
    operationId: 'retrieveAuthorization',
    summary: 'Describe an authorization request',
    description:
      'Describes the request of an app to use a workspace (OAuth 2.1), for the page of the ' +
      'console on which the signed-in person decides.',
    query: authorizationQuery,
    answers: { 200: authorizationRecord },
    async handle({ query }) {
      const authorization = await checkAuthorization(query, offered());
      const { client, parameters, scopes, error } = authorization;
      return ok({
        client: { id: client.id, name: client.name },
        redirectUri: parameters.redirect_uri,
        scopes,
        error: error?.description ?? null,
        refusalUrl: refusalUrl(authorization),
      });
    },
  }),
  route<{ body: NewAuthorization }>({
    ...common,
    method: 'post',
    operationId: 'acceptAuthorization',
    summary: 'Allow an app to use a workspace',
    description:
      'Gives an app a code, which it exchanges for an API key with these scopes within a ' +
      'minute. The signed-in person needs the scopes in the workspace.',
    body: authorizationBody,
    answers: { 200: acceptedRecord },
    async handle(request) {
      const { body, caller } = request;
      const { userId } = caller;
      const authorization = await checkAuthorization(body.parameters, offered());
      const { client, parameters, error } = authorization;
      if (error !== undefined) throw new Refusal('unprocessable_entity', error.description);
      const beyond = scopeBeyond(authorization.scopes, body.scopes);
      if (beyond !== undefined) {
        throw new Refusal(
          'unprocessable_entity',
          `scopes must not contain "${beyond}", which the app does not ask for`,
        );
      }
      const workspace = await findOwnWorkspace(userId, body.workspace);
      if (workspace === undefined) {
        throw new Refusal(
          'forbidden',
          'workspace must be the slug of a workspace that you belong to',
        );
      }
      if (workspace.requiresSecondFactor) refuseWithoutFactor(caller, body.workspace);
      const projectId = workspace.id;
      const code = newToken();
      await runJob({ ...request, caller: { ...caller, projectId } }, oauthJobs['oauth.consent'], {
        id: newId('oauthGrant'),
        clientId: client.id,
        userId,
        scopes: body.scopes,
        redirectUri: parameters.redirect_uri,
        codeChallenge: parameters.code_challenge!,
        codeHash: hashToken(code),
      });
      return ok({ redirectUrl: codeUrl(authorization, code) });
    },
  }),
];
