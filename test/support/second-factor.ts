import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { stepAt, totpCode } from '../../src/users/second-factor/totp.ts';
import type { Person } from './people.ts';

/** The authenticator app of a person. */
export interface Authenticator {
  secret: string;
  recoveryCodes: string[];
  /**
   * Resolves with a code that the service accepts, as if the last one were long ago.
   *
   * @param offset in steps of 30 seconds
   */
  code(offset?: number): Promise<string>;
}

/** Sets up a second factor like the console. */
export async function anAuthenticator(
  { api, userId }: Pick<Person, 'api' | 'userId'>,
  currentPassword?: string,
): Promise<Authenticator> {
  const { secret, setup } = (await api.post('/me/second-factor/setup')).body;
  const present = (offset = 0) => totpCode(secret, stepAt(Date.now()) + offset);
  const body = { setup, code: present(), ...(currentPassword && { currentPassword }) };
  const answer = await api.post('/me/second-factor', body);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
  return {
    secret,
    recoveryCodes: answer.body.recoveryCodes,
    async code(offset) {
      await db()('second_factors').where({ user_id: userId }).update({ last_step: 0 });
      return present(offset);
    },
  };
}
