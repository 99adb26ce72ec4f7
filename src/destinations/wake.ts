import { followUps } from '../jobs/follow-up.ts';
import { sendingJobs } from './jobs.ts';

/**
 * Queues jobs that send what waits for destinations. Not awaited: after a failure, a sweep finds the
 * events within seconds.
 */
export function wakeDestinations(projectId: string, ids: Iterable<string>): void {
  for (const id of ids) {
    followUps()
      .wake(sendingJobs['destination.send'], { id }, { subject: id, projectId })
      .catch(() => {});
  }
}
