import { CalendarDays, Check, ChevronDown } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button, buttonLook } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { Popover } from '../ui/menu.tsx';
import { useFields } from '../ui/use-fields.ts';
import { addDays, browserTimezone, dayOf, startOfDay } from './days.ts';
import {
  type Compare,
  type EventQuery,
  FILTERS,
  isExcluded,
  nameOfFilter,
  PERIOD_NAMES,
  PERIODS,
  type Period,
} from './event-query.ts';
import { OFFERED, type OfferedFilter, useChoices } from './filter-choices.ts';
import { formatCount, momentFormat } from './names.ts';
import { useEventQuery } from './use-event-query.ts';

/** Describes the period of a query. */
export function nameOfPeriod({ interval, start, end, timezone }: EventQuery): string {
  if (interval !== undefined || start === undefined || end === undefined) {
    return PERIOD_NAMES[interval ?? '30d'];
  }
  const zone = timezone ?? browserTimezone();
  const isShort = Date.parse(end) - Date.parse(start) <= 2 * 86_400_000;
  const format = momentFormat(zone, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    ...(isShort && { hour: '2-digit', minute: '2-digit' }),
  });
  // The end is exclusive, so one millisecond less gives the last day.
  return `${format(start)} – ${format(isShort ? end : Date.parse(end) - 1)}`;
}

/** Chooses a period or dates, the comparison period and the time zone. */
export function PeriodPicker({ isCompared = false }: { isCompared?: boolean }) {
  const { query } = useEventQuery();
  const name = nameOfPeriod(query);
  return (
    <Popover
      label="Period"
      className="w-80 max-w-[calc(100vw-12px)]"
      button={{
        className: buttonLook('plain'),
        // The popover has a button with the name of the period too.
        'aria-label': `Period: ${name}`,
        children: (
          <>
            <CalendarDays size={15} aria-hidden />
            <span className="truncate">{name}</span>
            <ChevronDown size={14} aria-hidden className="text-muted" />
          </>
        ),
      }}
    >
      {(close) => (
        <>
          <Periods close={close} />
          <Dates key={`${query.start} ${query.end} ${query.timezone}`} close={close} />
          <div className="flex flex-col gap-2 border-t border-line p-2">
            {isCompared && <Comparison />}
            <Timezone />
          </div>
        </>
      )}
    </Popover>
  );
}

function Periods({ close }: { close(): void }) {
  const { query, change } = useEventQuery();
  const chosen = query.interval ?? (query.start === undefined ? '30d' : undefined);
  const choose = (period: Period) => {
    close();
    const interval = period === '30d' ? undefined : period;
    change({ interval, start: undefined, end: undefined });
  };
  return (
    <div role="group" aria-label="Periods" className="grid grid-cols-2 gap-x-1">
      {PERIODS.map((period) => (
        <button
          key={period}
          type="button"
          aria-pressed={period === chosen}
          onClick={() => choose(period)}
          className={classes(
            'flex h-8 items-center justify-between rounded-md px-2 text-left hover:bg-hover max-md:h-11',
            period === chosen && 'font-semibold',
          )}
        >
          {PERIOD_NAMES[period]}
          {period === chosen && <Check size={15} aria-hidden className="shrink-0" />}
        </button>
      ))}
    </div>
  );
}

/** Chooses the comparison: another period, or another value of a filter that is in use. */
function Comparison() {
  const { query, change } = useEventQuery();
  const [pending, setPending] = useState<OfferedFilter>();
  const used = OFFERED.filter((name) => query[name] !== undefined && !isExcluded(query, name));
  const compare = pending ?? query.compare;
  const choose = (value: string) => {
    const filter = used.find((name) => name === value);
    setPending(filter);
    if (filter !== undefined) return;
    change({ compare: value === '' ? undefined : (value as Compare), against: undefined });
  };
  return (
    <>
      <SelectField
        label="Compare with"
        value={compare ?? ''}
        onChange={({ target }) => choose(target.value)}
        none="Previous period"
        options={[
          ['year', 'Same period a year earlier'],
          ...used.map((name) => [name, `Another value of “${nameOfFilter(name)}”`] as const),
          ['none', 'Nothing'],
        ]}
      />
      {compare !== undefined && compare in FILTERS && (
        <OtherValue filter={compare as OfferedFilter} />
      )}
    </>
  );
}

/** Chooses the value of a filter that the numbers are compared with. */
function OtherValue({ filter }: { filter: OfferedFilter }) {
  const { query, change } = useEventQuery();
  const choices = useChoices(filter, query);
  const others = (choices ?? []).filter(({ change: to }) => to[filter] !== query[filter]);
  return (
    <SelectField
      label={nameOfFilter(filter)}
      value={query.compare === filter ? query.against : ''}
      onChange={({ target }) => change({ compare: filter, against: target.value })}
      options={[
        ['', choices === undefined ? 'Loading…' : 'Choose…'],
        ...others.map(
          ({ name, count, change: to }) =>
            [to[filter]!, count === undefined ? name : `${name} (${formatCount(count)})`] as const,
        ),
      ]}
    />
  );
}

function Timezone() {
  const { query, change } = useEventQuery();
  const zone = query.timezone ?? browserTimezone();
  return (
    <SelectField
      label="Time zone"
      value={zone}
      onChange={({ target }) =>
        change({ timezone: target.value === browserTimezone() ? undefined : target.value })
      }
      options={timezones(zone).map((name) => [name, name])}
    />
  );
}

function Dates({ close }: { close(): void }) {
  const { query, change } = useEventQuery();
  const zone = query.timezone ?? browserTimezone();
  const [today] = useState(() => dayOf(new Date().toISOString(), zone));
  const { values, text } = useFields(
    {
      first: query.start ? dayOf(query.start, zone) : addDays(today, -29),
      last: query.end ? dayOf(new Date(Date.parse(query.end) - 1).toISOString(), zone) : today,
    },
    null,
  );
  const { first, last } = values;
  const isWrong = first > last;
  const apply = (event: FormEvent) => {
    event.preventDefault();
    if (first === '' || last === '' || isWrong) return;
    close();
    change({
      interval: undefined,
      start: startOfDay(first, zone),
      end: startOfDay(addDays(last, 1), zone),
    });
  };
  return (
    <form onSubmit={apply} className="mt-1 flex flex-col gap-2 border-t border-line p-2">
      <div className="grid grid-cols-2 gap-2">
        <TextField type="date" label="From" required {...text('first')} />
        <TextField type="date" label="To" required {...text('last')} />
      </div>
      {isWrong && <p className="text-xs text-danger">“From” must not be later than “To”.</p>}
      <Button type="submit">Apply</Button>
    </form>
  );
}

/** Returns all time zones that the browser knows, and UTC, which some browsers omit. */
const timezones = (chosen: string): string[] => [
  ...new Set(['UTC', browserTimezone(), chosen, ...Intl.supportedValuesOf('timeZone')]),
];
