// Plain JavaScript: used before anything is built, and by compiled code as `#programs`.

/**
 * Programs for people and process managers: `dist/programs/<name>.js` is a bundle of the source
 * file, its imports and their packages.
 */
export const PROGRAMS = {
  api: 'src/api/main.ts',
  redirect: 'src/redirect/main.ts',
  worker: 'workers/main.ts',
  scheduler: 'workers/scheduler.ts',
  start: 'scripts/start.ts',
  cli: 'scripts/cli.ts',
  migrate: 'scripts/migrate.ts',
  systemd: 'scripts/systemd.ts',
};

/**
 * Replaces bundles in commands by compiled single files, for tools that count the files and lines
 * that run.
 */
export const withSingleFiles = (commands) =>
  commands.replaceAll(
    /dist\/programs\/(\w+)\.js/g,
    (_, name) => `dist/${PROGRAMS[name].replace(/\.ts$/, '.js')}`,
  );
