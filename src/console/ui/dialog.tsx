import { X } from 'lucide-react';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { focusHeading } from './focus-heading.ts';
import { Scroller } from './scroller.tsx';
import { raiseToasts, showToastsIn } from './toasts.tsx';

interface DialogProps {
  title: string;
  onClose(): void;
  /**
   * Runs before Escape, the close button or a click outside closes the dialog; false keeps it open.
   */
  mayClose?(): boolean;
  size?: 'small' | 'medium' | 'large';
  footer?: ReactNode;
  /**
   * True for a dialog without controls: the dialog itself takes the focus, so that keys scroll it.
   */
  isText?: boolean;
  children: ReactNode;
}

const WIDTHS = { small: 'md:w-[26rem]', medium: 'md:w-[38rem]', large: 'md:w-[64rem]' };

/**
 * A modal dialog that is open as long as it is rendered. Ctrl+Enter or Cmd+Enter submits its form.
 * The element with `data-autofocus` receives the focus. On phones the dialog fills the screen or
 * its lower part.
 *
 * It uses the native `<dialog>`, which traps and restores the focus and needs no script that writes
 * inline styles, which the Content-Security-Policy forbids.
 */
export function Dialog({
  title,
  onClose,
  mayClose,
  size = 'medium',
  footer,
  isText,
  children,
}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // A layout effect closes the dialog before React removes it: only then does the browser restore
  // the focus.
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    // React's autoFocus runs too early, before the dialog is shown.
    dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    const showToastsBehind = showToastsIn(dialog);
    return () => {
      dialog.close();
      showToastsBehind();
      // A message that opened the dialog is gone, and with it the button that had the focus.
      if (document.activeElement === document.body) focusHeading();
    };
  }, []);
  const ask = () => {
    if (mayClose?.() !== false) onClose();
  };
  const contentLook = classes(
    'min-h-0 flex-1 overflow-y-auto p-4',
    size !== 'small' && 'max-md:pb-[calc(1rem+var(--toasts-space))]',
  );
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      data-size={size}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        ask();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        element.current?.querySelector<HTMLButtonElement>('button[type=submit]')?.click();
      }}
      onMouseDown={(event) => event.target === element.current && ask()}
      className={classes(
        'm-auto max-h-[90dvh] w-full max-w-full overflow-hidden md:max-w-[calc(100%-3rem)] rounded-xl border border-line bg-panel text-ink shadow-2xl',
        size === 'small'
          ? 'max-md:mb-0 max-md:rounded-b-none'
          : 'max-md:h-dvh max-md:max-h-dvh max-md:rounded-none max-md:border-0',
        WIDTHS[size],
      )}
    >
      <div className="flex max-h-[inherit] flex-col max-md:h-full">
        <header className="flex items-center justify-between gap-3 border-b border-line py-2 pr-2 pl-4">
          <h2 id={titleId} className="line-clamp-3 text-base font-semibold wrap-anywhere">
            {title}
          </h2>
          <IconButton icon={X} label="Close" onClick={ask} />
        </header>
        {isText === true ? (
          <Scroller label={title} className={contentLook}>
            {children}
          </Scroller>
        ) : (
          <div className={contentLook}>{children}</div>
        )}
        {footer && (
          <footer
            ref={raiseToasts}
            className="flex items-center justify-end gap-2 border-t border-line px-4 py-3"
          >
            {footer}
          </footer>
        )}
      </div>
    </dialog>
  );
}
