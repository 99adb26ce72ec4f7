import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

/** A column of a table. */
export interface Column<Row> {
  /** Header of the column; `isBare` hides it visually, for example above buttons. */
  name: string;
  isBare?: boolean;
  /** True for a column that phones leave out; `tablet` for one that tablets leave out too. */
  isMinor?: boolean | 'tablet';
  /** True for a right-aligned column with digits of equal width. */
  isNumber?: boolean;
  /** Order of the rows by this column, for a header that changes it. */
  sort?: ColumnSort;
  render(row: Row): ReactNode;
}

/** Order of rows by a column; without a direction, they have another order. */
interface ColumnSort {
  direction: 'asc' | 'desc' | undefined;
  onChange(): void;
}

interface TableProps<Row> {
  /** Accessible name of the table. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
}

/** A table of records; small windows leave out the minor columns. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <table className="w-full border-separate border-spacing-0" aria-label={label}>
      <thead>
        <tr className="text-left text-xs text-muted">
          {columns.map((column) => (
            <th
              key={column.name}
              scope="col"
              aria-sort={ariaSort(column.sort)}
              className={classes(cell(column), 'py-2 font-medium whitespace-nowrap')}
            >
              <Header column={column} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} className="hover:bg-hover/60">
            {columns.map((column) => (
              <td key={column.name} className={classes(cell(column), 'py-2.5 wrap-anywhere')}>
                {column.render(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Header({ column: { name, isBare, sort } }: { column: Column<never> }) {
  if (isBare === true) return <span className="sr-only">{name}</span>;
  if (sort === undefined) return name;
  const Arrow = sort.direction === 'asc' ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      className={classes(
        'inline-flex cursor-pointer items-center gap-1 hover:text-text max-md:min-h-11',
        sort.direction !== undefined && 'text-text',
      )}
      onClick={sort.onChange}
    >
      {name}
      {sort.direction !== undefined && <Arrow size={12} aria-hidden />}
    </button>
  );
}

const ariaSort = (sort: ColumnSort | undefined) => {
  if (sort?.direction === undefined) return undefined;
  return sort.direction === 'asc' ? 'ascending' : 'descending';
};

const cell = ({ isMinor, isNumber, isBare }: Column<never>): string =>
  classes(
    'border-b border-line px-1.5 align-middle lg:px-2 first:pl-4 last:pr-4 md:first:pl-6 md:last:pr-6',
    isMinor === true && 'max-md:hidden',
    isMinor === 'tablet' && 'max-lg:hidden',
    isNumber === true && 'pr-6 text-right whitespace-nowrap tabular-nums',
    isBare === true && 'w-0 text-right whitespace-nowrap',
  );
