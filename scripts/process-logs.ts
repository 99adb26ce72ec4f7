import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { LogFile } from './log-file.ts';

/** Levels of pino that are shown, by their number. */
const SHOWN: Record<number, string> = { 40: 'warning', 50: 'error', 60: 'fatal' };

/** Time for which a warning or an error of a process is not shown again, in ms. */
const SHOWN_MS = 3_600_000;

/**
 * Writes all output of processes to `<folder>/<name>.log`, and warnings and errors to the terminal, the same one of a process once
 * an hour. The files of the previous run are kept as `<name>.log.1`.
 */
export class ProcessLogs {
  readonly #folder: string;
  readonly #verbose: boolean;
  readonly #files = new Map<string, LogFile>();
  /** Times at which lines were shown, in ms, in this order. */
  readonly #shown = new Map<string, number>();

  /** @param verbose shows every line as it is */
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

/** The part of a log line that the terminal shows; other lines are shown as they are. */
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
