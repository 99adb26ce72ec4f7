import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { EventRecords } from '../../src/events/records.ts';
import { numbersOf } from '../../src/reports/numbers.ts';

describe('numbers of a shared report', () => {
  const now = performance.now;
  let aheadMs = 0;
  beforeEach(() => {
    aheadMs = 0;
    performance.now = () => now.call(performance) + aheadMs;
  });
  afterEach(() => {
    performance.now = now;
  });

  /** Moves the clock of the cache, which remembers the time for a millisecond. */
  async function pass(ms: number) {
    aheadMs += ms;
    await pause(5);
  }

  /** Reads of reports that end when `ends` are called, by the order of their starts. */
  function reads() {
    const ends: { resolve(): void; reject(error: Error): void }[] = [];
    const run = <Result>() =>
      new Promise<Result>((resolve, reject) => {
        ends.push({ resolve: () => resolve({} as Result), reject });
      });
    const ask = (id: string) => {
      const report = { project_id: 'proj_1', id, query: '', groups: [] };
      return numbersOf(report, {} as EventRecords, run);
    };
    return { ends, ask };
  }

  it('are read once while a read takes long, and reused for 10 s after it', async () => {
    const { ends, ask } = reads();
    const first = ask('shr_slow');
    await pass(25_000);
    expect(ask('shr_slow')).to.equal(first);
    ends[0]!.resolve();
    await first;
    await pass(9_000);
    expect(ask('shr_slow')).to.equal(first);
    await pass(2_000);
    expect(ask('shr_slow')).not.to.equal(first);
    expect(ends).to.have.length(2);
  });

  it('are kept when an earlier read, which others have displaced, ends', async () => {
    const { ends, ask } = reads();
    const first = ask('shr_displaced');
    for (let n = 0; n < 100; n += 1) void ask(`shr_${n}`);
    const second = ask('shr_displaced');
    expect(second).not.to.equal(first);
    ends[0]!.reject(new Error('away'));
    await first.catch(() => {});
    await pass(0);
    expect(ask('shr_displaced')).to.equal(second);
  });

  it('are read again after a failure', async () => {
    const { ends, ask } = reads();
    const first = ask('shr_failed');
    ends[0]!.reject(new Error('away'));
    await first.catch(() => {});
    await pass(0);
    expect(ask('shr_failed')).not.to.equal(first);
  });
});
