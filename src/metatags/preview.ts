import { followUps } from '../jobs/follow-up.ts';
import { handlers } from '../queues/job.ts';
import { destinationJobs, linkPreviewJobs, qrCodePreviewJobs } from '../short-links/jobs.ts';
import { cachePage } from './commands.ts';
import { findFrameable } from './framing.ts';

/** The jobs that store previews, by the kind of the record. */
const FILL = { link: linkPreviewJobs['link.fill'], qrcode: qrCodePreviewJobs['qrcode.fill'] };

export const destinationHandlers = handlers(destinationJobs, {
  'pages.framing': findFrameable,

  /**
   * Reads the metadata of a record's destination, and queues a job that stores it. A page that
   * cannot be read is not a fault.
   */
  async 'record.preview'({ of, id, url }, context) {
    const { jobId, projectId } = context;
    const { read } = await cachePage({ url: url.replace(/#.*$/s, '') }, context);
    const { outcome } = read;
    if ('refused' in outcome) return;
    const { title, description, image } = outcome;
    if (title === null && description === null && image === null) return;
    const preview = { id, url, preview: { title, description, image } };
    await followUps().add(FILL[of], preview, { jobId: `fill-${jobId}`, projectId });
  },
});
