import { Refusal } from '../errors.ts';
import { newId } from '../ids.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import { handlers } from '../queues/job.ts';
import { enter, isStored, lockPerson } from './commands.ts';
import { applyGrants, type Grant } from './groups.ts';
import { identityJobs } from './jobs.ts';
import { refuseLate } from './late-jobs.ts';
import type { Identity } from './oidc.ts';
import { proveAddress } from './proof.ts';

const first = (people: { id: string }[]): string | undefined => people[0]?.id;

const findByIdentity = async (trx: Db, { issuer, subject }: Identity) =>
  first(
    await rows(trx, 'SELECT user_id AS id FROM user_identities WHERE issuer = ? AND subject = ?', [
      issuer,
      subject,
    ]),
  );

const findByEmail = async (trx: Db, email: string) =>
  first(await rows(trx, 'SELECT id FROM users WHERE lower(email) = lower(?)', [email]));

async function addIdentity(trx: Db, { issuer, subject }: Identity, userId: string): Promise<void> {
  await execute(
    trx,
    'INSERT INTO user_identities (issuer, subject, user_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    [issuer, subject, userId],
  );
}

/**
 * Adds a person if a workspace has invited the address, or one of their groups has a role in a
 * workspace; otherwise returns `undefined`.
 */
async function addExpected(
  trx: Db,
  { name, email, grants }: { name: string; email: string; grants: readonly Grant[] },
): Promise<string | undefined> {
  const id = newId('user');
  const added = await execute(
    trx,
    `INSERT INTO users (id, email, name, email_verified_at)
     SELECT :id, :email, :name, now()
      WHERE EXISTS (SELECT FROM invitations WHERE lower(email) = lower(:email) AND expires_at > now())
         OR EXISTS (SELECT FROM workspaces WHERE slug = ANY(:slugs))`,
    { id, email, name, slugs: grants.map(({ workspace }) => workspace) },
  );
  return added === 0 ? undefined : id;
}

export const identityHandlers = handlers(identityJobs, {
  /**
   * Signs a person in by an account at the provider. An unknown account is linked to the person
   * with its verified email address, which it proves; or to a new person, if a workspace has
   * invited that address or their groups have a role in one. A new person is asked about each
   * invitation. Memberships that come from groups follow them at each sign-in.
   *
   * @throws Refusal `not_found` if there is no such person; `unauthorized` if they are disabled;
   *   `conflict` if nobody waits for the sign-in any more
   */
  'session.createByIdentity': async ({ identity, session, at }) =>
    db().transaction(async (trx) => {
      const { issuer, subject, email, grants } = identity;
      // Two simultaneous first sign-ins must not create two people.
      await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [
        `oidc ${issuer} ${subject}`,
      ]);
      let userId = await findByIdentity(trx, identity);
      if (userId !== undefined && (await isStored(trx, session))) {
        return { userId, needsSecondFactor: false };
      }
      if (at !== undefined) refuseLate(at);
      if (userId === undefined && email !== undefined) {
        const name = identity.name ?? email;
        userId = await findByEmail(trx, email);
        if (userId === undefined) {
          userId = await addExpected(trx, { name, email, grants: grants ?? [] });
        } else await proveAddress(trx, userId, name);
        if (userId !== undefined) await addIdentity(trx, identity, userId);
      }
      if (userId === undefined) throw new Refusal('not_found', 'There is no such account');
      await lockPerson(trx, userId);
      if (grants !== undefined) await applyGrants(trx, userId, grants);
      return enter(trx, { userId }, session);
    }),
});
