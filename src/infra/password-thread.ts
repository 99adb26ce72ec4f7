import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import type { Done, Task } from './password-hashes.ts';

/* The thread of `PasswordHashes`: one task after the other. */

const NICE = 10;

// On Linux this is the priority of this thread alone; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(0, NICE);

parentPort!.on('message', (task: Task) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort!.postMessage(done(task));
});

function done({ id, password, hash }: Task): Done {
  try {
    // The defaults are Argon2id with 19 MiB, two passes and one lane, as OWASP recommends.
    const result = hash === undefined ? hashSync(password) : verifySync(hash, password);
    return { id, result };
  } catch (error) {
    return { id, error: String(error) };
  }
}
