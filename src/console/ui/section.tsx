import type { ReactNode } from 'react';
import { classes } from './classes.ts';

interface SectionProps {
  title: string;
  /** Explanation of the section's purpose. */
  description?: ReactNode;
  /** Buttons at the end of the section. */
  footer?: ReactNode;
  isDanger?: boolean;
  children?: ReactNode;
}

/** A part of a view with its own title. */
export function Section({ title, description, footer, isDanger, children }: SectionProps) {
  return (
    <section
      className={classes(
        'overflow-hidden rounded-xl border bg-panel',
        isDanger === true ? 'border-danger/40' : 'border-line',
      )}
    >
      <div className="flex flex-col gap-4 p-4 md:p-5">
        <header className="flex flex-col gap-1">
          <h2 className="font-semibold">{title}</h2>
          {description && <div className="max-w-prose text-muted">{description}</div>}
        </header>
        {children}
      </div>
      {footer && (
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line bg-ground px-4 py-3 md:px-5">
          {footer}
        </footer>
      )}
    </section>
  );
}

/** The layout of sections: one column, or two in a wide window. */
export function Sections({ children }: { children: ReactNode }) {
  return (
    <div className="flex w-full max-w-3xl flex-col gap-5 px-4 pb-10 md:px-6 xl:block xl:gap-6 xl:has-[>:nth-child(2)]:max-w-6xl xl:has-[>:nth-child(2)]:columns-2 xl:*:mb-5 xl:*:break-inside-avoid">
      {children}
    </div>
  );
}
