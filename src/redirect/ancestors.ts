import type { DisplayPage } from '../lookup/display-page.ts';
import type { Entries, LinkEntry } from '../lookup/entry.ts';
import { type Decision, decide, decideBlocked, decideForOffice } from '../routing/decide.ts';
import type { VisitContext, VisitDependencies } from './facts.ts';

/** A Digital Link above the requested one, with the decision about it. */
interface Ancestor {
  key: string;
  entries: Entries;
  decision: Decision;
}

/**
 * Finds the Digital Links above a GS1 Digital Link, the nearest first: the product of a batch. Only those
 * of the same workspace count, and only those that are open to everybody at all times.
 *
 * @throws Unavailable
 */
export async function* ancestorsOf(
  { resolver }: DisplayPage,
  { entries: { link }, visitor, facts }: VisitContext,
  { finder }: VisitDependencies,
): AsyncGenerator<Ancestor> {
  const service = await finder.service();
  for (const key of resolver?.above ?? []) {
    const entries = await finder.find(visitor.host, { key });
    const above = entries?.link;
    if (entries === null || !above?.page?.resolver || above.projectId !== link?.projectId) continue;
    if (!isOpen(above)) continue;
    const decision = decideBlocked(decide(entries, facts), above, service);
    yield { key, entries, decision: decideForOffice(decision, facts) };
  }
}

/** True if the facts of the requested Digital Link decide for this one as well. */
const isOpen = ({ passwordHash, maxVisits, before, geo, rules }: LinkEntry): boolean =>
  [passwordHash, maxVisits, before, geo, rules].every((restriction) => restriction === undefined);
