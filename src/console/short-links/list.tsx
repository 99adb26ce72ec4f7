import { useQueries, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { FURTHEST_ROW, PAGE_ROWS, type Question } from './listing.ts';
import { useOverlays } from './pending.ts';
import { LoadingRow, RecordRow, type RowActions } from './row.tsx';

interface ListProps<Row extends { id: string }> {
  label: string;
  /** Height of a row, in pixels. */
  rowPx: number;
  /** Number of rows that match; `undefined` while they are counted. */
  total: number | undefined;
  pageQuery(page: number): Question<Row[]>;
  selected: ReadonlyMap<string, Row>;
  setSelected(selected: ReadonlyMap<string, Row>): void;
  /** Scope without which rows can't be selected; absent: all may. */
  selectScope?: string;
  onOpen(record: Row): void;
  nameOf(record: Row): string;
  /** The cells of a row; the same function as long as they don't change, so that only rows that changed are rendered again. */
  cells(record: Row): ReactNode;
}

/** The rows of a question, from the first one on. Those of the last question stay until there are new ones. */
export function RecordGrid<Row extends { id: string }>(props: ListProps<Row>) {
  const isBusy = useQuery(props.pageQuery(0)).data === undefined;
  const [answered, setAnswered] = useState(props);
  if (!isBusy && answered !== props) setAnswered(props);
  const { pageQuery, total } = isBusy ? answered : props;
  const question = JSON.stringify(pageQuery(0).queryKey);
  return (
    <Rows {...props} question={question} pageQuery={pageQuery} total={total} isBusy={isBusy} />
  );
}

/** The rows, of which only those in sight exist; pages are asked for as they come into sight. */
function Rows<Row extends { id: string }>(
  props: ListProps<Row> & { question: string; isBusy: boolean },
) {
  const { label, rowPx, total, pageQuery, selected, setSelected, onOpen, nameOf, cells } = props;
  const { may } = useWorkspace();
  const maySelect = props.selectScope === undefined || may(props.selectScope);
  const overlays = useOverlays();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);
  /** Where a range of selected rows begins: the row that was selected last. */
  const anchor = useRef(0);
  /** The first `j` goes to the first row, not to the second. */
  const isWalking = useRef(false);
  const [pages, setPages] = useState<readonly number[]>([0]);
  const [asked, setAsked] = useState(props.question);
  // Begins at the first row: those far down would be of another list, and are slow to find.
  const isNew = props.question !== asked;

  const answers = useQueries({ queries: pages.map(pageQuery) });
  const rows = Math.min(total ?? PAGE_ROWS, FURTHEST_ROW);

  const recordAt = (index: number): Row | undefined => {
    const page = pages.indexOf(Math.floor(index / PAGE_ROWS));
    const record = answers[page]?.data?.[index % PAGE_ROWS];
    const overlay = record && overlays.get(record.id);
    return record && typeof overlay === 'object' ? { ...record, ...overlay } : record;
  };
  const isDeleted = (index: number) => {
    const record = recordAt(index);
    return record !== undefined && overlays.get(record.id) === 'deleted';
  };

  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled by the React Compiler
  const virtualizer = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (isDeleted(index) ? 0 : rowPx),
    overscan: 8,
  });
  useEffect(() => virtualizer.measure(), [overlays, virtualizer]);
  const items = virtualizer.getVirtualItems();
  const wanted = [...new Set(items.map(({ index }) => Math.floor(index / PAGE_ROWS)))];
  const next = wanted.length === 0 || isNew ? [0] : wanted;
  if (next.join() !== pages.join()) setPages(next);
  useLayoutEffect(() => {
    if (isNew) virtualizer.scrollToOffset(0);
  }, [isNew, virtualizer]);
  if (isNew && items[0]?.index === 0) {
    setAsked(props.question);
    setActive(0);
  }

  useEffect(() => {
    if (!wantsFocus.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    if (row === null || row === undefined) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const goTo = (index: number, step: number) => {
    let to = Math.max(0, Math.min(rows - 1, index));
    while (isDeleted(to) && to + step >= 0 && to + step < rows) to += step;
    wantsFocus.current = true;
    isWalking.current = true;
    setActive(to);
    virtualizer.scrollToIndex(to);
  };
  const toggle = (index: number, isRange = false) => {
    const [from, count] = isRange
      ? [Math.min(index, anchor.current), Math.abs(index - anchor.current) + 1]
      : [index, 1];
    const changed = new Map(selected);
    for (let at = from; at < from + count; at += 1) {
      const record = recordAt(at);
      if (record === undefined) continue;
      if (!isRange && selected.has(record.id)) changed.delete(record.id);
      else changed.set(record.id, record);
    }
    anchor.current = index;
    setActive(index);
    setSelected(changed);
  };
  const open = (index: number) => {
    const record = recordAt(index);
    if (record !== undefined) onOpen(record);
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
    e: () => open(active),
    ...(maySelect && { x: () => toggle(active) }),
  });

  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-y-auto border-t border-line bg-panel"
      onKeyDown={(event) => {
        const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
        if (step === undefined || !(event.target as HTMLElement).matches('[role=row]')) return;
        event.preventDefault();
        goTo(active + step, Math.sign(step));
      }}
    >
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={rows}
        aria-multiselectable
        aria-busy={props.isBusy}
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map(({ index, start, size }) => {
          const record = recordAt(index);
          if (size === 0) return null;
          const place = { index, top: start, height: size };
          if (record === undefined) return <LoadingRow key={index} {...place} />;
          return (
            <RecordRow
              key={index}
              {...place}
              record={record}
              name={nameOf(record)}
              cells={cells}
              isActive={index === active}
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
