import { useBlocker } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { useUnsaved } from '../ui/unsaved.ts';

/** Forms of the view with changes that are not saved. */
let forms = 0;
const listeners = new Set<() => void>();

function add(count: 1 | -1): void {
  forms += count;
  for (const listener of listeners) listener();
}

/** Asks before the window is closed or another view is opened, as long as a form has changes that are not saved. */
export function useUnsavedForm(isChanged: boolean): void {
  useUnsaved(isChanged);
  useEffect(() => {
    if (!isChanged) return undefined;
    add(1);
    return () => add(-1);
  }, [isChanged]);
}

/** For the frame of the views: one question, however many forms of a view are changed. */
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
