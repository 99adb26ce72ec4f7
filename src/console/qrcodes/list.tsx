import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState } from 'react';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import type { QrCode } from './look.ts';
import { useHidden } from './pending.ts';
import { FURTHEST_ROW, PAGE_ROWS, pageQuery, type QrCodesSearch } from './queries.ts';
import { LoadingRow, QrCodeRow, ROW_HEIGHT } from './row.tsx';

interface ListProps {
  search: QrCodesSearch;
  count: number;
  selected: ReadonlyMap<string, QrCode>;
  onSelect(selected: ReadonlyMap<string, QrCode>): void;
  onDelete(record: QrCode): void;
}

/** All codes that match; rows are rendered, and their pages asked for, as they are scrolled to. */
export function QrCodeList({ search, count, selected, onSelect, onDelete }: ListProps) {
  const { api, slug, may } = useWorkspace();
  const navigate = useNavigate();
  const frame = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const hidden = useHidden();
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled by the React Compiler
  const rows = useVirtualizer({
    count: Math.min(count, FURTHEST_ROW),
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
  });
  const shown = rows.getVirtualItems();
  const pages = [...new Set(shown.map(({ index }) => Math.floor(index / PAGE_ROWS)))];
  const answers = useQueries({ queries: pages.map((page) => pageQuery(api, search, page)) });
  const recordAt = (index: number): QrCode | undefined =>
    answers[pages.indexOf(Math.floor(index / PAGE_ROWS))]?.data?.[index % PAGE_ROWS];
  const open = (record: QrCode | undefined) => {
    if (record === undefined) return;
    void navigate({
      to: '/$workspace/qrcodes/$qrcode',
      params: { workspace: slug, qrcode: record.id },
    });
  };
  const toggle = (record: QrCode | undefined) => {
    if (record === undefined) return;
    const next = new Map(selected);
    if (!next.delete(record.id)) next.set(record.id, record);
    onSelect(next);
  };
  const go = (index: number) => {
    const to = Math.max(0, Math.min(count - 1, index));
    setActive(to);
    rows.scrollToIndex(to);
    requestAnimationFrame(() =>
      frame.current?.querySelector<HTMLElement>(`[data-index="${to}"]`)?.focus(),
    );
  };
  useShortcuts({
    j: () => go(active + 1),
    k: () => go(active - 1),
    ArrowDown: () => go(active + 1),
    ArrowUp: () => go(active - 1),
    x: () => toggle(recordAt(active)),
    e: () => open(recordAt(active)),
  });
  return (
    <div ref={frame} className="min-h-0 flex-1 overflow-y-auto border-t border-line bg-panel">
      <div
        role="grid"
        aria-label="QR codes"
        aria-rowcount={count}
        aria-multiselectable
        className="relative"
        style={{ height: rows.getTotalSize() }}
      >
        {shown.map(({ index, start }) => {
          const record = recordAt(index);
          if (record === undefined) return <LoadingRow key={index} index={index} top={start} />;
          return (
            <QrCodeRow
              key={record.id}
              index={index}
              top={start}
              record={record}
              isActive={index === active}
              isHidden={hidden.has(record.id)}
              isSelected={selected.has(record.id)}
              mayWrite={may('qrcodes.write')}
              onFocus={() => setActive(index)}
              onToggle={() => toggle(record)}
              onOpen={() => open(record)}
              onDelete={() => onDelete(record)}
            />
          );
        })}
      </div>
    </div>
  );
}
