import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';
import { config } from '../config.ts';
import { ERRORS } from '../errors.ts';
import { hasCursors } from '../http/cursor.ts';
import { isOfWorkspace, type MediaTypes, type Route } from '../http/route.ts';
import { TAGS } from '../http/tags.ts';
import { VERSION } from '../infra/version.ts';
import { exampleOf, type JsonSchema, SchemaConverter } from './json-schema.ts';
import { accepted, errorBody, HEADERS, MEANINGS, PARAMETERS } from './openapi-parts.ts';
import { WEBHOOK_MESSAGES } from './webhook-messages.ts';

const refTo = (part: string, name: string) => ({ $ref: `#/components/${part}/${name}` });

/** Builds the OpenAPI 3.1 document of the API from the schemas that validate requests. */
export function openApiDocument(routes: readonly Route[]): JsonSchema {
  refuseDuplicates(routes);
  return new Reference(routes).document();
}

/**
 * @throws Error when two routes have the same operation id, which names the functions of generated
 * clients
 */
function refuseDuplicates(routes: readonly Route[]): void {
  const seen = new Set<string>();
  for (const { operationId } of routes) {
    if (seen.has(operationId)) throw new Error(`Two routes have the operationId ${operationId}`);
    seen.add(operationId);
  }
}

class Reference {
  readonly #routes: readonly Route[];
  readonly #converter = new SchemaConverter();
  readonly #examples: Record<string, { value: unknown }> = {};
  readonly #parameters: ReadonlyMap<Route, JsonSchema[]>;
  /** Parameters that several operations share, by name. */
  readonly #shared: Record<string, JsonSchema>;

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
    this.#parameters = new Map(routes.map((route) => [route, this.#parametersOf(route)]));
    this.#shared = sharedParameters([...this.#parameters.values()]);
  }

  document(): JsonSchema {
    const paths: Record<string, JsonSchema> = {};
    for (const route of this.#routes) {
      paths[route.path] = { ...paths[route.path], [route.method]: this.#operation(route) };
    }
    const webhooks = this.#webhooks();
    const responses = this.#responses();
    return {
      openapi: '3.1.0',
      info: {
        title: 'Short links and QR codes',
        version: VERSION,
        description:
          'Manages the short links, QR codes, tags and domains of a workspace, and reports the visits to them. ' +
          'Operations, parameters and fields with `x-extension: true` extend the published interface.',
        contact: { name: 'API support', url: config().DOCS_URL },
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      servers: [{ url: config().BASE_URL }],
      security: [{ apiKey: [] }, { session: [] }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      paths,
      webhooks,
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key of the workspace, with the scope that the operation needs.',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'session',
            description:
              'The session of a signed-in person, whose role in the workspace has the scope that the operation needs. ' +
              'The header `X-Workspace` names the workspace by its slug. Over https the cookie is `__Host-session`. ' +
              'Requests other than GET need `Sec-Fetch-Site: same-origin`, or the `Origin` of the service.',
          },
        },
        parameters: { ...PARAMETERS, ...this.#shared },
        headers: HEADERS,
        responses,
        schemas: sorted(this.#converter.components),
        examples: sorted(this.#examples),
      },
    };
  }

  #operation(route: Route): JsonSchema {
    return {
      operationId: route.operationId,
      summary: route.summary,
      description: descriptionOf(route),
      tags: [route.tag],
      ...(route.extension === true ? { 'x-extension': true } : {}),
      ...securityOf(route),
      parameters: [
        ...(this.#parameters.get(route) ?? []).map((parameter) => this.#shareOf(parameter)),
        ...headerParameters(route),
      ],
      ...(route.body === undefined
        ? {}
        : {
            requestBody: {
              required: route.isBodyOptional !== true,
              content: this.#json(route.body),
            },
          }),
      ...(route.upload === undefined
        ? {}
        : { requestBody: { required: true, ...filesOf(route.upload) } }),
      responses: this.#answers(route),
    };
  }

  #answers(route: Route): JsonSchema {
    const answers: Record<string, JsonSchema> = {};
    for (const [status, schema] of Object.entries(route.answers)) {
      answers[status] = {
        description: status === '201' ? 'Created.' : 'Succeeded.',
        ...answerHeaders(route),
        ...('media' in schema ? filesOf(schema) : { content: this.#json(schema) }),
      };
    }
    if (route.record === true && route.method === 'get')
      answers['304'] = refTo('responses', 'NotModified');
    if (route.writes === true) answers['202'] = refTo('responses', 'Accepted');
    for (const [code, { status }] of Object.entries(ERRORS)) {
      answers[status] = refTo('responses', code);
    }
    return answers;
  }

  #parametersOf(route: Route): JsonSchema[] {
    return [...this.#fields(route.params, 'path'), ...this.#fields(route.query, 'query')];
  }

  #fields(schema: Joi.ObjectSchema | undefined, place: 'path' | 'query'): JsonSchema[] {
    if (schema === undefined) return [];
    return this.#converter.fieldsOf(schema).map((field) => ({
      name: field.name,
      in: place,
      required: place === 'path' || field.isRequired,
      ...(field.description === undefined ? {} : { description: field.description }),
      ...(field.isExtension ? { 'x-extension': true } : {}),
      ...(place === 'query' && field.example !== undefined ? { example: field.example } : {}),
      schema: field.schema,
    }));
  }

  #shareOf(parameter: JsonSchema): JsonSchema {
    const name = String(parameter['name']);
    return JSON.stringify(this.#shared[name]) === JSON.stringify(parameter)
      ? refTo('parameters', name)
      : parameter;
  }

  #responses(): JsonSchema {
    const errors = Object.entries(MEANINGS).map(([code, meaning]) => [
      code,
      { description: meaning, content: this.#json(errorBody) },
    ]);
    return {
      NotModified: {
        description: 'Nothing has changed since the record had the ETag of `If-None-Match`.',
      },
      Accepted: {
        description: 'The job continues. Its result will be at `Location`.',
        headers: { Location: refTo('headers', 'JobLocation') },
        content: this.#json(accepted),
      },
      ...Object.fromEntries(errors),
    };
  }

  #webhooks(): JsonSchema {
    return Object.fromEntries(
      WEBHOOK_MESSAGES.map(({ kind, summary, message }) => [
        kind,
        {
          post: {
            operationId: `on${kind
              .split('.')
              .map((part) => part[0]!.toUpperCase() + part.slice(1))
              .join('')}`,
            summary,
            description:
              'Sent to webhooks of the workspace, signed as in Standard Webhooks 1.0.0, and ' +
              'retried until the receiver responds with a status from 200 to 299.',
            tags: ['Webhooks'],
            'x-extension': true,
            security: [],
            requestBody: { required: true, content: this.#json(message) },
            responses: {
              '2XX': { description: 'The receiver has the delivery.' },
              '4XX': {
                description: 'The delivery is retried later; after 410 the webhook is disabled.',
              },
            },
          },
        },
      ]),
    );
  }

  /**
   * Describes a JSON body with its example. Named schemas share one example, and equal examples
   * occur once in the document.
   */
  #json(schema: Joi.Schema): JsonSchema {
    const converted = this.#converter.convert(schema);
    const name = nameOf(converted);
    if (name === undefined) {
      return { 'application/json': { schema: converted, example: exampleOf(schema) } };
    }
    const shared = this.#shareExample(name, exampleOf(schema));
    return {
      'application/json': {
        schema: converted,
        examples: { [shared]: refTo('examples', shared) },
      },
    };
  }

  /** @returns the name of the example in the document */
  #shareExample(name: string, value: unknown): string {
    const existing = Object.keys(this.#examples).find((candidate) =>
      isDeepStrictEqual(this.#examples[candidate]!.value, value),
    );
    if (existing !== undefined) return existing;
    this.#examples[name] = { value };
    return name;
  }
}

