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
import { VERSION } from '../src/infra/version.ts';
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
import { ABUSE_COMMANDS } from './cli-abuse.ts';
import { BACKUP_COMMANDS } from './cli-backup.ts';
import { EVENT_COMMANDS } from './cli-events.ts';
import { EXPORT_COMMANDS } from './cli-exports.ts';
import { IMPORT_COMMANDS } from './cli-imports.ts';
import {
  type Command,
  newSlugOf,
  type Options,
  optional,
  optionsOf,
  required,
  slugOf,
  text,
  UsageError,
} from './cli-options.ts';
import { align, toText } from './cli-output.ts';
import { USER_COMMANDS } from './cli-users.ts';
import { SetupError, serversEnv, startServers } from './embedded/servers.ts';
import { migrateLatest } from './migrate.ts';

const COMMANDS: Record<string, Command> = {
  'workspace create': {
    summary: 'Create a workspace and its first API key',
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
    summary: 'Change plan, name or limits of a workspace',
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
    summary: 'Create an API key, which is shown once',
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
    summary: 'Revoke an API key',
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
    summary: 'Add a domain to a workspace',
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
    summary: 'Derive the rollups of a workspace from its events',
    usage: '--workspace acme [--background]',
    async run(options) {
      const projectId = await workspaceId(db(), slugOf(options, 'workspace'));
      if (options['background'] !== true) return eventsStore.rebuild(projectId);
      await requestRebuild(db(), projectId);
      return pendingRebuilds(db());
    },
  },
  'rollups pending': {
    summary: 'List workspaces whose rollups are being rebuilt',
    usage: '',
    run: () => pendingRebuilds(db()),
  },
  'dead-letters list': {
    summary: 'List visits that the database refused',
    usage: '[--workspace acme] [--limit 100]',
    async run(options) {
      const limit = wholeNumber('limit', text(options, 'limit')) ?? 100;
      return listRejected(db(), await wantedOf(options), limit);
    },
  },
  'dead-letters retry': {
    summary: 'Store visits that the database refused',
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
  ...EVENT_COMMANDS,
  ...EXPORT_COMMANDS,
  ...IMPORT_COMMANDS,
  ...USER_COMMANDS,
  ...ABUSE_COMMANDS,
  ...BACKUP_COMMANDS,
  demo: {
    summary: 'Create the demo workspace of npm start, and show its API key',
    usage: '',
    run: () => ensureDemo(db()),
  },
};

async function noteKey(trx: Db, workspace: string, action: string, id: string): Promise<void> {
  const target = { kind: 'apiKey', id };
  await noteByOperator(trx, await workspaceId(trx, workspace), { action, target });
}

/** Options of every command, besides its own. */
const COMMON = new Map([
  ['json', 'Print JSON, errors too'],
  ['help', 'Show the options of a command'],
  ['version', 'Show the version'],
]);

const CALL = 'npm run cli --';

/** The command that the arguments name, or the answer where they ask for help. */
type Asked =
  | { command: Command; name: string; options: Options }
  | { answer: object; text: string };

function overview(): Asked {
  const commands = Object.entries(COMMANDS).map(([name, { summary, usage }]) => ({
    name,
    summary,
    usage,
  }));
  const text = [
    `Usage: ${CALL} <command> [options]`,
    '',
    'Commands:',
    indented(commands.map(({ name, summary }) => [name, summary])),
    '',
    'Options of every command:',
    indented([...COMMON].map(([name, help]) => [`--${name}`, help])),
    '',
    `"${CALL} help <command>" shows the options of a command.`,
  ].join('\n');
  return { answer: commands, text };
}

function help(name: string): Asked {
  const command = COMMANDS[name];
  if (command === undefined) {
    const inside = Object.keys(COMMANDS).filter((one) => one.startsWith(`${name} `));
    const known = inside.length > 0 ? ` There are: ${inside.join(', ')}.` : '';
    throw new UsageError(`There is no command "${name}".${known}`, `${CALL} list`);
  }
  const { summary, usage } = command;
  return {
    answer: { name, summary, usage },
    text: `${summary}.\n\nUsage: ${CALL} ${name} ${usage}`.trimEnd(),
  };
}

const indented = (lines: readonly (readonly string[])[]): string =>
  align(lines, undefined).replaceAll(/^/gm, '  ');

function parse(argv: string[]): Asked {
  const words = argv.filter((arg, at) => !arg.startsWith('-') && isWord(argv, at));
  const name = words.join(' ');
  if (argv.includes('--version')) return { answer: { version: VERSION }, text: VERSION };
  if (words[0] === 'help' && words.length > 1) return help(words.slice(1).join(' '));
  if (words.length === 0 || name === 'help' || name === 'list') {
    const rest = argv.filter((arg) => !['help', 'list', '--help', '--json'].includes(arg));
    if (rest.length > 0) throw new UsageError(`There is no option "${rest[0]}".`, `${CALL} list`);
    return overview();
  }
  const asked = help(name);
  if (argv.includes('--help')) return asked;
  const command = COMMANDS[name]!;
  return { command, name, options: optionsFrom(argv, name, command) };
}

/** True for an argument that is part of a command's name: those before the first option. */
const isWord = (argv: readonly string[], at: number): boolean =>
  !argv.slice(0, at).some((arg) => arg.startsWith('-') && !COMMON.has(arg.slice(2)));

function optionsFrom(argv: string[], name: string, { usage }: Command): Options {
  const types = new Map([...optionsOf(usage), ['json', 'boolean'] as const]);
  const options = Object.fromEntries([...types].map(([option, type]) => [option, { type }]));
  try {
    const { values, positionals } = parseArgs({ args: argv, allowPositionals: true, options });
    const [extra] = positionals.slice(name.split(' ').length);
    if (extra !== undefined) throw new Error(`"${extra}" is not part of an option`);
    return values as Options;
  } catch (error) {
    // The first sentence: the others are for programmers.
    const [message] = (error as Error).message.split(/(?<=\.)\s/);
    throw new UsageError(message!, `${CALL} help ${name}`);
  }
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

/** Runs a command on servers with the newest schema, unless it stands alone. */
async function run(
  { run: work, standsAlone }: Command,
  options: Options,
  log: (line: string) => void,
): Promise<object> {
  if (standsAlone) return work(options, log);
  const servers = await startServers({ dataDir: config().DATA_DIR, log });
  try {
    Object.assign(process.env, serversEnv(servers));
    reloadConfig();
    await migrateLatest(servers);
    return await work(options, log);
  } finally {
    await closeDb();
    await closeRedis();
    await servers.stop();
  }
}

/** Kinds of failures that are told in one line; the trace of any other is shown. */
function failureOf(error: unknown): { code: string; message: string; hint?: string } | undefined {
  if (error instanceof UsageError) {
    const { message, hint } = error;
    return { code: 'usage', message, ...(hint === undefined ? {} : { hint }) };
  }
  if (error instanceof Refusal) return { code: error.code, message: error.message };
  const isSetup = error instanceof SetupError || error instanceof ConfigError;
  return isSetup ? { code: 'setup', message: error.message } : undefined;
}

function fail(error: unknown, asJson: boolean): void {
  const failure = failureOf(error);
  process.exitCode = failure?.code === 'usage' ? 2 : 1;
  if (asJson) {
    const { message } = error as Error;
    console.error(JSON.stringify({ error: failure ?? { code: 'internal_server_error', message } }));
  } else if (failure === undefined) {
    console.error(error);
  } else {
    console.error(failure.message);
    if (failure.hint !== undefined) console.error(`Try "${failure.hint}".`);
  }
}

const argv = process.argv.slice(2).map((arg) => (arg === '-h' ? '--help' : arg));
const asJson = argv.includes('--json');
// A reader that has seen enough, such as `head`, ends nothing.
process.stdout.on('error', () => {});
try {
  const asked = parse(argv);
  if ('text' in asked) {
    console.log(asJson ? JSON.stringify(asked.answer) : asked.text);
  } else {
    const log = asJson ? () => {} : (line: string) => console.error(line);
    const { command, name, options } = asked;
    const result = await run(command, options, log).catch((error: unknown) => {
      throw error instanceof UsageError && error.hint === undefined
        ? new UsageError(error.message, `${CALL} help ${name}`)
        : error;
    });
    const width = process.stdout.isTTY ? process.stdout.columns : undefined;
    console.log(asJson ? JSON.stringify(result) : toText(result, width));
  }
} catch (error) {
  fail(error, asJson);
}
