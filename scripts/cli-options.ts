import { newSlugFault, WORKSPACE_SLUG, WORKSPACE_SLUG_RULE } from '../src/workspaces/slug.ts';

/** An invalid command, or an invalid or missing option. */
export class UsageError extends Error {}

/** Options of a command, by name. */
export type Options = Record<string, string | boolean | undefined>;

/** A command: its options as the usage shows them, and what it does. */
export interface Command {
  usage: string;
  run(options: Options): Promise<object>;
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
