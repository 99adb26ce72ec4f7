import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SetupError } from './embedded/setup-error.ts';
import { YIELDING, yieldsProcessor } from './priority.ts';
import { type ProcessSpec, parseProcfile } from './procfile.ts';

/** The folder of package.json, seen from dist/scripts. */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Servers: the name of a unit's instance is their port. Of a worker it is any name. */
const SERVERS: Readonly<Record<string, { variable: string; port: number }>> = {
  api: { variable: 'API_PORT', port: 3000 },
  redirect: { variable: 'REDIRECT_PORT', port: 3001 },
};

interface Installation {
  /** The account of all processes. */
  user: string;
  /** The folder of package.json. */
  app: string;
  /** The file of the settings. */
  environment: string;
  node: string;
}

/**
 * The units of systemd for all lines of a Procfile, by file name: a template for each, one that migrates the database
 * before them, and the target that starts one of each.
 */
export function systemdUnits(
  processes: readonly ProcessSpec[],
  installation: Installation,
): Map<string, string> {
  const instances = processes.map(
    ({ name }) => `shortlinks-${name}@${SERVERS[name]?.port ?? 1}.service`,
  );
  const workers = instances.filter((instance) => instance.startsWith('shortlinks-worker_'));
  return new Map([
    ['shortlinks.target', targetUnit(instances)],
    ['shortlinks-migrate.service', migrateUnit(installation)],
    ...processes.map((process): [string, string] => [
      `shortlinks-${process.name}@.service`,
      processUnit(process, workers, installation),
    ]),
  ]);
}

const targetUnit = (instances: readonly string[]): string =>
  `[Unit]
Description=Short links
${instances.map((instance) => `Wants=${instance}\n`).join('')}
[Install]
WantedBy=multi-user.target
`;

const migrateUnit = (installation: Installation): string =>
  `[Unit]
Description=Short links: schema of the database
Wants=network-online.target
After=network-online.target postgresql.service redis-server.service redis.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${installation.node} dist/scripts/migrate.js
${common(installation)}`;

function processUnit(
  { name, command }: ProcessSpec,
  workers: readonly string[],
  installation: Installation,
): string {
  const server = SERVERS[name];
  // Servers start after the workers so that they stop before them: their answers need workers.
  const after = ['shortlinks-migrate.service', ...(server === undefined ? [] : workers)];
  return `[Unit]
Description=Short links: ${name} ${server === undefined ? '%i' : 'on port %i'}
PartOf=shortlinks.target
Requires=shortlinks-migrate.service
After=${after.join(' ')}

[Service]
Type=exec
ExecStart=${command.replace(/^node /, `${installation.node} `)}
${server === undefined ? '' : `Environment=${server.variable}=%i\n`}Restart=always
RestartSec=1
TimeoutStopSec=30
KillMode=mixed
LimitNOFILE=65536
${yieldsProcessor(name) ? `Nice=${YIELDING}\n` : ''}${common(installation)}
[Install]
WantedBy=shortlinks.target
`;
}

const common = ({ user, app, environment }: Installation): string =>
  `User=${user}
WorkingDirectory=${app}
EnvironmentFile=${environment}
Environment=NODE_ENV=production
Environment=DATA_DIR=%S/shortlinks
StateDirectory=shortlinks
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectControlGroups=yes
ProtectHome=read-only
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectSystem=strict
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictSUIDSGID=yes
`;

/** `npm run systemd -- --dir /etc/systemd/system`: writes the units of the Procfile. */
function main(): void {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string' },
      user: { type: 'string', default: 'shortlinks' },
      app: { type: 'string', default: path.resolve(ROOT) },
      env: { type: 'string', default: '/etc/shortlinks.env' },
      node: { type: 'string', default: process.execPath },
      procfile: { type: 'string', default: 'Procfile' },
    },
  });
  const { dir, user, app, env: environment, node, procfile } = values;
  if (dir === undefined) {
    throw new SetupError(
      'Usage: npm run systemd -- --dir /etc/systemd/system [--user shortlinks] [--app /opt/shortlinks] [--env /etc/shortlinks.env] [--node /usr/bin/node] [--procfile Procfile.small]',
    );
  }
  const processes = parseProcfile(readFileSync(path.resolve(ROOT, procfile), 'utf8'));
  mkdirSync(dir, { recursive: true });
  for (const [name, text] of systemdUnits(processes, { user, app, environment, node })) {
    writeFileSync(path.join(dir, name), text);
    console.log(path.join(dir, name));
  }
}

try {
  main();
} catch (error) {
  // An unknown option, a folder that cannot be written.
  console.error((error as Error).message);
  process.exitCode = 1;
}
