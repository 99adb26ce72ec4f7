import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Semaphore } from '../../src/infra/semaphore.ts';

describe('a semaphore', () => {
  /** Starts tasks of two units each; the functions in `ends` resolve or reject them. */
  function start(semaphore: Semaphore, count: number) {
    const [started, ends]: [number[], ((error?: Error) => void)[]] = [[], []];
    const ended = Array.from({ length: count }, (_, at) =>
      semaphore.run(
        () => {
          started.push(at);
          return new Promise<void>((resolve, reject) => {
            ends[at] = (error) => (error === undefined ? resolve() : reject(error));
          });
        },
        { units: 2 },
      ),
    );
    return { started, ends, ended };
  }

  it('starts work while it has units, and the rest in order as units are released', async () => {
    const { started, ends, ended } = start(new Semaphore(4), 5);
    await turn();
    expect(started).to.deep.equal([0, 1]);
    ends[1]!();
    await turn();
    expect(started).to.deep.equal([0, 1, 2]);
    ends[0]!();
    ends[2]!();
    await turn();
    expect(started).to.deep.equal([0, 1, 2, 3, 4]);
    ends[3]!();
    ends[4]!();
    await Promise.all(ended);
  });

  it('runs work larger than itself alone, and releases the units of work that fails', async () => {
    const semaphore = new Semaphore(1);
    const first = start(semaphore, 1);
    const next = start(semaphore, 1);
    first.ends[0]!(new Error('not stored'));
    const [failed] = await Promise.allSettled(first.ended);
    expect(failed!.status).to.equal('rejected');
    await turn();
    expect(next.started).to.deep.equal([0]);
    next.ends[0]!();
    await Promise.all(next.ended);
  });
});
