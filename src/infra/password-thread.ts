import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { hashSync, verifySync } from '@node-rs/argon2';
import type { Done, Task } from './password-hashes.ts';

/* The thread of `PasswordHashes`, which processes one task at a time. */

const NICE = 10;

// On Linux this sets the priority of this thread only, on other systems of the whole process.
if (process.platform === 'linux') setPriority(0, NICE);

parentPort!.on('message', (task: Task) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort!.postMessage(done(task));
});

function done({ id, password, hash }: Task): Done {
  try {
    // The defaults are Argon2id with 19 MiB, two passes and one lane, as recommended by OWASP.
    const result = hash === undefined ? hashSync(password) : verifySync(hash, password);
    return { id, result };
  } catch (error) {
    return { id, error: String(error) };
  }
}
