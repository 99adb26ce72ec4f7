import { Pause, Play, Radio } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Panel } from '../ui/panel.tsx';
import { Empty } from '../ui/states.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { Bars } from './bars.tsx';
import { browserTimezone } from './days.ts';
import { deviceOf, kindOfEvent, placeOf, sourceOf } from './event-facts.ts';
import { type Filters, filtersOf, nameOfMetric } from './event-query.ts';
import { EventSubject } from './event-subject.tsx';
import { EventsView } from './events-view.tsx';
import { formatCount, momentFormat } from './names.ts';
import { apiFilters, useAnalytics } from './queries.ts';
import { RepeatReason } from './repeat-reason.tsx';
import { useEventQuery } from './use-event-query.ts';
import { type ShownEvent, useLive } from './use-live.ts';
import { WorldMap } from './world-map.tsx';

const ROW_PX = 56;
/** Time in ms for which a visit stays on the map, equal to the window of `trend_live`. */
const PRESENT_MS = 5 * 60_000;
/** Time for which an event is highlighted as new, in ms. */
const NEW_MS = 4_000;
/** Refetch interval of the numbers, in ms. */
const EVERY_MS = 10_000;

/** The page that shows visits, leads and sales as they happen. */
export function LivePage() {
  const { query } = useEventQuery();
  const filters = filtersOf({ ...query });
  return <LiveView key={JSON.stringify(filters)} filters={filters} />;
}

function LiveView({ filters }: { filters: Filters }) {
  const live = useLive(apiFilters(filters));
  const [held, setHeld] = useState<readonly ShownEvent[]>();
  const [countAtPause, setCountAtPause] = useState(0);
  const pause = () => {
    setHeld(held === undefined ? live.events : undefined);
    setCountAtPause(live.count);
  };
  const waiting = held === undefined ? 0 : live.count - countAtPause;
  return (
    <EventsView
      title="Live"
      actions={
        <>
          <Connection state={live.connection} />
          <Button icon={held === undefined ? Pause : Play} onClick={pause}>
            {held === undefined
              ? 'Pause'
              : waiting > 0
                ? `Resume (${formatCount(waiting)})`
                : 'Resume'}
          </Button>
        </>
      }
      error={live.refusal}
      retry={() => location.reload()}
    >
      <div className="grid gap-4 lg:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-4">
          <Now filters={filters} count={live.count} />
          <Panel title="Locations">
            <div className="p-3">
              <Origins events={live.events} />
            </div>
          </Panel>
        </div>
        <Panel title="Events">
          {live.dropped > 0 && (
            <p role="status" className="bg-warning-soft px-3 py-1.5 text-xs text-warning">
              {live.dropped === 1 ? '1 event is' : `${formatCount(live.dropped)} events are`}{' '}
              missing here because too many came at once. All are counted and listed in Events.
            </p>
          )}
          <EventList events={held ?? live.events} />
        </Panel>
      </div>
    </EventsView>
  );
}

function Connection({ state }: { state: 'connecting' | 'open' | 'broken' }) {
  const text = { connecting: 'Connecting', open: 'Connected', broken: 'Reconnecting' }[state];
  return (
    <span role="status" className="flex items-center gap-1.5 text-xs text-muted">
      <span
        aria-hidden
        className={classes('size-2 rounded-full', state === 'open' ? 'bg-success' : 'bg-warning')}
      />
      {text}
    </span>
  );
}

/** Visitors of the last 5 minutes, and a bar for each of the last 30 minutes. */
function Now({ filters, count }: { filters: Filters; count: number }) {
  const [event, setEvent] = useState<'clicks' | 'scans'>('clicks');
  const trend = useAnalytics('trend_live', { ...filters, event }, { everyMs: EVERY_MS });
  const { refetch } = trend;
  // The numbers must include the events that have just appeared in the list.
  useEffect(() => {
    if (count === 0) return undefined;
    const timer = setTimeout(() => void refetch(), 500);
    return () => clearTimeout(timer);
  }, [count, refetch]);
  const name = momentFormat(browserTimezone(), { hour: '2-digit', minute: '2-digit' });
  const bars = (trend.data?.minutes ?? []).map((minute) => ({
    label: name(minute.start),
    value: minute[event] ?? 0,
  }));
  const sum = bars.reduce((total, { value }) => total + value, 0);
  return (
    <Panel
      title="Now"
      aside={
        <div role="group" aria-label="Counted events" className="flex gap-0.5">
          {(['clicks', 'scans'] as const).map((kind) => (
            <Button
              key={kind}
              size="small"
              look="quiet"
              aria-pressed={kind === event}
              className={kind === event ? 'bg-hover' : 'text-muted'}
              onClick={() => setEvent(kind)}
            >
              {nameOfMetric(kind)}
            </Button>
          ))}
        </div>
      }
    >
      <div className="grid gap-4 p-4 sm:grid-cols-[auto_1fr]">
        <p>
          <span data-visitors className="block text-4xl font-semibold tabular-nums">
            {trend.data === undefined ? '–' : formatCount(trend.data.visitors)}
          </span>
          <span className="text-xs text-muted">visitors in the last 5 minutes</span>
        </p>
        <div className="min-w-0">
          <Bars
            bars={bars}
            label={`${nameOfMetric(event)} in the last 30 minutes: ${formatCount(sum)}`}
          />
          <p className="flex justify-between pt-1 text-xs text-muted">
            <span>30 minutes ago</span>
            <span>now</span>
          </p>
        </div>
      </div>
    </Panel>
  );
}

