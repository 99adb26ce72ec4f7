import { Joi, list, nullable, requiredText, scope, text } from '../http/fields.ts';
import { MAX_URI_LENGTH } from './redirect-uris.ts';

/** Parameters of an authorization request (OAuth 2.1, 4.1.1; RFC 8707). Clients send others too. */
export interface AuthorizationParameters {
  client_id: string;
  redirect_uri: string;
  response_type?: string;
  code_challenge?: string;
  code_challenge_method?: string;
  scope?: string;
  state?: string;
  resource?: string;
}

const parameters = {
  client_id: text(100).required().description('Id of the app.').example('app_4Jx2vQ0aTq'),
  redirect_uri: text(MAX_URI_LENGTH)
    .required()
    .description('URL that gets the code: one that the app has registered.')
    .example('https://app.example.com/callback'),
  response_type: text(100).allow('').description('Must be `code`.').example('code'),
  code_challenge: text(200)
    .allow('')
    .description('SHA-256 of the code verifier, in base64url (RFC 7636).')
    .example('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'),
  code_challenge_method: text(100).allow('').description('Must be `S256`.').example('S256'),
  scope: text(2_000)
    .allow('')
    .description('Scopes, separated by spaces. Default: all that the tools of `/mcp` need.')
    .example('links.read links.write'),
  state: text(4_096)
    .allow('')
    .description('Text that the app gets back with the code.')
    .example('af0ifjsldkj'),
  resource: text(MAX_URI_LENGTH)
    .allow('')
    .description('URL of the MCP server (RFC 8707).')
    .example('https://api.example.com/mcp'),
};

export const authorizationQuery = Joi.object<AuthorizationParameters>(parameters).unknown();

/** Consent of a person to an authorization request. */
export interface NewAuthorization {
  parameters: AuthorizationParameters;
  workspace: string;
  scopes: string[];
}

export const authorizationBody = Joi.object<NewAuthorization>({
  parameters: Joi.object(parameters)
    .unknown()
    .required()
    .description('The parameters of the authorization request, unchanged.')
    .meta({ name: 'AuthorizationParameters' }),
  workspace: text(190)
    .required()
    .description('Slug of the workspace that the app may use.')
    .example('acme'),
  scopes: list(scope)
    .min(1)
    .required()
    .description('Scopes that the app gets: some of those that it asks for, and only own ones.'),
}).meta({ name: 'NewAuthorization' });

export const authorizationRecord = Joi.object({
  client: Joi.object({
    id: requiredText.description('Id.').example('app_4Jx2vQ0aTq'),
    name: requiredText.description('Name that the app gave itself.').example('Claude'),
  })
    .required()
    .description('The app that asks.'),
  redirectUri: requiredText
    .description('URL that gets the code.')
    .example('https://app.example.com/callback'),
  scopes: Joi.array().items(scope).required().description('Scopes that the app asks for.'),
  error: nullable
    .description('Reason why the request cannot be allowed; null if it can.')
    .example(null),
  refusalUrl: requiredText
    .description('URL at which the app learns that the person refused, or of the error.')
    .example('https://app.example.com/callback?error=access_denied'),
}).meta({ name: 'AuthorizationRequest' });

export const acceptedRecord = Joi.object({
  redirectUrl: requiredText
    .description('URL at which the app gets the code. The browser goes there.')
    .example('https://app.example.com/callback?code=4Jx2vQ0aTq'),
}).meta({ name: 'AcceptedAuthorization' });
