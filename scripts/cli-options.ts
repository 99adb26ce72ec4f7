import { readFileSync, statSync } from 'node:fs';
import { newSlugFault, WORKSPACE_SLUG, WORKSPACE_SLUG_RULE } from '../src/workspaces/slug.ts';

/** An invalid command, or an invalid or missing option. */
export class UsageError extends Error {
  /** The command with further help. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Options of a command, by name. */
export type Options = Record<string, string | boolean | undefined>;

/** A command of the command line. */
export interface Command {
  /** Summary in one line, in the imperative. */
  summary: string;
  /**
   * Its options in the form of the help, optional ones in brackets. Its allowed options are parsed
   * from this text.
   */
  usage: string;
  /** Starts the servers that it needs; other commands run on servers with the newest schema. */
  standsAlone?: true;
  /** Writes to standard output itself; the result of others is printed. */
  ownsOutput?: true;
  /** @param log receives a line for each slow step */
  run(options: Options, log: (line: string) => void): Promise<object>;
}

/**
 * Returns the options in a usage text, each of which is a flag or takes a value, as in its first
 * occurrence.
 */
export function optionsOf(usage: string): Map<string, 'boolean' | 'string'> {
  const options = new Map<string, 'boolean' | 'string'>();
  for (const [, name, value] of usage.matchAll(/--([a-z-]+)( [^\s\]])?/g)) {
    if (!options.has(name!)) options.set(name!, value === undefined ? 'boolean' : 'string');
  }
  return options;
}

/** Returns the text of an option. */
export const text = (options: Options, name: string): string | undefined =>
  typeof options[name] === 'string' ? options[name] : undefined;

/** Returns the text of a required option. @throws UsageError */
export function required(options: Options, name: string): string {
  const value = text(options, name);
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`);
  return value;
}

/** Returns the email address of a required option. @throws UsageError */
export function emailOf(options: Options, name: string): string {
  const email = required(options, name).trim();
  if (email.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw new UsageError(`--${name} must be an email address`);
  }
  return email;
}

/** Returns the slug of a workspace. @throws UsageError */
export function slugOf(options: Options, name: string): string {
  const slug = required(options, name);
  if (!WORKSPACE_SLUG.test(slug)) {
    throw new UsageError(`--${name} ${WORKSPACE_SLUG_RULE}`);
  }
  return slug;
}

/** Returns the slug of a new workspace. @throws UsageError */
export function newSlugOf(options: Options, name: string): string {
  const slug = required(options, name);
  const fault = newSlugFault(slug);
  if (fault !== undefined) throw new UsageError(`--${name} ${fault}`);
  return slug;
}

/** Builds an object with one field, or an empty object if there is no value. */
export const optional = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [K in Name]?: Value };

/** Parses the number of an option. @throws UsageError */
export function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--${name} must be a whole number`);
  return Number(value);
}

/**
 * Reads the secret in a file; `undefined` if the option is absent. @throws UsageError if there is
 * no such file
 */
export function secretOf(options: Options, name: string): string | undefined {
  const file = text(options, name);
  if (file === undefined) return undefined;
  sizeOf(file, name);
  return readFileSync(file, 'utf8').trim();
}

/** Returns the size of a file, in bytes. @throws UsageError if there is none */
export function sizeOf(file: string, option: string): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) throw new UsageError(`--${option} must be a file: ${file}`);
  return stats.size;
}
