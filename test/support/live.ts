import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { eventually } from './eventually.ts';

/** A message of a stream of server-sent events, by its fields. */
export interface LiveMessage {
  id?: string;
  event?: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into events of every kind
  data?: any;
  retry?: string;
  comment?: string;
}

interface LiveOptions {
  apiUrl: string;
  apiKey: string;
  query?: string;
  headers?: Record<string, string>;
  method?: string;
}

/** A client of `GET /events/live`, which can read slowly. */
export class LiveClient {
  readonly messages: LiveMessage[] = [];
  /** State of the answer at its end; `undefined` while it continues. */
  end: 'ended' | 'cut' | undefined;
  /** The body of a refusal. */
  text = '';
  response!: IncomingMessage;
  #request!: ClientRequest;
  #rest = '';

  /** Resolves once the headers of the answer have arrived. */
  static async open({
    apiUrl,
    apiKey,
    query = '',
    headers = {},
    method = 'GET',
  }: LiveOptions): Promise<LiveClient> {
    const client = new LiveClient();
    client.response = await new Promise((resolve, reject) => {
      client.#request = request(
        `${apiUrl}/events/live${query}`,
        { method, agent: false, headers: { authorization: `Bearer ${apiKey}`, ...headers } },
        resolve,
      );
      client.#request.on('error', reject);
      client.#request.end();
    });
    client.#request.on('error', () => {});
    client.response
      .setEncoding('utf8')
      .on('data', (text: string) => client.#take(text))
      .on('end', () => {
        client.end ??= 'ended';
      })
      .on('error', () => {
        client.end ??= 'cut';
      });
    return client;
  }

  #take(text: string): void {
    this.text += text;
    const parts = (this.#rest + text).split('\n\n');
    this.#rest = parts.pop()!;
    for (const part of parts) this.messages.push(messageOf(part));
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  /** The received events, without notices. */
  get events(): LiveMessage[] {
    return this.messages.filter(({ id }) => id !== undefined);
  }

  /** Number of omitted events, as reported by the stream. */
  get dropped(): number {
    return this.messages
      .filter(({ event }) => event === 'dropped')
      .reduce((sum, { data }) => sum + data.count, 0);
  }

  /** Resolves with the events once there are this many. */
  wait(count: number, ms?: number): Promise<LiveMessage[]> {
    return eventually(() => {
      if (this.events.length < count) throw new Error(`${this.events.length} of ${count} events`);
      return this.events;
    }, ms);
  }

  close(): void {
    this.#request.destroy();
  }
}

function messageOf(text: string): LiveMessage {
  const fields = text.split('\n').map((line) => {
    const at = line.indexOf(': ');
    return [line.slice(0, at) || 'comment', line.slice(at + 2)] as const;
  });
  const { data, ...others } = Object.fromEntries(fields) as Record<string, string>;
  return { ...others, ...(data === undefined ? {} : { data: JSON.parse(data) }) };
}
