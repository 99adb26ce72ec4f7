import {
  bodyFlag,
  futureDateTime,
  id,
  Joi,
  list,
  nameText,
  paging,
  scope,
} from '../http/fields.ts';
import { limitsField } from '../http/limits-field.ts';
import type { StoredLimits } from '../workspaces/limits.ts';
import type { Paging } from '../workspaces/lists.ts';
import { originList } from './origins.ts';
import { KEY_TYPE_MEANING, type KeyType, keyType } from './record.ts';

/** The body of an update, with the fields to change. */
export interface KeyChanges {
  name?: string;
  scopes?: string[];
  /** Only of a secret key; `null`: none. */
  limits?: StoredLimits | null;
  /** Only of a publishable key. */
  origins?: string[];
}

/** The body of a new key. If `scopes` is absent, a secret key has those of the caller. */
export interface NewKey extends KeyChanges {
  name: string;
  type: KeyType;
  expiresAt?: string;
  yourlsSignatures?: boolean;
}

const fields = {
  name: nameText(100).description('Name, at most 100 characters.').example('Shop'),
  scopes: list(scope)
    .min(1)
    .custom((scopes: string[]) => (scopes.includes('*') ? ['*'] : scopes)),
  origins: originList(),
};

export const newKeyBody = Joi.object<NewKey>({
  name: fields.name.required(),
  type: keyType.default('secret').description(`${KEY_TYPE_MEANING} It cannot be changed.`),
  origins: fields.origins.description(
    'Origins whose pages may use the key, at most 20; only of a publishable key, which needs them.',
  ),
  scopes: fields.scopes.description(
    'Scopes of the key; only scopes of the caller. Default: all scopes of the caller. Not of a ' +
      'publishable key, which has `conversions.write`.',
  ),
  limits: limitsField(),
  expiresAt: futureDateTime().description('Time at which it expires. Default: never.'),
  yourlsSignatures: bodyFlag().description(
    'true: YOURLS clients may sign requests with the key and a `timestamp`, at ' +
      '`/compat/yourls/{id of the key}/yourls-api.php`. The key is then stored encrypted, not ' +
      'only as a hash. Default false; it cannot be changed.',
  ),
}).meta({ name: 'NewApiKey' });

export const keyBody = Joi.object<KeyChanges>({
  name: fields.name,
  scopes: fields.scopes.description(
    'Scopes of the key; only scopes of the caller. Not of a publishable key.',
  ),
  limits: limitsField(),
  origins: fields.origins.description(
    'Origins whose pages may use the key, at most 20; only of a publishable key.',
  ),
})
  .or('name', 'scopes', 'origins', 'limits')
  .meta({ name: 'ApiKeyUpdate' });

export const keyListQuery = Joi.object<Paging>(paging(100));
export const keyParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the key.'),
});
