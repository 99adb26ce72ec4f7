import { parseArgs } from 'node:util';
import { noteByOperator } from '../src/audit/write.ts';
import { ConfigError, config, reloadConfig } from '../src/config.ts';
import { addDomainNow } from '../src/domains/commands.ts';
import { Refusal } from '../src/errors.ts';
import { publishToWebhooks } from '../src/event-records/publish.ts';
import { VisitRecorder } from '../src/events/ingest/record-visits.ts';
import { listRejected, retryRejected, type Wanted } from '../src/events/ingest/rejected-visits.ts';
import { eventsStore } from '../src/events/store/index.ts';
import { pendingRebuilds, requestRebuild } from '../src/events/store/postgres/rollup-rebuilds.ts';
import { toHostName } from '../src/http/domain-name.ts';
import { toInstant } from '../src/http/fields.ts';
import { closeDb, type Db, db } from '../src/infra/db.ts';
import { makeLog } from '../src/infra/log.ts';
import { closeRedis } from '../src/infra/redis.ts';
import { openPlaces } from '../src/visitors/places.ts';
import { createApiKey, revokeApiKey, SCOPES } from '../src/workspaces/api-keys.ts';
import {
  createWorkspace,
  updateWorkspace,
  type WorkspaceSettings,
} from '../src/workspaces/commands.ts';
import { ensureDemo } from '../src/workspaces/demo.ts';
import { PLANS, type Plan } from '../src/workspaces/plans.ts';
import { workspaceId } from '../src/workspaces/queries.ts';
import { IMPORT_COMMANDS } from './cli-imports.ts';
import {
  type Command,
  newSlugOf,
  type Options,
  optional,
  required,
  slugOf,
  text,
  UsageError,
} from './cli-options.ts';
import { USER_COMMANDS } from './cli-users.ts';
import { SetupError, serversEnv, startServers } from './embedded/servers.ts';
import { migrateLatest } from './migrate.ts';

const COMMANDS: Record<string, Command> = {
  'workspace create': {
    usage:
      '--slug acme [--name "Acme"] [--plan free|pro|business|enterprise] [--email owner@acme.test]',
    async run(options) {
      return db().transaction(async (trx) => {
        const { id, slug, plan, apiKey } = await createWorkspace(trx, {
          slug: newSlugOf(options, 'slug'),
          plan: planOf(options) ?? 'free',
          ...optional('name', text(options, 'name')),
          ...optional('email', text(options, 'email')),
        });
        const target = { kind: 'workspace', id };
        await noteByOperator(trx, id, { action: 'workspace.create', target });
        return { id, slug, plan, apiKey };
      });
    },
  },
  'workspace set': {
    usage:
      '--workspace acme [--plan …] [--name …] [--requests-per-minute N|0|plan] [--click-dedupe-seconds N] [--keep-full-ip true|false] [--retention-days N|0|plan]',
    run(options) {
      const settings = settingsOf(options);
      return updateWorkspace(db(), slugOf(options, 'workspace'), settings, (trx, id) =>
        noteByOperator(trx, id, {
          action: 'workspace.update',
          target: { kind: 'workspace', id },
          fields: Object.keys(settings),
        }),
      );
    },
  },
  'key create': {
    usage:
      '--workspace acme [--name "CI"] [--scopes links.read,links.write] [--expires 2030-01-01]',
    run(options) {
      const expires = text(options, 'expires');
      return db().transaction(async (trx) => {
        const workspace = slugOf(options, 'workspace');
        const made = await createApiKey(trx, {
          workspace,
          name: text(options, 'name') ?? 'key',
          scopes: scopesOf(options),
          ...(expires === undefined ? {} : { expiresAt: instant(expires) }),
        });
        await noteKey(trx, workspace, 'apiKey.create', made.id);
        return made;
      });
    },
  },
  'key revoke': {
    usage: '--workspace acme --id key_…',
    async run(options) {
      const id = required(options, 'id');
      const workspace = slugOf(options, 'workspace');
      await db().transaction(async (trx) => {
        await revokeApiKey(trx, workspace, id);
        await noteKey(trx, workspace, 'apiKey.revoke', id);
      });
      return { id, revoked: true };
    },
  },
  'domain add': {
    usage: '--workspace acme --slug go.acme.test [--verified] [--primary]',
    async run(options) {
      const slug = toHostName(required(options, 'slug'));
      if (slug === undefined)
        throw new UsageError('--slug must be a host name such as go.acme.test');
      const projectId = await workspaceId(db(), slugOf(options, 'workspace'));
      const primary = options['primary'] === true;
      return addDomainNow(projectId, { slug, primary }, options['verified'] === true);
    },
  },
  'rollups rebuild': {
    usage: '--workspace acme [--background]',
    async run(options) {
      const projectId = await workspaceId(db(), slugOf(options, 'workspace'));
      if (options['background'] !== true) return eventsStore.rebuild(projectId);
      await requestRebuild(db(), projectId);
      return pendingRebuilds(db());
    },
  },
  'rollups pending': {
    usage: '',
    run: () => pendingRebuilds(db()),
  },
  'dead-letters list': {
    usage: '[--workspace acme] [--limit 100]',
    async run(options) {
      const limit = wholeNumber('limit', text(options, 'limit')) ?? 100;
      return listRejected(db(), await wantedOf(options), limit);
    },
  },
  'dead-letters retry': {
    usage: '[--workspace acme] [--id …]',
    async run(options) {
      const log = makeLog('cli', 'fatal');
      const recorder = new VisitRecorder({
        findPlace: await openPlaces(log),
        publish: publishToWebhooks,
        log,
      });
      return retryRejected(db(), await wantedOf(options), (visits) => recorder.record(visits));
    },
  },
  ...IMPORT_COMMANDS,
  ...USER_COMMANDS,
  demo: {
    usage: '',
    run: () => ensureDemo(db()),
  },
};

