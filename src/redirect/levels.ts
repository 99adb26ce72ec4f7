import type { DisplayPage, Entries } from '../lookup/entry.ts';
import { type Decision, decide, decideBlocked } from './decide.ts';
import { isPlain, type VisitContext, type VisitDependencies } from './facts.ts';

/** A level above the requested one, with the decision about it. */
interface Level {
  key: string;
  entries: Entries;
  decision: Decision;
}

/**
 * Finds the levels above a GS1 Digital Link, the nearest first: the product of a batch. Only those
 * of the same workspace count, and only those that need no password, place or count of visits.
 *
 * @throws Unavailable
 */
export async function* levelsAbove(
  { resolver }: DisplayPage,
  { entries: { link }, visitor, request, facts, address }: VisitContext,
  { finder }: VisitDependencies,
): AsyncGenerator<Level> {
  const service = await finder.service();
  for (const key of resolver?.above ?? []) {
    const entries = await finder.find(visitor.host, { key });
    const above = entries?.link;
    if (entries === null || !above?.page?.resolver || above.projectId !== link?.projectId) continue;
    if (!isPlain(entries, address, service, request)) continue;
    yield { key, entries, decision: decideBlocked(decide(entries, facts), above, service) };
  }
}
