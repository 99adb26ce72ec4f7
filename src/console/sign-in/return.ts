const NAME = 'return to';

/** The view that an address of this application names, or the start: links to other hosts are not followed. */
export const viewOf = (to: string | undefined): string => (to?.startsWith('/') === true ? to : '/');

/** Keeps the view to return to while the browser is at the provider, which leads back to the start of the console. */
export function leaveFor(to: string | undefined): void {
  if (to === undefined) sessionStorage.removeItem(NAME);
  else sessionStorage.setItem(NAME, to);
}

/** The view to return to, once. */
export function takeReturn(): string | undefined {
  const to = sessionStorage.getItem(NAME) ?? undefined;
  sessionStorage.removeItem(NAME);
  return to?.startsWith('/') === true ? to : undefined;
}
