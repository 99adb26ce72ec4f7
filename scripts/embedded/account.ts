import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from './setup-error.ts';

/** Options to run a program under an account other than root. */
export interface Account {
  uid: number;
  gid: number;
  /** Options for `spawn`; empty if `prefix` changes the account. */
  spawnOptions: { uid?: number; gid?: number };
  /** Command to put before the program. */
  prefix: string[];
}

/**
 * Chooses the account for Postgres, which refuses to run as root. `undefined` if this process is
 * not root and can run it itself; otherwise the owner of existing data, `postgres` or `nobody`.
 *
 * @param folders folders of the program and the data, which the account must be able to enter
 * @throws SetupError if it cannot
 */
export function postgresAccount(dataFolder: string, folders: string[]): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const ids = ownerOf(dataFolder) ?? idsOf('postgres') ?? idsOf('nobody');
  if (ids === undefined) {
    throw new SetupError(
      'Postgres refuses to run as root, and there is no account "postgres" or "nobody": run the command as an ordinary user, or set DATABASE_URL.',
    );
  }
  const { uid, gid } = ids;
  const plain: Account = { uid, gid, spawnOptions: { uid, gid }, prefix: [] };
  const barred = firstBarred(plain, folders);
  if (barred === undefined) return plain;
  const privileged: Account = { uid, gid, spawnOptions: {}, prefix: enterEverything(uid, gid) };
  if (firstBarred(privileged, folders) === undefined) return privileged;
  throw new SetupError(
    `Postgres refuses to run as root, and account ${uid}, under which it runs instead, may not enter ${barred}: move the project to a folder that everybody may enter, run the command as an ordinary user, or set DATABASE_URL.`,
  );
}

/**
 * Runs a program as `uid`, with the capability to pass closed folders, such as root's home or one
 * of `mktemp -d`. Linux only. `access(2)`, with which Postgres checks its own files, ignores that
 * capability unless the fix-up is off.
 */
function enterEverything(uid: number, gid: number): string[] {
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=-all,+dac_override',
    '--securebits=+no_setuid_fixup',
    '--',
  ];
}

/** Returns the outermost folder on the way to `folders` that the account cannot enter. */
function firstBarred({ spawnOptions, prefix }: Account, folders: string[]): string | undefined {
  const onTheWay = folders.flatMap((folder) => {
    const parts = path.resolve(folder).split('/');
    return parts.map((_, i) => parts.slice(0, i + 1).join('/') || '/');
  });
  const script = 'for f; do [ -x "$f" ] || { printf %s "$f"; exit; }; done; printf /ok';
  const [command = '', ...args] = [...prefix, '/bin/sh', '-c', script, 'sh', ...onTheWay];
  const { stdout, error } = spawnSync(command, args, {
    ...spawnOptions,
    cwd: '/',
    encoding: 'utf8',
  });
  if (error || stdout === '') return onTheWay[0];
  return stdout === '/ok' ? undefined : stdout;
}

function ownerOf(folder: string): { uid: number; gid: number } | undefined {
  const owner = statSync(folder, { throwIfNoEntry: false });
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : undefined;
}

function idsOf(name: string): { uid: number; gid: number } | undefined {
  const [uid, gid] = ['-u', '-g'].map((option) => {
    const { status, stdout } = spawnSync('id', [option, name], { encoding: 'utf8' });
    return status === 0 ? Number(stdout) : undefined;
  });
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}
