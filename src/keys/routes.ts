import { Refusal } from '../errors.ts';
import { deletedRecord } from '../http/deleted.ts';
import { Joi } from '../http/fields.ts';
import { created, found, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { seal } from '../infra/seal.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import {
  type Caller,
  drawApiKey,
  drawPublishableKey,
  PUBLISHABLE_SCOPES,
} from '../workspaces/api-keys.ts';
import { newestFirst, type Paging } from '../workspaces/lists.ts';
import { refuseBeyond, refuseFieldsOf } from './commands.ts';
import { keyJobs, type NewKeyParts } from './jobs.ts';
import { ApiKey } from './model.ts';
import {
  type KeyRecord,
  type KeyType,
  type KeyWithSecret,
  keyRecord,
  keyWithSecret,
  openKey,
  toKey,
  typeOf,
} from './record.ts';
import {
  type KeyChanges,
  keyBody,
  keyListQuery,
  keyParams,
  type NewKey,
  newKeyBody,
} from './schema.ts';

const write = { extension: true, tag: 'API keys', scope: 'keys.write', writes: true } as const;
const read = { extension: true, tag: 'API keys', scope: 'keys.read' } as const;

type Params = { id: string };

/** Draws a key of a type for its job. */
function draw({ projectId }: Caller, type: KeyType): NewKeyParts {
  const isPublishable = type === 'publishable';
  const { apiKey, hash, hint } = isPublishable ? drawPublishableKey() : drawApiKey();
  const key = seal({ purpose: 'api key', owner: projectId }, apiKey);
  return { key, hash, hint, publicKey: isPublishable ? apiKey : undefined };
}

/** @throws Refusal `unprocessable_entity` for fields that keys of the type do not have */
function refuseOtherType({ type, scopes, limits, origins, yourlsSignatures }: NewKey): void {
  const beyond = type === 'publishable' ? { scopes, limits, yourlsSignatures } : { origins };
  refuseFieldsOf(type, beyond);
  if (type === 'publishable' && origins === undefined) {
    throw new Refusal('unprocessable_entity', 'origins is required where type is publishable');
  }
}

/** Endpoints of API keys, an extension of the contract. */
export const keyRoutes: Route[] = [
  route<{ body: NewKey }>({
    ...write,
    method: 'post',
    path: '/keys',
    operationId: 'createKey',
    summary: 'Create an API key',
    description:
      'Creates an API key. Only this response has the key itself. A key can have only scopes ' +
      'that the caller has. A publishable key is for web pages, where everybody can read it: it ' +
      'only tracks leads and sales, from pages of its `origins`. With `limits`, a key reads and ' +
      'writes only some links and QR codes; the limits of the person who creates it hold too.',
    body: newKeyBody,
    // A repeat of a request to an earlier release has no type.
    defaults: { type: 'secret' },
    answers: { 201: keyWithSecret },
    handle(request) {
      const { caller, body } = request;
      refuseOtherType(body);
      const { type, ...fields } = body;
      const { scopes = type === 'publishable' ? PUBLISHABLE_SCOPES : caller.scopes } = body;
      refuseBeyond(caller.scopes, scopes);
      const named = { id: newId('apiKey'), userId: caller.userId };
      const data = { ...fields, scopes, ...named, ...draw(caller, type) };
      return answerWrite(request, keyJobs['apiKey.create'], data, (record) =>
        created(`/keys/${record.id}`, openFor(caller, record)),
      );
    },
  }),
  route<{ query: Paging }>({
    ...read,
    method: 'get',
    path: '/keys',
    operationId: 'listKeys',
    summary: 'List API keys, newest first',
    description:
      'Returns the API keys that are not revoked, newest first, without secret keys themselves.',
    query: keyListQuery,
    answers: { 200: Joi.array().items(keyRecord) },
    async handle({ caller, query }) {
      const keys = ApiKey.of(caller.projectId).whereNull('revoked_at');
      return pageOf(await newestFirst(keys, query), toKey);
    },
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/keys/{id}',
    operationId: 'retrieveKey',
    summary: 'Retrieve an API key',
    description: 'Returns an API key, without a secret key itself.',
    isOwn: isCallers,
    record: true,
    params: keyParams,
    answers: { 200: keyRecord },
    async handle({ caller, params: { id } }) {
      const row = await ApiKey.of(caller.projectId).where({ id }).whereNull('revoked_at').first();
      return ok(toKey(found(row, `API key "${id}"`)));
    },
  }),
  route<{ params: Params; body: KeyChanges }>({
    ...write,
    method: 'patch',
    path: '/keys/{id}',
    operationId: 'updateKey',
    summary: 'Update an API key',
    description:
      'Changes the name of an API key, the scopes and limits of a secret key, or the origins of a ' +
      'publishable key. Absent fields stay as they are. Changing the limits of a limited key needs ' +
      'all scopes of the key.',
    record: true,
    params: keyParams,
    body: keyBody,
    answers: { 200: keyRecord },
    handle(request) {
      const { caller, params, body } = request;
      const { scopes = [], origins } = body;
      refuseBeyond(caller.scopes, origins === undefined ? scopes : PUBLISHABLE_SCOPES);
      const data = { id: params.id, changes: body, callerScopes: caller.scopes };
      return answerWrite(request, keyJobs['apiKey.update'], data, ok);
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'post',
    path: '/keys/{id}/rotate',
    operationId: 'rotateKey',
    summary: 'Rotate an API key',
    description:
      'Replaces the key itself; the previous one stops working at once. The caller needs all ' +
      'scopes of the key.',
    params: keyParams,
    answers: { 200: keyWithSecret },
    handle(request) {
      const { caller, params } = request;
      const data = async () => {
        const { id } = params;
        const row = await ApiKey.of(caller.projectId).where({ id }).whereNull('revoked_at').first();
        const type = typeOf(found(row, `API key "${id}"`));
        return { id, callerScopes: caller.scopes, ...draw(caller, type) };
      };
      return answerWrite(request, keyJobs['apiKey.rotate'], data, (record) =>
        ok(openFor(caller, record)),
      );
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'delete',
    path: '/keys/{id}',
    operationId: 'deleteKey',
    summary: 'Revoke an API key',
    description: 'Revokes an API key at once. A key can revoke itself without the scope.',
    isOwn: isCallers,
    record: true,
    params: keyParams,
    answers: { 200: deletedRecord },
    handle: (request) => answerWrite(request, keyJobs['apiKey.revoke'], request.params, ok),
  }),
];

/**
 * Opens the key in an answer. The caller of a repeat by Idempotency-Key may have fewer scopes than
 * at first.
 */
function openFor({ projectId, scopes }: Caller, record: KeyWithSecret): KeyRecord {
  refuseBeyond(scopes, record.scopes);
  return openKey(projectId, record);
}

function isCallers({ apiKeyId }: { apiKeyId: string }, { id }: { id?: string }): boolean {
  return apiKeyId !== '' && id === apiKeyId;
}
