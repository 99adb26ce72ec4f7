import type Joi from 'joi';

/** A schema of the reference: JSON Schema 2020-12, as used by OpenAPI 3.1. */
export type JsonSchema = Record<string, unknown>;

/** Properties of a Joi schema that only the reference uses, set with `.meta(…)`. */
interface Meta {
  /** Name of the schema in `components.schemas`, to which others refer. */
  name?: string;
  /** True for a field or parameter that extends the published contract. */
  extension?: true;
  /** Field whose value tells which of several alternatives an object is. */
  discriminator?: string;
}

/** Joi's description of a schema, limited to what the reference shows. */
interface Described {
  type?: string;
  flags?: {
    description?: string;
    default?: unknown;
    presence?: string;
    only?: boolean;
    unknown?: boolean;
    single?: boolean;
  };
  allow?: unknown[];
  rules?: { name: string; args?: { limit?: unknown; regex?: string } }[];
  keys?: Record<string, Described>;
  patterns?: { schema?: Described; rule: Described }[];
  items?: Described[];
  matches?: { schema?: Described; then?: Described; otherwise?: Described }[];
  metas?: Meta[];
  examples?: unknown[];
}

/** Point in time for examples. */
const EXAMPLE_INSTANT = '2026-01-31T12:00:00.000Z';

/** A field of an object schema, or a parameter of an operation. */
export interface Field {
  name: string;
  isRequired: boolean;
  description: string | undefined;
  isExtension: boolean;
  /**
   * Value in examples of requests: its own of a required field (`.example(…)`), otherwise that of the
   * example of all fields.
   */
  example: unknown;
  schema: JsonSchema;
}

/**
 * Converts Joi schemas to JSON Schema, and collects those with a name (`.meta({ name })`), to which
 * the others refer. Rules that JSON Schema cannot express, such as `.custom()`, are left to
 * descriptions.
 */
export class SchemaConverter {
  /** The named schemas found so far. */
  readonly components: Record<string, JsonSchema> = {};
  readonly #converted = new Map<Joi.Schema, JsonSchema>();

  /** @throws Error when two different schemas have the same name */
  convert(schema: Joi.Schema): JsonSchema {
    const converted = this.#converted.get(schema) ?? this.#convert(schema.describe());
    this.#converted.set(schema, converted);
    return converted;
  }

  /** Converts the fields of an object. */
  fieldsOf(schema: Joi.ObjectSchema): Field[] {
    const { keys = {}, examples = [] }: Described = schema.describe();
    const [whole = {}] = examples as Record<string, unknown>[];
    return Object.entries(keys).map(([name, field]) => {
      const { description: _, 'x-extension': __, ...plain } = this.#convert(field);
      const isRequired = field.flags?.presence === 'required';
      return {
        name,
        isRequired,
        description: field.flags?.description,
        isExtension: metaOf(field).extension === true,
        example: isRequired ? field.examples?.[0] : whole[name],
        schema: plain,
      };
    });
  }

  #convert(described: Described): JsonSchema {
    const { flags = {}, allow = [] } = described;
    const { name, extension } = metaOf(described);
    const isNullable = allow.includes(null);
    const annotations = {
      ...(flags.description === undefined ? {} : { description: flags.description }),
      ...(flags.default === undefined ? {} : { default: flags.default }),
      ...(extension === true ? { 'x-extension': true } : {}),
    };
    if (name !== undefined) {
      const ref = { $ref: `#/components/schemas/${name}` };
      this.#register(name, described);
      return isNullable
        ? { anyOf: [ref, { type: 'null' }], ...annotations }
        : { ...ref, ...annotations };
    }
    return { ...this.#plain(described, isNullable), ...annotations };
  }

