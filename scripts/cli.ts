import { parseArgs } from 'node:util';
import { ConfigError, reloadConfig } from '../src/config.ts';
import { Refusal } from '../src/errors.ts';
import { closeDb } from '../src/infra/db.ts';
import { closeRedis } from '../src/infra/redis.ts';
import { VERSION } from '../src/infra/version.ts';
import { type Command, type Options, optionsOf, UsageError } from './cli-options.ts';
import { align, toText } from './cli-output.ts';
import { existingServers } from './embedded/existing.ts';
import { SetupError, serversEnv } from './embedded/servers.ts';
import { migrateLatest } from './migrations.ts';

type Commands = Record<string, Command>;

/**
 * Commands by their first word. Unused ones are not loaded, which would take longer than most
 * commands do.
 */
const GROUPS: readonly { words: readonly string[]; load: () => Promise<Commands> }[] = [
  {
    words: ['workspace', 'key', 'domain', 'demo'],
    load: async () => (await import('./cli-workspaces.ts')).WORKSPACE_COMMANDS,
  },
  {
    words: ['blocks', 'events'],
    load: async () => (await import('./cli-events.ts')).EVENT_COMMANDS,
  },
  {
    words: ['dead-letters'],
    load: async () => (await import('./cli-dead-letters.ts')).DEAD_LETTER_COMMANDS,
  },
  { words: ['export'], load: async () => (await import('./cli-exports.ts')).EXPORT_COMMANDS },
  { words: ['import'], load: async () => (await import('./cli-imports.ts')).IMPORT_COMMANDS },
  { words: ['user'], load: async () => (await import('./cli-users.ts')).USER_COMMANDS },
  {
    words: ['host', 'blocked-link', 'report'],
    load: async () => (await import('./cli-abuse.ts')).ABUSE_COMMANDS,
  },
  {
    words: ['backup', 'restore'],
    load: async () => (await import('./cli-backup.ts')).BACKUP_COMMANDS,
  },
  {
    words: ['networks'],
    load: async () => (await import('./cli-networks.ts')).NETWORK_COMMANDS,
  },
  { words: ['mail'], load: async () => (await import('./cli-mail.ts')).MAIL_COMMANDS },
  { words: ['mcp'], load: async () => (await import('./cli-mcp.ts')).MCP_COMMANDS },
  { words: ['secrets'], load: async () => (await import('./cli-secrets.ts')).SECRETS_COMMANDS },
];

/** Returns the commands with a first word; all of them if no command begins with it. */
async function commandsOf(word: string): Promise<Commands> {
  const matching = GROUPS.filter(({ words }) => words.includes(word));
  const groups = await Promise.all(
    (matching.length > 0 ? matching : GROUPS).map(({ load }) => load()),
  );
  return Object.assign({}, ...groups) as Commands;
}

/** Options of every command, in addition to its own. */
const COMMON = new Map([
  ['json', 'Print JSON, errors too'],
  ['help', 'Show the options of a command'],
  ['version', 'Show the version'],
]);

const CALL = 'npm run cli --';

/** The requested command, or the answer to a request for help. */
type ParsedArguments =
  | { command: Command; name: string; options: Options }
  | { answer: object; text: string };

async function overview(): Promise<ParsedArguments> {
  const commands = Object.entries(await commandsOf('')).map(([name, { summary, usage }]) => ({
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

async function find(name: string): Promise<Command> {
  const commands = await commandsOf(name.split(' ')[0]!);
  const command = commands[name];
  if (command !== undefined) return command;
  const inside = Object.keys(commands).filter((one) => one.startsWith(`${name} `));
  const others = inside.length > 0 ? ` There are: ${inside.join(', ')}.` : '';
  throw new UsageError(`There is no command "${name}".${others}`, `${CALL} list`);
}

const help = (name: string, { summary, usage }: Command): ParsedArguments => ({
  answer: { name, summary, usage },
  text: `${summary}.\n\nUsage: ${CALL} ${name} ${usage}`.trimEnd(),
});

const indented = (lines: readonly (readonly string[])[]): string =>
  align(lines, undefined).replaceAll(/^/gm, '  ');

async function parse(argv: string[]): Promise<ParsedArguments> {
  const words = argv.filter((arg, at) => !arg.startsWith('-') && isWord(argv, at));
  const name = words.join(' ');
  if (argv.includes('--version')) return { answer: { version: VERSION }, text: VERSION };
  if (words[0] === 'help' && words.length > 1) {
    const topic = words.slice(1).join(' ');
    return help(topic, await find(topic));
  }
  if (words.length === 0 || name === 'help' || name === 'list') {
    const rest = argv.filter((arg) => !['help', 'list', '--help', '--json'].includes(arg));
    if (rest.length > 0) throw new UsageError(`There is no option "${rest[0]}".`, `${CALL} list`);
    return overview();
  }
  const command = await find(name);
  if (argv.includes('--help')) return help(name, command);
  return { command, name, options: optionsFrom(argv, name, command) };
}

/** True for an argument that is part of a command's name: one before the first option. */
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
    // Only the first sentence; the others are for programmers.
    const [message] = (error as Error).message.split(/(?<=\.)\s/);
    throw new UsageError(message!, `${CALL} help ${name}`);
  }
}

/** Runs a command on servers with the newest schema, unless it stands alone. */
async function run(
  { run: work, standsAlone }: Command,
  options: Options,
  log: (line: string) => void,
): Promise<object> {
  if (standsAlone) return work(options, log);
  const servers = await existingServers({ log });
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

/** Failures that are shown in one line; others are shown with their stack trace. */
function failureOf(
  error: unknown,
): { code: string; message: string; hint?: string | undefined } | undefined {
  if (error instanceof UsageError) {
    const { message, hint } = error;
    return { code: 'usage', message, hint };
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
// A reader that closes the pipe early, such as `head`, must not end the command.
process.stdout.on('error', () => {});
try {
  const parsed = await parse(argv);
  if ('text' in parsed) {
    console.log(asJson ? JSON.stringify(parsed.answer) : parsed.text);
  } else {
    const log = asJson ? () => {} : (line: string) => console.error(line);
    const { command, name, options } = parsed;
    const result = await run(command, options, log).catch((error: unknown) => {
      throw error instanceof UsageError && error.hint === undefined
        ? new UsageError(error.message, `${CALL} help ${name}`)
        : error;
    });
    if (command.ownsOutput !== true) {
      const width = process.stdout.isTTY ? process.stdout.columns : undefined;
      console.log(asJson ? JSON.stringify(result) : toText(result, width));
    }
  }
} catch (error) {
  fail(error, asJson);
}
