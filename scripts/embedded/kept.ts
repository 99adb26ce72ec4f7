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

/** Writes a small file that only its owner reads: all of it or, when we are stopped half-way, nothing. */
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

/** The 256 random bits, as 64 hexadecimal digits, that `file` holds; made on the first call. */
export function keptSecret(file: string): string {
  if (!existsSync(file)) keep(file, `${randomBytes(32).toString('hex')}\n`);
  return readFileSync(file, 'utf8').trim();
}
