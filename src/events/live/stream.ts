import { liveDropped } from '../../infra/metrics.ts';
import type { StoredEvent, UncountedReason } from '../event.ts';
import { kindOfStored } from '../kinds.ts';
import { writeCursor } from '../query/cursor.ts';

/** Limits of what is buffered for a slow client. Above them, the oldest events are dropped. */
const MAX_MESSAGES = 500;
const MAX_BYTES = 1 << 20;
/** Interval of comments, in ms, from which proxies and clients see that the connection is open. */
const BEAT_MS = 15_000;
/** Delay after which a client reconnects, in ms. */
const RETRY_MS = 1_000;
/** Maximum size of one write, in UTF-16 units. */
const MAX_WRITE_LENGTH = 64 * 1024;

/** An event of the stream, ready to be sent. */
export interface Message {
  /** Absent for an uncounted visit, whose record has the id of the visit that was counted. */
  eventId?: string;
  text: string;
  bytes: number;
}

/**
 * Formats an event for an event stream (HTML standard, 9.2.5). The id of the message is the
 * position from which a client resumes the stream.
 */
export function messageOf(event: StoredEvent, record: object): Message {
  const cursor = writeCursor({ atMicros: event.occurred_at.getTime() * 1_000, id: event.id });
  const text = `id: ${cursor}\nevent: ${kindOfStored(event.event)}\ndata: ${JSON.stringify(record)}\n\n`;
  return { eventId: event.id, text, bytes: Buffer.byteLength(text) };
}

/**
 * Formats an uncounted visit. It has no id, because a stream cannot resume from a visit that is not
 * stored.
 */
export function uncountedMessageOf(record: object, reason: UncountedReason): Message {
  const data = JSON.stringify({ ...record, counted: false, reason });
  const text = `event: uncounted\ndata: ${data}\n\n`;
  return { text, bytes: Buffer.byteLength(text) };
}

/**
 * The body of one response. Messages that are pushed come out of `next` as fast as the client reads
 * them. If it reads too slowly, the oldest are dropped, and the client gets their number before the
 * next event.
 */
export class LiveStream implements AsyncIterableIterator<string> {
  #messages: Message[] = [];
  #bytes = 0;
  #dropped = 0;
  /** Text that is sent before all events. */
  #notice = `retry: ${RETRY_MS}\n\n`;
  /** Ids of the events that the client received from the store. */
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

  /** Puts events from the store before all others. Called once. */
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
    while (this.#messages.length > MAX_MESSAGES || this.#bytes > MAX_BYTES) {
      this.#bytes -= this.#messages.shift()!.bytes;
      this.drop(1);
    }
  }

  /** Counts events that the client should have received but will not. */
  drop(count: number): void {
    this.#dropped += count;
    liveDropped.inc(count);
    this.#wake?.();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Ends the response. Unread events are left out; the client finds them in the store. */
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
    let length = 0;
    while (length < this.#messages.length && text.length < MAX_WRITE_LENGTH) {
      text += this.#messages[length]!.text;
      length += 1;
    }
    for (const { bytes } of this.#messages.splice(0, length)) this.#bytes -= bytes;
    return text;
  }
}
