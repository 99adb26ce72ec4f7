import { metatags } from '../queues/metatags.ts';
import { concernsFraming, type Framing, framedUrls, framingAfter } from '../records/framing.ts';
import { type Asker, askWorker } from './answer.ts';

/**
 * Which of these addresses may be shown in a frame: a look at each, so only for addresses that would be. Nothing is
 * asked where there are none.
 */
export async function askFrameable(request: Asker, urls: readonly string[]): Promise<string[]> {
  const unique = [...new Set(urls)];
  return unique.length === 0 ? [] : askWorker(request, metatags, 'pages.framing', { urls: unique });
}

/**
 * The changes with what was found out about their frames; as they are where they change nothing about frames.
 *
 * @param before reads what may be shown in a frame as it is now: one record for each that is changed, none for a new one
 */
export async function withFrameable<Changes extends Framing>(
  request: Asker,
  changes: Changes,
  before: () => Promise<readonly (Framing | undefined)[]> = async () => [{}],
): Promise<Changes> {
  if (!concernsFraming(changes)) return changes;
  const records = (await before()).filter((record) => record !== undefined);
  const urls = records.flatMap((record) => framedUrls(framingAfter(record, changes)));
  return urls.length === 0 ? changes : { ...changes, frameable: await askFrameable(request, urls) };
}
