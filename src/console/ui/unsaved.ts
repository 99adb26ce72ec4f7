import { useEffect } from 'react';

let holds = 0;
const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/**
 * Makes the browser ask before the window is closed or reloaded, because data would be lost.
 *
 * @returns a function that ends this
 */
export function holdWindow(): () => void {
  if (holds === 0) addEventListener('beforeunload', ask);
  holds += 1;
  return () => {
    holds -= 1;
    if (holds === 0) removeEventListener('beforeunload', ask);
  };
}

/** True while closing the window would lose data. */
export const isWindowHeld = (): boolean => holds > 0;

/** Holds the window while a form has unsaved changes. */
export function useUnsaved(isChanged: boolean): void {
  useEffect(() => (isChanged ? holdWindow() : undefined), [isChanged]);
}
