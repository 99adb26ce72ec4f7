import { readFileSync } from 'node:fs';

/*
 * Reads the table of src/console/app/views.ts as text, since it imports components, which only the
 * build of the console compiles.
 */

/** Lists the paths of the views in a workspace, such as `pages/$pageId`. */
export function viewsOfWorkspace(): string[] {
  const source = readFileSync('src/console/app/views.ts', 'utf8');
  const paths = [...source.matchAll(/^ {2}'\/\$workspace\/(\S+)': \{$/gm)].map(([, path]) => path!);
  if (paths.length < 20) throw new Error('The table of views is written differently.');
  // This path redirects to the first view of the settings.
  return paths.filter((path) => path !== 'settings');
}

/**
 * Replaces the parameters of a path with values.
 * @throws Error for a parameter without a value
 */
export const pathWith = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\$(\w+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`No sample record for ${name} of ${path}`);
    return value;
  });
