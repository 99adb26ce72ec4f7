import { recordByOperator } from '../src/audit/write.ts';
import { addDomainNow } from '../src/domains/commands.ts';
import { toHostName } from '../src/http/domain-name.ts';
import { toInstant } from '../src/http/iso-time.ts';
import { type Db, db } from '../src/infra/db.ts';
import { MAX_ORIGINS, ORIGIN_RULE, toOrigin } from '../src/keys/origins.ts';
import { createApiKey, PUBLISHABLE_SCOPES, revokeApiKey } from '../src/workspaces/api-keys.ts';
import {
  createWorkspace,
  updateWorkspace,
  type WorkspaceSettings,
} from '../src/workspaces/commands.ts';
import { ensureDemo } from '../src/workspaces/demo.ts';
import { PLANS, type Plan } from '../src/workspaces/plans.ts';
import { workspaceId } from '../src/workspaces/queries.ts';
import { SCOPES } from '../src/workspaces/scopes.ts';
import {
  type Command,
  newSlugOf,
  type Options,
  optional,
  required,
  slugOf,
  text,
  UsageError,
  wholeNumber,
} from './cli-options.ts';

/** Commands about workspaces, their keys and their domains. */
export const WORKSPACE_COMMANDS: Record<string, Command> = {
  'workspace create': {
    summary: 'Create a workspace and its first API key',
    usage:
      '--slug acme [--name "Acme"] [--plan free|pro|business|enterprise] [--email owner@acme.test]',
    async run(options) {
      return db().transaction(async (trx) => {
        const { id, slug, plan, apiKey } = await createWorkspace(trx, {
          slug: newSlugOf(options, 'slug'),
          plan: planOf(options) ?? 'free',
          name: text(options, 'name'),
          email: text(options, 'email'),
        });
        const target = { kind: 'workspace', id };
        await recordByOperator(trx, id, { action: 'workspace.create', target });
        return { id, slug, plan, apiKey };
      });
    },
  },
  'workspace set': {
    summary: 'Change plan, name or limits of a workspace',
    usage:
      '--workspace acme [--plan …] [--name …] [--requests-per-minute N|0|plan] [--click-dedupe-seconds N] [--keep-full-ip true|false] [--require-second-factor true|false] [--retention-days N|0|plan]',
    run(options) {
      const settings = settingsOf(options);
      return updateWorkspace(db(), slugOf(options, 'workspace'), settings, (trx, id) =>
        recordByOperator(trx, id, {
          action: 'workspace.update',
          target: { kind: 'workspace', id },
          fields: Object.keys(settings),
        }),
      );
    },
  },
  'key create': {
    summary: 'Create an API key, which is shown once, or with --origins a publishable key',
    usage:
      '--workspace acme [--name "CI"] [--scopes links.read,links.write | --origins https://shop.example] [--expires 2030-01-01]',
    run(options) {
      const origins = originsOf(options);
      if (origins !== undefined && options['scopes'] !== undefined) {
        throw new UsageError('--origins makes a publishable key, which cannot have --scopes');
      }
      const expires = text(options, 'expires');
      return db().transaction(async (trx) => {
        const workspace = slugOf(options, 'workspace');
        const key = await createApiKey(trx, {
          workspace,
          name: text(options, 'name') ?? 'key',
          scopes: origins === undefined ? scopesOf(options) : [...PUBLISHABLE_SCOPES],
          origins,
          expiresAt: expires === undefined ? undefined : instant(expires),
        });
        await recordKeyAction(trx, workspace, 'apiKey.create', key.id);
        return origins === undefined ? key : { id: key.id, publicKey: key.apiKey, origins };
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
        await recordKeyAction(trx, workspace, 'apiKey.revoke', id);
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
  demo: {
    summary: 'Create the demo workspace of npm start, and show its API key',
    usage: '',
    async run() {
      const { slug, apiKey } = await ensureDemo(db());
      return { slug, apiKey };
    },
  },
};

async function recordKeyAction(
  trx: Db,
  workspace: string,
  action: string,
  id: string,
): Promise<void> {
  const target = { kind: 'apiKey', id };
  await recordByOperator(trx, await workspaceId(trx, workspace), { action, target });
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
  const knownScopes: readonly string[] = ['*', ...SCOPES];
  for (const scope of scopes) {
    if (!knownScopes.includes(scope))
      throw new UsageError(
        `--scopes must be a comma-separated list of ${knownScopes.join(', ')}, not "${scope}"`,
      );
  }
  return scopes;
}

function originsOf(options: Options): string[] | undefined {
  const list = text(options, 'origins');
  if (list === undefined) return undefined;
  const origins = list.split(',').map((one) => {
    const origin = toOrigin(one.trim());
    if (origin === undefined) throw new UsageError(`--origins ${ORIGIN_RULE}; "${one}" is not`);
    return origin;
  });
  if (origins.length > MAX_ORIGINS) {
    throw new UsageError(`--origins must have at most ${MAX_ORIGINS} origins`);
  }
  return [...new Set(origins)];
}

function settingsOf(options: Options): WorkspaceSettings {
  const limit = text(options, 'requests-per-minute');
  const window = text(options, 'click-dedupe-seconds');
  const days = text(options, 'retention-days');
  return {
    ...optional('plan', planOf(options)),
    ...optional('name', text(options, 'name')),
    ...optional(
      'requestsPerMinute',
      limit === 'plan' ? null : wholeNumber('requests-per-minute', limit),
    ),
    ...optional('clickDedupeSeconds', wholeNumber('click-dedupe-seconds', window)),
    ...optional('retentionDays', days === 'plan' ? null : wholeNumber('retention-days', days)),
    ...optional('keepFullIp', flagOf(options, 'keep-full-ip')),
    ...optional('requireSecondFactor', flagOf(options, 'require-second-factor')),
  };
}

function flagOf(options: Options, name: string): boolean | undefined {
  const value = text(options, name);
  if (value !== undefined && value !== 'true' && value !== 'false') {
    throw new UsageError(`--${name} must be true or false`);
  }
  return value === undefined ? undefined : value === 'true';
}

function instant(value: string): Date {
  const iso = toInstant(value);
  if (iso === undefined) throw new UsageError('--expires must be an ISO 8601 date');
  return new Date(iso);
}
