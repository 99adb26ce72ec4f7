import { X } from 'lucide-react';
import { memo } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { RowInput } from '../../ui/field.tsx';
import type { Outcome } from './check.ts';
import { MOST_TITLE, type Row } from './rows.ts';

/** Columns from tablets on; phones stack the cells of a row. */
const GRID =
  'grid gap-2 md:grid-cols-[2rem_minmax(0,2fr)_minmax(0,1fr)_minmax(0,1.4fr)_2.25rem] md:items-start';

interface TableProps {
  rows: readonly Row[];
  outcomes: readonly Outcome[];
  isDisabled: boolean;
  /** Stays the same function, so that an edit renders one row. */
  onChange(id: number, changes: Partial<Row>): void;
  onRemove(id: number): void;
}

/** The editable table of links, with the errors of each row. */
export function BatchTable({ rows, outcomes, ...actions }: TableProps) {
  return (
    <div className="px-4 md:px-6">
      <div aria-hidden className={`${GRID} pb-1 text-xs text-muted max-md:hidden`}>
        <span />
        <span>Destination</span>
        <span>Slug</span>
        <span>Title</span>
      </div>
      <ol aria-label="Links to create" className="flex flex-col gap-1 max-md:gap-4">
        {rows.map((row, at) => (
          <BatchRow key={row.id} row={row} number={at + 1} {...flat(outcomes[at])} {...actions} />
        ))}
      </ol>
    </div>
  );
}

/** The outcome of a row as properties that stay equal between renders. */
const flat = ({ url, key, title, note }: Outcome = {}) => ({
  urlError: url,
  keyError: key,
  titleError: title,
  note,
});

interface RowProps extends Omit<TableProps, 'rows' | 'outcomes'>, ReturnType<typeof flat> {
  row: Row;
  number: number;
}

const BatchRow = memo(function BatchRow(props: RowProps) {
  const { row, number, isDisabled, onChange, onRemove } = props;
  const cell = (name: 'url' | 'key' | 'title', label: string) => ({
    'aria-label': `${label} of row ${number}`,
    errorLabel: label,
    error: props[`${name}Error`],
    disabled: isDisabled,
    autoComplete: 'off',
    value: row[name],
    onChange: ({ target }: { target: { value: string } }) =>
      onChange(row.id, { [name]: target.value }),
  });
  return (
    // The padding leaves space for the focus ring, which `content-visibility` cuts off otherwise.
    <li
      className={`${GRID} -m-1 p-1 [contain-intrinsic-height:auto_2.25rem] [content-visibility:auto]`}
    >
      <span className="text-muted tabular-nums md:pt-2">{number}</span>
      <RowInput
        {...cell('url', 'Destination')}
        inputMode="url"
        spellCheck={false}
        hint={props.note}
      />
      <RowInput
        {...cell('key', 'Slug')}
        placeholder="random slug"
        autoCapitalize="off"
        spellCheck={false}
      />
      <RowInput {...cell('title', 'Title')} placeholder="Title (optional)" maxLength={MOST_TITLE} />
      <IconButton
        icon={X}
        label={`Remove row ${number}`}
        disabled={isDisabled}
        onClick={() => onRemove(row.id)}
      />
    </li>
  );
});
