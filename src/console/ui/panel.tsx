import type { ReactNode } from 'react';
import { classes } from './classes.ts';

interface PanelProps {
  title: string;
  /** Controls beside the title. */
  aside?: ReactNode;
  /** True when the panel spans all columns. */
  isWide?: boolean;
  children: ReactNode;
}

/** The frame of a part of a page. */
export function Panel({ title, aside, isWide = false, children }: PanelProps) {
  return (
    <section
      aria-label={title}
      className={classes(
        'flex min-w-0 break-inside-avoid flex-col rounded-lg border border-line bg-panel',
        isWide && 'lg:col-span-2 print:col-span-2',
      )}
    >
      <header className="flex min-h-11 items-center justify-between gap-2 border-b border-line px-3 py-1.5">
        <h2 className="font-semibold">{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
