import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ConfigError } from '../config.ts';

const READ_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** Appends all bytes to a file that was opened for appending. */
export async function appendAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, written);
    written += bytesWritten;
  }
}

/** Makes new names in a folder durable, because the fsync of a file does not cover its name. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Reads the lines of a file that may not fit into memory. A final line without line feed, cut off
 * by a crash, is included. `readline` would also split at U+2028, which JSON does not escape.
 */
export async function* linesOf(file: string): AsyncGenerator<string> {
  const handle = await open(file, 'r');
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      const { bytesRead, buffer } = await handle.read(
        Buffer.allocUnsafe(READ_BYTES),
        0,
        READ_BYTES,
      );
      if (bytesRead === 0) break;
      const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
        yield bytes.toString('utf8', start, end);
        start = end + 1;
      }
      rest = bytes.subarray(start);
    }
    if (rest.length > 0) yield rest.toString();
  } finally {
    await handle.close();
  }
}

/**
 * Reads the file that a parameter of a URL names.
 *
 * @param variable the setting that holds the URL
 * @throws ConfigError if it cannot be read
 */
export function readParameterFile(variable: string, parameter: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`${variable}: ${parameter}: ${(error as Error).message}`);
  }
}
