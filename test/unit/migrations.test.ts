import { expect } from 'chai';
import {
  CHANGED_ADVICE,
  compareChecksums,
  landedChecksums,
  presentChecksums,
} from '../../scripts/migration-checksums.ts';

describe('migrations', () => {
  it('never change after they have landed, as their checksums show', () => {
    const { added, changed } = compareChecksums(presentChecksums(), landedChecksums());
    expect(changed, `A migration differs from its checksum. ${CHANGED_ADVICE}`).to.deep.equal([]);
    expect(added, 'Run `npm run migrations:freeze`, which adds the checksum').to.deep.equal([]);
  });

  it('are distinguished as new, unchanged, and changed or missing', () => {
    const present = { '1_a.ts': 'a', '2_b.ts': 'b', '4_d.ts': 'd' };
    const landed = { '1_a.ts': 'a', '2_b.ts': 'other', '3_c.ts': 'c' };
    expect(compareChecksums(present, landed)).to.deep.equal({
      added: ['4_d.ts'],
      changed: ['2_b.ts', '3_c.ts'],
    });
  });
});
