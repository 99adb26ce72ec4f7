import { CalendarDays, Check, ChevronDown } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button, buttonLook } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { Popover } from '../ui/menu.tsx';
import { browserTimezone, INTERVAL_NAMES, momentFormat } from './names.ts';
import { INTERVALS, type Question } from './question.ts';
import { addDays, dayOf, startOfDay } from './timeline.ts';
import { useQuestion } from './use-question.ts';

/** The span of a question in words. */
export function nameOfSpan({ interval, start, end, timezone }: Question): string {
  if (interval !== undefined || start === undefined || end === undefined) {
    return INTERVAL_NAMES[interval ?? '30d'];
  }
  const zone = timezone ?? browserTimezone();
  const isShort = Date.parse(end) - Date.parse(start) <= 2 * 86_400_000;
  const format = momentFormat(zone, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    ...(isShort && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  });
  // The end is the first moment after the span.
  return `${format(start)} – ${format(isShort ? end : Date.parse(end) - 1)}`;
}

/** Chooses interval or dates, and the time zone. */
export function IntervalPicker() {
  const { question } = useQuestion();
  return (
    <Popover
      label="Span of time"
      className="w-80 max-w-[calc(100vw-12px)]"
      button={{
        className: buttonLook('plain'),
        children: (
          <>
            <CalendarDays size={15} aria-hidden />
            <span className="truncate">{nameOfSpan(question)}</span>
            <ChevronDown size={14} aria-hidden className="text-muted" />
          </>
        ),
      }}
    >
      {(close) => <Choices close={close} />}
    </Popover>
  );
}

function Choices({ close }: { close(): void }) {
  const { question, change } = useQuestion();
  const chosen = question.interval ?? (question.start === undefined ? '30d' : undefined);
  return (
    <>
      <div role="group" aria-label="Interval" className="flex flex-col">
        {INTERVALS.map((interval) => (
          <button
            key={interval}
            type="button"
            aria-pressed={interval === chosen}
            onClick={() => {
              close();
              const isDefault = interval === '30d';
              change({
                interval: isDefault ? undefined : interval,
                start: undefined,
                end: undefined,
              });
            }}
            className={classes(
              'flex h-8 items-center justify-between rounded-md px-2 text-left hover:bg-hover max-md:h-11',
              interval === chosen && 'font-semibold',
            )}
          >
            {INTERVAL_NAMES[interval]}
            {interval === chosen && <Check size={15} aria-hidden />}
          </button>
        ))}
      </div>
      <Dates key={`${question.start} ${question.end} ${question.timezone}`} close={close} />
    </>
  );
}

function Dates({ close }: { close(): void }) {
  const { question, change } = useQuestion();
  const zone = question.timezone ?? browserTimezone();
  const [today] = useState(() => dayOf(new Date().toISOString(), zone));
  const [first, setFirst] = useState(
    question.start ? dayOf(question.start, zone) : addDays(today, -29),
  );
  const [last, setLast] = useState(
    question.end ? dayOf(new Date(Date.parse(question.end) - 1).toISOString(), zone) : today,
  );
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
        <TextField
          type="date"
          label="From"
          required
          value={first}
          onChange={({ target }) => setFirst(target.value)}
        />
        <TextField
          type="date"
          label="To"
          required
          value={last}
          onChange={({ target }) => setLast(target.value)}
        />
      </div>
      {isWrong && <p className="text-xs text-danger">“From” must not be after “To”.</p>}
      <Button type="submit">Show these days</Button>
      <SelectField
        label="Time zone"
        value={zone}
        onChange={({ target }) =>
          change({ timezone: target.value === browserTimezone() ? undefined : target.value })
        }
      >
        {timezones(zone).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
    </form>
  );
}

/** All zones that the browser knows; some leave out UTC. */
const timezones = (chosen: string): string[] => [
  ...new Set(['UTC', browserTimezone(), chosen, ...Intl.supportedValuesOf('timeZone')]),
];
