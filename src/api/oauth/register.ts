import {
  CustomOAuthError,
  InvalidClientMetadataError,
  type OAuthError,
} from '@modelcontextprotocol/sdk/server/auth/errors.js';
import type { Requester } from '../../http/route.ts';
import { newId } from '../../ids.ts';
import { unstorable } from '../../infra/storable-text.ts';
import { runJob } from '../../jobs/run-job.ts';
import { oauthJobs } from '../../oauth/jobs.ts';
import { redirectUriFault } from '../../oauth/redirect-uris.ts';

/** Parameters of a form. */
export type Parameters = Readonly<Partial<Record<string, string>>>;

/** Maximum number of redirect URIs of a client. */
const MAX_URIS = 10;
/** Maximum length of the name of a client, in UTF-16 units: that of a key. */
const MAX_NAME_LENGTH = 100;

/**
 * Registers a client (RFC 7591). Every client is public: it gets no secret, whatever method of
 * authentication it asks for. Other metadata is ignored, because nobody has verified it.
 *
 * @throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata`
 */
export async function register(origin: Requester, body: unknown) {
  const metadata = (body ?? {}) as Record<string, unknown>;
  const redirectUris = redirectUrisOf(metadata['redirect_uris']);
  const name = nameOf(metadata['client_name']) ?? new URL(redirectUris[0]!).host;
  const { response_types: types, grant_types: grants } = metadata;
  if (lacks(types, 'code') || lacks(grants, 'authorization_code')) {
    throw new InvalidClientMetadataError(
      'grant_types must contain authorization_code, and response_types code',
    );
  }
  const client = { id: newId('oauthClient'), name: name || 'App', redirectUris };
  await runJob(origin, oauthJobs['oauth.register'], client);
  return {
    client_id: client.id,
    client_id_issued_at: Math.floor(Date.now() / 1_000),
    client_name: client.name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}

const lacks = (list: unknown, value: string): boolean =>
  list !== undefined && !(Array.isArray(list) && list.includes(value));

function redirectUrisOf(uris: unknown): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_URIS) {
    throw invalidUri(`redirect_uris must be a list of 1 to ${MAX_URIS} URLs`);
  }
  return uris.map((uri: unknown, at) => {
    const fault = typeof uri === 'string' ? redirectUriFault(uri) : 'must be a text';
    if (fault !== undefined) throw invalidUri(`redirect_uris[${at}] ${fault}`);
    return uri as string;
  });
}

const invalidUri = (message: string): OAuthError =>
  new CustomOAuthError('invalid_redirect_uri', message);

/** Characters that change how the text around them looks: controls, and directions of writing. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/gu;

function nameOf(name: unknown): string | undefined {
  if (name === undefined || name === null) return undefined;
  if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH || unstorable(name)) {
    throw new InvalidClientMetadataError(
      `client_name must be a text of at most ${MAX_NAME_LENGTH} characters`,
    );
  }
  return name.replaceAll(INVISIBLE, '').trim().normalize('NFC') || undefined;
}
