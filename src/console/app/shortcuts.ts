import { useEffect, useEffectEvent, useRef } from 'react';

/**
 * Shortcuts by key: a single key, a sequence (`g l`), or a key with Ctrl, or ⌘ on a Mac (`Ctrl+a`).
 */
export type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

/** Longest time between the two keys of a sequence, in ms. */
const SEQUENCE_MS = 1_000;

/** Shortcuts that also work in fields and above dialogs. */
const EVERYWHERE = new Set(['Ctrl+k']);

const TYPED_INTO = 'input:not([type=checkbox], [type=radio]), textarea, select';

/** True unless the person types in a field or a dialog is open. */
function isForPage(event: KeyboardEvent): boolean {
  if (event.altKey || event.defaultPrevented) return false;
  if (document.querySelector('dialog:modal, [popover]:popover-open') !== null) return false;
  const at = event.target as HTMLElement;
  return !at.isContentEditable && !at.matches(TYPED_INTO);
}

const nameOf = ({ ctrlKey, metaKey, key }: KeyboardEvent): string =>
  ctrlKey || metaKey ? `Ctrl+${key.toLowerCase()}` : key;

/** Registers shortcuts while the component is mounted. Describe them in `shortcuts-dialog.tsx`. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const first = useRef<{ key: string; at: number }>(undefined);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const key = nameOf(event);
    if (!EVERYWHERE.has(key) && !isForPage(event)) return;
    const before = first.current;
    const isSequence = before !== undefined && event.timeStamp - before.at < SEQUENCE_MS;
    const action = (isSequence ? shortcuts[`${before.key} ${key}`] : undefined) ?? shortcuts[key];
    first.current = action === undefined ? { key, at: event.timeStamp } : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action(event);
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
