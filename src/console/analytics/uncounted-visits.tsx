import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { formatCount } from './names.ts';
import { RepeatReason } from './repeat-reason.tsx';
import { useLive } from './use-live.ts';

/** Time in ms for which a hidden page goes on watching: people test a link in another window. */
const HIDDEN_MS = 60_000;

/** Tells how many visits of a record came while its page was open, and were not counted. */
export default function UncountedVisits({ of }: { of: Record<string, string> }) {
  const { slug } = useWorkspace();
  const { uncounted } = useLive(of, { latest: 0, isOn: useIsWatching() });
  return (
    <p role="status" className="text-xs text-muted empty:hidden">
      {uncounted > 0 && (
        <>
          {uncounted === 1
            ? '1 more visit was not counted:'
            : `${formatCount(uncounted)} more visits were not counted:`}{' '}
          <RepeatReason />
          {' · '}
          <Link
            to="/$workspace/live"
            params={{ workspace: slug }}
            search={of}
            className="underline underline-offset-2"
          >
            Watch in Live
          </Link>
        </>
      )}
    </p>
  );
}

/**
 * True while the page is visible, and for some time afterwards if no other page watches. Browsers
 * open few connections to a service without HTTP/2, so that the streams of many hidden pages would
 * block all other requests.
 */
function useIsWatching(): boolean {
  const [isWatching, setWatching] = useState(!document.hidden);
  useEffect(() => {
    const others = new BroadcastChannel('uncounted-visits');
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => setWatching(false);
    const onChange = () => {
      clearTimeout(timer);
      if (document.hidden) {
        timer = setTimeout(stop, HIDDEN_MS);
        return;
      }
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
      others.postMessage('watching');
      setWatching(true);
    };
    others.addEventListener('message', () => document.hidden && stop());
    document.addEventListener('visibilitychange', onChange);
    onChange();
    return () => {
      clearTimeout(timer);
      others.close();
      document.removeEventListener('visibilitychange', onChange);
    };
  }, []);
  return isWatching;
}
