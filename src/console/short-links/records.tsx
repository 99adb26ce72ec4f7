import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { BulkBar, type BulkEdit, type Listed } from './bulk-bar.tsx';
import { ActiveFilters } from './filters.tsx';
import { RecordGrid } from './list.tsx';
import { hasFilters, type ListKind, type ListSearch, type RecordKind } from './list-kind.ts';
import { countText, type Question, useFirstPage } from './listing.ts';
import { MOST_SELECTED, type Selection } from './selection.ts';
import { Toolbar } from './toolbar.tsx';

interface RecordsProps<Row extends Listed> {
  kind: RecordKind<Row>;
  search: ListSearch;
  setSearch(change: ListSearch, replace?: boolean): void;
  /** Clears the search and the filters. */
  showAll(): void;
  pageQuery(page: number): Question<Row[]>;
  countQuery: Question<number>;
  selection: Selection<Row>;
  maySelect: boolean;
  /** Content to show while no record exists. */
  empty: ReactNode;
  cells(record: Row): ReactNode;
  onOpen(record: Row): void;
  /** Absent when the person cannot change the records. */
  onChange: ((records: readonly Row[], edit: BulkEdit) => void) | undefined;
  onDelete(records: readonly Row[]): void;
  /** Additional bulk actions. */
  actions?: ReactNode;
}

/** A list with its toolbar and its bulk actions. */
export function Records<Row extends Listed>(props: RecordsProps<Row>) {
  const { kind, search, setSearch, pageQuery, selection, maySelect, onChange, onDelete } = props;
  const { first, total } = useFirstPage(pageQuery(0), props.countQuery);
  const selected = [...selection.records.values()];
  const selectAll = () => void selection.selectAll(pageQuery);
  useShortcuts({
    Escape: selection.clear,
    ...(maySelect && { 'Ctrl+a': selectAll }),
  });
  const isNone = first.data?.length === 0;
  return (
    <>
      <Toolbar kind={kind} search={search} setSearch={setSearch} />
      <ActiveFilters kind={kind} search={search} setSearch={setSearch} />
      {first.error && first.data === undefined ? (
        <Failure error={first.error} retry={() => void first.refetch()} />
      ) : isNone && !hasFilters(kind, search) ? (
        props.empty
      ) : isNone ? (
        <Empty
          icon={SearchX}
          title={`No ${kind.noun.many} match`}
          action={<Button onClick={props.showAll}>Show all {kind.noun.many}</Button>}
        >
          Search covers {kind.searched}. To include archived {kind.noun.many}, use the filter.
        </Empty>
      ) : (
        <>
          <ListHead
            kind={kind}
            total={total}
            selection={selection}
            maySelect={maySelect}
            selectAll={selectAll}
          />
          <RecordGrid
            label={kind.noun.many}
            rowPx={kind.rowPx}
            total={total}
            pageQuery={pageQuery}
            selected={selection.records}
            setSelected={selection.set}
            maySelect={maySelect}
            onOpen={props.onOpen}
            nameOf={kind.nameOf}
            copyOf={kind.copyOf}
            cells={props.cells}
          />
        </>
      )}
      {selected.length > 0 && (
        <BulkBar
          label={kind.noun.many}
          records={selected}
          clear={selection.clear}
          onChange={onChange && ((edit) => onChange(selected, edit))}
          onDelete={() => onDelete(selected)}
        >
          {props.actions}
        </BulkBar>
      )}
    </>
  );
}

interface ListHeadProps<Row extends { id: string }> {
  kind: ListKind;
  total: number | undefined;
  selection: Selection<Row>;
  maySelect: boolean;
  selectAll(): void;
}

/** The header of the rows: their number, and a checkbox that selects all of them. */
function ListHead<Row extends { id: string }>(props: ListHeadProps<Row>) {
  const { kind, total, selection, maySelect, selectAll } = props;
  const { noun } = kind;
  const { records, loaded } = selection;
  const selectable = Math.min(total ?? MOST_SELECTED, MOST_SELECTED);
  const areAll = records.size > 0 && records.size >= selectable;
  return (
    <div className="flex min-h-7 items-center gap-3 px-4 pb-1 text-xs text-muted max-md:gap-2 max-md:px-1 md:px-6">
      {maySelect && (
        <label className="grid size-6 shrink-0 place-items-center max-md:size-11">
          <span className="sr-only">Select all {noun.many}</span>
          <input
            ref={(box) => {
              if (box !== null) box.indeterminate = records.size > 0 && !areAll;
            }}
            type="checkbox"
            checked={areAll}
            onChange={areAll ? selection.clear : selectAll}
            className="size-4 accent-accent"
          />
        </label>
      )}
      <p role="status" className="flex-1">
        {loaded === undefined
          ? countText(total, noun)
          : `Selecting: ${loaded.toLocaleString()} of ${total === undefined ? 'all' : selectable.toLocaleString()} …`}
      </p>
      {records.size > 0 && !areAll && loaded === undefined && total !== undefined && (
        <Button look="quiet" size="small" onClick={selectAll}>
          {total > MOST_SELECTED
            ? `Select the first ${MOST_SELECTED.toLocaleString()}`
            : `Select all ${total.toLocaleString()} that match`}
        </Button>
      )}
    </div>
  );
}
