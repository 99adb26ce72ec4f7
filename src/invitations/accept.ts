import { Refusal } from '../errors.ts';
import { type Answer, type ApiRequest, ok } from '../http/route.ts';
import { newId } from '../ids.ts';
import { runJob } from '../jobs/run-job.ts';
import { refuseWeakPassword } from '../users/password-rules.ts';
import { hashPassword, limitsOf } from '../users/passwords.ts';
import { readMe } from '../users/queries.ts';
import { personOf, signedIn, startSession } from '../users/sessions.ts';
import type { AcceptInvitation } from './jobs.ts';
import { invitationJobs } from './jobs.ts';
import { beginsAccount, findOffer, findOwnOffer, type Offer } from './queries.ts';
import type { Acceptance } from './schema.ts';

/**
 * Accepts an invitation: for the signed-in person with its address, or for anyone who sends its
 * token and has no account. The token alone gives no access to an existing account, which would
 * open the person's other workspaces too. The exception is a token that was sent by email only, to
 * an address that nobody has verified before: the account then starts over for the reader of the
 * mail.
 *
 * @throws Refusal `invite_expired`; `unauthorized` or `forbidden` for a person who must sign in, or
 * sign out, first
 */
export async function accept(request: ApiRequest<{ body: Acceptance }>): Promise<Answer> {
  const { client, body } = request;
  await limitsOf(request).takeNetwork(client.network);
  const person = await personOf(client);
  if (body.id !== undefined) {
    if (person === undefined) throw new Refusal('unauthorized', 'Sign in first');
    const { userId, sessionId } = person;
    const offer = await findOwnOffer(body.id, userId);
    await join(request, offer, { hash: offer.hash, userId });
    return ok(await readMe(userId, sessionId));
  }
  const offer = await findOffer(body.token!);
  const { hash } = offer;
  if (person !== undefined && person.userId !== offer.userId) {
    throw new Refusal('forbidden', `The invitation is for "${offer.email}": sign out first`);
  }
  if (!beginsAccount(offer)) {
    if (person === undefined) {
      throw new Refusal(
        'unauthorized',
        `Sign in as "${offer.email}" first, to accept the invitation`,
      );
    }
    await join(request, offer, { hash, userId: person.userId });
    return ok(await readMe(person.userId, person.sessionId));
  }
  const { name, password } = required(body);
  refuseWeakPassword(password, { email: offer.email, name });
  const passwordHash = await hashPassword(password, client.network);
  const started = startSession(client, 'invitation');
  const userId = offer.userId ?? newId('user');
  const account = { name, passwordHash, session: started.session };
  await join(request, offer, { hash, userId, account });
  return signedIn(userId, started);
}

/**
 * Queues the job as a write of the workspace by the person, counted against the client's network.
 */
function join(
  { caller, ...request }: ApiRequest,
  { projectId }: Offer,
  data: AcceptInvitation,
): Promise<{ userId: string }> {
  const member = { ...caller, projectId, userId: data.userId };
  return runJob({ ...request, caller: member }, invitationJobs['invitation.accept'], data);
}

/** @throws Refusal `unprocessable_entity` */
function required({ name, password }: Acceptance): { name: string; password: string } {
  if (name !== undefined && password !== undefined) return { name, password };
  const missing = Object.entries({ name, password }).filter(([, value]) => value === undefined);
  const faults = missing.map(([field]) => `${field} is required`);
  throw new Refusal('unprocessable_entity', faults.join('; '));
}
