import { Check, Copy, LoaderCircle, type LucideIcon } from 'lucide-react';
import { type ComponentProps, useEffect, useState } from 'react';
import { classes } from './classes.ts';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

/** Class names of a button, also for links that look like one. */
export const buttonLook = (look: Look = 'plain', size: 'small' | 'medium' = 'medium'): string =>
  classes(
    'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none disabled:opacity-50 aria-disabled:opacity-50',
    size === 'small'
      ? 'h-7 px-2 text-xs max-md:h-11 max-md:px-3'
      : 'h-9 px-3 max-md:h-11 max-md:min-w-11',
    look === 'primary' && 'border-transparent bg-accent text-accent-ink hover:brightness-110',
    look === 'plain' && 'border-line bg-panel hover:bg-hover',
    look === 'quiet' && 'border-transparent hover:bg-hover',
    look === 'danger' && 'border-line bg-panel text-danger hover:bg-danger-soft',
  );

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look;
  size?: 'small' | 'medium';
  icon?: LucideIcon;
  /** True while the action runs: the button shows a spinner, keeps the focus, and does nothing. */
  busy?: boolean;
}

/** A button with a text label. */
export function Button({ look, size, icon: Icon, busy = false, children, ...rest }: ButtonProps) {
  const Shown = busy ? LoaderCircle : Icon;
  return (
    <button
      type="button"
      {...rest}
      // A disabled button would lose the focus.
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
      aria-busy={busy || undefined}
      className={classes(buttonLook(look, size), rest.className)}
    >
      {Shown && <Shown size={15} aria-hidden className={busy ? 'animate-spin' : undefined} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  icon: LucideIcon;
  /** Accessible name, also shown as the tooltip. */
  label: string;
}

/** A button that shows only an icon. */
export function IconButton({ icon: Icon, label, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      aria-label={label}
      className={classes(
        'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink disabled:opacity-50 max-md:size-11',
        rest.className,
      )}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}

interface CopyButtonProps {
  text: string;
  label: string;
  className?: string;
  /** Pass -1 in grids, where the arrow keys move between rows. */
  tabIndex?: number;
}

/** Copies a text to the clipboard and briefly confirms it. */
export function CopyButton({ text, label, className, tabIndex }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <>
      <IconButton
        icon={isCopied ? Check : Copy}
        label={label}
        className={className}
        tabIndex={tabIndex}
        onClick={(event) => {
          event.preventDefault();
          void copy(text).then(() => setCopied(true));
        }}
      />
      <span role="status" className="sr-only">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  );
}

/**
 * Copies a text to the clipboard, or through a selection on pages without https, where browsers
 * offer no clipboard API.
 */
export async function copy(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
}
