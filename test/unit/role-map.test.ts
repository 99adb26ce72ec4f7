import { expect } from 'chai';
import fc from 'fast-check';
import { readConfig } from '../../src/config.ts';
import type { RoleMapping } from '../../src/setting-parsers.ts';
import { grantsOf, groupsIn } from '../../src/users/groups.ts';
import { ROLES } from '../../src/workspaces/roles.ts';

const name = fc
  .string({ minLength: 1 })
  .filter((text) => text.trim() === text && !/[;\n]/.test(text));
const row: fc.Arbitrary<RoleMapping> = fc.record({
  group: name,
  workspace: fc.stringMatching(/^[a-z0-9-]{1,20}$/),
  role: fc.constantFrom(...ROLES),
});

describe('roles by groups', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.array(row), fc.constantFrom(';', '\n', ' ; '), (map, separator) => {
        const lines = map.map(({ group, workspace, role }) => `${group}=${workspace}:${role}`);
        const { OIDC_ROLE_MAP } = readConfig({ OIDC_ROLE_MAP: lines.join(separator) });
        expect(OIDC_ROLE_MAP).to.deep.equal(map);
      }),
    );
  });

  it('are the highest of each workspace', () => {
    fc.assert(
      fc.property(fc.array(row), fc.array(name), (map, groups) => {
        const held = [...groups, ...map.slice(0, 3).map(({ group }) => group)];
        const grants = grantsOf(held, map);
        const workspaces = grants.map(({ workspace }) => workspace);
        expect(new Set(workspaces).size).to.equal(workspaces.length);
        for (const { group, workspace, role } of map) {
          const grant = grants.find((one) => one.workspace === workspace);
          if (!held.includes(group)) continue;
          expect(ROLES.indexOf(grant!.role)).to.be.at.most(ROLES.indexOf(role));
        }
        for (const grant of grants) {
          const sources = map.filter(({ group }) => held.includes(group));
          expect(sources.map(({ workspace, role }) => ({ workspace, role }))).to.deep.include(
            grant,
          );
        }
      }),
    );
  });

  it('are of texts only', () => {
    expect(groupsIn(['a', 1, null, 'b'])).to.deep.equal(['a', 'b']);
    expect(groupsIn('a')).to.deep.equal(['a']);
    for (const claim of [undefined, null, 1, {}]) expect(groupsIn(claim)).to.deep.equal([]);
  });
});
