import { useNavigate } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef } from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { lazyPart, usePreload } from '../ui/lazy-part.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { ActiveFilters } from './filters.tsx';
import { RecordGrid } from './list.tsx';
import {
  hasFilters,
  type ListKind,
  type ListSearch,
  type RecordKind,
  type SearchProps,
  type SetSearch,
} from './list-kind.ts';
import type { BulkEdit, Listed } from './listed.ts';
import { countText, useFirstPage, withoutEmpty } from './listing.ts';
import { countQuery, pageQuery } from './queries.ts';
import { useRecordDialogs } from './record-dialogs.tsx';
import { routeOf } from './record-route.ts';
import { MOST_SELECTED, type Selection, useSelection } from './selection.ts';
import { Toolbar } from './toolbar.tsx';

const BulkBar = lazyPart(() => import('./bulk-bar.tsx'), 'BulkBar');
const PARTS = [BulkBar];

/** Actions on one record; the same object for all rows. */
export interface RecordActions<Row> {
  /** Opens the page of the record. */
  open(record: Row): void;
  /** Opens the form of the record. */
  edit(record: Row): void;
  change(record: Row, edit: BulkEdit): void;
  remove(record: Row): void;
  reset(record: Row): void;
  simulate(record: Row): void;
}

/**
 * Returns a function that changes the URL's search parameters; it stays the same object while the
 * workspace is shown.
 */
export function useSetSearch({ route }: Pick<RecordKind<never>, 'route'>): SetSearch {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  return useCallback(
    (change, replace = false) =>
      void navigate({
        to: route,
        params: { workspace: slug },
        search: (before: ListSearch) => withoutEmpty({ ...before, ...change }),
        replace,
      }),
    [navigate, route, slug],
  );
}

interface RecordPageProps<Row extends Listed & { createdAt: string }> extends SearchProps {
  kind: RecordKind<Row>;
  /** Opens the form of a new record. */
  create(): void;
  createButton: ReactNode;
  /** Content to show while no record exists. */
  empty: ReactNode;
  /** True when people without write access can select records too. */
  isForReaders?: boolean;
  /**
   * Opens the form of a record; like `cells`, it must stay the same function while the workspace is
   * shown.
   */
  edit(record: Row): void;
  cells(record: Row, actions: RecordActions<Row>): ReactNode;
  /** Additional bulk actions. */
  actions?: ReactNode;
  /** Renders the dialogs of the page. */
  children?(selected: readonly Row[]): ReactNode;
}

/**
 * The page that lists links or QR codes, with its toolbar and its bulk actions; the URL holds the
 * filters and the sort order.
 */
export function RecordPage<Row extends Listed & { createdAt: string }>(
  props: RecordPageProps<Row>,
) {
  const { kind, search, setSearch, create, edit, cells, isForReaders = false } = props;
  const { noun } = kind;
  const { slug, api, may } = useWorkspace();
  const navigate = useNavigate();
  const selection = useSelection<Row>();
  const { change, remove, reset, simulate, dialogs } = useRecordDialogs(kind, {
    onChanged: (records, { shown }) =>
      selection.keep(records, shown as (record: Row) => Partial<Row>),
    onRemoved: selection.drop,
  });
  const open = useCallback(
    ({ id }: Row) => void navigate(routeOf(kind, slug, id)),
    [kind, navigate, slug],
  );
  const mayWrite = may(`${kind.list}.write`);
  const maySelect = mayWrite || isForReaders;
  const latest = useRef({ change, remove, reset, simulate });
  useEffect(() => {
    latest.current = { change, remove, reset, simulate };
  });
  const actions = useMemo<RecordActions<Row>>(
    () => ({
      open,
      edit,
      change: (record, changed) => latest.current.change([record], changed),
      remove: (record) => latest.current.remove([record]),
      reset: (record) => latest.current.reset(record),
      simulate: (record) => latest.current.simulate(record),
    }),
    [open, edit],
  );
  const cellsOf = useCallback((record: Row) => cells(record, actions), [cells, actions]);
  const queryOf = (page: number) => pageQuery<Row>(api, kind, search, page);
  const { first, total } = useFirstPage(
    queryOf(0),
    countQuery(api, kind, search),
    search['new'] !== undefined || search['edit'] !== undefined,
  );
  const selected = [...selection.records.values()];
  const selectAll = () => void selection.selectAll(queryOf);
  useShortcuts({
    Escape: selection.clear,
    ...(maySelect && { 'Ctrl+a': selectAll }),
    ...(mayWrite && { c: create }),
  });
  usePreload(PARTS);
  const showAll = () => void navigate({ to: kind.route, params: { workspace: slug } });
  const isNone = first.data?.length === 0;
  return (
    <Page title={kind.title} isFixed actions={mayWrite && props.createButton}>
      <Toolbar kind={kind} search={search} setSearch={setSearch} />
      <ActiveFilters kind={kind} search={search} setSearch={setSearch} />
      {first.error && first.data === undefined ? (
        <Failure error={first.error} retry={() => void first.refetch()} />
      ) : isNone && !hasFilters(kind, search) ? (
        props.empty
      ) : isNone ? (
        <Empty
          icon={SearchX}
          title={`No ${noun.many} match`}
          action={<Button onClick={showAll}>Show all {noun.many}</Button>}
        >
          Search covers {kind.searched}. To include archived {noun.many}, use the filter.
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
            kind={kind}
            total={total}
            pageQuery={queryOf}
            selection={selection}
            maySelect={maySelect}
            onOpen={open}
            onEdit={mayWrite ? edit : open}
            cells={cellsOf}
          />
        </>
      )}
      {selected.length > 0 && (
        <Suspense>
          <BulkBar
            kind={kind}
            records={selected}
            clear={selection.clear}
            onChange={mayWrite ? (changed) => change(selected, changed) : undefined}
            onDelete={() => remove(selected)}
          >
            {props.actions}
          </BulkBar>
        </Suspense>
      )}
      {props.children?.(selected)}
      {dialogs}
    </Page>
  );
}

interface ListHeadProps<Row extends { id: string }> {
  kind: Pick<ListKind, 'noun' | 'inWords'>;
  total: number | undefined;
  selection: Selection<Row>;
  maySelect: boolean;
  selectAll(): void;
}

/** The header of the rows: their number, and a checkbox that selects all of them. */
function ListHead<Row extends { id: string }>(props: ListHeadProps<Row>) {
  const { kind, total, selection, maySelect, selectAll } = props;
  const { records, loaded } = selection;
  const selectable = Math.min(total ?? MOST_SELECTED, MOST_SELECTED);
  const areAll = records.size > 0 && records.size >= selectable;
  return (
    <div className="flex min-h-7 items-center gap-3 px-4 pb-1 text-xs text-muted max-md:gap-2 max-md:px-1 md:px-6">
      {maySelect && (
        <label className="grid size-6 shrink-0 place-items-center max-md:size-11">
          <span className="sr-only">Select all {kind.noun.many}</span>
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
          ? countText(total, kind)
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
