import { expect } from 'chai';
import { FILTERS } from '../../src/events/filters.ts';
import { BlockColumns } from '../../src/events/store/postgres/block-columns.ts';

describe('filters of events', () => {
  it('name a column of blocks, which match nothing otherwise', () => {
    const columns = new BlockColumns('proj_1').pack(() => new Map()).map(({ name }) => name);
    const others = Object.entries(FILTERS).filter(([, { block }]) => !columns.includes(block));
    expect(others.map(([name]) => name)).to.deep.equal([]);
  });
});
