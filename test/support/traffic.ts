import { Agent, request } from 'node:http';

/** Time for which a visitor waits for an answer, in ms: longer than a busy machine may pause. */
const PATIENCE_MS = 60_000;

const running = new Set<Visitors | Writers>();

/**
 * Stops traffic that a failed test has left running, which would disturb later tests and keep the
 * process alive.
 */
export async function stopTraffic(): Promise<void> {
  await Promise.all([...running].map((traffic) => traffic.stop()));
}

/** Outcomes of the visits of a run. */
export interface Tally {
  /** Visitors with a redirect. */
  answered: Set<string>;
  /** Visitors whose answer was aborted. */
  cut: Set<string>;
  /** Visitors with another status. */
  others: Map<string, number>;
}

/**
 * Steady visits of known links until it is stopped. Every visitor has a unique name, which is sent
 * as `Referer` to identify the event.
 */
export class Visitors {
  readonly tally: Tally = { answered: new Set(), cut: new Set(), others: new Map() };
  /** Click ids that redirects of links with `trackConversion` have handed out, the newest last. */
  readonly clickIds: string[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();
  #count = 0;

  constructor(name: string, ports: readonly number[], keys: readonly string[], perSecond: number) {
    running.add(this);
    this.#timer = setInterval(() => {
      const n = this.#count;
      this.#count += 1;
      const visit = this.#visit(`${name}-${n}`, ports[n % ports.length]!, keys[n % keys.length]!);
      this.#open.add(visit);
      void visit.finally(() => this.#open.delete(visit));
    }, 1000 / perSecond);
  }

  /** Visits made so far. */
  get count(): number {
    return this.#count;
  }

  async stop(): Promise<Tally> {
    running.delete(this);
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    this.#agent.destroy();
    return this.tally;
  }

  #visit(visitor: string, port: number, key: string): Promise<void> {
    return new Promise((resolve) => {
      const cut = () => {
        this.tally.cut.add(visitor);
        resolve();
      };
      const outgoing = request(
        {
          host: '127.0.0.1',
          port,
          path: `/${key}`,
          agent: this.#agent,
          timeout: PATIENCE_MS,
          headers: {
            host: 'localhost',
            'user-agent': `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0 Safari/537.36 ${visitor}`,
            referer: `https://visitor.example/${visitor}`,
          },
        },
        (response) => {
          response.resume();
          response.on('error', cut);
          response.on('end', () => {
            const [, clickId] = /[?&]click_id=([\w-]+)/.exec(response.headers.location ?? '') ?? [];
            if (clickId !== undefined) this.clickIds.push(clickId);
            if (response.statusCode === 302) this.tally.answered.add(visitor);
            else this.tally.others.set(visitor, response.statusCode ?? 0);
            resolve();
          });
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')));
      outgoing.on('error', cut);
      outgoing.end();
    });
  }
}

/** Outcomes of the writes of a run, by the external ids of the links. */
export interface WriteTally {
  /** Links answered with 201. */
  made: string[];
  /** Links answered with 202, with the id of their job. */
  accepted: Map<string, string>;
  /** Links answered with an error, or not at all. */
  failed: Map<string, number>;
}

/** Steady creation of links until it is stopped. */
export class Writers {
  readonly tally: WriteTally = { made: [], accepted: new Map(), failed: new Map() };
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();

  constructor(name: string, apiUrl: string, apiKey: string, perSecond: number) {
    let n = 0;
    running.add(this);
    this.#timer = setInterval(() => {
      n += 1;
      const write = this.#write(`${name}-${n}`, apiUrl, apiKey);
      this.#open.add(write);
      void write.finally(() => this.#open.delete(write));
    }, 1000 / perSecond);
  }

  /** Number of links that were created, or accepted to be. */
  get answered(): number {
    return this.tally.made.length + this.tally.accepted.size;
  }

  /** Numbers of answers by status; 0 where there was none. */
  get statuses(): Record<number, number> {
    const { made, accepted, failed } = this.tally;
    const counts: Record<number, number> = { 201: made.length, 202: accepted.size };
    for (const status of failed.values()) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  async stop(): Promise<WriteTally> {
    running.delete(this);
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    return this.tally;
  }

  async #write(externalId: string, apiUrl: string, apiKey: string): Promise<void> {
    try {
      const response = await fetch(`${apiUrl}/links`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          url: 'https://example.com/w',
          externalId,
          key: `key-${externalId}`,
        }),
      });
      const body = (await response.json()) as { id: string };
      if (response.status === 201) this.tally.made.push(externalId);
      else if (response.status === 202) this.tally.accepted.set(externalId, body.id);
      else this.tally.failed.set(externalId, response.status);
    } catch {
      this.tally.failed.set(externalId, 0);
    }
  }
}
