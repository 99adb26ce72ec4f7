import type { Schema } from 'joi';
import { Joi } from './fields.ts';

/*
 * Narrows schemas to the fields that a value has. Joi visits every field of an object, even absent
 * ones, at the same cost as validating a present one. A link has 60 fields, and is usually created
 * with two or three; a schema of these alone gives the same result.
 */

/** Maximum number of schemas derived from one, because callers choose which fields they send. */
const MAX_SCHEMAS = 200;

/** Joi's description of an object schema. */
interface Description {
  type?: string;
  flags?: { presence?: string; default?: unknown };
  preferences?: { noDefaults?: boolean };
  keys?: Record<string, Description>;
}

/** Parts of a description that do not affect absent fields. */
const HARMLESS: ReadonlySet<string> = new Set(['type', 'keys', 'metas', 'examples']);

/** Returns true for a field that is validated even if it is absent. */
const countsAbsent = ({ flags, preferences }: Description): boolean =>
  flags?.presence === 'required' ||
  (flags?.default !== undefined && preferences?.noDefaults !== true);

/**
 * Returns a function that narrows the schema to the fields of a value, if the schema is an object
 * whose fields are validated independently.
 */
export function narrowing(schema: Schema): (value: unknown) => Schema {
  const description = schema.describe() as Description;
  const { keys = {} } = description;
  const isPlain =
    description.type === 'object' && Object.keys(description).every((part) => HARMLESS.has(part));
  if (!isPlain) return () => schema;
  const always = new Set(Object.keys(keys).filter((name) => countsAbsent(keys[name]!)));
  const schemas = new Map<string, Schema>();
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return schema;
    const present = Object.keys(value).filter((name) => Object.hasOwn(keys, name));
    const mark = present.join();
    let narrowed = schemas.get(mark);
    if (narrowed === undefined) {
      if (schemas.size >= MAX_SCHEMAS) return schema;
      const names = Object.keys(keys).filter((name) => always.has(name) || present.includes(name));
      const fields = names.map((name) => [name, schema.extract(name)]);
      narrowed = Joi.object(Object.fromEntries(fields));
      schemas.set(mark, narrowed);
    }
    return narrowed;
  };
}
