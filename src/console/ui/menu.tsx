import { Check, Ellipsis, type LucideIcon } from 'lucide-react';
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  useId,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { buttonLook } from './button.tsx';
import { classes } from './classes.ts';

interface PopoverProps {
  /** Properties of the button that opens the popover; with an icon, it looks like `Button`. */
  button: Omit<ComponentProps<'button'>, 'type'> & { icon?: LucideIcon };
  /** Renders the content; `close` closes the popover. */
  children(close: () => void): ReactNode;
  role?: 'menu' | 'dialog';
  label: string;
  onOpen?(): void;
  className?: string;
}

/** Distance to the window's edges and to the button, in pixels. */
const GAP = 6;

/**
 * A native popover next to its button: it shows above dialogs too, and closes on Escape or a click
 * outside.
 *
 * Menus follow the WAI-ARIA pattern: arrow keys, Home, End and the first letter of an item move the
 * focus, and Tab leaves the menu.
 */
export function Popover({
  button: { icon: Icon, children: face, ...button },
  children,
  role = 'dialog',
  label,
  onOpen,
  className,
}: PopoverProps) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  // Lists have many menus, so the content is rendered only when the popover opens.
  const [isOpen, setOpen] = useState(false);
  const close = () => document.getElementById(id)?.hidePopover();

  const place = () => {
    const [from, box] = [opener.current, panel.current];
    if (from === null || box === null) return;
    const at = from.getBoundingClientRect();
    const left = Math.min(at.left, innerWidth - box.offsetWidth - GAP);
    const isBelow = at.bottom + GAP + box.offsetHeight <= innerHeight || at.top < innerHeight / 2;
    box.style.left = `${Math.max(GAP, left)}px`;
    box.style.top = isBelow
      ? `${at.bottom + GAP}px`
      : `${Math.max(GAP, at.top - GAP - box.offsetHeight)}px`;
  };

  const walk = (event: KeyboardEvent) => {
    if (role !== 'menu') return;
    if (event.key === 'Tab') return close();
    const items = [...panel.current!.querySelectorAll<HTMLElement>('[role^=menuitem]')];
    const next = itemFor(event, items, items.indexOf(document.activeElement as HTMLElement));
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };

  return (
    <>
      <button
        type="button"
        className={Icon && buttonLook()}
        {...button}
        ref={opener}
        popoverTarget={id}
        aria-haspopup={role}
        onKeyDown={(event) => {
          if (role !== 'menu' || event.key !== 'ArrowDown') return;
          event.preventDefault();
          event.stopPropagation();
          panel.current?.showPopover();
        }}
      >
        {Icon && <Icon size={15} aria-hidden />}
        {face}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role={role}
        aria-label={label}
        tabIndex={-1}
        onKeyDown={walk}
        onBeforeToggle={(event) => {
          if (event.target !== event.currentTarget) return;
          // Rendered synchronously, because the popover is measured when it is shown.
          if (event.newState === 'open') flushSync(() => setOpen(true));
        }}
        onToggle={(event) => {
          if (event.target !== event.currentTarget) return;
          // The content stays until now, because the browser restores the focus only from inside
          // the popover.
          if (event.newState === 'closed') return setOpen(false);
          onOpen?.();
          place();
          const first = panel.current?.querySelector<HTMLElement>(
            '[autofocus], [role^=menuitem], input, button',
          );
          (first ?? panel.current)?.focus();
        }}
        className={classes(
          'fixed m-0 max-h-[70dvh] overflow-y-auto rounded-lg border border-line bg-raised p-1 text-ink shadow-xl',
          className ?? 'min-w-48',
        )}
      >
        {isOpen && children(close)}
      </div>
    </>
  );
}

/** Finds the menu item that a key moves the focus to. */
function itemFor(
  { key, ctrlKey, metaKey, altKey }: KeyboardEvent,
  items: readonly HTMLElement[],
  now: number,
): HTMLElement | undefined {
  if (key === 'ArrowDown') return items[(now + 1) % items.length];
  if (key === 'ArrowUp') return items.at(now <= 0 ? -1 : now - 1);
  if (key === 'Home') return items[0];
  if (key === 'End') return items.at(-1);
  if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return undefined;
  // Pressing a letter again moves to the next item that begins with it.
  return [...items.slice(now + 1), ...items.slice(0, now + 1)].find((item) =>
    item.textContent.trim().toLowerCase().startsWith(key.toLowerCase()),
  );
}

/** An item of a menu. */
export interface MenuItem {
  label: string;
  icon?: LucideIcon;
  isDanger?: boolean;
  isChecked?: boolean;
  /** Keyboard shortcut of the same action. */
  hotkey?: string;
  onSelect(): void;
}

interface MenuProps {
  button: PopoverProps['button'];
  label: string;
  items: readonly (MenuItem | false)[];
}

/** A button that opens a menu of actions; `false` stands for an action that is left out. */
export function Menu({ button, label, items }: MenuProps) {
  const shown = items.filter((item) => item !== false);
  return (
    <Popover button={button} label={label} role="menu">
      {(close) =>
        shown.map(({ label, icon: Icon, isDanger, isChecked, hotkey, onSelect }) => (
          <button
            key={label}
            type="button"
            role={isChecked === undefined ? 'menuitem' : 'menuitemradio'}
            aria-checked={isChecked}
            aria-keyshortcuts={hotkey}
            tabIndex={-1}
            onClick={() => {
              close();
              onSelect();
            }}
            className={classes(
              'flex h-8 w-full items-center gap-2 rounded-md px-2 text-left hover:bg-hover focus:bg-hover focus:outline-none max-md:h-11',
              isDanger === true && 'text-danger',
              isChecked === true && 'font-semibold',
            )}
          >
            {Icon && <Icon size={15} aria-hidden />}
            <span className="flex-1 truncate">{label}</span>
            {hotkey && (
              // The accessible name is the label alone; `aria-keyshortcuts` announces the key.
              <span aria-hidden className="max-md:hidden pointer-coarse:hidden">
                <Kbd>{hotkey}</Kbd>
              </span>
            )}
            {isChecked === true && <Check size={15} aria-hidden className="shrink-0" />}
          </button>
        ))
      }
    </Popover>
  );
}

/** Shows the name of a key. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="rounded border border-line bg-ground px-1 font-sans text-xs text-muted">
      {children}
    </kbd>
  );
}

interface RowMenuProps extends Pick<MenuProps, 'label' | 'items'> {
  /** Pass -1 in grids, where the arrow keys move between rows. */
  tabIndex?: number;
}

/** The actions menu of a row, behind an icon button. */
export function RowMenu({ label, items, tabIndex }: RowMenuProps) {
  return (
    <Menu
      label={label}
      items={items}
      button={{
        title: label,
        'aria-label': label,
        tabIndex,
        className:
          'inline-flex size-8 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink max-md:size-11',
        children: <Ellipsis size={16} aria-hidden />,
      }}
    />
  );
}
