import { useQueries, useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { SearchX } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { useOverlays } from './pending.ts';
import {
  FURTHEST_ROW,
  type Link,
  type LinksSearch,
  PAGE_ROWS,
  pageQuery,
  tagsQuery,
} from './question.ts';
import { LinkRow, LoadingRow, ROW_HEIGHT, type RowActions } from './row.tsx';

interface LinkListProps {
  search: LinksSearch;
  /** Number of links that match; `undefined` while it is counted. */
  total: number | undefined;
  selected: ReadonlySet<string>;
  setSelected(selected: ReadonlySet<string>): void;
  onOpen(id: string): void;
  onDelete(ids: readonly string[]): void;
  clearFilters(): void;
}

/** The rows, of which only those in sight exist; pages are asked for as they come into sight. */
export function LinkList(props: LinkListProps) {
  const { search, total, selected, setSelected, onOpen, onDelete, clearFilters } = props;
  const { api, may } = useWorkspace();
  const overlays = useOverlays();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);
  /** Where a range of selected rows begins: the row that was selected last. */
  const anchor = useRef(0);
  /** The first `j` goes to the first row, not to the second. */
  const isWalking = useRef(false);
  const [pages, setPages] = useState<readonly number[]>([0]);

  const tags = useQuery(tagsQuery(api)).data;
  const colors = useMemo(() => new Map(tags?.map(({ id, color }) => [id, color])), [tags]);
  const answers = useQueries({
    queries: pages.map((page) => ({
      ...pageQuery(api, search, page),
      // While a new question is answered, the rows of the last one stay.
      placeholderData: (before: Link[] | undefined) => before,
    })),
  });
  const first = answers[pages.indexOf(0)];
  const counted = total ?? first?.data?.length ?? PAGE_ROWS;
  // A first page that is not full is the whole list, and is there before the count.
  const isWhole = first?.isSuccess === true && first.data.length < PAGE_ROWS;
  const rows = Math.min(isWhole ? first.data.length : counted, FURTHEST_ROW);

  const linkAt = (index: number): Link | undefined => {
    const page = pages.indexOf(Math.floor(index / PAGE_ROWS));
    const link = answers[page]?.data?.[index % PAGE_ROWS];
    const overlay = link && overlays.get(link.id);
    return link && typeof overlay === 'object' ? { ...link, ...overlay } : link;
  };
  const isDeleted = (index: number) => {
    const link = linkAt(index);
    return link !== undefined && overlays.get(link.id) === 'deleted';
  };

  const virtualizer = useVirtualizer({
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (isDeleted(index) ? 0 : ROW_HEIGHT),
    overscan: 8,
  });
  useEffect(() => virtualizer.measure(), [overlays, virtualizer]);
  const items = virtualizer.getVirtualItems();
  const wanted = [...new Set(items.map(({ index }) => Math.floor(index / PAGE_ROWS)))];
  const next = wanted.length === 0 ? [0] : wanted;
  if (next.join() !== pages.join()) setPages(next);

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
    const ids = isRange
      ? Array.from({ length: Math.abs(index - anchor.current) + 1 }, (_, step) =>
          linkAt(Math.min(index, anchor.current) + step),
        ).flatMap((link) => link?.id ?? [])
      : [linkAt(index)?.id].flatMap((id) => id ?? []);
    const changed = new Set(selected);
    for (const id of ids) {
      if (!isRange && selected.has(id)) changed.delete(id);
      else changed.add(id);
    }
    anchor.current = index;
    setActive(index);
    setSelected(changed);
  };
  const latest = useRef({ toggle, onOpen, onDelete });
  useEffect(() => {
    latest.current = { toggle, onOpen, onDelete };
  });
  const actions = useMemo<RowActions>(
    () => ({
      toggle: (index, isRange) => latest.current.toggle(index, isRange),
      open: (id) => latest.current.onOpen(id),
      remove: (id) => latest.current.onDelete([id]),
      focus(index) {
        isWalking.current = true;
        setActive(index);
      },
    }),
    [],
  );
  const openActive = () => {
    const link = linkAt(active);
    if (link !== undefined) onOpen(link.id);
  };
  useShortcuts({
    j: () => goTo(isWalking.current ? active + 1 : active, 1),
    k: () => goTo(active - 1, -1),
    e: openActive,
    ...(may('links.write') && { x: () => toggle(active) }),
  });

  if (first?.error) return <Failure error={first.error} retry={() => void first.refetch()} />;
  if (first?.data?.length === 0) {
    return (
      <Empty
        icon={SearchX}
        title="No link matches"
        action={<Button onClick={clearFilters}>Show all links</Button>}
      >
        The search looks at slugs and destinations. Archived links are found by the filter for them.
      </Empty>
    );
  }
  return (
    <>
      <p role="status" className="px-4 pb-1 text-xs text-muted md:px-6">
        {total === undefined ? ' ' : countText(total)}
      </p>
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
          aria-label="Links"
          aria-rowcount={rows}
          aria-multiselectable
          aria-busy={first?.isPlaceholderData === true || first?.isPending}
          className="relative"
          style={{ height: virtualizer.getTotalSize() }}
        >
          {items.map(({ index, start, size }) => {
            const link = linkAt(index);
            if (size === 0) return null;
            if (link === undefined) return <LoadingRow key={index} index={index} top={start} />;
            return (
              <LinkRow
                key={index}
                index={index}
                top={start}
                link={link}
                colors={colors}
                isActive={index === active}
                isSelected={selected.has(link.id)}
                actions={actions}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

const countText = (total: number): string => {
  const text = `${total.toLocaleString()} ${total === 1 ? 'link' : 'links'}`;
  return total > FURTHEST_ROW ? `${text}; the list shows the first 100,000: use filters` : text;
};
