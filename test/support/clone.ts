import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../src/infra/root.ts';

/** Copies the files of the clone as they are now, committed or not, without anything that was installed or built. */
export function copyClone(target: string): void {
  mkdirSync(target, { recursive: true });
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT });
  const archive = path.join(target, 'clone.tar');
  execFileSync('tar', ['-cf', archive, '-T', '-'], { cwd: ROOT, input: list });
  execFileSync('tar', ['-xf', archive, '-C', target]);
  rmSync(archive);
}
