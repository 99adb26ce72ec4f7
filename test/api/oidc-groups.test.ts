import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { newToken } from '../../src/infra/secrets.ts';
import { createWorkspace } from '../../src/workspaces/commands.ts';
import type { Role } from '../../src/workspaces/roles.ts';
import { eventually } from '../support/eventually.ts';
import { MailServer } from '../support/mail-server.ts';
import { OwnService } from '../support/own-service.ts';
import { CLIENT, CookieJar, SingleSignOn } from '../support/single-sign-on.ts';

/* Tests roles by groups, and second factors, of a real provider on this machine. */

describe('groups of a provider', function () {
  const own = new OwnService();
  const provider = new SingleSignOn();
  let base: string;
  let mail: MailServer;
  const ids: Record<string, string> = {};

  before(async () => {
    await provider.listen();
    mail = await MailServer.start();
    const settings = {
      LOG_LEVEL: 'warn',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: 'Acme accounts',
      OIDC_SECOND_FACTOR: 'always',
      OIDC_ROLE_MAP:
        'cn=admins,ou=groups=mapped:owner; editors=mapped:member\nreaders=mapped:viewer; readers=other:viewer; ghosts=no-such:owner',
      OUTBOUND_ALLOW: '127.0.0.1',
      SIGN_INS_PER_MINUTE: '0',
      SMTP_URL: mail.url('none'),
      MAIL_FROM: 'links@mail.test',
    };
    await own.start(settings, 'Procfile.small');
    base = own.service.apiUrl.replace('127.0.0.1', 'localhost');
    provider.serve(`${base}/auth/oidc/callback`);
    for (const slug of ['mapped', 'other', 'by-hand']) {
      ids[slug] = (await createWorkspace(own.db, { slug, plan: 'free' })).id;
    }
  });
  after(async () => {
    await own.stop();
    await provider.stop();
    await mail.stop();
  });

  const ADMINS = 'cn=admins,ou=groups';

  /** Creates an account at the provider, which the service does not know. */
  function anAccount(groups?: unknown) {
    const login = `login-${newToken().slice(0, 12).toLowerCase()}`;
    const email = `${login}@people.test`;
    const account = { email, email_verified: true, name: 'Ada', groups };
    provider.accounts[login] = account;
    return { login, email, account };
  }

  /** Signs in, and resolves with the cookies and the final address. */
  async function signIn(login: string) {
    const jar = new CookieJar();
    const callback = await jar.follow(`${base}/auth/oidc`, `${base}/auth/oidc/callback`, {
      login,
      password: 'x',
    });
    return { jar, at: CookieJar.next(await jar.open(callback), callback) };
  }

  /** Reads the roles of a person by the slugs of their workspaces. */
  async function rolesOf(email: string): Promise<Record<string, string>> {
    const { rows } = await own.db.raw<{ rows: { slug: string; role: string }[] }>(
      `SELECT w.slug, m.role FROM workspace_users m JOIN workspaces w ON w.id = m.project_id
         JOIN users u ON u.id = m.user_id WHERE u.email = ?`,
      [email],
    );
    return Object.fromEntries(rows.map(({ slug, role }) => [slug, role]));
  }

  const userOf = async (email: string) =>
    (await own.db('users').where({ email }).first('id')).id as string;

  const actionsOf = async (email: string) =>
    (
      await own
        .db('audit_log')
        .where({ target_id: await userOf(email) })
        .orderBy('id')
        .select('action', 'user_id')
    ).map(({ action, user_id }) => ({ action, user_id }));

  const byOperator = (...actions: string[]) => actions.map((action) => ({ action, user_id: null }));

  async function join(email: string, slug: string, role: Role) {
    const project_id = ids[slug];
    await own.db('workspace_users').insert({ project_id, user_id: await userOf(email), role });
  }

  it('create an account with the highest role of each workspace, and follow at each sign-in', async () => {
    const { login, email, account } = anAccount(['editors', 'readers', 'ghosts', 'unknown']);
    expect((await signIn(login)).at).to.equal(`${base}/console`);
    expect(await rolesOf(email)).to.deep.equal({ mapped: 'member', other: 'viewer' });
    account.groups = [ADMINS];
    await signIn(login);
    expect(await rolesOf(email)).to.deep.equal({ mapped: 'owner' });
    account.groups = 'readers';
    await signIn(login);
    expect(await rolesOf(email)).to.deep.equal({ mapped: 'viewer', other: 'viewer' });
    delete account.groups;
    await signIn(login);
    expect(await rolesOf(email)).to.deep.equal({});
    expect(await actionsOf(email)).to.have.deep.members(
      byOperator(
        'member.create',
        'member.create',
        'member.update',
        'member.remove',
        'member.update',
        'member.create',
        'member.remove',
        'member.remove',
      ),
    );
  });

  it('keep the limits of a person who leaves, or loses a group, and comes back', async () => {
    const { login, email, account } = anAccount(['editors']);
    const { jar } = await signIn(login);
    const user_id = await userOf(email);
    const membership = () => own.db('workspace_users').where({ user_id });
    const limits = { own: true };
    await membership().update({ limits });
    const cookie = [...jar.of(base)].map(([name, value]) => `${name}=${value}`).join('; ');
    const left = await fetch(`${base}/members/${user_id}`, {
      method: 'DELETE',
      headers: { cookie, 'sec-fetch-site': 'same-origin', 'x-workspace': 'mapped' },
    });
    expect(left.status, await left.text()).to.equal(200);
    expect(await rolesOf(email)).to.deep.equal({});
    await signIn(login);
    expect(await membership().select('role', 'limits')).to.deep.equal([{ role: 'member', limits }]);
    account.groups = [];
    await signIn(login);
    account.groups = ['editors'];
    await signIn(login);
    expect(await membership().select('role', 'limits')).to.deep.equal([{ role: 'member', limits }]);
    // An owner has no limits, also not afterwards.
    for (const [group, role] of [
      [ADMINS, 'owner'],
      ['editors', 'member'],
    ] as const) {
      account.groups = [group];
      await signIn(login);
      const expected = [{ role, limits: null }];
      expect(await membership().select('role', 'limits')).to.deep.equal(expected);
    }
  });

  it('keep no limits that the workspace has ended before a person leaves', async () => {
    const { login, email, account } = anAccount(['editors']);
    await signIn(login);
    const user_id = await userOf(email);
    const membership = () => own.db('workspace_users').where({ user_id });
    const comeBack = async () => {
      for (const groups of [[], ['editors']]) {
        account.groups = groups;
        await signIn(login);
      }
      return membership().select('limits');
    };
    await membership().update({ limits: { own: true } });
    expect(await comeBack()).to.deep.equal([{ limits: { own: true } }]);
    await membership().update({ limits: null });
    expect(await comeBack()).to.deep.equal([{ limits: null }]);
  });

  it('revoke the API keys that exceed the new role', async () => {
    const { login, email, account } = anAccount(['editors']);
    await signIn(login);
    const user_id = await userOf(email);
    const key = { project_id: ids['mapped'], user_id, name: 'a', hint: 'a' };
    await own.db('api_keys').insert([
      { ...key, id: newId('apiKey'), hash: newToken(), scopes: ['links.write'] },
      { ...key, id: newId('apiKey'), hash: newToken(), scopes: ['links.read'] },
    ]);
    account.groups = ['readers'];
    await signIn(login);
    const left = await own.db('api_keys').where({ user_id, revoked_at: null });
    expect(left.map(({ scopes }) => scopes)).to.deep.equal([['links.read']]);
  });

  it('leave memberships that were given by hand', async () => {
    const { login, email, account } = anAccount(['editors']);
    await signIn(login);
    await join(email, 'by-hand', 'owner');
    await join(email, 'other', 'member');
    account.groups = ['readers'];
    await signIn(login);
    expect(await rolesOf(email)).to.deep.equal({
      mapped: 'viewer',
      other: 'member',
      'by-hand': 'owner',
    });
    account.groups = [];
    await signIn(login);
    expect(await rolesOf(email)).to.deep.equal({ other: 'member', 'by-hand': 'owner' });
  });

  it('leave the last owner of a workspace', async () => {
    const { login, email, account } = anAccount([ADMINS]);
    await signIn(login);
    const project_id = ids['mapped'];
    const others = own.db('workspace_users').where({ project_id, role: 'owner' });
    await others.whereNot({ user_id: await userOf(email) }).update({ role: 'member' });
    for (const groups of [['readers'], []]) {
      account.groups = groups;
      await signIn(login);
      expect(await rolesOf(email)).to.include({ mapped: 'owner' });
    }
    const second = anAccount([ADMINS]);
    await signIn(second.login);
    await signIn(login);
    expect(await rolesOf(email)).to.deep.equal({});
  });

  it('admit nobody without a group that has a role', async () => {
    for (const groups of [undefined, [], ['unknown'], ['ghosts'], { editors: true }]) {
      const { login, email } = anAccount(groups);
      expect((await signIn(login)).at).to.contain('error=unknown_user');
      expect(await own.db('users').where({ email })).to.deep.equal([]);
    }
  });

  it('leave everything where the provider sends them elsewhere', async () => {
    const { login, email, account } = anAccount(['editors']);
    await signIn(login);
    delete account.groups;
    Object.assign(account, { _claim_names: { groups: 'src1' } });
    await signIn(login);
    expect(await rolesOf(email)).to.deep.equal({ mapped: 'member' });
    await eventually(() => {
      const warnings = own.service.lines.filter((line) => line.includes('too many groups'));
      expect(warnings).to.have.length(1);
    });
  });

  it('lock no other members where they change nothing', async () => {
    const { login, email } = anAccount(['editors']);
    await signIn(login);
    const other = anAccount(['readers']);
    await signIn(other.login);
    await own.db.transaction(async (trx) => {
      const user_id = await userOf(other.email);
      await trx('workspace_users').where({ user_id }).forUpdate().select('role');
      expect((await signIn(login)).at).to.equal(`${base}/console`);
    });
    expect(await rolesOf(email)).to.deep.equal({ mapped: 'member' });
  });

  it('leave the memberships of a disabled person', async () => {
    const { login, email, account } = anAccount(['editors']);
    await signIn(login);
    await own.db('users').where({ email }).update({ disabled_at: new Date() });
    account.groups = [ADMINS];
    expect((await signIn(login)).at).to.contain('error=disabled');
    expect(await rolesOf(email)).to.deep.equal({ mapped: 'member' });
  });

  it('count as a second factor where the provider requires one of everybody', async () => {
    const { login, email } = anAccount(['editors']);
    const { jar } = await signIn(login);
    await own.db('workspaces').where({ id: ids['mapped'] }).update({ require_second_factor: true });
    const { workspaces } = (await (await jar.open(`${base}/me`)).json()) as {
      workspaces: { needsSecondFactor: boolean }[];
    };
    expect(workspaces.map(({ needsSecondFactor }) => needsSecondFactor)).to.deep.equal([false]);
    const session = await own
      .db('sessions')
      .where({ user_id: await userOf(email) })
      .first();
    expect(session).to.include({ method: 'oidc', second_factor: 'provider' });
  });

  it('belong to people whose password is no longer theirs to reset', async () => {
    const { login, email } = anAccount(['editors']);
    await signIn(login);
    const answer = await fetch(`${base}/auth/password-resets`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ email }),
    });
    expect(answer.status).to.equal(204);
    const [sent] = await mail.arrived(email);
    expect(sent!.headers.get('subject')).to.equal('Sign in without a password');
    expect(sent!.body).to.contain('sign in with Acme accounts');
    expect(sent!.body).not.to.contain('/sign-in/reset');
    await eventually(async () => {
      const reset = await own
        .db('password_resets')
        .where({ user_id: await userOf(email) })
        .first();
      expect(reset.expires_at.getTime()).to.be.at.most(Date.now());
    });
  });
});
