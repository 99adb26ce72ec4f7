import { createWriteStream, existsSync, mkdirSync, renameSync, type WriteStream } from 'node:fs';
import path from 'node:path';

/** Levels of pino that are shown, by their number. */
const SHOWN: Record<number, string> = { 40: 'warning', 50: 'error', 60: 'fatal' };

/**
 * Where the lines of processes go: all of them to `<folder>/<name>.log`, and to the terminal what somebody should
 * see. The files of the run before are kept as `<name>.log.1`.
 */
export class ProcessLogs {
  readonly #folder: string;
  readonly #verbose: boolean;
  readonly #files = new Map<string, WriteStream>();

  /** @param verbose shows every line as it is */
  constructor(folder: string, verbose: boolean) {
    this.#folder = folder;
    this.#verbose = verbose;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  take(name: string, line: string): void {
    this.#fileOf(name).write(`${line}\n`);
    const shown = this.#verbose ? line : summary(line);
    if (shown !== undefined) console.log(`${name} | ${shown}`);
  }

  #fileOf(name: string): WriteStream {
    let file = this.#files.get(name);
    if (file === undefined) {
      const place = path.join(this.#folder, `${name}.log`);
      if (existsSync(place)) renameSync(place, `${place}.1`);
      file = createWriteStream(place, { mode: 0o600 });
      this.#files.set(name, file);
    }
    return file;
  }
}

/** What of a log line is worth seeing in a terminal; a line that isn't one of a log is shown as it is. */
function summary(line: string): string | undefined {
  const { level, msg, err } = parse(line);
  if (level === undefined) return line;
  const label = SHOWN[level];
  if (label === undefined) return undefined;
  return `${label}: ${[msg, err?.message].filter(Boolean).join(': ')}`;
}

function parse(line: string): { level?: number; msg?: string; err?: { message?: string } } {
  try {
    return line.startsWith('{"level":') ? JSON.parse(line) : {};
  } catch {
    // A process that was killed in the middle of a line.
    return {};
  }
}
