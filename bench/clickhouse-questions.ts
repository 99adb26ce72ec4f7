import type { GroupName } from '../src/events/query/groups/index.ts';
import { askGroup, askPairs, GROUP_NAMES } from './analytics.ts';

/*
 * Runs all queries of a workspace in a separate process, since EVENTS_URL chooses the store of
 * events on first use. The argument is the id of the workspace; the times in ms are sent to the
 * parent process.
 */

/** The message at the end. */
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
  const results: AskedQuestions = { groups, pairs: await askPairs(projectId) };
  process.send!(results, () => process.exit(0));
}
