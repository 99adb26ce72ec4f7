import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { createStore } from '../ui/store.ts';
import { useUnsaved } from '../ui/unsaved.ts';

/** Number of forms with unsaved changes. */
const forms = createStore(0);

/** Asks before the window closes or another view opens while a form has unsaved changes. */
export function useUnsavedForm(isChanged: boolean): void {
  useUnsaved(isChanged);
  useEffect(() => {
    if (!isChanged) return undefined;
    forms.set(forms.get() + 1);
    return () => forms.set(forms.get() - 1);
  }, [isChanged]);
}

/** Asks before navigation, once for all changed forms; only the frame of the views uses it. */
export function useLeavingQuestion(): void {
  const isUnsaved = forms.use() > 0;
  useBlocker({ shouldBlockFn: isRefused, enableBeforeUnload: false, disabled: !isUnsaved });
}

const isRefused = ({ current, next }: { current: Place; next: Place }): boolean =>
  current.pathname !== next.pathname && !confirm('Leave without saving your changes?');

interface Place {
  pathname: string;
}
