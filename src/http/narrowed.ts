import type { Schema } from 'joi';
import { Joi } from './fields.ts';

/*
 * Joi visits every field of an object, also those that a value doesn't have, which costs as much as the check of a field
 * that it has. A link has 60 fields and is mostly made with two or three: a schema of these alone gives the same answer.
 */

/** Most schemas that are made of one: callers choose which fields they send. */
const MOST = 200;

/** Joi's description of the schema of an object. */
interface Description {
  type?: string;
  flags?: { presence?: string; default?: unknown };
  preferences?: { noDefaults?: boolean };
  keys?: Record<string, Description>;
}

/** Parts of a description that don't concern fields that are absent. */
const HARMLESS: ReadonlySet<string> = new Set(['type', 'keys', 'metas', 'examples']);

/** True for a field that is checked also where it is absent. */
const countsAbsent = ({ flags, preferences }: Description): boolean =>
  flags?.presence === 'required' ||
  (flags?.default !== undefined && preferences?.noDefaults !== true);

/**
 * Returns a function that gives the schema for a value: that of the fields which it has, where the given schema is one of
 * an object whose fields are checked each by itself.
 */
export function narrowing(schema: Schema): (value: unknown) => Schema {
  const description = schema.describe() as Description;
  const { keys = {} } = description;
  const isPlain =
    description.type === 'object' && Object.keys(description).every((part) => HARMLESS.has(part));
  if (!isPlain) return () => schema;
  const always = new Set(Object.keys(keys).filter((name) => countsAbsent(keys[name]!)));
  const made = new Map<string, Schema>();
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return schema;
    const present = Object.keys(value).filter((name) => Object.hasOwn(keys, name));
    const mark = present.join();
    let narrowed = made.get(mark);
    if (narrowed === undefined) {
      if (made.size >= MOST) return schema;
      const names = Object.keys(keys).filter((name) => always.has(name) || present.includes(name));
      const fields = names.map((name) => [name, schema.extract(name)]);
      narrowed = Joi.object(Object.fromEntries(fields));
      made.set(mark, narrowed);
    }
    return narrowed;
  };
}
