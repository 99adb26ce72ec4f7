/** Kinds of writes in a run. */
export type WriteKind = 'create' | 'bulk' | 'patch' | 'delete' | 'sale' | 'lead';

/** Answers to one write, as its client received them. */
export interface Write {
  /** Unique name, which is stored with the created or changed record. */
  name: string;
  kind: WriteKind;
  /** Id of the link to change or delete. */
  target?: string | undefined;
  /** Number of records that the write creates. */
  records: number;
  /** Status of the last answer, or 0 without an answer. */
  status: number;
  /** Path of the job of a 202. */
  job?: string | undefined;
  /** Seconds from the start of the run to the request, and to its answer. */
  sentAt: number;
  answeredAt: number;
  /** Body of an answer that is not a success. */
  error?: string | undefined;
}

/** Number of requests by status, repeats included; 0 stands for no answer. */
export type StatusCounts = Map<number, number>;

interface Options {
  apiUrl: string;
  apiKey: string;
  perSecond: number;
  random: () => number;
  /** Ids of links to change or delete, each used once. */
  targets: string[];
  /** Ids of clicks from the redirect, the newest last. */
  clickIds: string[];
}

/** Order of the kinds of writes; a kind without a record to change is replaced by a creation. */
const TURNS: readonly WriteKind[] = [
  'create',
  'sale',
  'patch',
  'lead',
  'create',
  'bulk',
  'sale',
  'delete',
  'lead',
  'create',
];
const KEYED = 0.3;
const BULK_RECORDS = 3;
/** Number of the newest clicks from which conversions choose. */
const NEWEST = 20;
const PATIENCE_MS = 60_000;
const REPEATS = 3;
const REPEAT_AFTER_MS = 2_000;

/**
 * Sends writes of all kinds at a steady rate until it is stopped. As clients do, it repeats
 * requests with an `Idempotency-Key` after a 5xx or no answer.
 */
export class MixedWrites {
  readonly writes: Write[] = [];
  readonly statuses: StatusCounts = new Map();
  readonly #options: Options;
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();
  readonly #startedAt = performance.now();

  constructor(options: Options) {
    this.#options = options;
    let n = 0;
    this.#timer = setInterval(() => {
      const call = this.#call(n);
      n += 1;
      this.#open.add(call);
      void call.finally(() => this.#open.delete(call));
    }, 1000 / options.perSecond);
  }

  async stop(): Promise<Write[]> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    return this.writes;
  }

  async #call(n: number): Promise<void> {
    const { kind, method, path, body, target } = this.#request(n);
    const write: Write = {
      name: `write-${n}`,
      kind,
      target,
      records: kind === 'bulk' ? BULK_RECORDS : 1,
      status: 0,
      sentAt: this.#seconds(),
      answeredAt: 0,
    };
    const isKeyed = method === 'POST' && this.#options.random() < KEYED;
    for (let attempt = 0; attempt <= (isKeyed ? REPEATS : 0); attempt += 1) {
      await this.#send(write, method, path, body, isKeyed);
      if (write.status > 0 && write.status < 500) break;
      if (isKeyed) await new Promise((resolve) => setTimeout(resolve, REPEAT_AFTER_MS));
    }
    this.writes.push(write);
  }

  async #send(
    write: Write,
    method: string,
    path: string,
    body: unknown,
    isKeyed: boolean,
  ): Promise<void> {
    const { apiUrl, apiKey } = this.#options;
    try {
      const answer = await fetch(apiUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(isKeyed ? { 'idempotency-key': `key-${write.name}` } : {}),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const text = await answer.text();
      write.status = answer.status;
      write.error = answer.ok ? undefined : text.slice(0, 300);
      if (answer.status === 202)
        write.job = new URL(answer.headers.get('location')!, apiUrl).pathname;
    } catch {
      write.status = 0;
    }
    write.answeredAt = this.#seconds();
    this.statuses.set(write.status, (this.statuses.get(write.status) ?? 0) + 1);
  }

  #seconds(): number {
    return Math.round((performance.now() - this.#startedAt) / 10) / 100;
  }

  #request(n: number): {
    kind: WriteKind;
    method: string;
    path: string;
    body?: unknown;
    target?: string;
  } {
    const { random, targets, clickIds } = this.#options;
    const name = `write-${n}`;
    const url = `https://example.com/${name}`;
    const kind = TURNS[n % TURNS.length]!;
    const newest = clickIds.slice(-NEWEST);
    const clickId = newest[Math.floor(random() * newest.length)];
    const customerExternalId = name;
    if (kind === 'bulk') {
      const record = { url: 'https://example.com/bulk', comments: name };
      const body = Array.from({ length: BULK_RECORDS }, () => record);
      return { kind, method: 'POST', path: '/links/bulk', body };
    }
    if (kind === 'sale') {
      // Half of the sales have no invoice id by which a repeat could be recognized.
      const invoice = random() < 0.5 ? { invoiceId: name } : {};
      const click = clickId !== undefined && random() < 0.7 ? { clickId } : {};
      const body = { customerExternalId, amount: 100, metadata: { name }, ...invoice, ...click };
      return { kind, method: 'POST', path: '/track/sale', body };
    }
    if (kind === 'lead' && clickId !== undefined) {
      const body = { customerExternalId, clickId, eventName: 'Sign up', metadata: { name } };
      return { kind, method: 'POST', path: '/track/lead', body };
    }
    if (kind === 'patch' || kind === 'delete') {
      const target = targets.pop();
      const path = `/links/${target}`;
      if (target !== undefined && kind === 'delete')
        return { kind, method: 'DELETE', path, target };
      if (target !== undefined) {
        return { kind, method: 'PATCH', path, body: { comments: name }, target };
      }
    }
    return { kind: 'create', method: 'POST', path: '/links', body: { url, comments: name } };
  }
}
