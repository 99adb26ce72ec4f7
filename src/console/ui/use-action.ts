import { useState } from 'react';
import { toastError } from './toast-error.ts';

/**
 * Runs actions that are no writes, such as a download; a failure appears as a message.
 *
 * @returns true while an action runs, and the function that runs one
 */
export function useAction(): [isBusy: boolean, run: (action: () => Promise<void>) => void] {
  const [isBusy, setBusy] = useState(false);
  const run = async (action: () => Promise<void>) => {
    setBusy(true);
    try {
      await action();
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return [isBusy, (action) => void run(action)];
}
