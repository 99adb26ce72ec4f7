import { onlineManager, useMutationState } from '@tanstack/react-query';
import { WifiOff } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';

/** While the service can't be reached: says so, and that nothing is lost. */
export function ConnectionBanner() {
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  const waiting = useMutationState({ filters: { status: 'pending' } }).length;
  useEffect(() => {
    if (waiting === 0) return undefined;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [waiting]);
  return (
    <div role="status">
      {!isOnline && (
        <p className="flex items-center gap-2 bg-warning-soft px-4 py-2 text-warning md:px-6">
          <WifiOff size={15} aria-hidden />
          {waiting === 0
            ? 'No connection. What you see may be outdated.'
            : `No connection. ${waiting === 1 ? 'One change waits' : `${waiting} changes wait`}, and will be sent when it is back.`}
        </p>
      )}
    </div>
  );
}
