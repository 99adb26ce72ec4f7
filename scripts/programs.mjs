// Plain JavaScript: used before anything is built, and by compiled code as `#programs`.

/**
 * What people and process managers run: `dist/programs/<name>.js` is a bundle of the source file, its imports and their
 * packages.
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

/** Commands, with compiled single files in place of bundles: for what counts the files and lines that run. */
export const withSingleFiles = (commands) =>
  commands.replaceAll(
    /dist\/programs\/(\w+)\.js/g,
    (_, name) => `dist/${PROGRAMS[name].replace(/\.ts$/, '.js')}`,
  );
