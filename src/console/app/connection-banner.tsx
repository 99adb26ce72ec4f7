import { useMutationState } from '@tanstack/react-query';
import { WifiOff } from 'lucide-react';
import { useIsOnline } from '../api/reachability.ts';

/** A banner shown while the service is unreachable, which says that no input is lost. */
export function ConnectionBanner() {
  const isOnline = useIsOnline();
  const waiting = useMutationState({ filters: { status: 'pending' } }).length;
  return (
    <div role="status">
      {!isOnline && (
        <p className="flex items-center gap-2 bg-warning-soft px-4 py-2 text-warning md:px-6">
          <WifiOff size={15} aria-hidden />
          {waiting === 0
            ? 'No connection. What you see may be out of date.'
            : waiting === 1
              ? 'No connection. One change waits, and will be sent when it is back.'
              : `No connection. ${waiting} changes wait, and will be sent when it is back.`}
        </p>
      )}
    </div>
  );
}
