import { useInfiniteQuery } from '@tanstack/react-query';
import { Download, ListX } from 'lucide-react';
import { useState } from 'react';
import { type Api, download, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE } from '../api/paged.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { inputLook, Options } from '../ui/field.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Empty, Skeleton } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { browserTimezone } from './days.ts';
import { EventDialog } from './event-dialog.tsx';
import { deviceOf, kindOfEvent, placeOf, sourceOf } from './event-facts.ts';
import { type EventQuery, KINDS, kindOf, nameOfMetric } from './event-query.ts';
import { EventSubject } from './event-subject.tsx';
import { EventsView } from './events-view.tsx';
import { fileNameOf } from './file-name.ts';
import { FilterBar } from './filter-bar.tsx';
import { momentFormat } from './names.ts';
import { PeriodPicker } from './period-picker.tsx';
import { spanOf } from './periods.ts';
import { parametersOf, searchOf } from './queries.ts';
import { useEventQuery } from './use-event-query.ts';

type EventsQuery = NonNullable<Parameters<Api['GET']>[1]>;

/** The page that lists single events of a period, newest first. */
export function EventsPage() {
  const { query, change } = useEventQuery();
  const events = useEvents(query);
  return (
    <EventsView
      title="Events"
      actions={
        <>
          <Export />
          <PeriodPicker />
        </>
      }
      controls={
        <div className="flex flex-wrap items-center gap-1.5">
          <select
            aria-label="Event"
            value={kindOf(query.event)}
            onChange={({ target }) =>
              change({ event: KINDS.find((kind) => kind === target.value && kind !== 'clicks') })
            }
            className={`${inputLook} w-auto!`}
          >
            <Options of={KINDS.map((kind) => [kind, nameOfMetric(kind)])} />
          </select>
          <FilterBar />
        </div>
      }
      error={events.error}
      retry={() => void events.refetch()}
      isLoaded={events.data !== undefined}
    >
      {events.data === undefined ? (
        <Skeleton className="h-64" />
      ) : (
        <EventTable events={events.data.pages.flatMap(({ records }) => records)} />
      )}
      {events.hasNextPage && (
        <Button
          className="self-center"
          busy={events.isFetchingNextPage}
          onClick={() => void events.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </EventsView>
  );
}

/** Builds the parameters of `GET /events`, which lacks the period of one hour. */
function eventParametersOf(query: EventQuery): Record<string, string | string[]> {
  const { interval, ...parameters } = parametersOf(query);
  if (interval !== '1h') return parametersOf(query);
  return { ...parameters, ...spanOf(interval, parameters.timezone, Date.now()) };
}

/** Loads pages of `GET /events`; each response contains the cursor of the next page. */
function useEvents(query: EventQuery) {
  const { api } = useWorkspace();
  const parameters = parametersOf(query);
  return useInfiniteQuery({
    queryKey: keys.events.list(parameters),
    queryFn: async ({ pageParam, signal }) => {
      const cursor = pageParam === '' ? {} : { cursor: pageParam };
      const page = { ...eventParametersOf(query), ...cursor, limit: PAGE_SIZE };
      const { data, response } = await api.GET('/events', {
        params: { query: page as EventsQuery },
        signal,
      });
      return { records: data ?? [], next: response.headers.get('x-next-cursor') };
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
}

function EventTable({ events }: { events: readonly Schemas['Event'][] }) {
  const { query } = useEventQuery();
  const [opened, setOpened] = useState<Schemas['Event']>();
  const timezone = query.timezone ?? browserTimezone();
  const time = momentFormat(timezone, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
  const fullTime = momentFormat(timezone, { dateStyle: 'full', timeStyle: 'long' });
  if (events.length === 0) {
    return (
      <Empty icon={ListX} title="No events">
        Choose a longer period or another event, or remove a filter.
      </Empty>
    );
  }
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-panel">
      <table className="w-full table-fixed text-left">
        <thead className="border-b border-line text-xs text-muted">
          <tr>
            <th className="w-32 px-3 py-2 font-medium">Time</th>
            <th className="px-3 py-2 font-medium">Link or QR code</th>
            <th className="w-1/4 px-3 py-2 font-medium max-md:hidden xl:w-1/5">Location</th>
            <th className="w-1/5 px-3 py-2 font-medium max-xl:hidden">Device</th>
            <th className="w-1/5 px-3 py-2 font-medium max-lg:hidden">Source</th>
          </tr>
        </thead>
        <tbody>
          {events.map((event, index) => {
            const { icon: Icon, name } = kindOfEvent(event);
            return (
              <tr
                key={`${event.click?.id ?? ''}-${event.timestamp}-${index}`}
                className="border-b border-line last:border-0 hover:bg-hover"
              >
                <td className="px-3 py-2 text-muted tabular-nums">
                  <time dateTime={event.timestamp} title={fullTime(event.timestamp)}>
                    {time(event.timestamp)}
                  </time>
                </td>
                <td className="px-3 py-2">
                  <button
                    type="button"
                    onClick={() => setOpened(event)}
                    className="flex max-w-full items-center gap-2 text-left max-md:min-h-11 hover:underline"
                  >
                    <Icon size={15} aria-hidden className="shrink-0 text-muted" />
                    <span className="sr-only">{name} on</span>
                    <EventSubject event={event} />
                    <span className="sr-only">, {fullTime(event.timestamp)}</span>
                  </button>
                </td>
                <td className="truncate px-3 py-2 max-md:hidden">{placeOf(event)}</td>
                <td className="truncate px-3 py-2 max-xl:hidden">{deviceOf(event)}</td>
                <td className="truncate px-3 py-2 max-lg:hidden">{sourceOf(event)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {opened && <EventDialog event={opened} onClose={() => setOpened(undefined)} />}
    </div>
  );
}

/** A button that downloads all matching events as CSV. */
function Export() {
  const { query } = useEventQuery();
  const { slug } = useWorkspace();
  const [isBusy, run] = useAction();
  const save = async () => {
    const search = searchOf({ ...eventParametersOf(query), format: 'csv' });
    const file = await download(slug, `/events/export?${search}`);
    saveFile(file, `${fileNameOf(slug, kindOf(query.event), query, Date.now())}.csv`);
  };
  return (
    <Button icon={Download} busy={isBusy} onClick={() => run(save)}>
      CSV
    </Button>
  );
}
