import type { GroupName } from '../src/events/query/groups/index.ts';
import { askGroup, askPairs, GROUP_NAMES } from './analytics.ts';

/*
 * Asks all questions of a workspace, in a process of its own: the store of events is chosen by EVENTS_URL when it is first
 * used. The argument is the id of the workspace; the milliseconds are sent to the process that has started it.
 */

/** Sent when all are asked. */
export interface AskedQuestions {
  groups: Record<GroupName, Awaited<ReturnType<typeof askGroup>>>;
  pairs: Awaited<ReturnType<typeof askPairs>>;
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const projectId = process.argv[2]!;
  const groups = {} as AskedQuestions['groups'];
  for (const name of GROUP_NAMES) {
    groups[name] = await askGroup(projectId, name);
    console.error(process.env['EVENTS_URL'] === '' ? 'Postgres' : 'ClickHouse', name, groups[name]);
  }
  const asked: AskedQuestions = { groups, pairs: await askPairs(projectId) };
  process.send!(asked, () => process.exit(0));
}
