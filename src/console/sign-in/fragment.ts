/**
 * The token of a one-time address (`…#<token>`). It is removed from the address at once, so that it stays neither in the
 * history nor on the screen. Browsers don't send fragments, so no log has it.
 */
export function takeToken(): string | undefined {
  const token = location.hash.slice(1);
  if (token === '') return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return decodeURIComponent(token);
}
