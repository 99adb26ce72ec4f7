import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

/*
 * Receivers that check requests as Matomo, Google Analytics, Plausible and Umami document them, and
 * answer as these do. Schemas are strict: what they do not list is refused, also if the product
 * ignores it.
 */

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
addFormats.default(ajv);

const object = (properties: object, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = (maxLength: number, pattern?: string) => ({
  type: 'string',
  minLength: 1,
  maxLength,
  ...(pattern === undefined ? {} : { pattern }),
});
const URI = { type: 'string', format: 'uri', maxLength: 2_000 };
const CURRENCY = text(3, '^[A-Z]{3}$');

/** Parameters of a request of Matomo's tracking API. */
const MATOMO = ajv.compile(
  object(
    {
      idsite: { const: '7' },
      rec: { const: '1' },
      apiv: { const: '1' },
      send_image: { const: '0' },
      bots: { const: '1' },
      _id: text(16, '^[0-9a-f]{16}$'),
      url: URI,
      urlref: URI,
      ua: text(300, '^Mozilla/5\\.0 '),
      cdt: text(10, '^\\d{10}$'),
      cip: text(45, '(\\.0|::)$'),
      country: text(2, '^[a-z]{2}$'),
      region: text(3, '^[A-Z0-9]+$'),
      city: text(100),
      action_name: text(500),
      ca: { const: '1' },
      e_c: text(100),
      e_a: text(100),
      e_n: text(255),
      e_v: text(20, '^\\d+(\\.\\d+)?$'),
      idgoal: { const: '0' },
      ec_id: text(255),
      revenue: text(20, '^\\d+(\\.\\d+)?$'),
    },
    ['idsite', 'rec', '_id', 'cdt'],
  ),
);

/** Body of a request of the Measurement Protocol; at most 25 parameters of at most 100 characters. */
const GA4 = ajv.compile(
  object(
    {
      client_id: text(50, '^\\d+\\.\\d+$'),
      timestamp_micros: { type: 'integer' },
      consent: object({
        ad_user_data: { enum: ['GRANTED', 'DENIED'] },
        ad_personalization: { enum: ['GRANTED', 'DENIED'] },
      }),
      user_location: object(
        { city: text(100), region_id: text(6, '^[A-Z]{2}-'), country_id: text(2, '^[A-Z]{2}$') },
        [],
      ),
      device: object(
        {
          category: { enum: ['desktop', 'mobile', 'tablet', 'smart TV'] },
          browser: text(100),
          operating_system: text(100),
        },
        [],
      ),
      events: {
        type: 'array',
        minItems: 1,
        maxItems: 25,
        items: object({
          name: text(40, '^[a-z][a-z0-9_]*$'),
          params: {
            type: 'object',
            maxProperties: 25,
            propertyNames: { maxLength: 40, pattern: '^[a-z][a-z0-9_]*$' },
            properties: {
              page_location: text(1_000),
              page_referrer: text(420),
              items: {
                type: 'array',
                minItems: 1,
                items: object({ item_id: text(100), item_name: text(100) }),
              },
              value: { type: 'number' },
              currency: CURRENCY,
            },
            additionalProperties: { type: ['string', 'number'], maxLength: 100 },
            required: ['session_id', 'engagement_time_msec'],
          },
        }),
      },
    },
    ['client_id', 'events'],
  ),
);

/** Body of a request of Plausible's events API. */
const PLAUSIBLE = ajv.compile(
  object(
    {
      name: text(120, '^(?!engagement$)'),
      domain: { const: 'stats.example' },
      url: URI,
      referrer: URI,
      props: {
        type: 'object',
        maxProperties: 30,
        propertyNames: { maxLength: 300 },
        additionalProperties: text(2_000),
      },
      revenue: object({ amount: text(20, '^\\d+(\\.\\d+)?$'), currency: CURRENCY }),
    },
    ['name', 'domain', 'url'],
  ),
);

/** Body of a request of Umami's `/api/send`. */
const UMAMI = ajv.compile(
  object({
    type: { const: 'event' },
    payload: object(
      {
        website: { const: '4fb7fa4c-5b46-438d-94b3-3a8fb9bc2e8b' },
        hostname: { type: 'string', maxLength: 100 },
        url: text(500, '^(/|https?://)'),
        referrer: { type: 'string', pattern: '^$|^https?://', maxLength: 500 },
        title: text(500),
        ip: { type: 'string', format: 'ipv4' },
        userAgent: text(300, '^Mozilla/5\\.0 '),
        timestamp: { type: 'integer', minimum: 1_700_000_000, maximum: 9_999_999_999 },
        name: text(50, '^[^=+\\-@\\t\\r]'),
        tag: text(50, '^[^=+\\-@\\t\\r]'),
        data: {
          type: 'object',
          additionalProperties: { type: ['string', 'number', 'boolean'] },
        },
      },
      ['website', 'url'],
    ),
  }),
);

/** A request that a receiver took. */
export interface Taken {
  headers: IncomingHttpHeaders;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  body: any;
}

interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: object | string;
}