  #register(name: string, described: Described): void {
    const { description, ...flags } = described.flags ?? {};
    const schema = {
      ...this.#plain({ ...described, flags }, false),
      ...(description === undefined ? {} : { description }),
    };
    const existing = (this.components[name] ??= schema);
    // Descriptions of the same schema may differ by place.
    const [before, now] = [existing, schema].map(({ description: _, ...rest }) =>
      JSON.stringify(rest),
    );
    if (before !== now) throw new Error(`Two different schemas have the name ${name}`);
  }

  #plain(described: Described, isNullable: boolean): JsonSchema {
    const { matches } = described;
    if (matches !== undefined) {
      const parts = matches.flatMap(({ schema, then, otherwise }) =>
        [schema, then, otherwise].filter((alternative) => alternative !== undefined),
      );
      return this.#alternatives(described, parts, isNullable);
    }
    const values = described.flags?.only === true ? (described.allow ?? []) : [];
    if (values.length > 0) {
      const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
      return { type: types.length === 1 ? types[0] : types, enum: values };
    }
    const shape = this.#shape(described);
    if (!isNullable || !('type' in shape)) return shape;
    return { ...shape, type: [shape['type'], 'null'] };
  }

  #alternatives(
    described: Described,
    parts: readonly Described[],
    isNullable: boolean,
  ): JsonSchema {
    const anyOf = parts.map((part) => this.#convert(part));
    if (isNullable) anyOf.push({ type: 'null' });
    const { discriminator } = metaOf(described);
    if (discriminator === undefined) return { anyOf };
    const mapping = Object.fromEntries(
      parts.map((part, index) => [
        String(part.keys?.[discriminator]?.allow?.[0]),
        anyOf[index]?.['$ref'],
      ]),
    );
    return { oneOf: anyOf, discriminator: { propertyName: discriminator, mapping } };
  }

  #shape(described: Described): JsonSchema {
    const { type, rules = [] } = described;
    const limits = (names: Record<string, string>): JsonSchema =>
      Object.fromEntries(
        rules.flatMap(({ name, args }) => {
          const description = names[name];
          return description === undefined || typeof args?.limit !== 'number'
            ? []
            : [[description, args.limit]];
        }),
      );
    const has = (rule: string) => rules.some(({ name }) => name === rule);
    switch (type ?? 'any') {
      case 'string':
        return {
          type,
          ...limits({ min: 'minLength', max: 'maxLength' }),
          ...(has('isoDate') ? { format: 'date-time' } : {}),
          ...(has('uri') ? { format: 'uri' } : {}),
          ...(has('email') ? { format: 'email' } : {}),
          ...patternOf(described),
        };
      case 'number':
        return {
          type: has('integer') ? 'integer' : 'number',
          ...limits({ min: 'minimum', max: 'maximum' }),
        };
      case 'boolean':
        return { type };
      case 'array':
      case 'list':
      case 'queryList':
      case 'repeated':
        return this.#array(described, limits({ min: 'minItems', max: 'maxItems' }));
      case 'object':
        return this.#object(described);
      default:
        return {};
    }
  }

  #array({ items = [], flags, rules = [] }: Described, limits: JsonSchema): JsonSchema {
    const shapes = items.map((item) => this.#convert(item));
    const array = {
      type: 'array',
      items: shapes.length > 1 ? { anyOf: shapes } : (shapes[0] ?? {}),
      ...limits,
      ...(rules.some(({ name }) => name === 'unique') ? { uniqueItems: true } : {}),
    };
    return flags?.single === true ? { anyOf: [array, ...shapes] } : array;
  }

  #object({ keys, patterns = [], flags }: Described): JsonSchema {
    const fields = Object.entries(keys ?? {}).filter(
      ([, field]) => field.flags?.presence !== 'forbidden',
    );
    const required = fields.filter(([, field]) => field.flags?.presence === 'required');
    const [pattern] = patterns;
    return {
      type: 'object',
      ...(fields.length === 0
        ? {}
        : {
            properties: Object.fromEntries(
              fields.map(([name, field]) => [name, this.#property(field)]),
            ),
          }),
      ...(required.length === 0 ? {} : { required: required.map(([name]) => name) }),
      ...(pattern === undefined ? {} : this.#pairs(pattern)),
      ...(keys !== undefined && pattern === undefined
        ? { additionalProperties: flags?.unknown === true }
        : {}),
    };
  }

  /**
   * Converts a field of an object. Its default becomes part of the description: generators take
   * `default` as a promise that the field exists, and would require it from callers.
   */
  #property(field: Described): JsonSchema {
    const { default: value, description, ...schema } = this.#convert(field);
    if (value === undefined)
      return { ...schema, ...(description === undefined ? {} : { description }) };
    return {
      ...schema,
      description: `${String(description)} Default: \`${JSON.stringify(value)}\`.`,
    };
  }

  /** Converts an object with arbitrary names. */
  #pairs({ schema, rule }: { schema?: Described; rule: Described }): JsonSchema {
    const { type: _, ...names } = schema === undefined ? {} : this.#convert(schema);
    return {
      ...(Object.keys(names).length === 0 ? {} : { propertyNames: names }),
      additionalProperties: this.#convert(rule),
    };
  }
}

const metaOf = ({ metas = [] }: Described): Meta => Object.assign({}, ...metas);

function patternOf({ rules = [] }: Described): JsonSchema {
  const regex = rules.find(({ name }) => name === 'pattern')?.args?.regex;
  // Joi describes it as `/…/flags`. JSON Schema has no flags.
  const [, pattern] = /^\/(.*)\/$/s.exec(regex ?? '') ?? [];
  return pattern === undefined ? {} : { pattern };
}

/** Placeholder in examples for a text without an example of its own. */
export const NO_EXAMPLE = 'string';

/**
 * An example of what a schema describes: its own (`.example(…)`), or one made of the examples of
 * its parts.
 */
export function exampleOf(schema: Joi.Schema): unknown {
  return example(schema.describe());
}

function example(described: Described): unknown {
  const { type, examples = [], flags = {}, allow = [], rules = [] } = described;
  if (examples.length > 0) return examples[0];
  if (flags.default !== undefined && flags.default !== null) return flags.default;
  if (allow.includes(null)) return null;
  if (flags.only === true) return allow[0];
  const { keys = {}, items = [], matches = [] } = described;
  switch (type ?? 'any') {
    case 'object':
      return Object.fromEntries(
        Object.entries(keys)
          .filter(
            ([, { flags: own, examples: has }]) =>
              own?.presence === 'required' || (has !== undefined && own?.presence !== 'forbidden'),
          )
          .map(([name, field]) => [name, example(field)]),
      );
    case 'array':
    case 'list':
    case 'queryList':
    case 'repeated':
      return items.slice(0, 1).map((item) => example(item));
    case 'alternatives':
      return example(matches[0]?.schema ?? matches[0]?.then ?? {});
    case 'boolean':
      return false;
    case 'number':
      return 1;
    default:
      return rules.some(({ name }) => name === 'isoDate') ? EXAMPLE_INSTANT : NO_EXAMPLE;
  }
}
