import { FieldError, SelectField, TextField } from '../ui/field.tsx';
import { browserZone, zonesWith } from '../ui/time-zones.ts';
import { DAYS } from './routing-sentences.ts';
import { timeOf } from './rule.ts';

interface TimeOfDayProps {
  /** Accessible name of the group. */
  label: string;
  /** The condition as a line of text: "09:00-17:00 mon,tue Europe/Berlin". */
  text: string;
  error: string | undefined;
  onChange(text: string): void;
}

/** Edits a time of day with its days of the week. A new one is in the browser's time zone. */
export function TimeOfDay({ label, text, error, onChange }: TimeOfDayProps) {
  const { from, to, days = [], timezone = text === '' ? browserZone() : 'UTC' } = timeOf(text);
  const set = (part: Partial<ReturnType<typeof timeOf>>) => {
    const now = { from, to, days, timezone, ...part };
    const span = `${now.from}-${now.to}`;
    onChange([span, now.days.join(','), now.timezone].filter((one) => one !== '').join(' '));
  };
  // The days keep the order of the week, whatever the order of the clicks.
  const toggle = (day: string) =>
    set({
      days: Object.keys(DAYS).filter((one) => (one === day) !== days.includes(one)),
    });
  const isInvalid = error === undefined ? undefined : true;
  return (
    <div role="group" aria-label={label} className="flex min-w-0 flex-1 flex-col gap-2">
      <div className="grid grid-cols-2 gap-2">
        <TextField
          label="From"
          type="time"
          aria-invalid={isInvalid}
          value={from}
          onChange={({ target }) => set({ from: target.value })}
        />
        <TextField
          label="Until"
          type="time"
          aria-invalid={isInvalid}
          value={to}
          onChange={({ target }) => set({ to: target.value })}
        />
      </div>
      {error !== undefined && <FieldError error={error} label="Time of day" />}
      <fieldset>
        <legend className="font-medium">Days (choose none for every day)</legend>
        <div className="flex flex-wrap gap-x-4">
          {Object.entries(DAYS).map(([day, name]) => (
            <label key={day} className="flex h-8 items-center gap-2 max-md:h-11">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={days.includes(day)}
                onChange={() => toggle(day)}
              />
              {name}
            </label>
          ))}
        </div>
      </fieldset>
      <SelectField
        label="Time zone"
        value={timezone}
        options={zonesWith(timezone)}
        onChange={({ target }) => set({ timezone: target.value })}
      />
    </div>
  );
}
