import { expect } from 'chai';
import { SharedLookups } from '../../src/lookup/concurrent-lookups.ts';
import type { LinkEntry } from '../../src/lookup/entry.ts';
import { NearCache } from '../../src/lookup/near-cache.ts';

const link = (name: string, extras: Partial<LinkEntry> = {}): LinkEntry => ({
  id: `link_${name}`,
  projectId: 'proj_a',
  destination: `https://example.com/${name}`,
  ...extras,
});

describe('the cache of a redirect process', () => {
  it('returns every field of a link', () => {
    const near = new NearCache({ entries: 100, seconds: 60 }, 0);
    const entries: [key: string, entry: LinkEntry][] = [
      ['plain', link('plain')],
      ['a/b.c-d_e', link('path')],
      ['größe', link('umlaut', { expiredUrl: 'https://exämple.com/日本' })],
      ['🎉', link('emoji', { expiresAt: 1_700_000_000_000, passwordHash: '$argon2id$x' })],
      ['other', link('other', { projectId: 'proj_b' })],
    ];
    for (const [key, entry] of entries) near.rememberLink('dom_1', key, entry, 0);
    for (const [key, entry] of entries) expect(near.link('dom_1', key)).to.deep.equal(entry);
  });

  it('distinguishes keys with a common prefix, and the same key of two domains', () => {
    const near = new NearCache({ entries: 100, seconds: 60 }, 0);
    near.rememberLink('dom_1', 'sum', link('short'), 0);
    near.rememberLink('dom_1', 'summer', link('long'), 0);
    near.rememberLink('dom_2', 'sum', link('elsewhere'), 0);
    expect(near.link('dom_1', 'sum')?.id).to.equal('link_short');
    expect(near.link('dom_1', 'summer')?.id).to.equal('link_long');
    expect(near.link('dom_2', 'sum')?.id).to.equal('link_elsewhere');
    expect(near.link('dom_2', 'summer')).to.equal(undefined);
    expect(near.link('dom_1', 'Sum')).to.equal(undefined);
  });

  it('returns the newest version of a link from either generation', () => {
    const near = new NearCache({ entries: 100, seconds: 60 }, 0);
    near.rememberLink('dom_1', 'k', link('first'), 0);
    near.rememberLink('dom_1', 'k', link('second'), 0);
    expect(near.link('dom_1', 'k')?.id).to.equal('link_second');
    near.age(30_000);
    near.rememberLink('dom_1', 'k', link('third'), 30_000);
    expect(near.link('dom_1', 'k')?.id).to.equal('link_third');
  });

  it('forgets a link in both generations, and stores it again', () => {
    const near = new NearCache({ entries: 100, seconds: 60 }, 0);
    near.rememberLink('dom_1', 'k', link('old'), 0);
    near.age(30_000);
    near.rememberLink('dom_1', 'k', link('young'), 30_000);
    near.forgetLink('dom_1', 'k');
    expect(near.link('dom_1', 'k')).to.equal(undefined);
    near.rememberLink('dom_1', 'k', link('again'), 30_000);
    expect(near.link('dom_1', 'k')?.id).to.equal('link_again');
  });

  it('does not return the former destination of a link that became too large', () => {
    const near = new NearCache({ entries: 100, seconds: 60 }, 0);
    near.rememberLink('dom_1', 'k', link('short'), 0);
    near.rememberLink('dom_1', 'k', link('long', { destination: 'x'.repeat(2 << 20) }), 0);
    expect(near.link('dom_1', 'k')).to.equal(undefined);
  });

  it('expires entries by age, even those in constant use', () => {
    const near = new NearCache({ entries: 100, seconds: 60 }, 0);
    near.rememberLink('dom_1', 'k', link('k'), 0);
    near.rememberDomain('acme.link', { id: 'dom_1', projectId: 'proj_a' }, 0);
    for (let now = 0; now < 60_000; now += 1_000) {
      near.age(now);
      expect(near.link('dom_1', 'k')?.id).to.equal('link_k');
      expect(near.domain('acme.link')?.id).to.equal('dom_1');
    }
    near.age(60_000);
    expect(near.link('dom_1', 'k')).to.equal(undefined);
    expect(near.domain('acme.link')).to.equal(undefined);
  });

  it('is cleared when it was unused for longer than the age', () => {
    const near = new NearCache({ entries: 100, seconds: 60 }, 0);
    near.rememberLink('dom_1', 'k', link('k'), 0);
    near.age(61_000);
    expect(near.link('dom_1', 'k')).to.equal(undefined);
  });

  it('holds as many links as allowed, and at least half of them when more come', () => {
    const near = new NearCache({ entries: 10_000, seconds: 60 }, 0);
    const isKnown = (i: number) => near.link('dom_1', `k${i}`)?.id === `link_${i}`;
    for (let i = 0; i < 10_000; i += 1) near.rememberLink('dom_1', `k${i}`, link(String(i)), 0);
    for (let i = 0; i < 10_000; i += 1) expect(isKnown(i)).to.equal(true);
    near.rememberLink('dom_1', 'k10000', link('10000'), 0);
    expect(isKnown(10_000)).to.equal(true);
    expect(isKnown(9_999)).to.equal(true);
    expect(isKnown(0)).to.equal(false);
  });

  it('uses no more memory for an unchanged entry', () => {
    const near = new NearCache({ entries: 10, seconds: 60 }, 0);
    near.rememberLink('dom_1', 'first', link('first'), 0);
    for (let i = 0; i < 1_000; i += 1) near.rememberLink('dom_1', 'k', link('k'), 0);
    expect(near.link('dom_1', 'first')?.id).to.equal('link_first');
  });

  it('is empty after it was cleared', () => {
    const near = new NearCache({ entries: 100, seconds: 60 }, 0);
    near.rememberLink('dom_1', 'k', link('k'), 0);
    near.clear(1);
    expect(near.link('dom_1', 'k')).to.equal(undefined);
  });
});

describe('shared look-ups of one name', () => {
  /** Builds a look-up whose runs the test resolves. */
  function byHand() {
    const runs: ((answer: string) => void)[] = [];
    const look = () => new Promise<string>((resolve) => runs.push(resolve));
    return { runs, look };
  }

  it('are not joined by a request that began earlier', async () => {
    const lookups = new SharedLookups();
    const { runs, look } = byHand();
    const first = lookups.ask('k', look);
    const second = lookups.ask('k', look);
    const third = lookups.ask('k', look);
    expect(runs).to.have.length(1);
    runs[0]?.('before');
    expect(await first).to.equal('before');
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs).to.have.length(2);
    runs[1]?.('after');
    expect([await second, await third]).to.deep.equal(['after', 'after']);
  });

  it('continue with the next one when one fails', async () => {
    const lookups = new SharedLookups();
    const failing = lookups.ask('k', () => Promise.reject(new Error('away')));
    const next = lookups.ask('k', () => Promise.resolve('found'));
    expect(await failing.catch((error: Error) => error.message)).to.equal('away');
    expect(await next).to.equal('found');
    expect(await lookups.ask('k', () => Promise.resolve('again'))).to.equal('again');
  });

  it('mark the one whose entry changed meanwhile, not later ones', async () => {
    const lookups = new SharedLookups();
    const seen: boolean[] = [];
    const look = async (lookup: { isOutdated: boolean }) => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(lookup.isOutdated);
    };
    const first = lookups.ask('k', look);
    lookups.invalidate('k');
    lookups.invalidate('unasked');
    const second = lookups.ask('k', look);
    await Promise.all([first, second]);
    expect(seen).to.deep.equal([true, false]);
  });
});
