/** Moves the focus to the heading of the view, where the element that had it is gone. */
export const focusHeading = (): void =>
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
