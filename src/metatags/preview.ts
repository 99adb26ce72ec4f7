import { followUps } from '../jobs/follow-up.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { destinationJobs, linkPreviewJobs, qrCodePreviewJobs } from '../short-links/jobs.ts';
import type { RecordKind } from '../short-links/model.ts';
import { keepPage } from './commands.ts';
import { findFrameable } from './framing.ts';

/** The job that stores the preview of a record, by its kind. */
const FILL = { link: linkPreviewJobs['link.fill'], qrcode: qrCodePreviewJobs['qrcode.fill'] };

/** Reads what a record's destination says, and has it written into the record. A page that can't be read is no fault. */
export async function readPreview(
  { of, id, url }: { of: RecordKind; id: string; url: string },
  context: JobContext,
): Promise<void> {
  const { jobId, projectId } = context;
  const { read } = await keepPage({ url: url.replace(/#.*$/s, '') }, context);
  const { outcome } = read;
  if ('refused' in outcome) return;
  const { title, description, image } = outcome;
  if (title === null && description === null && image === null) return;
  const found = { id, url, preview: { title, description, image } };
  await followUps().add(FILL[of], found, { jobId: `fill-${jobId}`, projectId });
}

export const destinationHandlers = handlers(destinationJobs, {
  'pages.framing': findFrameable,
  'record.preview': readPreview,
});
