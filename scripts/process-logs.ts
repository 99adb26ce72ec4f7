import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { LogFile } from './log-file.ts';

/** Levels of pino shown on the terminal, by number. */
const SHOWN: Record<number, string> = { 40: 'warning', 50: 'error', 60: 'fatal' };

/** Time for which a warning or error of a process is not shown again, in ms. */
const SHOWN_MS = 3_600_000;

/**
 * Writes all output of processes to `<folder>/<name>.log`, and warnings and errors to the terminal,
 * each at most once an hour per process. The files of the previous run are kept as `<name>.log.1`.
 */
export class ProcessLogs {
  readonly #folder: string;
  readonly #verbose: boolean;
  readonly #files = new Map<string, LogFile>();
  /** Times at which lines were shown, in ms, in ascending order. */
  readonly #shown = new Map<string, number>();

  /** @param verbose shows every line unchanged */
  constructor(folder: string, verbose: boolean) {
    this.#folder = folder;
    this.#verbose = verbose;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  take(name: string, line: string): void {
    this.#fileOf(name).write(line);
    const shown = this.#verbose ? line : summary(line);
    if (shown === undefined) return;
    const text = `${name} | ${shown}`;
    if (this.#verbose || shown === line || this.#isNew(text)) console.log(text);
  }

  #isNew(text: string): boolean {
    const now = performance.now();
    for (const [old, at] of this.#shown) {
      if (now - at < SHOWN_MS) break;
      this.#shown.delete(old);
    }
    if (this.#shown.has(text)) return false;
    this.#shown.set(text, now);
    return true;
  }

  #fileOf(name: string): LogFile {
    let file = this.#files.get(name);
    if (file === undefined) {
      const place = path.join(this.#folder, `${name}.log`);
      file = new LogFile(place, (line) => console.log(`${name} | ${line}`));
      this.#files.set(name, file);
    }
    return file;
  }
}

/**
 * Returns the part of a log line for the terminal; `undefined` for lines that are shown unchanged.
 */
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
    // The process was killed in the middle of a line.
    return {};
  }
}
