import { visitSettings } from '../../workspaces/queries.ts';
import type { Traffic } from '../kinds.ts';

/** Reads which visits the numbers of a workspace are about, unless a request says otherwise. */
export async function countedTraffic(projectId: string): Promise<Traffic> {
  const settings = (await visitSettings([projectId])).get(projectId);
  return settings?.countSuspects === true ? 'all' : 'person';
}
