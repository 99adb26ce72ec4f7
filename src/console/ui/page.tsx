import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { classes } from './classes.ts';

interface PageProps {
  title: string;
  /** Buttons to the right of the title. */
  actions?: ReactNode;
  /** True when the page fills the window and its content scrolls inside. */
  isFixed?: boolean;
  /** True when the header is as narrow as the column of cards below it. */
  isNarrow?: boolean;
  children: ReactNode;
}

/**
 * Second part of the window title: the workspace's name, so that windows of two workspaces differ.
 */
export const WindowName = createContext('Console');

/** True after the first view of this window was shown. */
let wasShown = false;

/** A view. It sets the window title and focuses its heading, so that screen readers start there. */
export function Page({ title, actions, isFixed, isNarrow, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const windowName = useContext(WindowName);
  useEffect(() => {
    document.title = `${title} · ${windowName}`;
  }, [title, windowName]);
  useEffect(() => {
    // On the first view, the focus stays at the top of the page, before the skip link.
    const isFirst = !wasShown;
    wasShown = true;
    const isInside = heading.current?.closest('main')?.contains(document.activeElement) === true;
    if (!isFirst && !isInside) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div
      className={classes('flex min-h-0 flex-1 flex-col print:block', isFixed === true && 'h-full')}
    >
      <header
        className={classes(
          'flex min-h-14 w-full shrink-0 flex-wrap items-center justify-between gap-2 px-4 py-2 md:px-6 md:pt-3',
          isNarrow === true && 'max-w-6xl',
        )}
      >
        <h1 ref={heading} tabIndex={-1} className="text-lg font-semibold wrap-anywhere">
          {title}
        </h1>
        <div className="flex flex-wrap items-center gap-2 print:hidden">{actions}</div>
      </header>
      {children}
      {isFixed !== true && (
        // Messages on phones cover no more than this, so that the end of the page can be reached.
        <div aria-hidden className="h-(--toasts-space) shrink-0 md:hidden print:hidden" />
      )}
    </div>
  );
}
