import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { openApiPage } from '../../scripts/docs.ts';
import { NO_EXAMPLE } from '../../src/api/json-schema.ts';
import { openApiDocument } from '../../src/api/openapi.ts';
import { routes } from '../../src/api/routes.ts';
import { config } from '../../src/config.ts';
import { readOpenApi } from '../../src/docs/openapi-file.ts';
import { Joi } from '../../src/http/fields.ts';
import { check } from '../../src/http/input.ts';

/** Longest acceptable reference for people and generators, in lines. */
const MOST_LINES = 19_000;

/** Counts in analytics, which need no description. */
const COUNTS = new Set(
  'clicks scans views viwes leads sales saleAmount refunds refundAmount value previous change'.split(
    ' ',
  ),
);

interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: boolean | Schema;
}

interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { $ref: string }>;
}

interface Operation {
  operationId: string;
  parameters?: { $ref?: string; name: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, { description?: string; schema: Schema }>;
    responses: Record<string, { content?: Record<string, Media> }>;
    examples: Record<string, { value: unknown }>;
  };
}

describe('the reference', () => {
  const document = openApiDocument(routes) as unknown as Document;
  const { components } = document;
  const operations = [document.paths, document.webhooks].flatMap((part) =>
    Object.values(part).flatMap((byMethod) => Object.values(byMethod)),
  );
  const media = [
    ...operations.flatMap(({ operationId, requestBody, responses }) => [
      ...Object.entries(requestBody?.content ?? {}).map(([type, one]) => ({
        where: `${operationId} body`,
        type,
        one,
      })),
      ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([type, one]) => ({
          where: `${operationId} ${status}`,
          type,
          one,
        })),
      ),
    ]),
    ...Object.entries(components.responses).flatMap(([name, { content = {} }]) =>
      Object.entries(content).map(([type, one]) => ({ where: name, type, one })),
    ),
  ].filter(({ type }) => type === 'application/json');

  /** Yields every schema within a schema, with its path. */
  function* schemasBelow(schema: Schema, path: string): Generator<[string, Schema]> {
    yield [path, schema];
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      yield* schemasBelow(field, `${path}.${name}`);
    }
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
      yield* schemasBelow(part, path);
    }
    if (schema.items !== undefined) yield* schemasBelow(schema.items, `${path}[]`);
    if (typeof schema.additionalProperties === 'object') {
      yield* schemasBelow(schema.additionalProperties, `${path}.*`);
    }
  }

  const parameters = [
    ...Object.entries(components.parameters),
    ...operations.flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter(({ $ref }) => $ref === undefined)
        .map((one) => [`${operationId} ${one.name}`, one] as const),
    ),
  ];

  it('names each operation once', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const id of ids) expect(id).to.match(/^[a-z]+(?:[A-Z][a-z]+)+$/);
  });

  it('is served as docs/openapi.json has it, with the addresses of the installation', () => {
    expect(readOpenApi(config())).to.deep.equal(JSON.parse(JSON.stringify(document)));
  });

  it('refuses two routes with one operation id', () => {
    expect(() => openApiDocument([routes[0]!, routes[0]!])).to.throw(routes[0]!.operationId);
  });

  it('describes every field and parameter', () => {
    const fields = Object.entries(components.schemas).flatMap(([name, schema]) =>
      [...schemasBelow(schema, name)].flatMap(([path, { properties = {} }]) =>
        Object.entries(properties)
          .filter(([field, { description }]) => description === undefined && !COUNTS.has(field))
          .map(([field]) => `${path}.${field}`),
      ),
    );
    const undescribed = parameters.filter(([, { description }]) => description === undefined);
    expect([...fields, ...undescribed.map(([name]) => name)]).to.deep.equal([]);
  });

  it('has no placeholder as an example', () => {
    const names = Object.entries(components.examples)
      .filter(([, { value }]) => JSON.stringify(value).includes(`"${NO_EXAMPLE}"`))
      .map(([name]) => name);
    expect(names).to.deep.equal([]);
  });

  it('has a type for every schema, and items for every list', () => {
    const roots = [
      ...Object.entries(components.schemas),
      ...parameters.map(([name, { schema }]) => [name, schema] as const),
      ...media.map(({ where, one }) => [where, one.schema] as const),
    ];
    const untyped = roots
      .flatMap(([name, schema]) => [...schemasBelow(schema, name)])
      .filter(([, { $ref, type, anyOf, oneOf, items }]) => {
        if ([type].flat().includes('array')) return items === undefined;
        return items !== undefined || [$ref, type, anyOf, oneOf].every((one) => one === undefined);
      })
      .map(([path]) => path);
    // These fields repeat what was sent, or, for a job, the answer that its request would have had.
    const ANYTHING = [
      'BulkChangeExample.changes.*.from',
      'BulkChangeExample.changes.*.to',
      'BulkLinkError.link',
      'BulkQrCodeError.qrcode',
      'DeadLetterDetails.data',
      'Job.result',
      // Values of any field.
      'RecordChange.changes.*.from',
      'RecordChange.changes.*.to',
      'ScheduledChange.changes.*',
    ];
    expect([...new Set(untyped)].toSorted()).to.deep.equal(ANYTHING);
  });

  it('has a valid example of every body and response', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(document, 'openapi');
    const checks = new Map<string, ValidateFunction>();
    const checkOf = (schema: Schema): ValidateFunction => {
      const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
      const known = checks.get(text) ?? ajv.compile(JSON.parse(text) as object);
      checks.set(text, known);
      return known;
    };
    for (const { where, one } of media) {
      const { example, examples } = one;
      const name = Object.values(examples ?? {})[0]
        ?.$ref.split('/')
        .at(-1);
      const value = name === undefined ? example : components.examples[name]!.value;
      expect(value, where).not.to.equal(undefined);
      const isValid = checkOf(one.schema);
      expect(isValid(value), `${where}: ${ajv.errorsText(isValid.errors)}`).to.equal(true);
    }
  });

  it('has examples that are accepted as bodies', () => {
    for (const { body, operationId } of routes) {
      if (body === undefined) continue;
      const operation = operations.find((one) => one.operationId === operationId)!;
      const { example, examples } = operation.requestBody!.content['application/json']!;
      const name = Object.values(examples ?? {})[0]
        ?.$ref.split('/')
        .at(-1);
      const value = name === undefined ? example : components.examples[name]!.value;
      expect(() => check(body, value, operationId), operationId).not.to.throw();
    }
  });

  it('refuses two schemas that share a name', () => {
    const named = (schema: ReturnType<typeof Joi.any>) => schema.meta({ name: 'Same' });
    const route = { ...routes[0]!, query: Joi.object({}) };
    const answering = (schema: ReturnType<typeof Joi.any>, operationId: 'listOne' | 'listTwo') => ({
      ...route,
      operationId,
      path: `/${operationId}`,
      answers: { 200: named(schema) },
    });
    const clash = [answering(Joi.string(), 'listOne'), answering(Joi.number(), 'listTwo')];
    expect(() => openApiDocument(clash)).to.throw('Two different schemas have the name Same');
  });

  it(`has fewer than ${MOST_LINES} lines`, () => {
    expect(openApiPage().split('\n').length).to.be.below(MOST_LINES);
  });
});
