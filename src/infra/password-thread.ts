import { setPriority } from 'node:os';
import { hashSync, verifySync } from '@node-rs/argon2';
import type { PasswordTask } from './password-hashes.ts';

/* The thread of `PasswordHashes`. */

const NICE = 10;

// On Linux this is the priority of this thread alone; elsewhere it would be that of the process.
if (process.platform === 'linux') setPriority(0, NICE);

/** Compares a password with a hash, or makes a hash of it. */
export default function run({ password, hash }: PasswordTask): boolean | string {
  // The defaults are Argon2id with 19 MiB, two passes and one lane, as OWASP recommends.
  return hash === undefined ? hashSync(password) : verifySync(hash, password);
}
