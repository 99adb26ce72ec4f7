import { type RefObject, useEffect, useRef } from 'react';

/**
 * Scrolls to a part of the view that the URL asks for.
 *
 * @param isTarget true once the part has its content
 * @returns the ref of the part
 */
export function useScrollTo<Part extends Element>(isTarget: boolean): RefObject<Part | null> {
  const part = useRef<Part>(null);
  useEffect(() => {
    if (isTarget) part.current?.scrollIntoView({ block: 'start' });
  }, [isTarget]);
  return part;
}
