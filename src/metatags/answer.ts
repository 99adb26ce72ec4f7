import { type Asker, askOnce } from '../http/answer.ts';
import type { Answer } from '../http/route.ts';
import { metatags } from '../queues/metatags.ts';
import { findRead, metatagsOf, type PageRead, pageName } from './reads.ts';

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

function obtain(request: Asker, url: string): Promise<PageRead> {
  const name = pageName(url);
  const job = {
    queue: metatags,
    name: 'page.read',
    data: { url },
    jobId: name,
    isLowPriority: true,
  } as const;
  return askOnce(request, job, () => findRead(request.queues.cache, name));
}
