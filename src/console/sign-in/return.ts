const NAME = 'return to';

/** Keeps the view that was wanted while the browser is at the provider, which returns it to the start of the console. */
export function leaveFor(to: string | undefined): void {
  if (to === undefined) sessionStorage.removeItem(NAME);
  else sessionStorage.setItem(NAME, to);
}

/** The view that was wanted before, once. */
export function takeReturn(): string | undefined {
  const to = sessionStorage.getItem(NAME) ?? undefined;
  sessionStorage.removeItem(NAME);
  return to?.startsWith('/') === true ? to : undefined;
}
