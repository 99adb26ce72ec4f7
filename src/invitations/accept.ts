import { Refusal } from '../errors.ts';
import { askWorker, ok } from '../http/answer.ts';
import type { Answer, ApiRequest } from '../http/route.ts';
import { newId } from '../ids.ts';
import { hashToken } from '../infra/secrets.ts';
import { writes } from '../queues/writes.ts';
import { refuseWeakPassword } from '../users/password-rules.ts';
import { hashPassword, limitsOf } from '../users/passwords.ts';
import { readMe } from '../users/queries.ts';
import { personOf, signedIn, startSession } from '../users/sessions.ts';
import type { AcceptInvitation } from './commands.ts';
import { findOffer, type Offer } from './queries.ts';
import type { Acceptance } from './schema.ts';

/**
 * Accepts an invitation for whoever sends its token: the person with its e-mail address, signed in, or a new one. Who has
 * an account is not taken at the token's word, since it would then open their other workspaces too.
 *
 * @throws Refusal `invite_expired`; `unauthorized` or `forbidden` for a person who must sign in, or sign out, first
 */
export async function accept(request: ApiRequest<{ body: Acceptance }>): Promise<Answer> {
  const { client, body } = request;
  await limitsOf(request).takeNetwork(client.network);
  const offer = await findOffer(body.token);
  const person = await personOf(client);
  const hash = hashToken(body.token);
  if (person !== undefined) {
    if (person.userId !== offer.userId) {
      throw new Refusal('forbidden', `The invitation is for "${offer.email}": sign out first`);
    }
    await join(request, offer, { hash, userId: person.userId });
    return ok(await readMe(person.userId, person.sessionId));
  }
  if (offer.userId !== null) {
    throw new Refusal(
      'unauthorized',
      `Sign in as "${offer.email}" first, to accept the invitation`,
    );
  }
  const { name, password } = required(body);
  refuseWeakPassword(password, { email: offer.email, name });
  const passwordHash = await hashPassword(password, client.network);
  const started = startSession(client, 'invitation');
  const userId = newId('user');
  const account = { name, passwordHash, session: started.session };
  await join(request, offer, { hash, userId, account });
  return signedIn(userId, started);
}

/** Has a worker do it as a write of the workspace, by the person, on the share of the client's network. */
function join(
  { caller, ...request }: ApiRequest,
  { projectId }: Offer,
  data: AcceptInvitation,
): Promise<{ userId: string }> {
  const member = { ...caller, projectId, userId: data.userId };
  return askWorker({ ...request, caller: member }, writes, 'invitation.accept', data);
}

/** @throws Refusal `unprocessable_entity` */
function required({ name, password }: Acceptance): { name: string; password: string } {
  if (name !== undefined && password !== undefined) return { name, password };
  const missing = Object.entries({ name, password }).filter(([, value]) => value === undefined);
  const all = missing.map(([field]) => `${field} is required`);
  throw new Refusal('unprocessable_entity', all.join('; '));
}
