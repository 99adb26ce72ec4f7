import { readFileSync } from 'node:fs';
import type { Setting } from './setting-parsers.ts';

/**
 * Reads the variables of a table of settings. One that is not set has its default.
 *
 * @param renamed the present names of variables, by their earlier ones
 * @returns the values, and what is wrong with the others, each with the name of its variable
 */
export function readSettings(
  table: Readonly<Record<string, Setting<unknown>>>,
  renamed: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): { values: Record<string, unknown>; faults: string[] } {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(table)) {
    values[name] = setting.fallback;
    const file = setting.secret === true ? fileVariable(name) : undefined;
    const earlier = Object.keys(renamed).find((one) => renamed[one] === name);
    const source = [name, file, earlier].find((one) => one && isSet(env, one));
    if (source === undefined) continue;
    try {
      if (source === name && file !== undefined && isSet(env, file)) {
        throw new Error(`must not be set together with ${file}: unset one of them`);
      }
      values[name] = setting.parse(source === file ? readSecret(env[file]!) : env[source]!);
    } catch (error) {
      faults.push(`${source} ${(error as Error).message}`);
    }
  }
  return { values, faults };
}

/** The variable that names the file of a secret setting. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/** The content of a file, without the line break at its end. @throws Error whose message completes "NAME_FILE …" */
function readSecret(file: string): string {
  let content: string;
  try {
    content = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`must name a file that can be read, not "${file}" (${code})`, { cause: error });
  }
  if (content === '') throw new Error(`must name a file with a value: "${file}" is empty`);
  return content;
}

/** True for a variable that is set to a value: an empty one counts as not set. */
export const isSet = (env: NodeJS.ProcessEnv, name: string): boolean =>
  env[name] !== undefined && env[name] !== '';
