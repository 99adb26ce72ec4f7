import { publishStored } from '../src/event-records/publish.ts';
import { VisitRecorder } from '../src/events/ingest/record-visits.ts';
import {
  listRejected,
  type RejectedSelection,
  retryRejected,
} from '../src/events/ingest/rejected-visits.ts';
import { eventsStore } from '../src/events/store/index.ts';
import { db } from '../src/infra/db.ts';
import { makeLog } from '../src/infra/log.ts';
import { openPlaces } from '../src/visitors/places.ts';
import { workspaceId } from '../src/workspaces/queries.ts';
import { type Command, type Options, slugOf, text, wholeNumber } from './cli-options.ts';

/** Commands about visits that the database refused. */
export const DEAD_LETTER_COMMANDS: Record<string, Command> = {
  'dead-letters list': {
    summary: 'List visits that the database refused',
    usage: '[--workspace acme] [--limit 100]',
    async run(options) {
      const limit = wholeNumber('limit', text(options, 'limit')) ?? 100;
      return listRejected(db(), await wantedOf(options), limit);
    },
  },
  'dead-letters retry': {
    summary: 'Store visits that the database refused',
    usage: '[--workspace acme] [--id …]',
    async run(options) {
      const log = makeLog('cli', 'fatal');
      const recorder = new VisitRecorder({
        eventsStore: eventsStore(),
        findPlace: await openPlaces(log),
        publish: publishStored,
        log,
      });
      return retryRejected(db(), await wantedOf(options), (visits) => recorder.record(visits));
    },
  },
};

async function wantedOf(options: Options): Promise<RejectedSelection> {
  const projectId =
    text(options, 'workspace') === undefined
      ? undefined
      : await workspaceId(db(), slugOf(options, 'workspace'));
  return { projectId, id: text(options, 'id') };
}