/** The products, by the type of the destination. */
export type Product = 'matomo' | 'ga4' | 'plausible' | 'umami';

export const TOKEN = 'c0ffeec0ffeec0ffeec0ffeec0ffee00';

/** Settings of destinations that the servers know, without the URL, and their secrets. */
export const SETTINGS: Record<Product, object> = {
  matomo: { siteId: 7 },
  ga4: { measurementId: 'G-ABCD123456' },
  plausible: { domain: 'stats.example' },
  umami: { websiteId: '4fb7fa4c-5b46-438d-94b3-3a8fb9bc2e8b' },
};
export const SECRETS: Partial<Record<Product, string>> = { matomo: TOKEN, ga4: TOKEN };

/** A server of one of these products, on loopback. It can be stopped and started again. */
export class AnalyticsServer {
  readonly taken: Taken[] = [];
  /** Requests that break a rule of the product. */
  readonly faults: string[] = [];
  /** Answers instead of the product from now on; `undefined`: the product answers. */
  reply: Reply | undefined;
  /** Answers to requests with such a body instead of the product. */
  replyTo: ((body: Taken['body']) => Reply | undefined) | undefined;
  /** Number of requests. */
  requests = 0;
  readonly #product: Product;
  #server: Server | undefined;
  #port = 0;

  constructor(product: Product) {
    this.#product = product;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Starts it, at the same port as before. */
  async start(): Promise<this> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('error', () => {});
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(pieces).toString());
        const { method, url = '', headers } = request;
        const taken = { headers, body };
        this.requests += 1;
        const reply = this.reply ?? this.replyTo?.(body) ?? this.#answer(`${method} ${url}`, taken);
        const content = typeof reply.body === 'object' ? JSON.stringify(reply.body) : reply.body;
        response.writeHead(reply.status, reply.headers).end(content);
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  #answer(line: string, taken: Taken): Reply {
    const answers: Record<Product, () => Reply> = {
      matomo: () => this.#matomo(line, taken),
      ga4: () => this.#ga4(line, taken),
      plausible: () => this.#plausible(line, taken),
      umami: () => this.#umami(line, taken),
    };
    return answers[this.#product]();
  }

  #matomo(line: string, { headers, body }: Taken): Reply {
    if (line !== 'POST /matomo.php') return { status: 404 };
    const invalid: number[] = [];
    for (const [n, request] of (body.requests as string[]).entries()) {
      const fields = Object.fromEntries(new URLSearchParams(request));
      if (body.token_auth !== TOKEN) invalid.push(n);
      else if (this.#isValid(MATOMO, fields)) this.taken.push({ headers, body: fields });
      else invalid.push(n);
    }
    const tracked = body.requests.length - invalid.length;
    const counts = { tracked, invalid: invalid.length };
    return { status: 200, body: { status: 'success', ...counts, invalid_indices: invalid } };
  }

  #ga4(line: string, taken: Taken): Reply {
    const url = new URL(line.slice(line.indexOf('/')), this.url);
    if (line.startsWith('POST /debug/mp/collect?')) {
      const isValid = this.#isValid(GA4, taken.body);
      const message = { fieldPath: 'events', description: 'invalid', validationCode: 'X' };
      return { status: 200, body: { validationMessages: isValid ? [] : [message] } };
    }
    const isKnown =
      line.startsWith('POST /mp/collect?') &&
      url.searchParams.get('measurement_id') === 'G-ABCD123456' &&
      url.searchParams.get('api_secret') === TOKEN;
    if (isKnown && this.#isValid(GA4, taken.body)) this.taken.push(taken);
    return { status: 204 };
  }

  #plausible(line: string, taken: Taken): Reply {
    if (line !== 'POST /api/event') return { status: 404 };
    const { 'user-agent': agent = '', 'x-forwarded-for': address = '' } = taken.headers;
    if (!this.#isValid(PLAUSIBLE, taken.body)) return { status: 400, body: { errors: {} } };
    if (!agent.startsWith('Mozilla/5.0 ') || !String(address).endsWith('.0')) {
      this.faults.push(`${agent} ${String(address)}`);
    }
    this.taken.push(taken);
    return { status: 202, body: 'ok' };
  }

  #umami(line: string, taken: Taken): Reply {
    if (line !== 'POST /api/send') return { status: 404 };
    if (!this.#isValid(UMAMI, taken.body)) return { status: 400, body: { error: {} } };
    if (/bot|compatible/i.test(taken.body.payload.userAgent)) {
      return { status: 200, body: { beep: 'boop' } };
    }
    this.taken.push(taken);
    return { status: 200, body: { cache: 'a', sessionId: 'b', visitId: 'c' } };
  }

  #isValid(validate: ValidateFunction, value: unknown): boolean {
    if (validate(value)) return true;
    this.faults.push(`${ajv.errorsText(validate.errors)} ${JSON.stringify(value)}`);
    return false;
  }
}
