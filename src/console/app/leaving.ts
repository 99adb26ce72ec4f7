import { useBlocker } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { useUnsaved } from '../ui/unsaved.ts';

/** Number of forms with unsaved changes. */
let forms = 0;
const listeners = new Set<() => void>();

function add(count: 1 | -1): void {
  forms += count;
  for (const listener of listeners) listener();
}

/** Asks before the window closes or another view opens while a form has unsaved changes. */
export function useUnsavedForm(isChanged: boolean): void {
  useUnsaved(isChanged);
  useEffect(() => {
    if (!isChanged) return undefined;
    add(1);
    return () => add(-1);
  }, [isChanged]);
}

/** Asks before navigation, once for all changed forms; only the frame of the views uses it. */
export function useLeavingQuestion(): void {
  const isAsked = useSyncExternalStore(subscribe, () => forms > 0);
  useBlocker({ shouldBlockFn: isRefused, enableBeforeUnload: false, disabled: !isAsked });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const isRefused = ({ current, next }: { current: Place; next: Place }): boolean =>
  current.pathname !== next.pathname && !confirm('Leave without saving your changes?');

interface Place {
  pathname: string;
}
