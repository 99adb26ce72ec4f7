import { X } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';
import {
  excluding,
  FILTER_LIST,
  type Filter,
  isExcluded,
  isMultiple,
  nameOfFilter,
  verbOf,
} from './event-query.ts';
import { FilterMenu } from './filter-menu.tsx';
import { IgnoredNotice } from './ignored-notice.tsx';
import { useEventQuery } from './use-event-query.ts';
import { useValueNames } from './value-names.ts';

/** The active filters, and a menu that adds more. */
export function FilterBar() {
  const { query, change, clearFilters } = useEventQuery();
  const used = FILTER_LIST.filter((name) => query[name] !== undefined);
  return (
    <div
      className="flex flex-wrap items-center gap-1.5 print:hidden"
      role="group"
      aria-label="Filters"
    >
      {used.map((name) => (
        <span
          key={name}
          data-filter={name}
          className="flex h-8 max-w-full items-center gap-1 rounded-md border border-line bg-panel pl-2.5 max-md:h-11"
        >
          <Operator filter={name} />
          <Value filter={name} value={query[name]!} />
          <IconButton
            icon={X}
            label={`Remove filter: ${nameOfFilter(name)}`}
            onClick={() => change({ [name]: undefined })}
          />
        </span>
      ))}
      <FilterMenu />
      {used.length > 1 && (
        <Button look="quiet" onClick={clearFilters}>
          Clear all
        </Button>
      )}
      <IgnoredNotice />
    </div>
  );
}

/** The name and operator of a filter; a click excludes its values, or selects them again. */
function Operator({ filter }: { filter: Filter }) {
  const { query, change } = useEventQuery();
  const isExcluding = isExcluded(query, filter);
  const text = `${nameOfFilter(filter)} ${verbOf(filter, isExcluding)}`;
  if (!isMultiple(filter)) return <span className="text-muted">{text}</span>;
  return (
    <button
      type="button"
      title={`Change to “${verbOf(filter, !isExcluding)}”`}
      onClick={() => change(excluding(query, filter, !isExcluding))}
      className="h-full shrink-0 text-muted max-md:-my-px max-md:h-11 hover:text-ink hover:underline"
    >
      {text}
    </button>
  );
}

const Value = ({ filter, value }: { filter: Filter; value: string }) => (
  <span className="truncate font-medium">{useValueNames(filter, value)}</span>
);
