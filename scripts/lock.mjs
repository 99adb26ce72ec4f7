// Plain JavaScript: used before anything is installed or built. Compiled code imports it as
// `#lock`.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 50;

/**
 * Identifies a process by its number and its start time, since numbers are reused. `undefined` if
 * no such process runs.
 *
 * @param {number} pid
 * @returns {string | undefined}
 */
export function identityOf(pid) {
  try {
    if (existsSync('/proc/self/stat')) {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The second field is a name in brackets with arbitrary content; the other fields follow it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return /[ZX]/.test(fields[0]) ? undefined : `${pid} ${fields[19]}`;
    }
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [state, ...began] = line.split(/\s+/);
    return state.startsWith('Z') ? undefined : `${pid} ${began.join(' ')}`;
  } catch {
    return undefined;
  }
}

/**
 * True if the process with this identity (`identityOf`) is running.
 *
 * @param {string} identity
 * @returns {boolean}
 */
export function isAlive(identity) {
  return identityOf(Number.parseInt(identity, 10)) === identity;
}

/**
 * Runs `work` while holding the lock `file`, after waiting for its present holder. A lock whose
 * holder ended without releasing it is free.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {() => void} [onWait] called once if another process holds the lock
 * @returns {Promise<T>}
 */
export async function withLock(file, work, onWait = () => {}) {
  mkdirSync(path.dirname(file), { recursive: true });
  const mine = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(mine, identityOf(process.pid) ?? '');
  try {
    for (let waits = 0; !take(file, mine); waits += 1) {
      if (waits === 1) onWait();
      await pause(POLL_MS);
    }
  } finally {
    unlinkSync(mine);
  }
  try {
    return await work();
  } finally {
    unlinkSync(file);
  }
}

/** A hard link appears together with its content, so that a lock always names its holder. */
function take(file, mine) {
  if (tryTo('EEXIST', () => linkSync(mine, file))) return true;
  let holder = '';
  if (!tryTo('ENOENT', () => (holder = readFileSync(file, 'utf8')))) return false;
  if (isAlive(holder)) return false;
  const aside = `${mine}.stale`;
  if (!tryTo('ENOENT', () => renameSync(file, aside))) return false;
  // Another process may have taken the stale lock in between, so that its lock was moved.
  if (readFileSync(aside, 'utf8') !== holder) tryTo('EEXIST', () => linkSync(aside, file));
  unlinkSync(aside);
  return false;
}

/** True if `action` succeeded; false for an error with `code`, other errors are thrown. */
function tryTo(code, action) {
  try {
    action();
    return true;
  } catch (error) {
    if (error.code === code) return false;
    throw error;
  }
}
