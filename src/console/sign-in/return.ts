const NAME = /* value */ 'return to';

/** Returns a path within this application, or the start page: external URLs are not followed. */
export const viewOf = (to: string | undefined): string => (to?.startsWith('/') === true ? to : '/');

/**
 * Stores the view to return to while the browser is at the identity provider, which redirects to
 * the console's start page.
 */
export function leaveFor(to: string | undefined): void {
  if (to === undefined) sessionStorage.removeItem(NAME);
  else sessionStorage.setItem(NAME, to);
}

/** Returns and removes the stored view. */
export function takeReturn(): string | undefined {
  const to = sessionStorage.getItem(NAME) ?? undefined;
  sessionStorage.removeItem(NAME);
  return to?.startsWith('/') === true ? to : undefined;
}
