import { Refusal } from '../errors.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { hashToken } from '../infra/secrets.ts';

/*
 * Mails to people who have not asked for them: invitations and requests to confirm. Their number is
 * limited, and no text of the sender becomes a link in them.
 */

/** Maximum number of mails in a period that have a column in common. */
interface UnaskedRule {
  column: string;
  max: number;
  hours: number;
  /** Beginning of the message: "A workspace sends". */
  subject: string;
  /** Plural name of the mails in the message. */
  noun: string;
}

/** The limits of a kind of mails, and the table that counts these. */
export interface UnaskedLimits {
  table: 'invitation_mails' | 'confirmation_mails';
  rules: readonly UnaskedRule[];
}

/**
 * Counts a mail. Concurrent mails wait for each other, so that they cannot exceed a limit together.
 *
 * @param mail columns of the mail in the table
 * @throws Refusal `rate_limit_exceeded`, which names the limit
 */
export async function takeUnaskedMail(
  trx: Db,
  { table, rules }: UnaskedLimits,
  mail: Readonly<Record<string, string>>,
): Promise<void> {
  for (const { column, max, hours, subject, noun } of rules) {
    const value = mail[column]!;
    await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [
      `${table} ${column} ${value}`,
    ]);
    const [{ sent, seconds }] = (await rows<{ sent: number; seconds: number }>(
      trx,
      `SELECT count(*)::int AS sent,
              ceil(extract(epoch FROM min(sent_at) + make_interval(hours => :hours) - now()))::int AS seconds
         FROM ${table}
        WHERE ${column} = :value AND sent_at > now() - make_interval(hours => :hours)`,
      { value, hours },
    )) as [{ sent: number; seconds: number }];
    if (sent >= max) {
      throw new Refusal(
        'rate_limit_exceeded',
        `${subject} at most ${max} ${noun} by email in ${hours > 48 ? `${hours / 24} days` : `${hours} hours`}`,
        { retryAfterSeconds: seconds },
      );
    }
  }
  await trx(table).insert(mail);
}

/** Deletes counts of mails that are older than all limits. */
export async function pruneUnaskedMails(
  connection: Db,
  { table, rules }: UnaskedLimits,
): Promise<void> {
  await execute(
    connection,
    `DELETE FROM ${table} WHERE sent_at < now() - make_interval(hours => ?)`,
    [Math.max(...rules.map(({ hours }) => hours))],
  );
}

/**
 * Hashes the mailbox of an address: most servers deliver `ada+shop@…` to `ada@…` (RFC 5233), and
 * Gmail ignores dots.
 */
export function mailboxHash(email: string): string {
  const at = email.lastIndexOf('@');
  const host = email.slice(at + 1).toLowerCase();
  const name = email.slice(0, at).toLowerCase().replace(/\+.*$/s, '');
  const isGmail = host === 'gmail.com' || host === 'googlemail.com';
  return hashToken(isGmail ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${host}`);
}

/**
 * Removes everything from a name that mail programs turn into a link; letters, digits and a few
 * other characters remain. Compatibility forms are resolved first (NFKC), because some of them are
 * dots.
 */
export const nameWithoutAddress = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{M}\p{N} &'(),+-]+/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
