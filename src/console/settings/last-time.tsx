import { Time } from '../ui/time.tsx';

/** Shows a relative time, or "Never" without one. */
export const LastTime = ({ at }: { at: string | null }) =>
  at === null ? <span className="text-muted">Never</span> : <Time at={at} />;