/** A map with the countries of the last minutes, on which new visits pulse. */
function Origins({ events }: { events: readonly ShownEvent[] }) {
  const now = useNow(events);
  const present = events.filter(
    ({ cameAt, uncounted }) => uncounted === undefined && now - cameAt < PRESENT_MS,
  );
  const counts = new Map<string, number>();
  for (const { record } of present) {
    const code = record.click?.country ?? '';
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const fresh = [
    ...new Set(
      present
        .filter(({ cameAt }) => now - cameAt < NEW_MS)
        .map(({ record }) => record.click?.country ?? ''),
    ),
  ];
  return (
    <WorldMap
      counts={counts}
      metric="clicks"
      label="Events in the last 5 minutes by country, as a map. The list has the locations."
    >
      {(placeOf) =>
        fresh.map((code) => {
          const place = placeOf(code);
          return (
            place && (
              <g key={code} className="pointer-events-none">
                <circle
                  cx={place.x}
                  cy={place.y}
                  r={9}
                  className="origin-center animate-ping [animation-iteration-count:3] fill-accent opacity-60 [transform-box:fill-box] motion-reduce:hidden"
                />
                <circle
                  cx={place.x}
                  cy={place.y}
                  r={4}
                  className="fill-accent stroke-panel"
                  strokeWidth={1.5}
                />
              </g>
            )
          );
        })
      }
    </WorldMap>
  );
}

/** Returns the current time, updated every few seconds and with each event. */
function useNow(events: readonly ShownEvent[]): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), NEW_MS);
    return () => clearInterval(timer);
  }, []);
  return Math.max(now, events[0]?.cameAt ?? 0);
}

function EventList({ events }: { events: readonly ShownEvent[] }) {
  const zone = browserTimezone();
  const clock = momentFormat(zone, { timeStyle: 'medium' });
  const day = momentFormat(zone, { month: 'short', day: 'numeric' });
  const [today] = useState(() => day(Date.now()));
  const time = (moment: string) => (day(moment) === today ? clock(moment) : day(moment));
  if (events.length === 0) {
    return (
      <Empty icon={Radio} title="Waiting for the next visit">
        Open one of your short links on your phone. The visit appears here within two seconds.
      </Empty>
    );
  }
  return (
    <VirtualList
      label="Events, newest first"
      count={events.length}
      rowPx={ROW_PX}
      keyOf={(index) => events[index]!.id}
      className="h-[34rem]"
      rowClassName="gap-3 border-b border-line px-3 py-2"
      isMeasured
    >
      {(index) => <EventRow event={events[index]!} time={time} />}
    </VirtualList>
  );
}

function EventRow({ event, time }: { event: ShownEvent; time(moment: string): string }) {
  const { record, uncounted } = event;
  const { icon: Icon, name } = kindOfEvent(record);
  return (
    <>
      <Icon
        size={17}
        aria-hidden
        className={classes('shrink-0', uncounted === undefined ? 'text-accent-text' : 'text-muted')}
      />
      <div className="min-w-0 flex-1">
        <p className={classes('flex', uncounted !== undefined && 'text-muted')}>
          <span className="sr-only">{name}:</span>
          <EventSubject event={record} />
        </p>
        {uncounted !== undefined && (
          <p className="text-xs text-muted">
            {uncounted === 'repeat' ? (
              <>
                Seen, not counted: <RepeatReason />
              </>
            ) : (
              'Seen, not counted'
            )}
          </p>
        )}
        <p className="truncate text-xs text-muted">
          {[sourceOf(record), placeOf(record), deviceOf(record)].filter(Boolean).join(' · ')}
        </p>
      </div>
      <time dateTime={record.timestamp} className="shrink-0 text-xs text-muted tabular-nums">
        {time(record.timestamp)}
      </time>
    </>
  );
}
