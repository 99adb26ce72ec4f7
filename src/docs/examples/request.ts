/** A parameter of an operation, limited to what examples need. */
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
  schema: { enum?: readonly unknown[] };
}

interface Media {
  example?: unknown;
  examples?: Record<string, { $ref: string }>;
}

interface Operation {
  operationId: string;
  security?: readonly Record<string, unknown>[];
  parameters?: readonly (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>;
}

type Operations = Record<string, Operation>;

/** An OpenAPI document, limited to what examples are made of. */
export interface ExampleDocument {
  servers: readonly { url: string }[];
  paths: Record<string, Operations>;
  components: {
    parameters: Record<string, Parameter>;
    examples: Record<string, { value: unknown }>;
  };
}

/** Value of a query parameter; a list repeats the parameter. */
type QueryValue = string | number | boolean | readonly string[];

/** Response of an example: JSON or other text, a file, server-sent events, or nothing. */
type Answer =
  | { kind: 'json' | 'text' | 'events' | 'none' }
  | {
      kind: 'file';
      /** Name under which the example saves it. */
      name: string;
      /** True if there may be no file. */
      isOptional: boolean;
    };

/** Request that the examples of an operation send, in any language. */
export interface ExampleRequest {
  operationId: string;
  /** Method and path of the operation: `POST /links`. */
  operation: string;
  /** Method in capitals. */
  method: string;
  baseUrl: string;
  /** Full URL without the query. */
  url: string;
  path: Readonly<Record<string, string>>;
  query: Readonly<Record<string, QueryValue>>;
  /** Headers of the credential, by name. */
  credential: Readonly<Record<string, string>>;
  /** True if the credential is an API key, `API_KEY` in the examples. */
  hasKey: boolean;
  /** JSON body. */
  body: unknown;
  answer: Answer;
  /** True for a list that is read page by page, by the parameter `after`. */
  isPaged: boolean;
}

/** Text in examples that stands for an API key. */
export const KEY_PLACEHOLDER = 'API_KEY';
/** Text in examples that stands for the session of a signed-in person. */
const SESSION_PLACEHOLDER = 'SESSION';

/** Methods by how likely their response has the record of the path. */
const METHODS = ['get', 'patch', 'put', 'post'];

/** Extensions of files by media type; other types are text. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
};

/** Builds the requests of examples from one document. */
export class ExampleRequests {
  readonly #document: ExampleDocument;
  readonly #baseUrl: string;

  constructor(document: ExampleDocument) {
    this.#document = document;
    this.#baseUrl = document.servers[0]!.url;
  }

  /** Yields the request of each operation. */
  *all(): Generator<ExampleRequest> {
    for (const [path, operations] of Object.entries(this.#document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        yield this.#request(path, method.toUpperCase(), operation);
      }
    }
  }

  #request(path: string, method: string, operation: Operation): ExampleRequest {
    const { operationId, requestBody } = operation;
    const parameters = (operation.parameters ?? []).map((one) => this.#parameter(one));
    const values = this.#pathValues(path);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(values[name]!),
    );
    const sent = parameters.filter(
      (one) => one.in === 'query' && (one.required === true || one.example !== undefined),
    );
    return {
      operationId,
      operation: `${method} ${path}`,
      method,
      baseUrl: this.#baseUrl,
      url: this.#baseUrl + filled,
      path: values,
      query: Object.fromEntries(sent.map((one) => [one.name, queryValue(one)])),
      credential: this.#credential(method, operation),
      hasKey: operation.security === undefined,
      body: requestBody && this.#example(requestBody.content['application/json']),
      answer: answerOf(path, operation),
      isPaged: parameters.some(({ name }) => name === 'after'),
    };
  }

  #parameter(parameter: Parameter | { $ref: string }): Parameter {
    if (!('$ref' in parameter)) return parameter;
    return this.#document.components.parameters[lastPart(parameter.$ref)]!;
  }

  /** Returns example values of the parameters in a path: the ids of the records it names. */
  #pathValues(path: string): Record<string, string> {
    const values: Record<string, string> = {};
    for (const { 0: parameter, 1: name = '', index } of path.matchAll(/\{(\w+)\}/g)) {
      const record = path.slice(0, index + parameter.length);
      values[name] = this.#idAt(record, name) ?? constantCase(name);
    }
    return values;
  }

  /** Finds the id in an example of the record at a path, at a fixed path below, or of their list. */
  #idAt(path: string, name: string): string | undefined {
    const below = Object.keys(this.#document.paths).filter(
      (other) => other.startsWith(`${path}/`) && !other.slice(path.length).includes('{'),
    );
    const list = path.slice(0, path.lastIndexOf('/'));
    for (const operations of [path, ...below, list].map((one) => this.#document.paths[one] ?? {})) {
      for (const method of METHODS) {
        const { '200': ok, '201': created } = operations[method]?.responses ?? {};
        const answer = this.#example((ok ?? created)?.content?.['application/json']);
        const [record] = [answer].flat() as Record<string, unknown>[];
        const value = record?.[name] ?? record?.['id'];
        if (typeof value === 'string') return value;
      }
    }
    return undefined;
  }

  #example(media: Media | undefined): unknown {
    const [shared] = Object.values(media?.examples ?? {});
    if (shared === undefined) return media?.example;
    return this.#document.components.examples[lastPart(shared.$ref)]!.value;
  }

  #credential(method: string, { security }: Operation): Record<string, string> {
    if (security === undefined) return { Authorization: `Bearer ${KEY_PLACEHOLDER}` };
    if (security.length === 0) return {};
    const name = this.#baseUrl.startsWith('https:') ? '__Host-session' : 'session';
    const cookie = { Cookie: `${name}=${SESSION_PLACEHOLDER}` };
    return method === 'GET' ? cookie : { ...cookie, Origin: this.#baseUrl };
  }
}

const lastPart = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Writes a name in capitals, as a placeholder: `projectId` → `PROJECT_ID`. */
const constantCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

function queryValue({ name, example, schema }: Parameter): QueryValue {
  return (example ?? schema.enum?.[0] ?? constantCase(name)) as QueryValue;
}

function answerOf(path: string, { responses }: Operation): Answer {
  const { content } = responses['200'] ?? responses['201'] ?? {};
  const [type = ''] = Object.keys(content ?? {});
  if (type === '') return { kind: 'none' };
  if (type === 'application/json') return { kind: 'json' };
  if (type === 'text/event-stream') return { kind: 'events' };
  const extension = EXTENSIONS[type];
  if (extension === undefined) return { kind: 'text' };
  const [name = ''] = path
    .split('/')
    .findLast((part) => /^[a-z-]+$/.test(part))!
    .split('-');
  return { kind: 'file', name: `${name}.${extension}`, isOptional: '204' in responses };
}

/** Returns the full URL of a request, with its query. */
export function urlOf({ url, query }: ExampleRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  );
  return pairs.length === 0 ? url : `${url}?${pairs.join('&')}`;
}
