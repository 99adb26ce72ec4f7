import { readdirSync } from 'node:fs';
import path from 'node:path';

const CONSOLE = path.join('src', 'console');

/**
 * Returns the TypeScript files below folders, as paths from the root of the repository. The
 * console, a client of the API, is included only if its folder is named.
 */
export function sourceFiles(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
      .map((name) => path.join(folder, name))
      .filter((file) => folder === CONSOLE || !file.startsWith(CONSOLE + path.sep))
      .toSorted(),
  );
}
