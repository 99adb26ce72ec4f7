import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { classes } from './classes.ts';

interface PageProps {
  title: string;
  /** Buttons at the right of the title. */
  actions?: ReactNode;
  /** The page fills the window, and scrolls inside. */
  isFixed?: boolean;
  /** The buttons end where the column of cards does. */
  isNarrow?: boolean;
  children: ReactNode;
}

/** Second part of the title of the window: the name of the workspace, so that two of them can be told apart. */
export const WindowName = createContext('Console');

/** True once a view was shown in this window. */
let wasShown = false;

/** A view: sets the title of the window, and takes the focus, so that screen readers begin with it. */
export function Page({ title, actions, isFixed, isNarrow, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const windowName = useContext(WindowName);
  useEffect(() => {
    document.title = `${title} · ${windowName}`;
  }, [title, windowName]);
  useEffect(() => {
    // At the first view, the focus stays on the top of the page, before the link that skips the navigation.
    const isFirst = !wasShown;
    wasShown = true;
    const isInside = heading.current?.closest('main')?.contains(document.activeElement) === true;
    if (!isFirst && !isInside) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={classes('flex min-h-0 flex-1 flex-col', isFixed === true && 'h-full')}>
      <header
        className={classes(
          'flex min-h-14 w-full shrink-0 flex-wrap items-center justify-between gap-2 px-4 py-2 md:px-6 md:pt-3',
          isNarrow === true && 'max-w-6xl',
        )}
      >
        <h1 ref={heading} tabIndex={-1} className="text-lg font-semibold">
          {title}
        </h1>
        <div className="flex items-center gap-2">{actions}</div>
      </header>
      {children}
    </div>
  );
}
