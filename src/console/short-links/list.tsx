import { useQueries, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { copy } from '../ui/button.tsx';
import { toast } from '../ui/toasts.tsx';
import type { RecordKind } from './list-kind.ts';
import { FURTHEST_ROW, PAGE_ROWS, type Query } from './listing.ts';
import { isDeleted, overlaid, useOverlays } from './pending.ts';
import { LoadingRow, openMenu, RecordRow, type RowActions } from './row.tsx';
import { LabelsProvider } from './row-labels.tsx';
import type { Selection } from './selection.ts';

interface ListProps<Row extends { id: string }> {
  kind: RecordKind<Row>;
  /** Number of matching rows; `undefined` while they are counted. */
  total: number | undefined;
  pageQuery(page: number): Query<Row[]>;
  selection: Selection<Row>;
  maySelect: boolean;
  onOpen(record: Row): void;
  /** Called by the shortcut of the form. */
  onEdit(record: Row): void;
  /**
   * Renders the cells of a row; the function must stay the same object between renders, so that
   * only changed rows render again.
   */
  cells(record: Row): ReactNode;
}

/** The rows of a query; the previous rows stay visible until the new ones arrive. */
export function RecordGrid<Row extends { id: string }>(props: ListProps<Row>) {
  const isBusy = useQuery(props.pageQuery(0)).data === undefined;
  const [answered, setAnswered] = useState(props);
  if (!isBusy && answered !== props) setAnswered(props);
  const { pageQuery, total } = isBusy ? answered : props;
  const listKey = JSON.stringify(pageQuery(0).queryKey);
  return (
    <LabelsProvider>
      <Rows {...props} listKey={listKey} pageQuery={pageQuery} total={total} isBusy={isBusy} />
    </LabelsProvider>
  );
}

/** Number of rows that Page Up and Page Down move. */
const PAGE_STEP = 10;

/**
 * Renders only the rows in view, and loads their pages as they scroll into view. One row is in the
 * tab order, and keys move the focus from there (WAI-ARIA grid pattern); controls inside rows
 * handle their own keys.
 */
function Rows<Row extends { id: string }>(
  props: ListProps<Row> & { listKey: string; isBusy: boolean },
) {
  const { kind, total, pageQuery, selection, maySelect, onOpen, onEdit, cells, listKey } = props;
  const selected = selection.records;
  const overlays = useOverlays();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);
  /** Start of a range selection: the row that was selected last. */
  const anchor = useRef<number>(undefined);
  /**
   * False until keys move the focus, so that the first `j` goes to the first row, not the second.
   */
  const isWalking = useRef(false);
  const [pages, setPages] = useState<readonly number[]>([0]);
  const [shownKey, setShownKey] = useState(listKey);
  // A new query starts at the first row, because distant rows belong to the previous list and are
  // slow to load.
  const isNew = listKey !== shownKey;

  const answers = useQueries({ queries: pages.map(pageQuery) });
  const rows = Math.min(total ?? PAGE_ROWS, FURTHEST_ROW);

  const recordAt = (index: number): Row | undefined => {
    const page = pages.indexOf(Math.floor(index / PAGE_ROWS));
    const record = answers[page]?.data?.[index % PAGE_ROWS];
    return record && overlaid(record, overlays);
  };
  const isDeletedAt = (index: number) => {
    const record = recordAt(index);
    return record !== undefined && isDeleted(record, overlays);
  };

  // oxlint-disable-next-line react/incompatible-library -- the React Compiler is not used
  const virtualizer = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (isDeletedAt(index) ? 0 : kind.rowPx),
    overscan: 3,
  });
  useEffect(() => virtualizer.measure(), [overlays, virtualizer]);
  const items = virtualizer.getVirtualItems();
  const wanted = [...new Set(items.map(({ index }) => Math.floor(index / PAGE_ROWS)))];
  const next = wanted.length === 0 || isNew ? [0] : wanted;
  if (next.join() !== pages.join()) setPages(next);
  useLayoutEffect(() => {
    if (!isNew) return;
    virtualizer.scrollToOffset(0);
    isWalking.current = false;
    anchor.current = undefined;
  }, [isNew, virtualizer]);
  if (isNew && items[0]?.index === 0) {
    setShownKey(listKey);
    setActive(0);
  }

  const rowElement = (index: number) =>
    scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? undefined;
  const focusActive = (index: number) => {
    const row = rowElement(index);
    if (!wantsFocus.current || row === undefined) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  };
  useEffect(() => focusActive(active));

  /** Finds the nearest row in the direction of `step` that is not being deleted. */
  const stayingFrom = (from: number, step: number): number | undefined => {
    for (let at = from; at >= 0 && at < rows; at += step) if (!isDeletedAt(at)) return at;
    return undefined;
  };
  /** Focuses a row; if it is being deleted, focuses the next row in the direction of `step`. */
  const goTo = (index: number, step: 1 | -1): number => {
    const from = Math.max(0, Math.min(rows - 1, index));
    const to = stayingFrom(from, step) ?? stayingFrom(from, -step) ?? from;
    wantsFocus.current = true;
    isWalking.current = true;
    setActive(to);
    virtualizer.scrollToIndex(to);
    // If the row is out of view, the effect above focuses it once it is rendered.
    focusActive(to);
    return to;
  };
  const isActiveDeleted = isDeletedAt(active);
  useEffect(() => {
    const focused = document.activeElement;
    // The focused element is about to disappear with its row, or is already gone.
    const isLost = focused === document.body || rowElement(active)?.contains(focused) === true;
    if (isActiveDeleted && isLost) goTo(active, 1);
    // oxlint-disable-next-line react/exhaustive-deps -- once for each deletion
  }, [isActiveDeleted]);

  const isFirst = (id: string, at: number) =>
    items.findIndex(({ index }) => recordAt(index)?.id === id) === at;
  const activeId = recordAt(active)?.id;
  /** The active record and its place, to find it again once rows before it are gone. */
  const followed = useRef<{ id: string; at: number }>(undefined);
  useEffect(() => {
    const before = followed.current;
    if (before !== undefined && before.at === active && before.id !== activeId) {
      const place = items.find(({ index }) => recordAt(index)?.id === before.id);
      if (place !== undefined && place.index < active) return setActive(place.index);
      // The record has left the list, and took the focus with it.
      if (activeId !== undefined && isWalking.current && document.activeElement === document.body)
        goTo(active, 1);
    }
    if (activeId !== undefined) followed.current = { id: activeId, at: active };
    // oxlint-disable-next-line react/exhaustive-deps -- once for each new place of the record
  }, [activeId, active]);

  const toggle = (index: number, isRange = false) => {
    const from = isRange ? (anchor.current ?? active) : index;
    const changed = new Map(selected);
    for (let at = Math.min(from, index); at <= Math.max(from, index); at += 1) {
      const record = recordAt(at);
      if (record === undefined || isDeleted(record, overlays)) continue;
      if (!isRange && selected.has(record.id)) changed.delete(record.id);
      else changed.set(record.id, record);
    }
    anchor.current = isRange ? from : index;
    setActive(index);
    selection.set(changed);
  };
  const open = (index: number) => {
    const record = recordAt(index);
    if (record !== undefined) onOpen(record);
  };
  const edit = (index: number) => {
    const record = recordAt(index);
    if (record !== undefined) onEdit(record);
  };
  const copyAt = (index: number) => {
    const record = recordAt(index);
    if (record === undefined) return;
    void copy(kind.copyOf(record)).then(() => toast(`${kind.nameOf(record)} copied`));
  };
  const latest = useRef({ toggle, open });
  useEffect(() => {
    latest.current = { toggle, open };
  });
  const actions = useMemo<RowActions>(
    () => ({
      toggle: (index, isRange) => latest.current.toggle(index, isRange),
      open: (index) => latest.current.open(index),
      focus(index) {
        isWalking.current = true;
        setActive(index);
      },
    }),
    [],
  );
  useShortcuts({
    j: () => goTo(isWalking.current ? active + 1 : active, 1),
    k: () => goTo(active - 1, -1),
    e: () => edit(goTo(active, 1)),
    y: () => copyAt(active),
    '.': () => openMenu(rowElement(goTo(active, 1))),
    ...(maySelect && { x: () => toggle(active) }),
  });

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const at = event.target as HTMLElement;
    // Menus and links inside rows handle their own keys.
    if (!at.matches('[role=row], [type=checkbox]')) return;
    const { key, shiftKey } = event;
    if ((event.ctrlKey || event.metaKey) && key === 'c') {
      // If text is selected, the browser copies it.
      if (getSelection()?.isCollapsed !== false) copyAt(active);
      return;
    }
    const to = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + PAGE_STEP,
      PageUp: active - PAGE_STEP,
      Home: 0,
      End: rows - 1,
    }[key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    anchor.current ??= active;
    const reached = goTo(to, to < active || key === 'End' ? -1 : 1);
    if (shiftKey && maySelect) toggle(reached, true);
  };

  // The active row may be scrolled out of view; Tab then goes to a visible row.
  const isActiveShown = items.some(({ index, size }) => index === active && size > 0);
  const tabStop = isActiveShown ? active : items.find(({ size }) => size > 0)?.index;
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-y-auto border-t border-line bg-panel max-md:pb-(--toasts-space)"
      onKeyDown={onKeyDown}
    >
      <div
        role="grid"
        aria-label={kind.noun.many}
        aria-rowcount={rows}
        aria-multiselectable
        aria-busy={props.isBusy}
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map(({ index, start, size }, at) => {
          const record = recordAt(index);
          if (size === 0) return null;
          const place = { index, top: start, height: size };
          if (record === undefined) return <LoadingRow key={index} {...place} />;
          return (
            <RecordRow
              // A row keeps its focus where rows before it are gone. A list that has grown between
              // the requests of two pages can contain a record twice.
              key={isFirst(record.id, at) ? record.id : index}
              {...place}
              record={record}
              name={kind.nameOf(record)}
              cells={cells}
              isActive={index === tabStop}
              isSelected={selected.has(record.id)}
              maySelect={maySelect}
              actions={actions}
            />
          );
        })}
      </div>
    </div>
  );
}
