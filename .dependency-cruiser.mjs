import { readdirSync } from 'node:fs';
import { Compiler } from '@swc/core';

/*
 * Which file may import which, types included, for dependency-cruiser. The comment of a rule says what to do instead.
 */

/**
 * The folders of `src`, highest first. A folder imports from those in lower rows; folders of one row don't import each
 * other. `infra` stands also for the files directly in `src`.
 */
const FLOORS = [
  { folders: ['console', 'page-script'], instead: 'ask the API over HTTP' },
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
    folders: ['integrations'],
    instead: 'let the connection of the payment processor call the noun below',
  },
  {
    folders: ['reports'],
    instead: 'move what both need to the folder whose record it is',
  },
  {
    folders: [
      'admin',
      'bulk-changes',
      'docs',
      'public-stats',
      'imports',
      'conversions',
      'trash',
      'views',
    ],
    instead: 'move what both need to the folder whose record it is',
  },
  {
    folders: ['exports'],
    instead: 'move what both need to the folder whose record it is',
  },
  { folders: ['event-records'], instead: 'let the endpoint hand over the value' },
  {
    folders: ['links', 'qrcodes'],
    instead:
      'what links and QR codes share is in src/short-links, which is given the rest by its callers',
  },
  {
    folders: [
      'invitations',
      'members',
      'metatags',
      'oauth',
      'passkeys',
      'password-resets',
      'places',
      'settings',
    ],
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
    folders: ['destinations'],
    instead: 'let the command of the record above call src/destinations',
  },
  {
    folders: ['webhooks'],
    instead: 'let the caller hand over the record, or a function that reads it',
  },
  {
    folders: ['events'],
    instead: 'let the caller hand over the record, or a function that reads it',
  },
  { folders: ['mail'], instead: 'let the caller hand over the message' },
  { folders: ['users'], instead: 'let src/api/routes.ts hand over the function' },
  { folders: ['jobs'], instead: 'let the command hand over the value' },
  { folders: ['audit'], instead: 'let the job’s name, data and result say it' },
  { folders: ['http'], instead: 'let routes hand over what an endpoint needs' },
  { folders: ['workspaces'], instead: 'let the caller hand over the value' },
  {
    folders: ['routing'],
    instead: 'routing knows no request and no store: take facts and entries',
  },
  { folders: ['lookup'], instead: 'take an entry as a value: whoever writes a record makes it' },
  { folders: ['visits'], instead: 'visits know no record: take the value as an argument' },
  {
    folders: ['queues', 'web', 'visitors'],
    instead: 'queues, pages and visitors know no record: take the value as an argument',
  },
  {
    folders: ['infra'],
    instead: 'infra knows no table and no noun: take the value as an argument',
  },
];

/** Imports between folders that break the order of the rows. The list may only become shorter. */
const EXCEPTIONS = {
  // An event and its deliveries are written in one transaction.
  events: ['webhooks'],
};

/** Further rules. */
const WALLS = [
  {
    name: 'the redirect loads no record',
    from: /^src\/redirect\//,
    to: /^src\/(?!redirect\/|routing\/|lookup\/(display-page|entry|find|remote-source|rows|short-link|source)\.|web\/|visitors\/|queues\/(all-queued|batch-jobs|bull-queues|definition|index|job|job-sender|producer|shards)\.|visits\/|infra\/|[\w-]+\.ts$)/,
    instead: 'use the look-up entry, which is made where the record is written',
  },
  {
    name: 'the redirect is lean',
    from: /^src\/(redirect|lookup)\//,
    to: /node_modules\/(express|joi|objection|sharp|bullmq)\//,
    instead: 'leave it to a worker',
  },
  {
    name: 'workers serve no HTTP',
    from: /^workers\//,
    to: /node_modules\/express\/|^src\/(api|redirect)\//,
    instead: 'answer from the API',
  },
  {
    name: 'one folder imports BullMQ',
    from: /^(?!src\/queues\/)/,
    to: /node_modules\/bullmq\//,
    instead: 'use defineQueue, Producer, Inspector and serve of src/queues',
  },
  {
    name: 'OpenTelemetry is loaded where there is a collector only',
    from: /^(?!src\/infra\/otel\.ts)/,
    to: /node_modules\/@opentelemetry\//,
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
    from: /^src\/(?!console\/vite\.config\.ts)/,
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

const inFolder = (folders) =>
  folders.includes('infra')
    ? `^src/(?:(${folders.join('|')})/|[\\w-]+\\.ts$)`
    : `^src/(${folders.join('|')})/`;

const listed = FLOORS.flatMap(({ folders }) => folders);
const present = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
for (const { name } of present) {
  if (!listed.includes(name)) throw new Error(`src/${name} has no row in .dependency-cruiser.mjs`);
}

const order = FLOORS.flatMap(({ folders, instead }, row) =>
  folders.map((folder) => {
    const others = FLOORS.slice(0, row + 1)
      .flatMap((floor) => floor.folders)
      .filter((other) => other !== folder && !(EXCEPTIONS[folder] ?? []).includes(other));
    return {
      name: `${folder}-imports-downwards`,
      comment: instead,
      severity: 'error',
      from: { path: inFolder([folder]) },
      to: { path: inFolder(others) },
    };
  }),
);

const walls = WALLS.map(({ name, from, to, instead }) => ({
  name,
  comment: instead,
  severity: 'error',
  from: { path: from.source },
  to: { path: to.source },
}));

// dependency-cruiser has no setting for JSX, and swc reads none unless it is told to.
const { parseFileSync } = Compiler.prototype;
Compiler.prototype.parseFileSync = function parse(file, options) {
  return parseFileSync.call(this, file, { ...options, tsx: file.endsWith('.tsx') });
};

export default {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'move what both need to a third file, or hand it over as an argument',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...order,
    ...walls,
  ],
  options: {
    // TypeScript 7 has no API in JavaScript that dependency-cruiser could use.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