async function noteKey(trx: Db, workspace: string, action: string, id: string): Promise<void> {
  const target = { kind: 'apiKey', id };
  await noteByOperator(trx, await workspaceId(trx, workspace), { action, target });
}

const FLAGS = new Set(['json', 'verified', 'primary', 'background', 'dry-run', 'help']);

function usage(): string {
  const lines = Object.entries(COMMANDS).map(
    ([name, command]) => `  npm run cli -- ${name} ${command.usage}`,
  );
  return ['Usage (add --json for JSON):', ...lines].join('\n');
}

function parse(argv: string[]): { command: Command; options: Options } {
  const names = argv.flatMap((arg) => (arg.startsWith('--') ? [arg.slice(2).split('=')[0]!] : []));
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: Object.fromEntries(
      names.map((name) => [
        name,
        { type: FLAGS.has(name) ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
  });
  const command = COMMANDS[positionals.join(' ')];
  if (command === undefined || values['help'] === true) throw new UsageError(usage());
  for (const name of names) {
    if (name !== 'json' && !command.usage.includes(`--${name}`)) {
      throw new UsageError(`--${name} is not an option of this command. Usage: ${command.usage}`);
    }
  }
  return { command, options: values as Options };
}

function planOf(options: Options): Plan | undefined {
  const plan = text(options, 'plan');
  if (plan === undefined) return undefined;
  if (!PLANS.includes(plan as Plan))
    throw new UsageError(`--plan must be one of ${PLANS.join(', ')}`);
  return plan as Plan;
}

function scopesOf(options: Options): string[] {
  const scopes = (text(options, 'scopes') ?? '*').split(',').map((scope) => scope.trim());
  const known: readonly string[] = ['*', ...SCOPES];
  for (const scope of scopes) {
    if (!known.includes(scope))
      throw new UsageError(
        `--scopes must be a comma-separated list of ${known.join(', ')}, not "${scope}"`,
      );
  }
  return scopes;
}

function settingsOf(options: Options): WorkspaceSettings {
  const limit = text(options, 'requests-per-minute');
  const window = text(options, 'click-dedupe-seconds');
  const fullIp = text(options, 'keep-full-ip');
  const days = text(options, 'retention-days');
  if (fullIp !== undefined && fullIp !== 'true' && fullIp !== 'false') {
    throw new UsageError('--keep-full-ip must be true or false');
  }
  return {
    ...optional('plan', planOf(options)),
    ...optional('name', text(options, 'name')),
    ...optional(
      'requestsPerMinute',
      limit === 'plan' ? null : wholeNumber('requests-per-minute', limit),
    ),
    ...optional('clickDedupeSeconds', wholeNumber('click-dedupe-seconds', window)),
    ...optional('retentionDays', days === 'plan' ? null : wholeNumber('retention-days', days)),
    ...optional('keepFullIp', fullIp === undefined ? undefined : fullIp === 'true'),
  };
}

async function wantedOf(options: Options): Promise<Wanted> {
  const projectId =
    text(options, 'workspace') === undefined
      ? undefined
      : await workspaceId(db(), slugOf(options, 'workspace'));
  return { ...optional('projectId', projectId), ...optional('id', text(options, 'id')) };
}

function wholeNumber(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`--${name} must be a whole number`);
  return Number(value);
}

function instant(value: string): Date {
  const iso = toInstant(value);
  if (iso === undefined) throw new UsageError('--expires must be an ISO 8601 date');
  return new Date(iso);
}

function print(result: object, asJson: boolean): void {
  if (asJson) console.log(JSON.stringify(result));
  else
    for (const [name, value] of Object.entries(result))
      console.log(`${name}: ${JSON.stringify(value)}`);
}

try {
  const { command, options } = parse(process.argv.slice(2));
  const { DATA_DIR: dataDir } = config();
  const servers = await startServers({ dataDir, log: (line) => console.error(line) });
  try {
    Object.assign(process.env, serversEnv(servers));
    reloadConfig();
    await migrateLatest(servers);
    print(await command.run(options), options['json'] === true);
  } finally {
    await closeDb();
    await closeRedis();
    await servers.stop();
  }
} catch (error) {
  const expected = [UsageError, Refusal, SetupError, ConfigError, TypeError].some(
    (kind) => error instanceof kind,
  );
  console.error(expected ? (error as Error).message : error);
  process.exitCode = 1;
}
