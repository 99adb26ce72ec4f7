import { Refusal } from '../errors.ts';
import { Timeout } from '../infra/clock.ts';
import { findRead, metatagsOf, type PageRead, pageName } from '../metatags/reads.ts';
import { metatags } from '../queues/metatags.ts';
import { type Asker, askOnce } from './answer.ts';
import type { Answer } from './route.ts';

/**
 * Answers with what a page says about itself: from the cache where it has been read lately, else read by a worker.
 *
 * @throws Refusal when the page can't be read, or when more are asked for than can be
 */
export async function answerMetatags(request: Asker, url: string): Promise<Answer> {
  const read = await obtain(request, url);
  const seconds = Math.max(0, Math.floor((read.until - Date.now()) / 1_000));
  return {
    status: 200,
    body: metatagsOf(read),
    headers: { 'Cache-Control': `public, max-age=${seconds}` },
  };
}

async function obtain(request: Asker, url: string): Promise<PageRead> {
  const name = pageName(url);
  const { cache } = request.queues;
  try {
    return await askOnce(
      request,
      { queue: metatags, name: 'page.read', data: { url }, jobId: name, isLowPriority: true },
      () => findRead(cache, name),
    );
  } catch (thrown) {
    // A page has its own time limit: whoever waits longer waits for other pages.
    if (!(thrown instanceof Timeout)) throw thrown;
    throw new Refusal(
      'rate_limit_exceeded',
      'url: not read in time, since too many pages are asked for at this moment. Try again in a minute',
    );
  }
}
