import { config } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { flag, Joi, queryList } from '../../http/fields.ts';
import { type ApiRequest, type Route, route } from '../../http/route.ts';
import { withinLimits } from '../../infra/limits.ts';
import { KIND_PARAMETERS, type KindParameter, kindNamed, kindOfStored } from '../kinds.ts';
import { readCursor } from '../query/cursor.ts';
import { type FilterQuery, filterSchemas, resolveFilter } from '../query/filters.ts';
import type { EventRecords } from '../records.ts';
import { matcherOf } from './matcher.ts';
import { findLatest, findMissed } from './replay.ts';
import { messageOf } from './stream.ts';
import { LiveEvents, type Watcher } from './watch.ts';

interface LiveQuery extends FilterQuery {
  event: KindParameter[];
  uncounted: boolean;
  latest: number;
}

/** Maximum number of events that a new stream begins with. */
const MAX_LATEST = 100;
/** Time for which a client may read the end of its stream, in ms. Then the connection is closed. */
const LAST_READ_MS = 5_000;

export function liveRoutes({ toEvents, resolveRecords }: EventRecords): Route[] {
  const live = new LiveEvents(toEvents);

  /** Resolves the filter of a query to the current content of its tags and folders. */
  async function filterOf(projectId: string, query: LiveQuery) {
    const kinds = query.event.map(kindNamed);
    const filter = await resolveFilter(projectId, query, resolveRecords);
    const matchesFilter = matcherOf(filter);
    const matches: Watcher['matches'] = (event) =>
      kinds.includes(kindOfStored(event.event)) && matchesFilter(event);
    return { kinds, filter, matches };
  }

  /** Ends a stream when its time is over or its caller has lost access. */
  function limit(
    watcher: Watcher,
    { connection, caller, query }: ApiRequest<{ query: LiveQuery }>,
  ) {
    const { stream } = watcher;
    const end = () => {
      stream.end();
      // A client that reads nothing would never reach the end.
      cut ??= setTimeout(connection.cut, LAST_READ_MS);
    };
    const check = async () => {
      if (stream.isEnded) return end();
      try {
        const { limits } = await connection.checkCaller();
        const found = await withinLimits(limits, () => filterOf(caller.projectId, query));
        watcher.matches = found.matches;
      } catch (error) {
        // An outage is no reason to end the stream: it says nothing about the caller.
        if (error instanceof Refusal) end();
      }
    };
    let cut: NodeJS.Timeout | undefined;
    const over = setTimeout(end, config().LIVE_SECONDS * 1_000);
    const checks = setInterval(() => void check(), config().LIVE_CHECK_SECONDS * 1_000);
    connection.onClose(() => {
      clearTimeout(over);
      clearInterval(checks);
      clearTimeout(cut);
    });
  }

  return [
    route<{ query: LiveQuery }>({
      method: 'get',
      path: '/events/live',
      operationId: 'streamEvents',
      limits: 'records',
      summary: 'Watch events',
      description:
        'Sends events as they are stored, as server-sent events: `event` is the kind, `data` the ' +
        'event as in `GET /events`, `id` the position to resume from. A client that sends the ' +
        'last `id` as `Last-Event-ID` gets up to 300 events that it missed; a few may repeat, ' +
        'with the same `id`. `event: dropped` has the number of events left out, because there ' +
        'were too many or the client reads too slowly. With `uncounted=true`, ' +
        '`event: uncounted` has visits that don’t count because the same visitor was counted within ' +
        '`clickDedupeSeconds` of the workspace: the event with `counted: false` and ' +
        '`reason: "repeat"`. They are not stored and have no `id`; at most 50 are sent at once. Bots, ' +
        'prefetches and `HEAD` requests send nothing.',
      tag: 'Events',
      extension: true,
      scope: 'events.read',
      plan: 'business',
      query: Joi.object<LiveQuery>({
        event: queryList(Joi.string().valid(...KIND_PARAMETERS))
          .min(1)
          .default([...KIND_PARAMETERS])
          .description('Kinds of events: one, or several. Default: all.'),
        uncounted: flag()
          .default(false)
          .description('true: also visits that are not counted, with the reason.'),
        latest: Joi.number()
          .integer()
          .min(0)
          .max(MAX_LATEST)
          .default(0)
          .description(
            'Number of the latest matching events that a new stream starts with, oldest first. ' +
              'Ignored with `Last-Event-ID`.',
          ),
        ...filterSchemas,
      }),
      answers: { 200: { media: ['text/event-stream'] } },
      async handle(request) {
        const { caller, query, connection, queues } = request;
        const { projectId } = caller;
        const { lastEventId = '' } = connection;
        const last = lastEventId === '' ? undefined : readCursor(lastEventId);
        if (lastEventId !== '' && last === undefined) {
          throw new Refusal(
            'bad_request',
            'Last-Event-ID must be the id of an event of this stream',
          );
        }
        const { kinds, filter, matches } = await filterOf(projectId, query);
        const { onClose } = connection;
        const watcher = await live.open(queues.live, projectId, {
          matches,
          wantsUncounted: query.uncounted,
          onClose,
        });
        limit(watcher, request);
        if (last !== undefined || query.latest > 0) {
          const { events, dropped } =
            last === undefined
              ? await findLatest(projectId, query.latest, { kinds, filter })
              : await findMissed(projectId, last, { kinds, filter });
          const records = await toEvents(projectId, events);
          const messages = events.map((event, at) => messageOf(event, records[at]!));
          watcher.stream.replay(messages, dropped);
        }
        return {
          status: 200,
          body: watcher.stream,
          headers: { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' },
        };
      },
    }),
  ];
}
