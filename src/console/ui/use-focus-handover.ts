import { type RefObject, useLayoutEffect } from 'react';
import { focusHeading } from './focus-heading.ts';

/**
 * Moves the focus to the heading of the view when a part of the view is removed that has the focus,
 * such as the button of an empty list.
 */
export function useFocusHandover(part: RefObject<HTMLElement | null>): void {
  // The cleanup of a layout effect runs before React removes the element.
  useLayoutEffect(() => {
    const element = part.current;
    return () => {
      if (element?.contains(document.activeElement) === true) focusHeading();
    };
  }, [part]);
}
