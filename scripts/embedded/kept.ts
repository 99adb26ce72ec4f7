import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';

/** Writes a small file that only its owner can read, atomically. */
export function keep(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const fd = openSync(draft, 'wx', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, file);
}

/** Returns the 256 random bits, as 64 hexadecimal digits, in `file`; created on the first call. */
export function keptSecret(file: string): string {
  if (!existsSync(file)) keep(file, `${randomBytes(32).toString('hex')}\n`);
  return readFileSync(file, 'utf8').trim();
}
