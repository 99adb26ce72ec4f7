import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** An import of one file by another, or of a package. */
export interface Import {
  from: string;
  /** The path of a file of this repository, or the name of a package. */
  to: string;
  /** Erased by the compiler: only types are imported. */
  isTypeOnly: boolean;
}

const CONSOLE = path.join('src', 'console');

/**
 * The TypeScript files below some folders, as paths from the root of the repository. Those of the console, which is a
 * client of the API, only where its folder is named.
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

/** Everything that a file imports, with `import`, `export … from` and `import()`. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  const to = (specifier: string) =>
    specifier.startsWith('.') ? path.join(path.dirname(file), specifier) : specifier;
  const isErased = (entries: { isType: boolean }[]) =>
    entries.length > 0 && entries.every(({ isType }) => isType);
  return [
    ...staticImports.map(({ moduleRequest, entries }) => ({
      from: file,
      to: to(moduleRequest.value),
      isTypeOnly: isErased(entries),
    })),
    ...staticExports.flatMap(({ entries }) => {
      const [request] = entries.flatMap(({ moduleRequest }) => moduleRequest ?? []);
      return request === undefined
        ? []
        : [{ from: file, to: to(request.value), isTypeOnly: isErased(entries) }];
    }),
    ...dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
      const literal = /^'([^']+)'$/.exec(text.slice(start, end))?.[1];
      return literal === undefined ? [] : [{ from: file, to: to(literal), isTypeOnly: false }];
    }),
  ];
}

/** The folder of `src` that a file belongs to; files directly in `src` count as part of `infra`. */
export function folderOf(file: string): string | undefined {
  const [top, folder = '', inside] = file.split(path.sep);
  if (top !== 'src') return undefined;
  return inside === undefined ? 'infra' : folder;
}

/** Two folders of `src`, one of which imports the other. */
export interface FolderPair {
  from: string;
  to: string;
  /** Only types are imported. */
  isTypeOnly: boolean;
  imports: Import[];
}

/** Which folders of `src` import which. */
export function folderPairs(): FolderPair[] {
  const pairs = new Map<string, FolderPair>();
  for (const one of sourceFiles('src').flatMap(importsOf)) {
    const [from, to] = [folderOf(one.from), folderOf(one.to)];
    if (from === undefined || to === undefined || from === to) continue;
    const name = `${from} → ${to}`;
    const pair = pairs.get(name) ?? { from, to, isTypeOnly: true, imports: [] };
    pair.imports.push(one);
    pair.isTypeOnly &&= one.isTypeOnly;
    pairs.set(name, pair);
  }
  return [...pairs.values()];
}

/** Groups of folders that import each other in a circle (strongly connected components of at least two). */
export function cyclesOf(pairs: readonly { from: string; to: string }[]): string[][] {
  const reaches = (from: string): Set<string> => {
    const seen = new Set<string>();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const pair of pairs) {
        if (pair.from !== at || seen.has(pair.to)) continue;
        seen.add(pair.to);
        open.push(pair.to);
      }
    }
    return seen;
  };
  const folders = [...new Set(pairs.map(({ from }) => from))].toSorted();
  const reached = new Map(folders.map((folder) => [folder, reaches(folder)]));
  const groups = folders
    .filter((folder) => reached.get(folder)?.has(folder))
    .map((folder) =>
      folders.filter((other) => reached.get(folder)?.has(other) && reached.get(other)?.has(folder)),
    );
  return [...new Map(groups.map((group) => [group.join(), group])).values()];
}
