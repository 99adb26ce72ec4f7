import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../src/api/openapi.ts';
import { routes } from '../../src/api/routes.ts';
import { stack } from './stack.ts';

/** What the API answered. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  body: any;
}

interface Operation {
  responses: Record<
    string,
    { $ref?: string; content?: { 'application/json': { schema: object } } }
  >;
}

/** How a request may differ from a plain one. */
export interface RequestOptions {
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean | string[] | undefined>;
}

/** The API as a caller sees it. Every answer is checked against the OpenAPI document. */
export class ApiClient {
  readonly #apiKey: string | undefined;

  constructor(apiKey: string | undefined) {
    this.#apiKey = apiKey;
  }

  get(
    path: string,
    query: RequestOptions['query'] = {},
    options: RequestOptions = {},
  ): Promise<ApiAnswer> {
    return this.send('GET', path, undefined, { ...options, query });
  }

  post(path: string, body?: unknown, options?: RequestOptions): Promise<ApiAnswer> {
    return this.send('POST', path, body, options);
  }

  put(path: string, body?: unknown, options?: RequestOptions): Promise<ApiAnswer> {
    return this.send('PUT', path, body, options);
  }

  patch(path: string, body?: unknown, options?: RequestOptions): Promise<ApiAnswer> {
    return this.send('PATCH', path, body, options);
  }

  delete(
    path: string,
    query: RequestOptions['query'] = {},
    options: RequestOptions = {},
  ): Promise<ApiAnswer> {
    return this.send('DELETE', path, undefined, { ...options, query });
  }

  /** Gets what is not JSON: status, headers and bytes. */
  async download(
    path: string,
    query: RequestOptions['query'] = {},
    { headers = {} }: RequestOptions = {},
  ): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
    const response = await fetch(stack().apiUrl + path + toSearch(query), {
      headers: {
        ...(this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` }),
        ...headers,
      },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  }

  async send(
    method: string,
    path: string,
    body: unknown,
    options: RequestOptions = {},
  ): Promise<ApiAnswer> {
    const response = await fetch(stack().apiUrl + path + toSearch(options.query ?? {}), {
      method,
      headers: {
        ...(this.#apiKey === undefined ? {} : { authorization: `Bearer ${this.#apiKey}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined
        ? {}
        : {
            body:
              typeof body === 'string' || body instanceof Uint8Array
                ? (body as string)
                : JSON.stringify(body),
          }),
    });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers, body: JSON.parse(text) };
    checkAnswer(method, path, answer);
    return answer;
  }
}

function toSearch(query: NonNullable<RequestOptions['query']>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const values = Array.isArray(value) ? value : [value];
    return values.map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`);
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

let checks: Map<string, { pattern: RegExp; operation: Operation }[]> | undefined;
let errorSchema: object;

function operationsOf(method: string) {
  if (checks === undefined) {
    const document = openApiDocument(routes) as unknown as {
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: { Error: object } };
    };
    errorSchema = document.components.schemas.Error;
    checks = new Map();
    for (const [path, operations] of Object.entries(document.paths)) {
      const pattern = new RegExp(
        `^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      );
      for (const [verb, operation] of Object.entries(operations)) {
        checks.set(verb, [...(checks.get(verb) ?? []), { pattern, operation }]);
      }
    }
  }
  return checks.get(method.toLowerCase()) ?? [];
}

/** Throws when an answer is not as the document says. */
function checkAnswer(method: string, path: string, { status, headers, body }: ApiAnswer): void {
  const fail = (why: string) => {
    throw new Error(
      `${method} ${path} answered ${status}: ${why}\n${JSON.stringify(body).slice(0, 2000)}`,
    );
  };
  if (headers.get('x-request-id') === null) fail('there is no X-Request-Id');
  const pathname = path.split('?')[0]!;
  const operation = operationsOf(method).find(({ pattern }) => pattern.test(pathname))?.operation;
  const response = operation?.responses[String(status)];
  if (operation !== undefined && response === undefined)
    fail('the document does not know this status');
  const schema = status >= 400 ? errorSchema : response?.content?.['application/json'].schema;
  if (schema === undefined) return;
  if (!ajv.validate(schema, body)) fail(ajv.errorsText().slice(0, 2_000));
}
