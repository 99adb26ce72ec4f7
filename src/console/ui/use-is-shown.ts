import { type RefObject, useEffect, useRef } from 'react';

/** True as long as the component is shown: for what is done when an answer comes, perhaps much later. */
export function useIsShown(): RefObject<boolean> {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
