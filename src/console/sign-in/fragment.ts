import { useEffectEvent, useLayoutEffect } from 'react';

/**
 * Passes on the token of a one-time URL (`…#<token>`), even when such a URL is opened while the
 * page is shown, which changes only the fragment. The token is removed from the URL at once, so
 * that it does not remain in the history or on the screen. Browsers do not send fragments, so no
 * log contains it.
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
