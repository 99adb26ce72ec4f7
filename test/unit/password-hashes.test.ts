import { hashSync } from '@node-rs/argon2';
import { expect } from 'chai';
import { Busy, PasswordHashes } from '../../src/infra/password-hashes.ts';

/** Options of fast hashes, since the thread gets little time on a busy machine. */
const CHEAP = { memoryCost: 64, timeCost: 1 };

describe('checks of passwords', () => {
  const hashes = new PasswordHashes();
  after(() => hashes.close());

  it('of one link are not delayed by guesses at others', async () => {
    const guessed = [1, 2, 3, 4].map((at) => hashSync(`right ${at}`, CHEAP));
    const hash = hashSync('right', CHEAP);
    let refused = 0;
    let checked = 0;
    const guesses = guessed.flatMap((one) =>
      Array.from({ length: 100 }, async () => {
        try {
          expect(await hashes.isOf(one, 'wrong', one)).to.equal(false);
          checked += 1;
        } catch (error) {
          expect(error).to.be.instanceOf(Busy);
          refused += 1;
        }
      }),
    );
    expect(await hashes.isOf(hash, 'right', hash)).to.equal(true);
    expect(refused).to.be.greaterThan(300);
    // At most the check under way and one check for each of the four guessed links came first.
    expect(checked).to.be.at.most(5);
    await Promise.all(guesses);
    expect(checked).to.be.greaterThan(40);
    expect(await hashes.isOf(guessed[0]!, 'right 1', 'a')).to.equal(true);
  });

  it('reject for an invalid hash, and continue', async () => {
    const error = await hashes.isOf('no hash', 'x', 'a').catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(Error).and.not.instanceOf(Busy);
    expect(await hashes.isOf(hashSync('right'), 'right', 'a')).to.equal(true);
  });

  it('are made with Argon2id, each with a salt of its own', async () => {
    const [one, other] = await Promise.all(['a', 'b'].map((group) => hashes.make('same', group)));
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(other).not.to.equal(one);
    expect(await hashes.isOf(one!, 'same', 'a')).to.equal(true);
    expect(await hashes.isOf(one!, 'Same', 'a')).to.equal(false);
  });
});
