import { Check, ListFilter } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, useId, useState } from 'react';
import { buttonLook } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { inputLook, SelectField } from '../ui/field.tsx';
import { Popover } from '../ui/menu.tsx';
import { inSentence } from '../ui/sentence.ts';
import { Skeleton } from '../ui/states.tsx';
import {
  type EventQuery,
  excluding,
  isExcluded,
  isMultiple,
  isPartial,
  type Metric,
  nameOfFilter,
  textOf,
  valuesOf,
  verbOf,
} from './event-query.ts';
import {
  type Choice,
  metricFor,
  OFFERED,
  type OfferedFilter,
  useChoices,
} from './filter-choices.ts';
import { formatMetric } from './names.ts';
import { useEventQuery } from './use-event-query.ts';

/** Maximum number of listed values; typing finds the others. */
const MOST_SHOWN = 100;

/** A button that adds a filter. */
export function FilterMenu() {
  return (
    <Popover
      label="Add a filter"
      className="w-80 max-w-[calc(100vw-12px)]"
      button={{
        className: buttonLook('plain'),
        children: (
          <>
            <ListFilter size={15} aria-hidden />
            Filter
          </>
        ),
      }}
    >
      {(close) => <FilterForm close={close} />}
    </Popover>
  );
}

function FilterForm({ close }: { close(): void }) {
  const { query } = useEventQuery();
  const [filter, setFilter] = useState<OfferedFilter>('tagId');
  const [chosen, setChosen] = useState<boolean>();
  const isExcluding = chosen ?? isExcluded(query, filter);
  return (
    <div className="flex flex-col gap-2 p-2">
      <div className="flex gap-2 *:flex-1">
        <SelectField
          label="Filter by"
          value={filter}
          onChange={({ target }) => setFilter(target.value as OfferedFilter)}
          options={OFFERED.map((name) => [name, nameOfFilter(name)])}
        />
        {isMultiple(filter) && (
          <SelectField
            label="Operator"
            value={isExcluding ? 'not' : ''}
            onChange={({ target }) => setChosen(target.value === 'not')}
            none={verbOf(filter, false)}
            options={[['not', verbOf(filter, true)]]}
          />
        )}
      </div>
      <Values key={filter} filter={filter} isExcluding={isExcluding} close={close} />
      <p className="text-xs text-muted">You can also click a row in any list below.</p>
    </div>
  );
}

/** Finds and chooses values of a filter (WAI-ARIA combobox pattern). */
function Values({
  filter,
  isExcluding,
  close,
}: {
  filter: OfferedFilter;
  isExcluding: boolean;
  close(): void;
}) {
  const { query, change } = useEventQuery();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const id = useId();
  const choices = useChoices(filter, query);
  const found = matching(choices ?? [], text, filter);
  const shown = found.slice(0, MOST_SHOWN);
  const chosen = valuesOf(query[filter]);
  const choose = (choice: Choice) => {
    close();
    change({
      ...toggled(query, filter, choice),
      ...(isMultiple(filter) && excluding(query, filter, isExcluding)),
    });
  };
  const moveTo = (index: number) => {
    setActive(index);
    document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { length } = shown;
    if (length === 0) return;
    if (event.key === 'ArrowDown') moveTo((active + 1) % length);
    else if (event.key === 'ArrowUp') moveTo((active - 1 + length) % length);
    else if (event.key === 'Enter') choose(shown[Math.min(active, length - 1)]!);
    else return;
    event.preventDefault();
  };
  const name = nameOfFilter(filter);
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={`${name} ${verbOf(filter, isExcluding)}`}
        aria-autocomplete="list"
        aria-expanded={shown.length > 0}
        aria-controls={shown.length > 0 ? id : undefined}
        aria-activedescendant={shown.length > 0 ? `${id}-${active}` : undefined}
        autoComplete="off"
        placeholder="Search"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        className={inputLook}
      />
      {choices === undefined && <Skeleton className="h-24" />}
      {shown.length > 0 && (
        <div id={id} role="listbox" aria-label={name} className="max-h-64 overflow-y-auto">
          {shown.map((choice, index) => (
            <ChoiceRow
              key={choice.key}
              id={`${id}-${index}`}
              choice={choice}
              metric={metricFor(filter, query.event)}
              isActive={index === active}
              isChosen={chosen.includes(valuesOf(choice.change[filter])[0] ?? '')}
              onMouseMove={() => setActive(index)}
              onClick={() => choose(choice)}
              onKeyDown={onKeyDown}
            />
          ))}
        </div>
      )}
      {choices !== undefined && (
        <p role="status" className="text-xs text-muted">
          {shown.length === 0 && emptyText(choices.length > 0, name)}
          {found.length > MOST_SHOWN && `${found.length - MOST_SHOWN} more. Type to find them.`}
        </p>
      )}
    </>
  );
}

interface ChoiceRowProps extends ComponentProps<'div'> {
  choice: Choice;
  metric: Metric;
  isActive: boolean;
  isChosen: boolean;
}

function ChoiceRow({ choice, metric, isActive, isChosen, ...row }: ChoiceRowProps) {
  return (
    <div
      {...row}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      className={classes(
        'flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 max-md:min-h-11',
        isActive && 'bg-hover',
      )}
    >
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">{choice.name}</span>
        {choice.hint !== '' && <span className="truncate text-xs text-muted">{choice.hint}</span>}
      </span>
      {isChosen && <Check size={15} aria-hidden className="shrink-0" />}
      {choice.count !== undefined && (
        <span className="text-xs text-muted tabular-nums">
          {formatMetric(metric, choice.count)}
        </span>
      )}
    </div>
  );
}

/**
 * Returns the values whose name contains the text, and the text itself for filters that match a
 * part of a value.
 */
function matching(choices: readonly Choice[], text: string, filter: OfferedFilter): Choice[] {
  const wanted = text.trim().toLowerCase();
  const found = choices.filter(({ name, hint }) =>
    `${name} ${hint}`.toLowerCase().includes(wanted),
  );
  if (!isPartial(filter) || wanted === '') return found;
  const part = { key: 'text', name: `Contains “${text.trim()}”`, hint: '' };
  return [...found, { ...part, change: { [filter]: textOf([text.trim()]) } }];
}

/** Returns the change of the query for a chosen value: multi-value filters add or remove it. */
function toggled(query: EventQuery, filter: OfferedFilter, { change }: Choice) {
  const [value] = valuesOf(change[filter]);
  const values = valuesOf(query[filter]);
  if (!isMultiple(filter) || value === undefined) return change;
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  // Only the first value brings others with it, such as the country of a city.
  const others = values.length === 0 ? change : {};
  return { ...others, [filter]: next.length === 0 ? undefined : textOf(next) };
}

const emptyText = (isSearched: boolean, name: string): string =>
  isSearched ? 'No matches.' : `No values for ${inSentence(name)} in this period.`;
