import Joi from 'joi';
import { config } from '../config.ts';
import { ERRORS } from '../errors.ts';
import type { MediaTypes, Route } from './route.ts';

type JsonSchema = Record<string, unknown>;

const accepted = Joi.object({
  id: Joi.string().required(),
  status: Joi.string().valid('queued', 'running', 'done', 'failed').required(),
});

/** The OpenAPI 3.1 document of the API, made from the same schemas that check requests. */
export function openApiDocument(routes: readonly Route[]): JsonSchema {
  const paths: Record<string, JsonSchema> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Short links and QR codes',
      version: '0.0.1',
      description:
        'Manages short links, QR codes, tags and domains of a workspace, and answers what became of them. ' +
        'A field or parameter whose description starts with "Addition:" goes beyond the published interface.',
    },
    servers: [{ url: config().BASE_URL }],
    security: [{ apiKey: [] }],
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema() },
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([code, { status }]) => [
          code,
          {
            description: `${status} ${code}`,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        ]),
      ),
    },
    paths,
  };
}

function operation(route: Route): JsonSchema {
  const answers: Record<string, JsonSchema> = {};
  for (const [status, schema] of Object.entries(route.answers)) {
    answers[status] = {
      description: status === '201' ? 'Created' : 'Done',
      content: contentOf(schema),
    };
  }
  if (route.writes === true) {
    answers['202'] = {
      description: 'Accepted: the job is under way; `Location` says where its result can be read',
      content: json(accepted),
    };
  }
  for (const [code, { status }] of Object.entries(ERRORS)) {
    answers[status] = { $ref: `#/components/responses/${code}` };
  }
  return {
    operationId: `${route.method}${route.path.replaceAll(/[/{}]+(\w?)/g, (_, next: string) => next.toUpperCase())}`,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    ...(route.scope === 'public' ? { security: [] } : {}),
    parameters: [...parameters(route.params, 'path'), ...parameters(route.query, 'query')],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: json(route.body) } }),
    responses: answers,
  };
}

function parameters(schema: Joi.ObjectSchema | undefined, place: 'path' | 'query'): JsonSchema[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

const contentOf = (schema: Joi.Schema | MediaTypes): JsonSchema =>
  'media' in schema
    ? Object.fromEntries(
        schema.media.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
      )
    : json(schema);

const json = (schema: Joi.Schema) => ({ 'application/json': { schema: jsonSchema(schema) } });

function jsonSchema(schema: Joi.Schema): JsonSchema {
  return schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as JsonSchema;
}

function errorSchema(): JsonSchema {
  return jsonSchema(
    Joi.object({
      error: Joi.object({
        code: Joi.string()
          .valid(...Object.keys(ERRORS))
          .required(),
        message: Joi.string().required().description('For a person to read.'),
        doc_url: Joi.string().description('Where the error is explained.'),
      }).required(),
    }),
  );
}
