import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../src/infra/root.ts';
import { SetupError } from './embedded/setup-error.ts';
import { YIELDING, yieldsProcessor } from './priority.ts';
import { type ProcessSpec, parseProcfile } from './procfile.ts';

/** Servers, whose unit instances are named by their port. Those of workers have any name. */
const SERVERS: Readonly<Record<string, { variable: string; port: number }>> = {
  api: { variable: 'API_PORT', port: 3000 },
  redirect: { variable: 'REDIRECT_PORT', port: 3001 },
};

interface Installation {
  /** Account of all processes. */
  user: string;
  /** Folder of package.json. */
  app: string;
  /** File of the settings. */
  environment: string;
  node: string;
}

/** Folder of the backups by `shortlinks-backup.timer`, and the number of those that are kept. */
const BACKUPS = '/var/backups/shortlinks';
const KEPT = 14;

/**
 * Builds the systemd units for all lines of a Procfile, by file name: a template for each, a unit
 * that migrates the database before them, a target that starts one of each, and a backup with its
 * timer.
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
    ['shortlinks-backup.service', backupUnit(installation)],
    ['shortlinks-backup.timer', BACKUP_TIMER],
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
ExecStart=${installation.node} dist/programs/migrate.js
${common(installation)}`;

/**
 * Runs node directly: `npm run` would write into the folder of the application, which the account
 * can only read.
 */
const backupUnit = (installation: Installation): string =>
  `[Unit]
Description=Short links: backup
Wants=network-online.target
After=network-online.target postgresql.service redis-server.service redis.service

[Service]
Type=oneshot
ExecStartPre=+/usr/bin/install -d -o ${installation.user} -m 700 ${BACKUPS}
ExecStart=${installation.node} dist/programs/cli.js backup --into ${BACKUPS} --keep ${KEPT} --json
ReadWritePaths=-${BACKUPS}
Nice=${YIELDING}
${common(installation)}`;

const BACKUP_TIMER = `[Unit]
Description=Short links: backup every night

[Timer]
OnCalendar=*-*-* 03:00:00
Persistent=true

[Install]
WantedBy=timers.target
`;

function processUnit(
  { name, command }: ProcessSpec,
  workers: readonly string[],
  installation: Installation,
): string {
  const server = SERVERS[name];
  // Servers start after the workers and so stop before them, since their answers need workers.
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
UMask=0077
MemoryMax=2G
CapabilityBoundingSet=
LockPersonality=yes
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=read-only
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
`;

/** Usage: `npm run systemd -- --dir /etc/systemd/system`. Writes the units of the Procfile. */
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
  // Caused by an unknown option or a folder that cannot be written.
  console.error((error as Error).message);
  process.exitCode = 1;
}
