import { changes } from '../audit/rules.ts';
import type { Upload } from '../http/upload.ts';
import { bulk, maintenance, writes } from '../queues/index.ts';
import { job, jobsOf, MINUTE_MS, scheduled } from '../queues/job.ts';
import type { ImportOptions } from './model.ts';
import type { ImportRecord } from './record.ts';
import type { OptionChanges } from './schema.ts';
import type { Source } from './source.ts';

/** The input of a new import. */
export interface NewImport {
  id: string;
  userId: string;
  /** The uploaded file; absent where links are read from an API. */
  upload?: Upload | undefined;
  /** API from which links are read, with a sealed token; absent for a file. */
  api?: { url: string; token: string } | undefined;
  name: string | null;
  /** Of the export of a workspace; sealed. */
  passphrase?: string | undefined;
  /** The service that wrote the file; detected where it is absent. */
  source?: Source | undefined;
  options: ImportOptions;
  dryRun: boolean;
  /** Limits of the plan; earlier versions and operators have none of bytes. */
  mostRows: number;
  mostBytes?: number | undefined;
}

export const importJobs = jobsOf(writes, {
  'import.update': job<{ id: string; changes: OptionChanges }, ImportRecord>({
    audit: changes('import'),
  }),
  'import.start': job<{ id: string }, ImportRecord>({ audit: changes('import') }),
  'import.cancel': job<{ id: string }, ImportRecord>({ audit: changes('import') }),
  'import.undo': job<{ id: string }, ImportRecord>({ audit: changes('import') }),
});

export const importBulkJobs = jobsOf(bulk, {
  'import.create': job<NewImport, ImportRecord>({ audit: changes('import') }),
  /**
   * Reads pages of the APIs that imports of the workspace have their links from. At most one such job runs for each
   * workspace. One with the id of an import has waited until its API may be asked again, and wakes that job.
   */
  'import.fetch': job<{ id?: string }>(),
  /** Does a slice of one of the workspace's imports. At most one such job runs for each workspace. */
  'import.run': job<object>(),
});

export const importMaintenanceJobs = jobsOf(maintenance, {
  /** Adds jobs of imports that were lost. */
  'imports.resume': scheduled({ everyMs: MINUTE_MS }),
  'imports.prune': scheduled({ everyMs: 10 * MINUTE_MS }),
});
