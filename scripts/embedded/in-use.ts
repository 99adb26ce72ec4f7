import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { identityOf, isAlive } from '#lock';

let notes = 0;

/**
 * Records in `DATA_DIR/in-use` that this process uses the private servers. The returned function
 * removes the record, and reports whether it was the last one of a living process. Both must be
 * called by one process at a time.
 */
export function recordUse(dataDir: string): () => boolean {
  const folder = path.join(dataDir, 'in-use');
  mkdirSync(folder, { recursive: true });
  notes += 1;
  const note = path.join(folder, `${process.pid}.${notes}`);
  writeFileSync(note, identityOf(process.pid) ?? '');
  return () => {
    rmSync(note, { force: true });
    for (const name of readdirSync(folder)) {
      const other = path.join(folder, name);
      if (isAlive(readFileSync(other, 'utf8'))) return false;
      // Its process was killed.
      rmSync(other);
    }
    return true;
  };
}
