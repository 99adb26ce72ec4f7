import { config } from '../src/config.ts';
import { checkDomains } from '../src/domains/commands.ts';
import { retainEvents } from '../src/events/retention.ts';
import { sumUp } from '../src/events/sum-up.ts';
import { ensurePartitions, pruneVisitGuards } from '../src/events/upkeep.ts';
import { pruneExports, writeExport } from '../src/exports/commands.ts';
import { pruneImages } from '../src/images/keep.ts';
import { expireJobs } from '../src/jobs/expire.ts';
import { createLinks, deleteLinks, updateLinks } from '../src/links/commands.ts';
import { createQrCodes, deleteQrCodes } from '../src/qrcodes/commands.ts';
import { bulk } from '../src/queues/bulk.ts';
import { serve } from '../src/queues/queue.ts';

export default () =>
  serve(
    bulk,
    {
      'links.create': createLinks,
      'links.update': updateLinks,
      'links.delete': deleteLinks,
      'qrcodes.create': createQrCodes,
      'qrcodes.delete': deleteQrCodes,
      'export.write': writeExport,
      'exports.prune': pruneExports,
      'events.retain': retainEvents,
      'events.sum': sumUp,
      'images.prune': pruneImages,
      'events.partitions': ensurePartitions,
      'visits.prune': pruneVisitGuards,
      'jobs.expire': expireJobs,
      'domains.check': checkDomains,
    },
    { concurrency: config().BULK_CONCURRENCY },
  );
