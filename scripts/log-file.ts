import { createWriteStream, lstatSync, renameSync, type WriteStream } from 'node:fs';

/** Size from which a file is rotated, in bytes. */
const MAX_FILE_BYTES = 50_000_000;
/** Maximum number of bytes that wait for a slow disk; further lines are lost. */
const MAX_WAITING_BYTES = 1_000_000;
/** Delay before a write that failed is retried, in ms. */
const REST_MS = 5_000;

/**
 * A log file that tolerates a full, slow or missing disk: lines are then lost and counted, and the
 * file is tried again. The previous contents are kept as `<file>.1`; anything but a plain file (a
 * link, a pipe) is left in place.
 */
export class LogFile {
  readonly #place: string;
  readonly #say: (line: string) => void;
  #stream: WriteStream | undefined;
  #length = 0;
  #lost = 0;
  #isFailing = false;
  #retryAt = 0;

  /** @param say receives a line when the file becomes unwritable, and when it works again */
  constructor(place: string, say: (line: string) => void) {
    this.#place = place;
    this.#say = say;
    this.#putAside();
  }

  write(line: string): void {
    if (this.#length > MAX_FILE_BYTES) this.#beginAnew();
    const stream = this.#open();
    if (stream === undefined || stream.writableLength > MAX_WAITING_BYTES) {
      this.#lost += 1;
      return;
    }
    const text = `${line}\n`;
    this.#length += Buffer.byteLength(text);
    stream.write(text, (error) => {
      if (error) this.#lost += 1;
      else if (this.#isFailing || this.#lost > 0) this.#recovered();
    });
  }

  #open(): WriteStream | undefined {
    if (this.#stream === undefined && Date.now() >= this.#retryAt) {
      const stream = createWriteStream(this.#place, { flags: 'a', mode: 0o600 });
      stream.on('error', (error) => {
        if (this.#stream === stream) this.#failed(error);
      });
      this.#stream = stream;
    }
    return this.#stream;
  }

  #failed({ message }: Error): void {
    this.#stream = undefined;
    this.#retryAt = Date.now() + REST_MS;
    if (!this.#isFailing) this.#say(`${this.#place} is not written: ${message}`);
    this.#isFailing = true;
  }

  #recovered(): void {
    const lost = this.#lost;
    this.#lost = 0;
    this.#isFailing = false;
    this.#say(`${this.#place} is written again; ${lost} lines are missing`);
    this.#stream?.write(`${lost} lines are missing here\n`);
  }

  #beginAnew(): void {
    this.#length = 0;
    this.#stream?.end();
    this.#stream = undefined;
    this.#putAside();
  }

  #putAside(): void {
    try {
      if (lstatSync(this.#place, { throwIfNoEntry: false })?.isFile()) {
        renameSync(this.#place, `${this.#place}.1`);
      }
    } catch {
      // Appending continues.
    }
  }
}
