import { config } from '../config.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import { hashToken, newToken } from '../infra/secrets.ts';
import type { Message } from '../mail/message.ts';
import { addMails } from '../mail/outbox.ts';
import { handlers } from '../queues/job.ts';
import { consoleUrl } from '../users/accounts.ts';
import { recordInWorkspaces } from '../users/audit.ts';
import { endAllSessions } from '../users/commands.ts';
import { providerName } from '../users/oidc.ts';
import { proveAddress } from '../users/proof.ts';
import { passwordResetJobs } from './jobs.ts';
import { RESET_IS_VALID, resetGone } from './queries.ts';

/** Validity of a link, in minutes. */
const VALID_MINUTES = 60;
/** Maximum number of mails to an account in {@link VALID_MINUTES}. */
const MAX_MAILS = 3;

interface Account {
  id: string;
  email: string;
  passwordVersion: number;
  hasPassword: boolean;
  hasIdentity: boolean;
}

/** Finds an account that can sign in. Concurrent requests for it wait for each other. */
async function lockAccount(trx: Db, email: string): Promise<Account | undefined> {
  const [account] = await rows<Account>(
    trx,
    `SELECT id, email, password_version AS "passwordVersion",
            password_hash IS NOT NULL AS "hasPassword",
            EXISTS (SELECT FROM user_identities i WHERE i.user_id = users.id) AS "hasIdentity"
       FROM users WHERE lower(email) = lower(?) AND disabled_at IS NULL FOR NO KEY UPDATE`,
    [email],
  );
  return account;
}

async function hasEnough(trx: Db, userId: string): Promise<boolean> {
  const recent = await rows<object>(
    trx,
    `SELECT hash FROM password_resets
      WHERE user_id = ? AND created_at > now() - make_interval(mins => ?) LIMIT ?`,
    [userId, VALID_MINUTES, MAX_MAILS],
  );
  return recent.length === MAX_MAILS;
}

const REASON = 'If you did not request this, ignore this mail: your password does not change.';

const linkMail = (token: string, expiresAt: Date): Message => ({
  subject: 'Reset your password',
  lines: [
    `Someone requested a new password for your account at ${config().BASE_URL}.`,
    'The link works once, within one hour. A new password ends all your sessions.',
  ],
  action: {
    label: 'Choose a new password',
    // Browsers do not send the fragment, so that the token appears in no server log.
    url: `${consoleUrl()}/sign-in/reset#${token}`,
  },
  reason: REASON,
  expiresAt,
});

const providerMail = (provider: string): Message => ({
  subject: 'Sign in without a password',
  lines: [
    `Someone requested a new password for your account at ${config().BASE_URL}.`,
    `Your account has no password: sign in with ${provider}.`,
  ],
  action: { label: 'Sign in', url: `${consoleUrl()}/sign-in` },
  reason: 'If you did not request this, ignore this mail.',
});

export const passwordResetHandlers = handlers(passwordResetJobs, {
  /**
   * Mails the person with an email address a link to set a new password. An unknown address, a
   * disabled account and one with too many mails get none. A person who signs in with the provider
   * only gets a mail without a link: a password would outlast their account there.
   */
  'passwordReset.create': ({ email }, { jobId }) =>
    db().transaction(async (trx) => {
      const account = await lockAccount(trx, email);
      if (account === undefined || (await hasEnough(trx, account.id))) return;
      const { id: userId, passwordVersion, hasPassword, hasIdentity } = account;
      const provider = hasPassword || !hasIdentity ? undefined : providerName();
      const token = newToken();
      const [reset] = await rows<{ expiresAt: Date }>(
        trx,
        `INSERT INTO password_resets (hash, user_id, job_id, password_version, expires_at)
         VALUES (:hash, :userId, :jobId, :passwordVersion, now() + make_interval(mins => :minutes))
         ON CONFLICT DO NOTHING
         RETURNING expires_at AS "expiresAt"`,
        {
          hash: hashToken(token),
          userId,
          jobId,
          passwordVersion,
          minutes: provider === undefined ? VALID_MINUTES : 0,
        },
      );
      // The job has run before.
      if (reset === undefined) return;
      const message =
        provider === undefined ? linkMail(token, reset.expiresAt) : providerMail(provider);
      await addMails(trx, [
        {
          projectId: null,
          userId: null,
          kind: 'password reset',
          recipient: account.email,
          message,
        },
      ]);
    }),

  /**
   * Sets the password of the account of a token, and ends all its sessions and other links. The
   * token proves the email address, since it was sent there only.
   *
   * @throws Refusal `unauthorized` if the token was used, has expired or never existed
   */
  'passwordReset.complete': ({ hash, passwordHash }, { jobId }) =>
    db().transaction(async (trx) => {
      const [reset] = await rows<{ userId: string; completedBy: string | null; isValid: boolean }>(
        trx,
        `SELECT u.id AS "userId", r.completed_by AS "completedBy", ${RESET_IS_VALID} AS "isValid"
           FROM password_resets r JOIN users u ON u.id = r.user_id
          WHERE r.hash = ? FOR NO KEY UPDATE`,
        [hash],
      );
      if (reset === undefined) throw resetGone();
      const { userId, completedBy, isValid } = reset;
      // The job has run before.
      if (completedBy === jobId) return { userId };
      if (!isValid) throw resetGone();
      await execute(trx, 'UPDATE password_resets SET completed_by = ? WHERE hash = ?', [
        jobId,
        hash,
      ]);
      await proveAddress(trx, userId);
      await execute(
        trx,
        `UPDATE users SET password_hash = ?, password_version = password_version + 1 WHERE id = ?`,
        [passwordHash, userId],
      );
      await endAllSessions(trx, userId);
      await execute(trx, 'DELETE FROM sign_in_links WHERE user_id = ? AND session_id IS NULL', [
        userId,
      ]);
      await recordInWorkspaces(trx, userId, 'password.reset');
      return { userId };
    }),
});
