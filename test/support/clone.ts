import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../src/infra/root.ts';

/** Copies the files of the clone in their present state, without installed or built ones. */
export function copyClone(target: string): void {
  mkdirSync(target, { recursive: true });
  const list = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT });
  const archive = path.join(target, 'clone.tar');
  execFileSync('tar', ['-cf', archive, '-T', '-'], { cwd: ROOT, input: list });
  execFileSync('tar', ['-xf', archive, '-C', target]);
  rmSync(archive);
}
