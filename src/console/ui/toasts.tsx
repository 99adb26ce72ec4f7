import { onlineManager } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { Button, buttonLook, IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { createStore } from './store.ts';

/** An action of a toast: a link or a function. */
type ToastAction = { label: string; isUndo?: true } & ({ href: string } | { run(): void });

/** A message that disappears by itself. */
interface Toast {
  id: number;
  text: string;
  tone: 'plain' | 'danger';
  actions: readonly ToastAction[];
  /** Ids of the records that the actions concern. */
  about: readonly string[];
}

/** Display times in ms: plain messages, messages with actions, messages with Undo. */
const STAY_MS = 5_000;
const OFFER_MS = 12_000;
const UNDO_MS = 8_000;

const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

const show = (shown: Toast) => toasts.set([...toasts.get(), shown]);
const dismiss = (id: number) => toasts.set(toasts.get().filter((shown) => shown.id !== id));

/** Removes messages whose actions concern a record, because the actions no longer apply to it. */
export function dismissAbout(ids: readonly string[]): void {
  const gone = new Set(ids);
  toasts.set(toasts.get().filter(({ about }) => !about.some((id) => gone.has(id))));
}

/**
 * Shows a message that disappears by itself, with optional actions.
 *
 * @param about ids of the records that the actions concern, for `dismissAbout`
 */
export function toast(
  text: string,
  tone: Toast['tone'] = 'plain',
  actions: readonly ToastAction[] = [],
  about: readonly string[] = [],
): void {
  const id = ++lastId;
  show({ id, text, tone, actions, about });
  setTimeout(() => dismiss(id), actions.length === 0 ? STAY_MS : OFFER_MS);
}

/** Takes a finished action back; the key `z` does the same. */
export const undoAction = (run: () => void): ToastAction => ({
  label: 'Undo',
  isUndo: true,
  run,
});

/** Undoes what the newest message offers to undo. */
export function undoNewest(): void {
  const offers = toasts
    .get()
    .flatMap(({ id, actions }) =>
      actions.flatMap((action) => ('run' in action && action.isUndo ? [{ id, action }] : [])),
    );
  const newest = offers.at(-1);
  if (newest === undefined) return;
  dismiss(newest.id);
  newest.action.run();
}

/** Writes that can still be undone, each with the function that sends it. */
const pending = new Map<number, (isClosing: boolean) => void>();

/** Closes a message. A write that it offers to undo is sent at once. */
function close(id: number): void {
  pending.get(id)?.(false);
  dismiss(id);
}

/**
 * Runs a write after a delay in which the person can undo it. The write survives the view that
 * started it, and runs at once when the window closes.
 *
 * @param text the action in the past tense: "3 links deleted"
 * @param action `commit` sends the write and `undo` restores the display; while the window closes,
 * `commit` must send without waiting for other writes
 */
export function undoable(
  text: string,
  action: { commit(isClosing: boolean): void; undo(): void },
): void {
  const id = ++lastId;
  const finish = (work: () => void) => {
    if (!pending.delete(id)) return;
    clearTimeout(timer);
    dismiss(id);
    work();
  };
  const commit = (isClosing: boolean) => finish(() => action.commit(isClosing));
  const timer = setTimeout(commit, UNDO_MS, false);
  pending.set(id, commit);
  const actions = [undoAction(() => finish(action.undo))];
  show({ id, text, tone: 'plain', actions, about: [] });
}

addEventListener('pagehide', () => {
  for (const commit of pending.values()) commit(true);
});

// While offline, pending writes cannot be sent when the window closes, so the browser must ask.
addEventListener('beforeunload', (event) => {
  if (pending.size > 0 && !onlineManager.isOnline()) event.preventDefault();
});

/** The open modal dialogs, the topmost last. */
const modals = createStore<readonly HTMLElement[]>([]);

/**
 * Shows the messages within a modal dialog while it is open, because the browser makes everything
 * outside of it inert: covered, without a way to click it, and silent in screen readers.
 *
 * @returns a function that shows the messages elsewhere again
 */
export function showToastsIn(dialog: HTMLElement): () => void {
  modals.set([...modals.get(), dialog]);
  return () => modals.set(modals.get().filter((one) => one !== dialog));
}

/**
 * Keeps messages above a bar at the bottom of the window, or of a dialog on phones, whatever its
 * height. Pass it as the `ref` of the bar.
 */
export function raiseToasts(bar: HTMLElement | null): (() => void) | undefined {
  if (bar === null) return undefined;
  const { style } = bar.closest('dialog') ?? document.documentElement;
  const observer = new ResizeObserver(() =>
    style.setProperty('--toasts-bottom', `${bar.offsetHeight}px`),
  );
  observer.observe(bar);
  return () => {
    observer.disconnect();
    style.removeProperty('--toasts-bottom');
  };
}

/**
 * Leaves as much space after the end of scrolled contents as the messages cover on phones. The space
 * stays after the message, because a view that is scrolled to its end would move without it.
 */
function leaveSpace(section: HTMLElement | null): (() => void) | undefined {
  if (section === null) return undefined;
  let spacePx = 0;
  const observer = new ResizeObserver(() => {
    // Each change of the property computes the styles of the whole page again.
    if (section.childElementCount === 0 || section.offsetHeight <= spacePx) return;
    spacePx = section.offsetHeight;
    document.documentElement.style.setProperty('--toasts-space', `${spacePx}px`);
  });
  observer.observe(section);
  return () => observer.disconnect();
}

/**
 * Renders the messages at the bottom of the window. Phones and dialogs show only the newest one.
 * Small dialogs are at the bottom of a phone, and messages at the top.
 */
export function Toasts() {
  // One element that moves between dialogs: screen readers would read messages rendered again.
  const [host] = useState(() => document.createElement('div'));
  const modal = modals.use().at(-1);
  useLayoutEffect(() => {
    (modal ?? document.body).append(host);
  }, [host, modal]);
  return createPortal(
    <section
      ref={leaveSpace}
      aria-label="Messages"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 bottom-(--toasts-bottom) z-50 flex flex-col items-center gap-2 p-2 md:p-4 md:[dialog_&]:bottom-0 md:[dialog_&]:p-2 max-md:[dialog[data-size=small]_&]:top-0 max-md:[dialog[data-size=small]_&]:bottom-auto"
    >
      {toasts.use().map((shown) => (
        <Message key={shown.id} {...shown} />
      ))}
    </section>,
    host,
  );
}

/** Distance of a swipe that closes a message, in pixels. */
const SWIPE_PX = 80;

/** A message, which its button or a swipe to the side closes. */
function Message({ id, text, tone, actions }: Toast) {
  const [startX, setStartX] = useState<number>();
  const [shiftPx, setShiftPx] = useState(0);
  const rest = () => {
    setStartX(undefined);
    setShiftPx(0);
  };
  return (
    <div
      onPointerDown={({ pointerType, clientX }) => pointerType !== 'mouse' && setStartX(clientX)}
      onPointerMove={({ clientX }) => startX !== undefined && setShiftPx(clientX - startX)}
      onPointerUp={() => (Math.abs(shiftPx) < SWIPE_PX ? rest() : close(id))}
      onPointerCancel={rest}
      style={{ transform: shiftPx === 0 ? undefined : `translateX(${shiftPx}px)` }}
      className="pointer-events-auto flex max-w-full touch-pan-y items-center gap-2 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-4 shadow-xl max-md:not-last:hidden [dialog_&]:not-last:hidden"
    >
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className={classes('wrap-anywhere', tone === 'danger' && 'text-danger')}>{text}</span>
        {actions.length > 0 && (
          <span className="flex flex-wrap items-center gap-2">
            {actions.map((action) => (
              <ToastButton key={action.label} action={action} close={() => dismiss(id)} />
            ))}
          </span>
        )}
      </span>
      <IconButton icon={X} label="Dismiss" onClick={() => close(id)} />
    </div>
  );
}

function ToastButton({ action, close }: { action: ToastAction; close(): void }) {
  if ('href' in action) {
    return (
      <a
        href={action.href}
        target="_blank"
        rel="noreferrer"
        className={buttonLook('plain', 'small')}
      >
        {action.label}
      </a>
    );
  }
  return (
    <Button
      size="small"
      onClick={() => {
        close();
        action.run();
      }}
    >
      {action.label}
    </Button>
  );
}
