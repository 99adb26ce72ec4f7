import { randomBytes } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { hashToken } from '../../infra/secrets.ts';

/** Number of recovery codes of a person. */
const COUNT = 10;
/** Random bytes of a code: 80 bits cannot be guessed, so a fast hash is sufficient. */
const BYTES = 10;

/** Creates recovery codes, such as `abcd-efgh-ijkl-mnop`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: COUNT }, () =>
    base32nopad
      .encode(randomBytes(BYTES))
      .toLowerCase()
      .replaceAll(/.{4}(?=.)/g, '$&-'),
  );

/** Hashes a recovery code of a person for storage, in any case and with or without hyphens. */
export const recoveryHash = (userId: string, code: string): string =>
  hashToken(`recovery code ${userId} ${code.toLowerCase().replaceAll(/[^a-z2-7]/g, '')}`);
