import { config } from '../src/config.ts';
import { VisitRecorder } from '../src/events/record-visits.ts';
import type { Log } from '../src/infra/log.ts';
import { openPlaces } from '../src/infra/places.ts';
import { clicks } from '../src/queues/clicks.ts';
import { serve } from '../src/queues/queue.ts';

export default async (log: Log) => {
  const recorder = new VisitRecorder(await openPlaces(log), log);
  return serve(
    clicks,
    {
      'visits.record': async (visits) => {
        await recorder.record(visits);
        return undefined;
      },
    },
    { concurrency: config().CLICKS_CONCURRENCY },
  );
};
