import { folderOf, type Import, importsOf, sourceFiles } from './imports.ts';

/**
 * The folders of `src`, highest first. A folder imports from those in lower rows; folders of one row don't know each
 * other. `infra` stands also for the files directly in `src`. To each row: what to do instead of an import upwards or
 * sideways.
 */
const FLOORS: { folders: string[]; instead: string }[] = [
  { folders: ['console'], instead: 'ask the API over HTTP' },
  {
    folders: ['api', 'redirect'],
    instead:
      'processes know each other over Redis and HTTP only: move what both need to a folder below',
  },
  {
    folders: ['compat'],
    instead: 'ask an endpoint by its operationId: src/api/compat.ts hands over the function',
  },
  {
    folders: ['admin', 'docs', 'public-stats', 'exports', 'imports', 'conversions', 'views'],
    instead: 'move what both need to the folder whose record it is',
  },
  { folders: ['event-records'], instead: 'let the endpoint hand over the value' },
  {
    folders: ['links', 'qrcodes'],
    instead:
      'what links and QR codes share is in src/short-links, which is given the rest by its callers',
  },
  {
    folders: ['invitations', 'members', 'metatags', 'settings'],
    instead: 'let the route above hand over the value',
  },
  {
    folders: [
      'currency',
      'customers',
      'domains',
      'folders',
      'images',
      'keys',
      'pages',
      'tags',
      'utm-templates',
    ],
    instead: 'let the command or route above read both and hand the one to the other',
  },
  {
    folders: ['short-links'],
    instead: 'let links and qrcodes hand it the value, the row or the function',
  },
  {
    folders: ['events', 'webhooks'],
    instead: 'let the caller hand over the record, or a function that reads it',
  },
  { folders: ['mail'], instead: 'let the caller hand over the message' },
  { folders: ['users'], instead: 'let src/api/routes.ts hand over the function' },
  { folders: ['jobs'], instead: 'let the command hand over the value' },
  { folders: ['audit'], instead: 'let the job’s name, data and result say it' },
  { folders: ['http'], instead: 'let routes hand over what an endpoint needs' },
  { folders: ['workspaces'], instead: 'let the caller hand over the value' },
  { folders: ['lookup'], instead: 'take an entry as a value: whoever writes a record makes it' },
  { folders: ['visits'], instead: 'visits know no record: take the value as an argument' },
  {
    folders: ['queues', 'web', 'visitors'],
    instead: 'jobs are described by types: use `import type`, or move the value to src/infra',
  },
  {
    folders: ['infra'],
    instead: 'infra knows no table and no noun: take the value as an argument',
  },
];

/** An import that breaks the order of the floors and is allowed all the same. The list may only become shorter. */
interface Exception {
  from: string;
  to: string;
  because: string;
}

const EXCEPTIONS: Exception[] = [
  {
    from: 'events',
    to: 'webhooks',
    because: 'an event and its deliveries are written in one transaction',
  },
];

/** Further walls: who may not import what, and what to do instead. */
interface Wall {
  name: string;
  from: RegExp;
  to: RegExp;
  instead: string;
}

const WALLS: Wall[] = [
  {
    name: 'the console runs in browsers',
    from: /^src\/console\/(?!vite\.config\.ts)/,
    to: /^(?!\.|src\/console\/|src\/qrcodes\/(render|content)\/|src\/infra\/csv\.ts)(src\/|node:)/,
    instead: 'ask the API over HTTP; only drawing and contents of QR codes, and CSV, are shared',
  },
  {
    name: 'the redirect loads no record',
    from: /^src\/redirect\//,
    to: /^src\/(?!redirect\/|lookup\/(entry|find|questions|rows|source)\.|web\/|visitors\/|queues\/(all-queued|bull-queues|definition|index|job|producer|shards)\.|visits\/|infra\/|[\w-]+\.ts$)/,
    instead: 'use the look-up entry, which is made where the record is written',
  },
  {
    name: 'the redirect is lean',
    from: /^src\/(redirect|lookup)\//,
    to: /^(express|joi|objection|sharp|bullmq)$/,
    instead: 'leave it to a worker',
  },
  {
    name: 'workers serve no HTTP',
    from: /^workers\//,
    to: /^(express$|src\/(api|redirect)\/)/,
    instead: 'answer from the API',
  },
  {
    name: 'one folder imports BullMQ',
    from: /^(?!src\/queues\/)/,
    to: /^bullmq$/,
    instead: 'use defineQueue, Producer, Inspector and serve of src/queues',
  },
  {
    name: 'OpenTelemetry is loaded where there is a collector only',
    from: /^(?!src\/infra\/otel\.ts)/,
    to: /^@opentelemetry\//,
    instead: 'use src/infra/tracing.ts',
  },
  {
    name: 'names are looked up without the thread pool',
    from: /^(src|workers)\/(?!infra\/names\.ts)/,
    to: /^(node:)?dns(\/promises)?$/,
    instead: 'use src/infra/names.ts',
  },
  {
    name: 'nothing that is shipped imports tests, workers or scripts',
    from: /^src\//,
    to: /^(test|bench|workers|scripts)\//,
    instead: 'move it to src',
  },
  {
    name: 'no process needs tests',
    from: /^(workers|migrations|scripts)\//,
    to: /^(test|bench)\//,
    instead: 'move it to scripts',
  },
];

/** Each import that a wall forbids, with what to do instead. */
export function breaches(): string[] {
  return sourceFiles('src', 'src/console', 'workers', 'scripts', 'migrations', 'test', 'bench')
    .flatMap(importsOf)
    .flatMap((one) => {
      const instead = forbidden(one);
      return instead === undefined ? [] : [`${one.from} imports ${one.to}: ${instead}`];
    });
}

/** Exceptions that nothing needs any more. */
export function unneeded(): Exception[] {
  const imports = sourceFiles('src').flatMap(importsOf);
  return EXCEPTIONS.filter(
    (exception) =>
      !imports.some((one) => isExcepted(one, exception) && againstFloors(one) !== undefined),
  );
}

function forbidden(one: Import): string | undefined {
  const wall = one.isTypeOnly
    ? undefined
    : WALLS.find(({ from, to }) => from.test(one.from) && to.test(one.to));
  if (wall !== undefined) return `${wall.name}: ${wall.instead}`;
  return EXCEPTIONS.some((exception) => isExcepted(one, exception))
    ? undefined
    : againstFloors(one);
}

const isExcepted = (one: Import, { from, to }: Exception): boolean =>
  folderOf(one.from) === from && folderOf(one.to) === to;

/** Why an import goes upwards or sideways; `undefined` when it goes down. */
function againstFloors({ from, to, isTypeOnly }: Import): string | undefined {
  const [importer, imported] = [folderOf(from), folderOf(to)];
  if (importer === undefined || imported === undefined || importer === imported) return undefined;
  // Queues describe their jobs by the types of those who do them.
  if (importer === 'queues' && isTypeOnly) return undefined;
  const [own, other] = [floorOf(importer), floorOf(imported)];
  if (own < other) return undefined;
  const how =
    own === other
      ? `${importer} and ${imported} are side by side`
      : `${importer} is below ${imported}`;
  return `${how}: ${FLOORS[own]!.instead}`;
}

/** @throws Error for a folder that has no floor yet */
function floorOf(folder: string): number {
  const floor = FLOORS.findIndex(({ folders }) => folders.includes(folder));
  if (floor === -1) throw new Error(`src/${folder} has no row in FLOORS of scripts/walls.ts`);
  return floor;
}
