import { writes } from '../queues/index.ts';
import { changes, job, jobsOf } from '../queues/job.ts';
import type { FolderRecord } from './record.ts';

export const folderJobs = jobsOf(writes, {
  'folder.create': job<{ id: string; name: string }, FolderRecord>({ audit: changes('folder') }),
  'folder.update': job<{ id: string; name: string }, FolderRecord>({ audit: changes('folder') }),
  'folder.delete': job<{ id: string }, { id: string }>({ audit: changes('folder') }),
});
