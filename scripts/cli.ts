import { parseArgs } from 'node:util';
import { ConfigError, config, reloadConfig } from '../src/config.ts';
import { addDomainNow } from '../src/domains/commands.ts';
import { toHostName } from '../src/domains/schema.ts';
import { Refusal } from '../src/errors.ts';
import { rebuildRollups } from '../src/events/rebuild.ts';
import { closeDb, db } from '../src/infra/db.ts';
import { toInstant } from '../src/infra/fields.ts';
import { closeRedis } from '../src/infra/redis.ts';
import {
  createApiKey,
  createWorkspace,
  revokeApiKey,
  updateWorkspace,
  type WorkspaceSettings,
  workspaceId,
} from '../src/workspaces/commands.ts';
import { ensureDemo } from '../src/workspaces/demo.ts';
import { PLANS, type Plan } from '../src/workspaces/plans.ts';
import { SCOPES } from '../src/workspaces/scopes.ts';
import { SetupError, serversEnv, startServers } from './embedded/servers.ts';
import { migrateLatest } from './migrate.ts';

/** The operator asked for something that does not exist, or left something out. */
class UsageError extends Error {}

type Options = Record<string, string | boolean | undefined>;

interface Command {
  usage: string;
  run(options: Options): Promise<object>;
}

const COMMANDS: Record<string, Command> = {
  'workspace create': {
    usage:
      '--slug acme [--name "Acme"] [--plan free|pro|business|enterprise] [--email owner@acme.test]',
    async run(options) {
      const { id, slug, plan, apiKey } = await createWorkspace(db(), {
        slug: slugOf(options, 'slug'),
        plan: planOf(options) ?? 'free',
        ...optional('name', text(options, 'name')),
        ...optional('email', text(options, 'email')),
      });
      return { id, slug, plan, apiKey };
    },
  },
  'workspace set': {
    usage:
      '--workspace acme [--plan …] [--name …] [--requests-per-minute N|0|plan] [--click-dedupe-seconds N] [--keep-full-ip true|false] [--retention-days N|0|plan]',
    run: (options) => updateWorkspace(db(), slugOf(options, 'workspace'), settingsOf(options)),
  },
  'key create': {
    usage:
      '--workspace acme [--name "CI"] [--scopes links.read,links.write] [--expires 2030-01-01]',
    run(options) {
      const expires = text(options, 'expires');
      return createApiKey(db(), {
        workspace: slugOf(options, 'workspace'),
        name: text(options, 'name') ?? 'key',
        scopes: scopesOf(options),
        ...(expires === undefined ? {} : { expiresAt: instant(expires) }),
      });
    },
  },
  'key revoke': {
    usage: '--workspace acme --id key_…',
    async run(options) {
      const id = required(options, 'id');
      await revokeApiKey(db(), slugOf(options, 'workspace'), id);
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
    usage: '--workspace acme',
    async run(options) {
      const projectId = await workspaceId(db(), slugOf(options, 'workspace'));
      return rebuildRollups(db(), projectId);
    },
  },
  demo: {
    usage: '',
    run: () => ensureDemo(db()),
  },
};

const FLAGS = new Set(['json', 'verified', 'primary', 'help']);

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
      throw new UsageError(`--${name} is not an option of this command: ${command.usage}`);
    }
  }
  return { command, options: values as Options };
}

const text = (options: Options, name: string): string | undefined =>
  typeof options[name] === 'string' ? options[name] : undefined;

function required(options: Options, name: string): string {
  const value = text(options, name);
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`);
  return value;
}

function slugOf(options: Options, name: string): string {
  const slug = required(options, name);
  if (!/^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/.test(slug)) {
    throw new UsageError(
      `--${name} may have up to 48 lower-case letters, digits and inner hyphens`,
    );
  }
  return slug;
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
      throw new UsageError(`--scopes: "${scope}" is none of ${known.join(', ')}`);
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

const optional = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [K in Name]?: Value };

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
    await migrateLatest(servers.databaseUrl);
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
