import { onlineManager } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Button, IconButton } from './button.tsx';

/** A message that goes away by itself. */
interface Toast {
  id: number;
  text: string;
  tone: 'plain' | 'danger';
  action?: { label: string; run(): void };
}

/** How long a message stays, and how long something can be undone, in ms. */
const STAY_MS = 5_000;
const UNDO_MS = 8_000;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => set(toasts.filter((toast) => toast.id !== id));

/** Says something in passing. */
export function toast(text: string, tone: Toast['tone'] = 'plain'): void {
  const id = ++lastId;
  set([...toasts, { id, text, tone }]);
  setTimeout(() => dismiss(id), STAY_MS);
}

/** Writes that can still be undone. */
const pending = new Map<number, () => void>();

/**
 * Does something after a while in which it can be undone. It outlives the view it was started on; when the window is
 * closed it is done at once.
 *
 * @param text what was done, in the past tense: "3 links deleted"
 * @param action `commit` sends it, `undo` puts back what is shown
 */
export function undoable(text: string, action: { commit(): void; undo(): void }): void {
  const id = ++lastId;
  const finish = (how: 'commit' | 'undo') => {
    if (!pending.delete(id)) return;
    clearTimeout(timer);
    dismiss(id);
    action[how]();
  };
  const timer = setTimeout(() => finish('commit'), UNDO_MS);
  pending.set(id, () => finish('commit'));
  set([
    ...toasts,
    { id, text, tone: 'plain', action: { label: 'Undo', run: () => finish('undo') } },
  ]);
}

addEventListener('pagehide', () => {
  for (const commit of pending.values()) commit();
});

// Without a connection, they can't be sent when the window is closed.
addEventListener('beforeunload', (event) => {
  if (pending.size > 0 && !onlineManager.isOnline()) event.preventDefault();
});

/** The messages, at the lower edge of the window. */
export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <section
      aria-label="Messages"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 bottom-0 z-50 flex flex-col items-center gap-2 p-4 max-lg:bottom-14"
    >
      {shown.map(({ id, text, tone, action }) => (
        <div
          key={id}
          className="pointer-events-auto flex items-center gap-3 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-4 shadow-xl"
        >
          <span className={tone === 'danger' ? 'text-danger' : undefined}>{text}</span>
          {action ? (
            <Button size="small" onClick={action.run}>
              {action.label}
            </Button>
          ) : (
            <IconButton icon={X} label="Dismiss" onClick={() => dismiss(id)} />
          )}
        </div>
      ))}
    </section>
  );
}
