import { liveDropped } from '../../infra/metrics.ts';
import type { StoredEvent, UncountedReason } from '../event.ts';
import { writeCursor } from '../query/cursor.ts';

/** Bounds of what waits for a client that reads slowly; the oldest events above them are dropped. */
const MOST_MESSAGES = 500;
const MOST_BYTES = 1 << 20;
/** Interval of comments, in ms, by which proxies and clients see that the connection is open. */
const BEAT_MS = 15_000;
/** Time after which a client connects again, in ms. */
const RETRY_MS = 1_000;
/** Text that is written at once, in UTF-16 units. */
const WRITTEN_AT_ONCE = 64 * 1024;

/** An event of the stream as it is sent. */
export interface Message {
  /** Absent of a visit that is not counted: it has the id of the visit that counts for it. */
  eventId?: string;
  text: string;
  bytes: number;
}

/** An event as the HTML standard wants it (9.2.5); its id is where the stream can be taken up again. */
export function messageOf(event: StoredEvent, record: object): Message {
  const cursor = writeCursor({ atMicros: event.occurred_at.getTime() * 1_000, id: event.id });
  const text = `id: ${cursor}\nevent: ${event.event}\ndata: ${JSON.stringify(record)}\n\n`;
  return { eventId: event.id, text, bytes: Buffer.byteLength(text) };
}

/** A visit that is not counted. Without an id: a stream can't be taken up again where nothing is stored. */
export function uncountedMessageOf(record: object, reason: UncountedReason): Message {
  const data = JSON.stringify({ ...record, counted: false, reason });
  const text = `event: uncounted\ndata: ${data}\n\n`;
  return { text, bytes: Buffer.byteLength(text) };
}

/**
 * The body of one answer: messages that are pushed come out of `next`, as fast as the client reads them. Of what it does
 * not read in time the oldest is dropped, and the client gets the number before the next event.
 */
export class LiveStream implements AsyncIterableIterator<string> {
  #messages: Message[] = [];
  #bytes = 0;
  #dropped = 0;
  /** Text that goes before all events. */
  #notice = `retry: ${RETRY_MS}\n\n`;
  /** Events that the client has been sent from the store. */
  #replayed: ReadonlySet<string> = new Set();
  #isEnded = false;
  #wake: (() => void) | undefined;
  readonly #beat: NodeJS.Timeout;

  constructor() {
    this.#beat = setInterval(() => {
      this.#notice ||= ': no event\n\n';
      this.#wake?.();
    }, BEAT_MS);
  }

  /** Puts events from the store before all others, once. */
  replay(messages: readonly Message[], dropped: number): void {
    const waiting = this.#messages;
    this.#replayed = new Set(messages.flatMap(({ eventId }) => eventId ?? []));
    this.#messages = [];
    this.#bytes = 0;
    if (dropped > 0) this.drop(dropped);
    for (const message of messages) this.#add(message);
    for (const message of waiting) this.push(message);
  }

  push(message: Message): void {
    const { eventId } = message;
    if (this.#isEnded || (eventId !== undefined && this.#replayed.has(eventId))) return;
    this.#add(message);
    this.#wake?.();
  }

  #add(message: Message): void {
    this.#messages.push(message);
    this.#bytes += message.bytes;
    while (this.#messages.length > MOST_MESSAGES || this.#bytes > MOST_BYTES) {
      this.#bytes -= this.#messages.shift()!.bytes;
      this.drop(1);
    }
  }

  /** Notes that some events will not come which the client should get. */
  drop(count: number): void {
    this.#dropped += count;
    liveDropped.inc(count);
    this.#wake?.();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Ends the answer. What has not been read is left out: the client finds it in the store. */
  end(): void {
    this.#isEnded = true;
    this.#messages = [];
    clearInterval(this.#beat);
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    for (;;) {
      if (this.#isEnded) return { done: true, value: undefined };
      const text = this.#take();
      if (text !== '') return { done: false, value: text };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  async return(): Promise<IteratorResult<string, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(): string {
    let text = this.#notice;
    this.#notice = '';
    if (this.#dropped > 0) {
      text += `event: dropped\ndata: {"count":${this.#dropped}}\n\n`;
      this.#dropped = 0;
    }
    let taken = 0;
    while (taken < this.#messages.length && text.length < WRITTEN_AT_ONCE) {
      text += this.#messages[taken]!.text;
      taken += 1;
    }
    for (const { bytes } of this.#messages.splice(0, taken)) this.#bytes -= bytes;
    return text;
  }
}
