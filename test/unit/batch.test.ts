import { expect } from 'chai';
import pg from 'pg';
import { Batch } from '../../src/lookup/concurrent-lookups.ts';

/** Builds a store whose queries the test answers. */
function aStore() {
  const queries: { asked: readonly string[]; answer(error?: Error): void }[] = [];
  const batch = new Batch<string, string>(
    (asked) =>
      new Promise((resolve, reject) => {
        queries.push({
          asked,
          answer: (error) =>
            error === undefined
              ? resolve(asked.map((name) => (name === 'nobody' ? null : `row of ${name}`)))
              : reject(error),
        });
      }),
  );
  return { batch, queries };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const refused = () =>
  Object.assign(new pg.DatabaseError('invalid byte sequence', 0, 'error'), { code: '22021' });

describe('concurrent look-ups', () => {
  it('share a query, and each gets its own row', async () => {
    const { batch, queries } = aStore();
    const answers = ['a', 'nobody', 'b'].map((name) => batch.ask(name));
    await turn();
    expect(queries.map(({ asked }) => asked)).to.deep.equal([['a', 'nobody', 'b']]);
    queries[0]!.answer();
    expect(await Promise.all(answers)).to.deep.equal(['row of a', null, 'row of b']);
  });

  it('run in two queries at most; later ones share the next', async () => {
    const { batch, queries } = aStore();
    const answers: Promise<string | null>[] = [];
    for (let n = 0; n < 10; n += 1) {
      answers.push(batch.ask(`k${n}`));
      await turn();
    }
    expect(queries.map(({ asked }) => asked)).to.deep.equal([['k0'], ['k1']]);
    queries[0]!.answer();
    await turn();
    expect(queries[2]!.asked).to.have.lengthOf(8);
    for (const { answer } of queries) answer();
    expect(await Promise.all(answers)).to.have.lengthOf(10);
  });

  it('succeed beside one whose value the database refuses', async () => {
    const asked: (readonly string[])[] = [];
    const batch = new Batch<string, string>(async (names) => {
      asked.push(names);
      if (names.includes('poison')) throw refused();
      return names.map((name) => `row of ${name}`);
    });
    const names = ['a', 'b', 'poison', 'c', 'd'];
    const answers = await Promise.allSettled(names.map((name) => batch.ask(name)));
    expect(answers.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(asked.length).to.be.below(8);
  });

  it('all fail when the database does, without a retry', async () => {
    const { batch, queries } = aStore();
    const answers = Promise.allSettled(['a', 'b'].map((name) => batch.ask(name)));
    await turn();
    queries[0]!.answer(new Error('connect ECONNREFUSED'));
    expect((await answers).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(queries).to.have.lengthOf(1);
  });
});
