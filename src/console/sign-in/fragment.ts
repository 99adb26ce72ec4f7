import { useEffectEvent, useLayoutEffect } from 'react';

/**
 * Hands over the token of a one-time address (`…#<token>`), also of one that is opened while the page is shown: browsers
 * then change the fragment alone. It is removed from the address at once, so that it stays neither in the history nor on
 * the screen. Browsers don't send fragments, so no log has it.
 */
export function useToken(take: (token: string) => void): void {
  const onFragment = useEffectEvent(() => {
    const token = location.hash.slice(1);
    if (token === '') return;
    history.replaceState(history.state, '', location.pathname + location.search);
    take(token);
  });
  useLayoutEffect(() => {
    onFragment();
    addEventListener('hashchange', onFragment);
    return () => removeEventListener('hashchange', onFragment);
  }, []);
}
