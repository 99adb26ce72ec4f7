import { followUps } from '../jobs/follow-up.ts';
import type { JobContext } from '../queues/definition.ts';
import { writes } from '../queues/writes.ts';
import type { RecordKind } from '../short-links/model.ts';
import { keepPage } from './commands.ts';

/** Reads what a record's destination says, and has it written into the record. A page that can't be read is no fault. */
export async function readPreview(
  { of, id, url }: { of: RecordKind; id: string; url: string },
  context: JobContext,
): Promise<undefined> {
  const { jobId, projectId } = context;
  const { read } = await keepPage({ url: url.replace(/#.*$/s, '') }, context);
  const { outcome } = read;
  if ('refused' in outcome) return undefined;
  const { title, description, image } = outcome;
  if (title === null && description === null && image === null) return undefined;
  const found = { id, url, preview: { title, description, image } };
  await followUps().add(writes, `${of}.fill`, found, { jobId: `fill-${jobId}`, projectId });
  return undefined;
}
