import { recordByOperator } from '../src/audit/write.ts';
import { db } from '../src/infra/db.ts';
import {
  accountId,
  createAccount,
  createSignInLink,
  listAccounts,
  removeLostFactor,
  removeLostPasskeys,
  setDisabled,
  setOperator,
} from '../src/users/accounts.ts';
import { endAllSessions } from '../src/users/commands.ts';
import { vouchForAccount } from '../src/users/proof.ts';
import { workspaceId } from '../src/workspaces/queries.ts';
import { ROLES, type Role } from '../src/workspaces/roles.ts';
import {
  type Command,
  emailOf,
  type Options,
  required,
  slugOf,
  text,
  UsageError,
} from './cli-options.ts';

/** Commands about people. */
export const USER_COMMANDS: Record<string, Command> = {
  'user create': {
    summary: 'Create an account, and an address that signs it in once',
    usage: '--email ada@acme.test --name "Ada" [--workspace acme] [--role owner|member|viewer]',
    async run(options) {
      const email = emailOf(options, 'email');
      const role = roleOf(options);
      const workspace =
        text(options, 'workspace') === undefined ? undefined : slugOf(options, 'workspace');
      return db().transaction(async (trx) => {
        const account = await createAccount(trx, {
          email,
          name: required(options, 'name'),
          workspace,
          role,
        });
        if (workspace !== undefined) {
          const target = { kind: 'member', id: account.id };
          const projectId = await workspaceId(trx, workspace);
          await recordByOperator(trx, projectId, { action: 'member.create', target });
        }
        return account;
      });
    },
  },
  'user list': {
    summary: 'List accounts',
    usage: '',
    run: () => listAccounts(db()),
  },
  'user link': {
    summary: 'Create an address that signs a person in once',
    usage: '--email ada@acme.test',
    run: (options) => createSignInLink(db(), emailOf(options, 'email')),
  },
  'user disable': {
    summary: 'Disable an account and end its sessions; its API keys keep working',
    usage: '--email ada@acme.test',
    run: (options) => disable(options, true),
  },
  'user enable': {
    summary: 'Enable an account again',
    usage: '--email ada@acme.test',
    run: (options) => disable(options, false),
  },
  'user sign-out': {
    summary: 'End all sessions of a person',
    usage: '--email ada@acme.test',
    async run(options) {
      const id = await accountId(db(), emailOf(options, 'email'));
      return { id, endedSessions: await endAllSessions(db(), id) };
    },
  },
  'user remove-second-factor': {
    summary: 'Remove the lost authenticator app of a person, and their recovery codes',
    usage: '--email ada@acme.test',
    run: (options) => removeLostFactor(db(), emailOf(options, 'email')),
  },
  'user remove-passkeys': {
    summary: 'Remove the lost passkeys of a person',
    usage: '--email ada@acme.test',
    run: (options) => removeLostPasskeys(db(), emailOf(options, 'email')),
  },
  'user set': {
    summary: 'Make a person an operator, or no longer one',
    usage: '--email ada@acme.test --operator true|false',
    async run(options) {
      const id = await accountId(db(), emailOf(options, 'email'));
      const operator = required(options, 'operator');
      if (operator !== 'true' && operator !== 'false') {
        throw new UsageError('--operator must be true or false');
      }
      const isFirstProof = await setOperator(db(), id, operator === 'true');
      return { id, isOperator: operator === 'true', isFirstProof };
    },
  },
  'user vouch': {
    summary: 'Take an account, as it is, for that of the person with its address',
    usage: '--email ada@acme.test',
    async run(options) {
      const id = await accountId(db(), emailOf(options, 'email'));
      await vouchForAccount(db(), id);
      return { id, isVerified: true };
    },
  },
};

async function disable(options: Options, isDisabled: boolean): Promise<object> {
  const id = await accountId(db(), emailOf(options, 'email'));
  await setDisabled(db(), id, isDisabled);
  return { id, isDisabled };
}

function roleOf(options: Options): Role | undefined {
  const role = text(options, 'role');
  if (role === undefined) return undefined;
  if (text(options, 'workspace') === undefined) {
    throw new UsageError('--role is that in a workspace: --workspace is required');
  }
  if (!ROLES.includes(role as Role)) {
    throw new UsageError(`--role must be one of ${ROLES.join(', ')}`);
  }
  return role as Role;
}
