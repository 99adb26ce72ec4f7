import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../src/api/openapi.ts';
import { routes } from '../../src/api/routes.ts';

export interface Operation {
  operationId: string;
  summary: string;
  responses: Record<string, { content?: { 'application/json'?: object } }>;
}

interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

let document: OpenApiDocument | undefined;

/** The OpenAPI document of the source. */
export function reference(): OpenApiDocument {
  if (document === undefined) {
    document = openApiDocument(routes) as unknown as OpenApiDocument;
    ajv.addSchema(document, 'openapi');
  }
  return document;
}

/**
 * Validates a value against a schema of the document.
 *
 * @param path keys from the root of the document to the schema
 * @returns the errors, or `undefined` if the value is valid
 * @throws Error if there is no such schema
 */
export function errorsOf(path: readonly (string | number)[], value: unknown): string | undefined {
  reference();
  const pointer = path
    .map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const isValid = ajv.getSchema(`openapi#/${pointer}`);
  if (isValid === undefined) throw new Error(`The reference has no schema at ${path.join(' → ')}`);
  if (isValid(value)) return undefined;
  // Alternatives repeat each other's errors.
  const errors = new Set(
    (isValid.errors ?? []).map(({ instancePath, message, params }) => {
      const unknown = params['additionalProperty'];
      const text = `body${instancePath} ${message}`;
      return unknown === undefined ? text : `${text}: ${unknown}`;
    }),
  );
  return [...errors].join(', ').slice(0, 2_000);
}
