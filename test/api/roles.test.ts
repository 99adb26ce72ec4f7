import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { isOfWorkspace, type Route } from '../../src/http/route.ts';
import { ROLES, type Role, SCOPES_OF } from '../../src/workspaces/roles.ts';
import { includesScope, SCOPES } from '../../src/workspaces/scopes.ts';
import { aPerson, type Person } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Checks every scope and every route for each role. The rules are written here a second time, as in
 * docs/users.md.
 */

/** Lists the roles that have a scope. */
function rolesWith(scope: string): Role[] {
  const [noun, right] = scope.split('.');
  if (scope === 'audit.read') return ['owner'];
  if (right === 'read') {
    const isHidden = ['keys', 'webhooks', 'jobs'].includes(noun!);
    return isHidden ? ['owner', 'member'] : ['owner', 'member', 'viewer'];
  }
  return ['workspace', 'members', 'keys'].includes(noun!) ? ['owner'] : ['owner', 'member'];
}

/** Lists the roles that can use a route. */
function rolesOf({ scope }: Route): readonly Role[] {
  if (scope === 'operator') return [];
  return isOfWorkspace(scope) ? rolesWith(scope) : ROLES;
}

describe('the rights of roles', () => {
  let world: World;
  const people = {} as Record<Role, Person>;

  before(async () => {
    world = await aWorkspace();
    for (const role of ROLES) people[role] = await aPerson({ in: { ...world, role } });
  });

  for (const scope of SCOPES) {
    it(`${scope}: ${rolesWith(scope).join(', ')}`, () => {
      const having = ROLES.filter((role) => includesScope(SCOPES_OF[role], scope));
      expect(having).to.deep.equal(rolesWith(scope));
    });
  }

  /** Sends a request that has no effect, and resolves with the message of a 403. */
  async function refusal({ method, path }: Route, role: Role): Promise<string | undefined> {
    const response = await fetch(stack().apiUrl + path.replaceAll(/\{\w+\}/g, 'x_1'), {
      method: method.toUpperCase(),
      headers: {
        cookie: `session=${people[role].token}`,
        'sec-fetch-site': 'same-origin',
        'x-workspace': world.slug,
        ...(method === 'get' ? {} : { 'content-type': 'application/json' }),
      },
      ...(method === 'get' ? {} : { body: '"nothing"' }),
    });
    if (response.status !== 403) {
      // A stream would never end.
      await response.body?.cancel();
      expect(response.status).to.be.lessThan(500).and.not.equal(401);
      return undefined;
    }
    return ((await response.json()) as { error: { message: string } }).error.message;
  }

  for (const route of routes) {
    if (route.scope === 'public') continue;
    const { method, path, scope } = route;
    const allowed = rolesOf(route);
    it(`${method.toUpperCase()} ${path}: ${allowed.join(', ') || 'operators only'}`, async () => {
      const lowest = allowed.at(-1);
      if (lowest !== undefined) expect(await refusal(route, lowest)).to.equal(undefined);
      const highest = ROLES.find((role) => !allowed.includes(role));
      if (highest === undefined) return;
      const message = isOfWorkspace(scope)
        ? `The role "${highest}" lacks the scope "${scope}"`
        : 'This needs an operator of the installation';
      expect(await refusal(route, highest)).to.equal(message);
    });
  }
});
