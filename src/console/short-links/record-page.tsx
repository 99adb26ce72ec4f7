import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Page } from '../ui/page.tsx';
import { changeRecords, deleteRecords } from './bulk.ts';
import type { BulkEdit, Listed } from './bulk-bar.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import type { ListSearch, RecordKind } from './list-kind.ts';
import { withoutEmpty } from './listing.ts';
import { countQuery, pageQuery } from './queries.ts';
import { Records } from './records.tsx';
import { useSelection } from './selection.ts';

/** Actions on one record; the same object for all rows. */
export interface RecordActions<Row> {
  open(record: Row): void;
  change(record: Row, edit: BulkEdit): void;
  remove(record: Row): void;
}

/** Changes some search parameters in the URL of a list. */
export type SetSearch = (change: ListSearch, replace?: boolean) => void;

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

interface RecordPageProps<Row extends Listed> {
  kind: RecordKind<Row>;
  search: ListSearch;
  setSearch: SetSearch;
  /** Opens the form of a new record. */
  create(): void;
  createButton: ReactNode;
  /** Content to show while no record exists. */
  empty: ReactNode;
  /** True when people without write access can select records too. */
  isForReaders?: boolean;
  /** Opens a record; like `cells`, it must stay the same function while the workspace is shown. */
  open(record: Row): void;
  cells(record: Row, actions: RecordActions<Row>): ReactNode;
  /** Additional bulk actions. */
  actions?: ReactNode;
  /** Renders the dialogs of the page. */
  children?(selected: readonly Row[]): ReactNode;
}

/** The page that lists links or QR codes; the URL holds the filters and the sort order. */
export function RecordPage<Row extends Listed>(props: RecordPageProps<Row>) {
  const {
    kind,
    search,
    setSearch,
    create,
    createButton,
    open,
    cells,
    isForReaders = false,
  } = props;
  const { slug, api, may } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const selection = useSelection<Row>();
  const [doomed, setDoomed] = useState<readonly Row[]>();
  const mayWrite = may(`${kind.list}.write`);
  const change = (records: readonly Row[], edit: BulkEdit) =>
    changeRecords({ api, client }, kind, records, edit, () =>
      selection.keep(records, edit.shown as (record: Row) => Partial<Row>),
    );
  const remove = (records: readonly Row[]) => {
    deleteRecords({ api, client }, kind, records);
    selection.drop(records);
  };
  const askToRemove = (records: readonly Row[]) =>
    kind.needsQuestion(records) ? setDoomed(records) : remove(records);
  const latest = useRef({ change, askToRemove });
  useEffect(() => {
    latest.current = { change, askToRemove };
  });
  const actions = useMemo<RecordActions<Row>>(
    () => ({
      open,
      change: (record, edit) => latest.current.change([record], edit),
      remove: (record) => latest.current.askToRemove([record]),
    }),
    [open],
  );
  const cellsOf = useCallback((record: Row) => cells(record, actions), [cells, actions]);
  useShortcuts(mayWrite ? { c: create } : {});
  return (
    <Page title={kind.title} isFixed actions={mayWrite && createButton}>
      <Records
        kind={kind}
        search={search}
        setSearch={setSearch}
        showAll={() => void navigate({ to: kind.route, params: { workspace: slug } })}
        pageQuery={(page) => pageQuery<Row>(api, kind, search, page)}
        countQuery={countQuery(api, kind, search)}
        selection={selection}
        maySelect={mayWrite || isForReaders}
        empty={props.empty}
        cells={cellsOf}
        onOpen={open}
        onChange={mayWrite ? change : undefined}
        onDelete={askToRemove}
        actions={props.actions}
      />
      {props.children?.([...selection.records.values()])}
      {doomed !== undefined && (
        <DeleteDialog
          kind={kind}
          records={doomed}
          onDelete={() => remove(doomed)}
          onClose={() => setDoomed(undefined)}
        />
      )}
    </Page>
  );
}
