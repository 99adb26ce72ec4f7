import type { CustomValidator } from 'joi';
import { Refusal } from '../errors.ts';
import { Joi } from '../http/fields.ts';
import { seal, unseal } from '../infra/seal.ts';

/*
 * Own headers and Basic authentication of requests to a receiver. They are sealed in rows and jobs;
 * responses show names alone.
 */

/** A user name and a password; `null` stands for the stored password. */
export interface BasicAuth {
  username: string;
  password: string | null;
}

/** The fields of a body that set credentials. */
export interface CredentialFields {
  /** Values by name in lower case; `null` stands for the stored value. */
  headers?: Record<string, string | null> | null | undefined;
  basicAuth?: BasicAuth | null | undefined;
}

/** Credentials as they are stored, sealed. */
interface Credentials {
  headers: Record<string, string>;
  basicAuth: { username: string; password: string } | null;
}

const MAX_HEADERS = 10;
const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 4_000;
const MAX_USERNAME_LENGTH = 200;
const MAX_PASSWORD_LENGTH = 1_000;
/** Shown instead of a value in the request of a delivery. */
const HIDDEN = '********';

/** A token (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** A field value (RFC 9110, 5.5) in ASCII: visible characters, with spaces and tabs inside. */
const FIELD_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
/** A user name, which a colon would end, or a password (RFC 7617, 2), without controls. */
const USERNAME = /^[^:\p{Cc}]+$/u;
const PASSWORD = /^[^\p{Cc}]+$/u;

/** Headers that belong to the connection (RFC 9110, 7.6.1) or to the request itself. */
const OURS = new Set(
  (
    'connection keep-alive te trailer transfer-encoding upgrade http2-settings proxy-connection ' +
    'proxy-authenticate proxy-authorization host expect date accept-encoding user-agent'
  ).split(' '),
);
const isOurs = (name: string): boolean =>
  OURS.has(name) || name.startsWith('content-') || name.startsWith('webhook-');

const headersField = Joi.object()
  .pattern(Joi.string(), Joi.string().allow(null, '').max(MAX_VALUE_LENGTH))
  .max(MAX_HEADERS)
  .custom((sent: Record<string, string | null>, { error }) => {
    const refuse = (rule: string) => error('rule', { rule });
    const headers = new Map<string, string | null>();
    for (const [sentName, value] of Object.entries(sent)) {
      const name = sentName.toLowerCase();
      if (name.length > MAX_NAME_LENGTH || !TOKEN.test(name)) {
        return refuse(`must have names of at most ${MAX_NAME_LENGTH} letters, digits and hyphens`);
      }
      if (isOurs(name)) return refuse(`must not set ${name}`);
      if (headers.has(name)) return refuse(`must not set ${name} twice`);
      if (value !== null && !FIELD_VALUE.test(value)) {
        return refuse(`must have a value of visible ASCII characters for ${name}`);
      }
      headers.set(name, value);
    }
    return Object.fromEntries(headers);
  })
  .allow(null)
  .description(
    `Up to ${MAX_HEADERS} headers of requests, with values of up to 4,000 visible ASCII characters. ` +
      'They replace the previous ones; null as a value keeps the stored one.',
  )
  .example({ 'x-token': 'secret' });

/** Makes the rule of a text that matches an expression. */
const matching =
  (expression: RegExp, rule: string): CustomValidator<string> =>
  (value, { error }) =>
    expression.test(value) ? value : error('rule', { rule });

const basicAuthField = Joi.object<BasicAuth>({
  username: Joi.string()
    .max(MAX_USERNAME_LENGTH)
    .custom(matching(USERNAME, 'must have no colon and no control characters'))
    .required()
    .description('User name, without a colon.')
    .example('shop'),
  password: Joi.string()
    .max(MAX_PASSWORD_LENGTH)
    .custom(matching(PASSWORD, 'must have no control characters'))
    .allow(null)
    .required()
    .description('Password; null keeps the stored one.')
    .example('secret'),
})
  .allow(null)
  .description('User name and password of Basic authentication (RFC 7617); null removes them.');

/** Schemas of the fields of a body that set credentials. */
export const credentialFields = { headers: headersField, basicAuth: basicAuthField };

/** Schemas of the fields of a record that show which credentials there are. */
export const shownCredentials = {
  headers: Joi.object()
    .pattern(Joi.string(), Joi.valid(null))
    .required()
    .description('Own headers of requests, by name; values are not shown.')
    .example({ 'x-token': null }),
  basicAuth: Joi.object({
    username: Joi.string().required().description('User name.').example('shop'),
    password: Joi.valid(null).required().description('Always null: the password is not shown.'),
  })
    .allow(null)
    .required()
    .description('Basic authentication; null: none.'),
};

