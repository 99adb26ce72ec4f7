import { useEffect } from 'react';

let holds = 0;
const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/**
 * Lets the browser ask before the window is closed or loaded anew, since something would be lost.
 *
 * @returns ends that
 */
export function holdWindow(): () => void {
  if (holds === 0) addEventListener('beforeunload', ask);
  holds += 1;
  return () => {
    holds -= 1;
    if (holds === 0) removeEventListener('beforeunload', ask);
  };
}

/** True while something would be lost. */
export const isWindowHeld = (): boolean => holds > 0;

/** Holds the window as long as a form has changes that are not saved. */
export function useUnsaved(isChanged: boolean): void {
  useEffect(() => (isChanged ? holdWindow() : undefined), [isChanged]);
}
