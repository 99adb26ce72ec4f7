import { Receiver } from '../support/receiver.ts';

/** Outcomes of requests, each of which creates one uniquely named record. */
export interface Outcomes {
  /** Names of records answered as done. */
  done: Set<string>;
  /** Paths of the jobs of 202 answers by name. */
  accepted: Map<string, string>;
  /** Statuses of all other answers by name; 0 stands for no answer. */
  failed: Map<string, number>;
}

/** Sends requests to the API at a steady rate until it is stopped. */
export class Callers {
  readonly outcomes: Outcomes = { done: new Set(), accepted: new Map(), failed: new Map() };
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();

  /**
   * Starts the requests.
   * @param bodyOf builds the body of a request from its name
   */
  constructor(
    name: string,
    url: string,
    { apiKey, perSecond }: { apiKey: string; perSecond: number },
    bodyOf: (name: string) => object,
  ) {
    let n = 0;
    this.#timer = setInterval(() => {
      n += 1;
      const call = this.#call(`${name}-${n}`, url, apiKey, bodyOf);
      this.#open.add(call);
      void call.finally(() => this.#open.delete(call));
    }, 1000 / perSecond);
  }

  async stop(): Promise<Outcomes> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    return this.outcomes;
  }

  async #call(
    name: string,
    url: string,
    apiKey: string,
    bodyOf: (name: string) => object,
  ): Promise<void> {
    const { done, accepted, failed } = this.outcomes;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(name)),
        signal: AbortSignal.timeout(60_000),
      });
      await response.arrayBuffer();
      if (response.status === 202) accepted.set(name, response.headers.get('location')!);
      else if (response.ok) done.add(name);
      else failed.set(name, response.status);
    } catch {
      failed.set(name, 0);
    }
  }
}

/** A webhook receiver that fails at times, and remembers the ids of each message. */
export class Deliveries {
  /** Ids of the accepted messages, by kind and id of the record. */
  readonly accepted = new Map<string, Set<string>>();
  /** Ids of all messages that arrived, by kind and id of the record. */
  readonly received = new Map<string, Set<string>>();
  requests = 0;
  readonly #receiver: Receiver;

  private constructor(receiver: Receiver, random: () => number, failing: number) {
    this.#receiver = receiver;
    receiver.answer = ({ id, body }, response) => {
      // The receiver's full list would grow for hours, so only ids are kept here.
      receiver.received.length = 0;
      this.requests += 1;
      const record = `${body.type} ${body.data.click?.id ?? body.data.id}`;
      const isFailing = random() < failing;
      for (const ids of isFailing ? [this.received] : [this.received, this.accepted]) {
        ids.set(record, (ids.get(record) ?? new Set()).add(id));
      }
      response.writeHead(isFailing ? 500 : 204).end();
    };
  }

  static async start(random: () => number, failing: number): Promise<Deliveries> {
    return new Deliveries(await Receiver.start(), random, failing);
  }

  get url(): string {
    return this.#receiver.url;
  }

  stop(): Promise<void> {
    return this.#receiver.stop();
  }
}
