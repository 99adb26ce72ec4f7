import { newSlugFault, WORKSPACE_SLUG, WORKSPACE_SLUG_RULE } from '../src/workspaces/slug.ts';

/** An invalid command, or an invalid or missing option. */
export class UsageError extends Error {
  /** The command that tells more. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Options of a command, by name. */
export type Options = Record<string, string | boolean | undefined>;

/** A command. */
export interface Command {
  /** One line that says what it does, in the imperative. */
  summary: string;
  /** Its options as people write them, optional ones in brackets. The options that it takes are read from here. */
  usage: string;
  /** It starts the servers that it needs by itself; others are run on servers with the newest schema. */
  standsAlone?: true;
  /** @param log receives a line for each thing that takes long */
  run(options: Options, log: (line: string) => void): Promise<object>;
}

/** Options that a usage names, and whether each is a flag or takes a value where it is named first. */
export function optionsOf(usage: string): Map<string, 'boolean' | 'string'> {
  const found = new Map<string, 'boolean' | 'string'>();
  for (const [, name, value] of usage.matchAll(/--([a-z-]+)( [^\s\]])?/g)) {
    if (!found.has(name!)) found.set(name!, value === undefined ? 'boolean' : 'string');
  }
  return found;
}

/** The text of an option. */
export const text = (options: Options, name: string): string | undefined =>
  typeof options[name] === 'string' ? options[name] : undefined;

/** The text of an option that must be there. @throws UsageError */
export function required(options: Options, name: string): string {
  const value = text(options, name);
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`);
  return value;
}

/** The slug of a workspace. @throws UsageError */
export function slugOf(options: Options, name: string): string {
  const slug = required(options, name);
  if (!WORKSPACE_SLUG.test(slug)) {
    throw new UsageError(`--${name} ${WORKSPACE_SLUG_RULE}`);
  }
  return slug;
}

/** The slug of a workspace that is made. @throws UsageError */
export function newSlugOf(options: Options, name: string): string {
  const slug = required(options, name);
  const fault = newSlugFault(slug);
  if (fault !== undefined) throw new UsageError(`--${name} ${fault}`);
  return slug;
}

/** An object with a field, or without it where there is no value. */
export const optional = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [K in Name]?: Value };

/** The number of an option. @throws UsageError */
export function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--${name} must be a whole number`);
  return Number(value);
}
