import { config } from '../../config.ts';
import type { Route } from '../../http/route.ts';
import { once } from '../../infra/memoize.ts';
import { type JsonSchema, SchemaConverter } from '../json-schema.ts';
import { PARAMETERS } from '../openapi-parts.ts';
import { endpoint } from '../routes.ts';
import { TOOLS, type Tool } from './tools.ts';

/** A tool with its route and what clients see of it. */
export interface DescribedTool {
  name: string;
  route: Route;
  /** Names of the arguments that belong to the path and to the query; others go to the body. */
  places: { path: ReadonlySet<string>; query: ReadonlySet<string> };
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: 'object' };
  outputSchema: (JsonSchema & { type: 'object' }) | undefined;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

/** Argument of tools that create records; the same as the header of the API. */
export const IDEMPOTENCY_KEY = 'idempotencyKey';

const REFERENCE = '#/components/schemas/';

/** Describes the tools by name, from the schemas that validate requests of the API. */
export const describedTools = once((): ReadonlyMap<string, DescribedTool> => {
  const converter = new SchemaConverter();
  return new Map(TOOLS.map((tool) => [tool.operation, describe(tool, converter)]));
});

function describe({ operation, shown, output }: Tool, converter: SchemaConverter): DescribedTool {
  const route = endpoint(operation);
  const path = propertiesOf(route.params, converter);
  const query = propertiesOf(route.query, converter);
  const body = route.body === undefined ? {} : resolve(converter.convert(route.body), converter);
  const bodyProperties = (body['properties'] ?? {}) as Record<string, JsonSchema>;
  const all = { ...query.properties, ...bodyProperties };
  const fields = pick(all, shown ?? Object.keys(all), operation);
  const required = [...query.required, ...((body['required'] ?? []) as string[])];
  const { description, schema } = PARAMETERS.IdempotencyKey;
  const properties = {
    ...path.properties,
    ...fields,
    ...(route.method === 'post' ? { [IDEMPOTENCY_KEY]: { ...schema, description } } : {}),
  };
  const { method } = route;
  return {
    name: operation,
    route,
    places: {
      path: new Set(Object.keys(path.properties)),
      query: new Set(Object.keys(query.properties)),
    },
    title: route.summary,
    description: descriptionOf(route, Object.keys(fields).length < Object.keys(all).length),
    inputSchema: standalone(
      {
        type: 'object',
        properties,
        required: [...Object.keys(path.properties), ...required].filter((name) =>
          Object.hasOwn(properties, name),
        ),
      },
      converter,
    ),
    outputSchema: output && outputOf(route, output, converter),
    annotations: {
      readOnlyHint: method === 'get',
      destructiveHint: method !== 'get' && method !== 'post',
      idempotentHint: method !== 'post',
      openWorldHint: false,
    },
  };
}

function descriptionOf({ description }: Route, isPartial: boolean): string {
  const rest = ` Further fields, with the same names: ${config().DOCS_URL}/api-reference`;
  return isPartial ? `${description}${rest}` : description;
}

/** Converts the fields of params or a query to properties of an object. */
function propertiesOf(schema: Route['query'], converter: SchemaConverter) {
  const fields = schema === undefined ? [] : converter.fieldsOf(schema);
  return {
    properties: Object.fromEntries(
      fields.map(({ name, description, schema: shape }) => [name, { ...shape, description }]),
    ) as Record<string, JsonSchema>,
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

/** Describes some fields of the record that an operation returns; none is promised, as after 202. */
function outputOf(route: Route, shown: readonly string[], converter: SchemaConverter) {
  const answer = route.answers[200] ?? route.answers[201];
  if (answer === undefined || 'media' in answer) return undefined;
  const { properties } = resolve(converter.convert(answer), converter);
  const fields = pick(properties as Record<string, JsonSchema>, shown, route.operationId);
  return standalone({ type: 'object', properties: fields }, converter);
}

/** @throws Error if there is no such field */
function pick(
  fields: Readonly<Record<string, JsonSchema>>,
  names: readonly string[],
  operation: string,
): Record<string, JsonSchema> {
  return Object.fromEntries(
    names.map((name) => {
      const field = fields[name];
      if (field === undefined) throw new Error(`${operation} has no field ${name}`);
      return [name, field];
    }),
  );
}

const resolve = (schema: JsonSchema, { components }: SchemaConverter): JsonSchema => {
  const { $ref } = schema;
  return typeof $ref === 'string' ? components[$ref.slice(REFERENCE.length)]! : schema;
};

/** Adds the named schemas that a schema refers to, which clients read without the reference. */
function standalone(
  schema: JsonSchema & { type: 'object' },
  { components }: SchemaConverter,
): JsonSchema & { type: 'object' } {
  const $defs: Record<string, unknown> = {};
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]) => {
        if (name === 'x-extension' || name === 'discriminator' || inner === undefined) return [];
        if (name !== '$ref') return [[name, copy(inner)]];
        const definition = String(inner).slice(REFERENCE.length);
        if (!Object.hasOwn($defs, definition)) {
          $defs[definition] = {};
          $defs[definition] = copy(components[definition]);
        }
        return [[name, `#/$defs/${definition}`]];
      }),
    );
  };
  const copied = copy(schema) as JsonSchema & { type: 'object' };
  return Object.keys($defs).length === 0 ? copied : { ...copied, $defs };
}
