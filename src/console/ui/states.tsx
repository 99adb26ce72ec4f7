import { CircleAlert, type LucideIcon } from 'lucide-react';
import { createContext, type ReactNode, useContext } from 'react';
import { describe, isGone, isWorthAsking } from '../api/error.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';

interface EmptyProps {
  icon: LucideIcon;
  title: string;
  /** What it is for, and how to begin. */
  children: ReactNode;
  action?: ReactNode;
  /** It is all that there is: its title is that of the page. */
  isPage?: boolean;
}

/** In place of a list that has nothing yet: teaches what would be there. */
export function Empty({ icon: Icon, title, children, action, isPage }: EmptyProps) {
  const Title = isPage === true ? 'h1' : 'h2';
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-4 py-16 text-center">
      <span className="rounded-xl border border-line bg-panel p-3 text-muted">
        <Icon size={22} aria-hidden />
      </span>
      <Title className="text-base font-semibold">{title}</Title>
      <div className="text-muted">{children}</div>
      {action}
    </div>
  );
}

/** A way out of a view whose record is gone: the frame sets a link to the list that it was in. */
export const WayBack = createContext<ReactNode>(null);

/** In place of what could not be loaded: says why, and lets the reader try again where that may help. */
export function Failure({ error, retry }: { error: unknown; retry(): void }) {
  const wayBack = useContext(WayBack);
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center gap-3 px-4 py-16">
      <CircleAlert size={22} aria-hidden className="text-danger" />
      <p className="text-center">{describe(error)}</p>
      {isGone(error) && wayBack}
      {isWorthAsking(error) && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** The shape of what is being loaded. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={classes('block animate-pulse rounded bg-hover', className ?? 'h-4 w-full')}
    />
  );
}

/** A short mark, such as a state or a tag. */
export function Badge({
  children,
  tone,
}: {
  children: ReactNode;
  tone?: 'success' | 'warning' | 'danger';
}) {
  return (
    <span
      className={classes(
        'inline-flex h-5 max-w-40 items-center gap-1 truncate rounded px-1.5 text-xs font-medium forced-colors:border',
        tone === undefined && 'bg-hover text-muted',
        tone === 'success' && 'bg-success-soft text-success',
        tone === 'warning' && 'bg-warning-soft text-warning',
        tone === 'danger' && 'bg-danger-soft text-danger',
      )}
    >
      {children}
    </span>
  );
}
