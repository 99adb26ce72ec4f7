// Plain JavaScript: used by the build, and by compiled code as `#processes`.

/** Programs of the Procfile: `dist/processes/<name>.js` is a bundle of the source file, its imports and their packages. */
export const PROCESSES = {
  api: 'src/api/main.ts',
  redirect: 'src/redirect/main.ts',
  worker: 'workers/main.ts',
  scheduler: 'workers/scheduler.ts',
};

/** Commands, with compiled single files in place of bundles: for what counts the files and lines that run. */
export const withSingleFiles = (commands) =>
  commands.replaceAll(
    /dist\/processes\/(\w+)\.js/g,
    (_, name) => `dist/${PROCESSES[name].replace(/\.ts$/, '.js')}`,
  );