/** Returns the name for an example: the name of the schema, or of the schema of a list's items. */
function nameOf(converted: JsonSchema): string | undefined {
  const { $ref, items } = converted;
  if (typeof $ref === 'string') return $ref.split('/').at(-1);
  if (typeof items !== 'object' || items === null || !('$ref' in items)) return undefined;
  return `${String(items.$ref).split('/').at(-1)}List`;
}

/**
 * Collects parameters that more than one operation has; of several with the same name, the most
 * frequent one.
 */
function sharedParameters(lists: readonly JsonSchema[][]): Record<string, JsonSchema> {
  const uses = new Map<string, { parameter: JsonSchema; count: number }>();
  for (const parameter of lists.flat()) {
    const key = JSON.stringify(parameter);
    const use = uses.get(key) ?? { parameter, count: 0 };
    uses.set(key, { ...use, count: use.count + 1 });
  }
  const shared: Record<string, JsonSchema> = {};
  for (const { parameter, count } of [...uses.values()].toSorted((a, b) => b.count - a.count)) {
    if (count > 1) shared[String(parameter['name'])] ??= parameter;
  }
  return sorted(shared);
}

const sorted = <Value>(named: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Extends the description with what the caller needs: the scope of the key, the plan. */
function descriptionOf({ description, scope, plan }: Route): string {
  const needsPlan = plan === undefined ? '' : ` Needs the \`${plan}\` plan or higher.`;
  return `${description} ${needsOf(scope)}${needsPlan}`;
}

function needsOf(scope: Route['scope']): string {
  if (scope === 'public') return 'Needs no API key.';
  if (scope === 'user') return 'Needs the session of a signed-in person, and no workspace.';
  if (scope === 'operator') return 'Needs the session of an operator.';
  return `Needs the scope \`${scope}\`.`;
}

/** Lists the authentication methods if they differ from those of most operations. */
function securityOf({ scope }: Route): JsonSchema {
  if (scope === 'public') return { security: [] };
  return isOfWorkspace(scope) ? {} : { security: [{ session: [] }] };
}

function headerParameters({ method, record, scope, isConditional }: Route): JsonSchema[] {
  if (method === 'post' && !isOfWorkspace(scope)) return [];
  if (method === 'post') {
    const names = isConditional === true ? ['IdempotencyKey', 'IfMatch'] : ['IdempotencyKey'];
    return names.map((name) => refTo('parameters', name));
  }
  if (record !== true) return [];
  return [refTo('parameters', method === 'get' ? 'IfNoneMatch' : 'IfMatch')];
}

function answerHeaders(route: Route): JsonSchema {
  const { method, record, scope } = route;
  const headers = {
    ...(hasCursors(route)
      ? { Link: refTo('headers', 'Link'), 'X-Next-Cursor': refTo('headers', 'XNextCursor') }
      : {}),
    ...(method === 'post' && isOfWorkspace(scope)
      ? { 'Idempotent-Replayed': refTo('headers', 'IdempotentReplayed') }
      : {}),
    ...(record === true && method !== 'delete' ? { ETag: refTo('headers', 'ETag') } : {}),
  };
  return Object.keys(headers).length === 0 ? {} : { headers };
}

/** Content of bodies and answers that are files of any media type. */
const FILE = { schema: { type: 'string', format: 'binary' } };
const JSON_FILE = {
  schema: { anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }] },
  example: { links: [] },
};

function filesOf({ media }: MediaTypes): JsonSchema {
  if (media.length === 0) return {};
  const files = media.map((type) => [type, type === 'application/json' ? JSON_FILE : FILE]);
  return { content: Object.fromEntries(files) };
}
