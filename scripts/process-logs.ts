import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { LogFile } from './log-file.ts';

/** Levels of pino that are shown, by their number. */
const SHOWN: Record<number, string> = { 40: 'warning', 50: 'error', 60: 'fatal' };

/**
 * Writes all output of processes to `<folder>/<name>.log`, and warnings and errors to the terminal. The files of the
 * previous run are kept as `<name>.log.1`.
 */
export class ProcessLogs {
  readonly #folder: string;
  readonly #verbose: boolean;
  readonly #files = new Map<string, LogFile>();

  /** @param verbose shows every line as it is */
  constructor(folder: string, verbose: boolean) {
    this.#folder = folder;
    this.#verbose = verbose;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  take(name: string, line: string): void {
    this.#fileOf(name).write(line);
    const shown = this.#verbose ? line : summary(line);
    if (shown !== undefined) console.log(`${name} | ${shown}`);
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
