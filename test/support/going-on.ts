import { expect } from 'chai';
import { visitsAddUp, writesAddUp } from './adding-up.ts';
import { eventually } from './eventually.ts';
import { type Owned, type OwnService, postTo } from './own-service.ts';
import { Visitors, Writers } from './traffic.ts';

const VISITS_PER_SECOND = 100;
const WRITES_PER_SECOND = 10;
/**
 * Time limit from a change of servers to the next answered write, in ms. A failover of sentinels can
 * take 5 s; the rest is for a machine that gives eleven processes little time to reconnect.
 */
const AGAIN_MS = 60_000;
/** Keys of the visited links. */
export const KEYS = Array.from({ length: 20 }, (_, n) => `known-${n}`);

/**
 * Starts a service whose queues and look-ups are in one Redis, with the links that {@link goOn}
 * visits.
 */
export async function startOn(
  own: OwnService,
  url: string,
  others: Record<string, string> = {},
): Promise<void> {
  const settings = {
    REDIS_URL: url,
    CACHE_REDIS_URL: url,
    // Otherwise a write confirmed by the primary is lost if the promoted replica lacks it.
    REDIS_WAIT_REPLICAS: '1',
    WRITE_WAIT_MS: '3000',
    ...others,
  };
  await own.start(settings, 'Procfile.small');
  await makeKnown(own);
}

/** Creates the links that {@link goOn} visits. */
export const makeKnown = (own: Owned): Promise<unknown> =>
  postTo(
    own,
    '/links/bulk',
    KEYS.map((key) => ({ url: `https://example.com/${key}`, key })),
  );

/**
 * Sends visits and writes while servers change, and checks that every answered one is stored once.
 */
export async function goOn(
  own: Owned,
  name: string,
  change: () => Promise<unknown>,
): Promise<void> {
  const visitors = new Visitors(name, own.service.redirectPorts, KEYS, VISITS_PER_SECOND);
  const writers = new Writers(name, own.service.apiUrl, own.apiKey, WRITES_PER_SECOND);
  const { tally } = visitors;
  // A worker that a busy machine gives little time ends a write after its answer with 202.
  const writesAbove = (count: number) =>
    eventually(
      () => expect(writers.answered, JSON.stringify(writers.statuses)).to.be.above(count),
      AGAIN_MS,
    );
  await writesAbove(WRITES_PER_SECOND);
  await change();
  const changed = performance.now();
  const visitsBefore = tally.answered.size;
  await writesAbove(writers.answered);
  const again = Math.round(performance.now() - changed);
  await eventually(
    () => expect(tally.answered.size).to.be.above(visitsBefore + VISITS_PER_SECOND),
    AGAIN_MS,
  );
  const [visits, writes] = await Promise.all([visitors.stop(), writers.stop()]);
  expect([...visits.others], 'answers other than redirects').to.deep.equal([]);
  expect([...visits.cut], 'answers cut off').to.deep.equal([]);
  await visitsAddUp(own, name, visits);
  await writesAddUp(own, name, writes);
  expect(own.service.lines.filter((line) => line.includes('restart'))).to.deep.equal([]);
  console.log(`      a write was answered ${again} ms after the change`);
}
