import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import { classes } from './classes.ts';
import { Scroller } from './scroller.tsx';

interface VirtualListProps {
  label: string;
  count: number;
  /** Height of a row in pixels; the least height of measured rows. */
  rowPx: number;
  /** True for rows that can be higher, because their text wraps. */
  isMeasured?: boolean;
  keyOf(index: number): string;
  /** Class names of the scrolling element and of a row. */
  className: string;
  rowClassName?: string;
  children(index: number): ReactNode;
}

/** A long list that renders only the rows in view. */
export function VirtualList({
  label,
  count,
  rowPx,
  isMeasured = false,
  keyOf,
  className,
  rowClassName,
  children,
}: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    getItemKey: keyOf,
    overscan: 8,
  });
  return (
    <Scroller ref={box} label={label} className={classes('overflow-y-auto', className)}>
      <ol className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => (
          <li
            key={key}
            ref={isMeasured ? virtual.measureElement : undefined}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={count}
            className={classes('absolute inset-x-0 flex items-center', rowClassName)}
            style={{
              height: isMeasured ? undefined : rowPx,
              minHeight: rowPx,
              transform: `translateY(${start}px)`,
            }}
          >
            {children(index)}
          </li>
        ))}
      </ol>
    </Scroller>
  );
}
