import { errorsOf, type Operation, reference } from './reference.ts';
import { stack } from './stack.ts';

/** Response of the API. */
export interface ApiAnswer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  body: any;
}

/** Additional headers and parameters of a request. */
export interface RequestOptions {
  headers?: Record<string, string>;
  query?: Record<string, string | number | boolean | string[] | undefined>;
}

/** Client of the API that validates every response against the OpenAPI document. */
export class ApiClient {
  /** Headers of every request. */
  readonly #headers: Record<string, string>;

  constructor(apiKey: string | undefined, headers: Record<string, string> = {}) {
    const authorization = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    this.#headers = { ...authorization, ...headers };
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

  /** Downloads a response that is not JSON: status, headers and bytes. */
  async download(
    path: string,
    query: RequestOptions['query'] = {},
    { headers = {} }: RequestOptions = {},
  ): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
    const response = await fetch(stack().apiUrl + path + toSearch(query), {
      headers: { ...this.#headers, ...headers },
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
        ...this.#headers,
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
    const received: unknown = text === '' ? undefined : JSON.parse(text);
    const answer = { status: response.status, headers: response.headers, body: received };
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

/** Operations of the document by method, each with its path in the document. */
let checks: Map<string, { pattern: RegExp; path: string; operation: Operation }[]> | undefined;

function operationsOf(method: string) {
  if (checks === undefined) {
    checks = new Map();
    for (const [path, operations] of Object.entries(reference().paths)) {
      const pattern = new RegExp(
        `^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      );
      for (const [verb, operation] of Object.entries(operations)) {
        checks.set(verb, [...(checks.get(verb) ?? []), { pattern, path, operation }]);
      }
    }
  }
  return checks.get(method.toLowerCase()) ?? [];
}

/** Returns the path of a response's schema in the document; `undefined` if it has none. */
function schemaOf(
  found: { path: string; operation: Operation } | undefined,
  method: string,
  status: number,
): (string | number)[] | undefined {
  if (status >= 400) return ['components', 'schemas', 'Error'];
  if (found?.operation.responses[status]?.content?.['application/json'] === undefined) {
    return status === 202 ? ['components', 'schemas', 'AcceptedJob'] : undefined;
  }
  const response = ['paths', found.path, method.toLowerCase(), 'responses', status];
  return [...response, 'content', 'application/json', 'schema'];
}

/** Validates a response against the document. @throws Error if it does not match */
function checkAnswer(method: string, path: string, { status, headers, body }: ApiAnswer): void {
  const fail = (why: string) => {
    throw new Error(
      `${method} ${path} answered ${status}: ${why}\n${JSON.stringify(body).slice(0, 2000)}`,
    );
  };
  if (headers.get('x-request-id') === null) fail('there is no X-Request-Id');
  const pathname = path.split('?')[0]!;
  const found = operationsOf(method).find(({ pattern }) => pattern.test(pathname));
  const { responses } = found?.operation ?? {};
  if (responses !== undefined && !(status in responses) && !(`${String(status)[0]}XX` in responses))
    fail('the document does not know this status');
  const schema = schemaOf(found, method, status);
  const errors = schema && errorsOf(schema, body);
  if (errors !== undefined) fail(errors);
}
