import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Room } from '../../src/events/ingest/record-visits.ts';

describe('the room for visits', () => {
  /** Calls `use` several times with two items each; the functions in `ends` resolve or reject them. */
  function uses(room: Room, count: number) {
    const [taken, ends]: [number[], ((error?: Error) => void)[]] = [[], []];
    const ended = Array.from({ length: count }, (_, at) =>
      room.use(
        () => {
          taken.push(at);
          return ['a', 'b'];
        },
        () =>
          new Promise((resolve, reject) => {
            ends[at] = (error) => (error === undefined ? resolve() : reject(error));
          }),
      ),
    );
    return { taken, ends, ended };
  }

  it('lets in until it is full, then the next one as soon as there is room, in order', async () => {
    const { taken, ends, ended } = uses(new Room(4), 6);
    await turn();
    expect(taken).to.deep.equal([0, 1]);
    ends[1]!();
    await turn();
    expect(taken).to.deep.equal([0, 1, 2]);
    ends[0]!();
    ends[2]!();
    await turn();
    expect(taken).to.deep.equal([0, 1, 2, 3, 4]);
    ends[3]!();
    ends[4]!();
    await turn();
    ends[5]!();
    await Promise.all(ended);
  });

  it('has room again after a failure, of what is used and of what is read', async () => {
    const room = new Room(1);
    const first = uses(room, 1);
    const unreadable = room.use(
      () => {
        throw new Error('not a batch');
      },
      async () => {},
    );
    const next = uses(room, 1);
    first.ends[0]!(new Error('not stored'));
    const [failed, refused] = await Promise.allSettled([...first.ended, unreadable]);
    expect([failed!.status, refused!.status]).to.deep.equal(['rejected', 'rejected']);
    await turn();
    expect(next.taken).to.deep.equal([0]);
    next.ends[0]!();
    await Promise.all(next.ended);
  });
});