const NONE: Credentials = { headers: {}, basicAuth: null };
const contextOf = (owner: string) => ({ purpose: 'webhook credentials', owner }) as const;

const open = (projectId: string, sealed: string | null): Credentials =>
  sealed === null ? NONE : (JSON.parse(unseal(contextOf(projectId), sealed)) as Credentials);

/** Seals the credentials in a body for its job; `undefined` if it sets none. */
export function sealFields(
  projectId: string,
  { headers, basicAuth }: CredentialFields,
): string | undefined {
  if (headers === undefined && basicAuth === undefined) return undefined;
  return seal(contextOf(projectId), JSON.stringify({ headers, basicAuth }));
}

/** The stored credentials that an update changes. */
interface Before {
  credentials: string | null;
  /** True if the update moves the webhook to another host. */
  isMoved: boolean;
}

/**
 * Applies sealed fields of a body to stored credentials. A move to another host needs them anew:
 * whoever can change the URL could otherwise read values that responses do not show.
 *
 * @param sent result of {@link sealFields}
 * @returns sealed, `null` for none
 * @throws Refusal `unprocessable_entity` for a value that is not stored
 */
export function mergeCredentials(
  projectId: string,
  sent: string | undefined,
  { credentials, isMoved }: Before = { credentials: null, isMoved: false },
): string | null {
  const present = open(projectId, credentials);
  const fields: CredentialFields =
    sent === undefined ? {} : (JSON.parse(unseal(contextOf(projectId), sent)) as CredentialFields);
  if (isMoved) refuseKept(present, fields);
  const stored = isMoved ? NONE : present;
  const merged = {
    headers: headersAfter(fields, stored),
    basicAuth: basicAuthAfter(fields, stored),
  };
  if (merged.basicAuth !== null && Object.hasOwn(merged.headers, 'authorization')) {
    throw refusal('headers must not set authorization together with basicAuth');
  }
  const isEmpty = merged.basicAuth === null && Object.keys(merged.headers).length === 0;
  return isEmpty ? null : seal(contextOf(projectId), JSON.stringify(merged));
}

const refusal = (message: string) => new Refusal('unprocessable_entity', message);

function refuseKept(present: Credentials, { headers, basicAuth }: CredentialFields): void {
  const hasHeaders = Object.keys(present.headers).length > 0;
  const kept =
    (hasHeaders && headers === undefined && 'headers') ||
    (present.basicAuth !== null && basicAuth === undefined && 'basicAuth');
  if (kept !== false) throw refusal(`${kept} must be set again with a url on another host`);
}

function headersAfter({ headers }: CredentialFields, stored: Credentials): Record<string, string> {
  if (headers === undefined) return stored.headers;
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => {
      const kept = Object.hasOwn(stored.headers, name) ? stored.headers[name] : undefined;
      const next = value ?? kept;
      if (next === undefined)
        throw refusal(`headers must have a value for ${name}: none is stored`);
      return [name, next];
    }),
  );
}

function basicAuthAfter(
  { basicAuth }: CredentialFields,
  stored: Credentials,
): Credentials['basicAuth'] {
  if (basicAuth === undefined) return stored.basicAuth;
  if (basicAuth === null) return null;
  const password = basicAuth.password ?? stored.basicAuth?.password;
  if (password === undefined) throw refusal('basicAuth.password is required: none is stored');
  return { username: basicAuth.username, password };
}

/** Builds the fields of a record that show which credentials there are. */
export function toCredentials(projectId: string, sealed: string | null) {
  const { headers, basicAuth } = open(projectId, sealed);
  return {
    headers: Object.fromEntries(Object.keys(headers).map((name) => [name, null])),
    basicAuth: basicAuth === null ? null : { username: basicAuth.username, password: null },
  };
}

/** Returns the headers of requests that the credentials set. */
export function credentialHeaders(
  projectId: string,
  sealed: string | null,
): Record<string, string> {
  const { headers, basicAuth } = open(projectId, sealed);
  if (basicAuth === null) return headers;
  const { username, password } = basicAuth;
  const encoded = Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
  return { ...headers, authorization: `Basic ${encoded}` };
}

/** Returns the headers of requests that the credentials set, with hidden values. */
export const hiddenHeaders = (projectId: string, sealed: string | null): Record<string, string> =>
  Object.fromEntries(
    Object.keys(credentialHeaders(projectId, sealed)).map((name) => [name, HIDDEN]),
  );
