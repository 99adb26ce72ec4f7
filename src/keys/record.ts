import {
  flag,
  Joi,
  nullable,
  nullableTime,
  oneOf,
  requiredText,
  requiredTime,
  scope,
} from '../http/fields.ts';
import { limitsRecord, toLimits } from '../http/limits-field.ts';
import { openSealed, type Sealed } from '../jobs/sealed.ts';
import type { ApiKey } from './model.ts';

/** Returns the type of a key. */
export const typeOf = ({ public_key }: Pick<ApiKey, 'public_key'>): KeyType =>
  public_key === null ? 'secret' : 'publishable';

/** Builds the public record of an API key, without the key itself. */
export function toKey(row: ApiKey) {
  return {
    id: row.id,
    name: row.name,
    type: typeOf(row),
    hint: row.hint,
    publicKey: row.public_key,
    origins: row.origins ?? [],
    scopes: row.scopes,
    limits: toLimits(row.limits),
    yourlsSignatures: row.sealed_key !== null,
    userId: row.user_id,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    expiresAt: row.expires_at?.toISOString() ?? null,
    clientId: row.client_id,
    renewableUntil: row.renewable_until?.toISOString() ?? null,
  };
}

export type KeyRecord = ReturnType<typeof toKey>;

/** An API key with the sealed key itself, in the result of a job. */
export type KeyWithSecret = KeyRecord & { key: Sealed };

/** Decrypts the key for its owner. */
export const openKey = (projectId: string, record: KeyWithSecret): KeyRecord & { key: string } => ({
  ...record,
  key: openSealed(projectId, 'api key', record.key),
});

/** Types of API keys. */
export const KEY_TYPES = ['secret', 'publishable'] as const;

export type KeyType = (typeof KEY_TYPES)[number];

export const keyType = oneOf(KEY_TYPES).meta({ name: 'ApiKeyType' });

export const KEY_TYPE_MEANING =
  '`secret`: for your software. `publishable`: for web pages of its `origins`, where everybody can ' +
  'read it; it can only track leads and sales.';

/** Schema of the record of an API key, for the reference and for checking answers. */
export const keyRecord = Joi.object({
  id: requiredText.description('Id of the key.').example('key_5Hx1vQ0aTq'),
  name: requiredText.allow('').description('Name.').example('Shop'),
  type: keyType.required().description(KEY_TYPE_MEANING),
  hint: requiredText.description('First characters of the key.').example('sk_4Jx2…'),
  publicKey: nullable
    .description('The key itself, if it is publishable; null for a secret key.')
    .example(null),
  origins: Joi.array()
    .items(Joi.string())
    .required()
    .description('Origins whose pages may use a publishable key; empty for a secret key.')
    .example([]),
  scopes: Joi.array().items(scope).required().description('Scopes of the key; `*` is all.'),
  limits: limitsRecord,
  yourlsSignatures: flag().required().description('YOURLS clients may sign with the key.'),
  userId: requiredText.description('Id of the person who created it.').example('user_7Kx1vQ0aTq'),
  createdAt: requiredTime.description('Time of creation.'),
  lastUsedAt: nullableTime.description('Time of the last request with the key, to the minute.'),
  expiresAt: nullableTime.description('Time at which it expires.'),
  clientId: nullable
    .description('Id of the app that a person allowed to have the key; null for other keys.')
    .example('app_4Jx2vQ0aTq'),
  renewableUntil: nullableTime.description('Time until which the app can renew the key.'),
}).meta({ name: 'ApiKey' });

/** Schema of an answer that contains a key. */
export const keyWithSecret = keyRecord
  .keys({
    key: requiredText
      .description('The key itself. No other response has a secret key.')
      .example('sk_4Jx2vQ0aTq1Lp5oIu8Yt7Kx1vQ0aTq5Hx1'),
  })
  .meta({ name: 'ApiKeyWithSecret' });
