import { readFileSync } from 'node:fs';
import type { Setting } from './setting-parsers.ts';

/**
 * Reads the variables of a table of settings. A variable that is not set has its default.
 *
 * @param renamed present names of variables, by their former names
 * @returns the values, and one message for each invalid variable, which begins with its name
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
    const former = Object.keys(renamed).find((key) => renamed[key] === name);
    const source = [name, file, former].find((variable) => variable && isSet(env, variable));
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

/** Returns the variable that names the file of a secret setting. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * Reads a file without the line break at its end.
 *
 * @throws Error whose message completes "NAME_FILE …"
 */
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

/** Returns true if a variable has a value; an empty one counts as not set. */
export const isSet = (env: NodeJS.ProcessEnv, name: string): boolean =>
  env[name] !== undefined && env[name] !== '';
