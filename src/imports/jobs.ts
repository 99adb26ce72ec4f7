import type { Upload } from '../http/upload.ts';
import { bulk, maintenance, writes } from '../queues/index.ts';
import { changes, job, jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';
import type { ImportOptions } from './model.ts';
import type { ImportRecord } from './record.ts';
import type { OptionChanges } from './schema.ts';
import type { Source } from './source.ts';

/** Input of a new import. */
export interface NewImport {
  id: string;
  userId: string;
  /** The uploaded file; absent if links are read from an API. */
  upload?: Upload | undefined;
  /** API to read links from, with a sealed token; absent for a file. */
  api?: { url: string; token: string } | undefined;
  name: string | null;
  /** Sealed passphrase of a workspace export. */
  passphrase?: string | undefined;
  /** Service that wrote the file; detected if absent. */
  source?: Source | undefined;
  options: ImportOptions;
  dryRun: boolean;
  /** Limits of the plan. Jobs of earlier versions and of operators have no byte limit. */
  mostRows: number;
  mostBytes?: number | undefined;
}

export const importJobs = jobsOf(writes, {
  'import.update': job<{ id: string; changes: OptionChanges }, ImportRecord>({
    audit: changes('import'),
  }),
  'import.start': job<{ id: string; allowRandomKeys?: boolean | undefined }, ImportRecord>({
    audit: changes('import'),
  }),
  'import.cancel': job<{ id: string }, ImportRecord>({ audit: changes('import') }),
  'import.undo': job<{ id: string }, ImportRecord>({ audit: changes('import') }),
});

export const importBulkJobs = jobsOf(bulk, {
  'import.create': job<NewImport, ImportRecord>({ audit: changes('import') }),
  /**
   * Reads pages of the APIs from which imports of the workspace get their links. Only one such job
   * runs per workspace. A job with an import id was delayed until the API may be requested again;
   * it queues the job without one.
   */
  'import.fetch': job<{ id?: string }>(),
  /** Imports a slice of one of the workspace's imports. Only one such job runs per workspace. */
  'import.run': job<object>(),
});

export const importMaintenanceJobs = jobsOf(maintenance, {
  /** Queues imports whose job was lost. */
  'imports.resume': scheduled({ everyMs: MINUTE_MS }),
  'imports.prune': scheduled({ everyMs: 10 * MINUTE_MS }),
});
