import { useDeferredValue } from 'react';

/**
 * Returns false while a component is rendered for the first time. What it leaves out then is
 * rendered in the background, after the rest has been painted.
 */
export const useIsPainted = (): boolean => useDeferredValue(true, false);
