import { Refusal } from '../errors.ts';
import { hashApiKey } from '../infra/secrets.ts';
import { includesPlan, type Plan } from '../workspaces/plans.ts';
import { type ApiKeyOwner, type Caller, findApiKey } from '../workspaces/queries.ts';
import type { Scope } from '../workspaces/scopes.ts';

/** Who asks where no key is needed. */
export const NOBODY: Caller = {
  projectId: '',
  workspaceSlug: '',
  plan: 'free',
  requestsPerMinute: null,
  userId: '',
  apiKeyId: '',
  scopes: [],
};

/**
 * The caller behind an `Authorization` header.
 *
 * @throws Refusal `unauthorized` when the key is missing, unknown, revoked or expired
 */
export async function authenticate(authorization: string | undefined): Promise<Caller> {
  const [, apiKey] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  if (apiKey === undefined) {
    throw new Refusal(
      'unauthorized',
      'Send your API key in the header "Authorization: Bearer <API_KEY>"',
    );
  }
  const key = await findApiKey(hashApiKey(apiKey));
  if (key === undefined) throw new Refusal('unauthorized', 'The API key is not known');
  refuseEnded(key);
  return key;
}

function refuseEnded({ revokedAt, expiresAt }: ApiKeyOwner): void {
  if (revokedAt !== null) throw new Refusal('unauthorized', 'The API key has been revoked');
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw new Refusal('unauthorized', `The API key expired at ${expiresAt.toISOString()}`);
  }
}

/** @throws Refusal `forbidden` when the key lacks the scope, or the workspace's plan is too low */
export function authorize(caller: Caller, scope: Scope, plan: Plan | undefined): void {
  if (!caller.scopes.includes('*') && !caller.scopes.includes(scope)) {
    throw new Refusal('forbidden', `The API key lacks the scope "${scope}"`);
  }
  if (plan !== undefined && !includesPlan(caller.plan, plan)) {
    throw new Refusal(
      'forbidden',
      `This needs the ${plan} plan or higher; the workspace "${caller.workspaceSlug}" has the ${caller.plan} plan`,
    );
  }
}
