import { CircleAlert, type LucideIcon } from 'lucide-react';
import { createContext, type ReactNode, useContext } from 'react';
import { describe, isGone, isWorthRetrying } from '../api/error.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';

interface EmptyProps {
  icon: LucideIcon;
  title: string;
  /** Purpose of the records, and the first step to create one. */
  children: ReactNode;
  action?: ReactNode;
  /** True when the page has nothing else: the title is then the heading of the page. */
  isPage?: boolean;
}

/** An empty state: explains what the list will contain. */
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

/** Link back to the list of a record that no longer exists; the frame of the views provides it. */
export const WayBack = createContext<ReactNode>(null);

/**
 * An error in place of content that failed to load, with a retry button where retrying can help.
 */
export function Failure({ error, retry }: { error: unknown; retry(): void }) {
  const wayBack = useContext(WayBack);
  return (
    <div role="alert" className="mx-auto flex max-w-md flex-col items-center gap-3 px-4 py-16">
      <CircleAlert size={22} aria-hidden className="text-danger" />
      <p className="text-center">{describe(error)}</p>
      {isGone(error) && wayBack}
      {isWorthRetrying(error) && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** A placeholder for content that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span
      aria-hidden
      className={classes('block animate-pulse rounded bg-hover', className ?? 'h-4 w-full')}
    />
  );
}

interface BadgeProps {
  children: ReactNode;
  tone?: 'success' | 'warning' | 'danger' | undefined;
}

/** A short label, such as a state or a tag. */
export function Badge({ children, tone }: BadgeProps) {
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
