import { Refusal } from '../errors.ts';
import { text } from '../http/fields.ts';

/** Bounds of the length of a new password, in characters. Hashing takes the same time for all. */
const MIN_PASSWORD_LENGTH = 10;
export const MAX_PASSWORD_LENGTH = 200;
/** Minimum number of distinct characters in a new password. */
const MIN_DISTINCT_CHARACTERS = 5;

/**
 * Schema of a password as entered: equal passwords may be composed differently (NIST SP 800-63B,
 * 5.1.1.2).
 */
export const newPassword = () =>
  text(MAX_PASSWORD_LENGTH)
    .normalize('NFC')
    .min(MIN_PASSWORD_LENGTH)
    .description(
      'New password, 10 to 200 characters: not the email address or name, and none of the most common ones.',
    )
    .example('correct horse battery staple');

/** The most common passwords of at least ten characters, from lists of leaked passwords. */
const COMMON = new Set(
  (
    '1234567890 12345678910 123456789a a123456789 123456789q 0987654321 9876543210 1234554321 1029384756 ' +
    'qwertyuiop qwerty1234 qwerty12345 qwerty123456 1q2w3e4r5t 1q2w3e4r5t6y q1w2e3r4t5 q1w2e3r4t5y6 1qaz2wsx3edc ' +
    'qazwsxedcrfv zaq12wsxcde3 asdfghjkl; asdfghjkl1 asdfghjkl123 zxcvbnm123 password12 password123 password1234 ' +
    'password12345 passwordpassword p@ssword123 p@ssw0rd123 passw0rd123 mypassword letmein123 welcome123 welcome1234 ' +
    'admin12345 admin123456 administrator changeme123 iloveyou12 iloveyou123 football123 baseball123 basketball ' +
    'princess123 sunshine123 superman123 dragon12345 monkey12345 master12345 liverpool123 whatever123 abcdefghij ' +
    'abcdefghijk abcd123456 abc1234567 abc123456789 correcthorsebatterystaple'
  ).split(' '),
);

/**
 * Refuses a new password that attackers would try first.
 *
 * @throws Refusal `unprocessable_entity`
 */
export function refuseWeakPassword(
  password: string,
  { email, name }: { email: string; name: string },
): void {
  const lower = password.toLowerCase();
  const personal = [email, email.split('@')[0]!, name].map((one) => one.toLowerCase());
  if (personal.includes(lower)) {
    throw new Refusal(
      'unprocessable_entity',
      'password must not be your email address or your name',
    );
  }
  if (COMMON.has(lower)) {
    throw new Refusal(
      'unprocessable_entity',
      'password must not be one of the most common passwords',
    );
  }
  if (new Set(lower).size < MIN_DISTINCT_CHARACTERS) {
    throw new Refusal(
      'unprocessable_entity',
      `password must have at least ${MIN_DISTINCT_CHARACTERS} different characters`,
    );
  }
}
