import type { Schemas } from '../../api/client.ts';
import { Time } from '../../ui/time.tsx';

type Check = NonNullable<Schemas['DestinationCheck']>;

/** Messages about the destination by state, with advice; `undefined` for a working destination. */
const ADVICE: Record<
  Check['state'],
  ((what: string, found: string, check: Check) => string) | undefined
> = {
  ok: undefined,
  redirecting: (what, _, { leadsTo }) =>
    `${what} redirects to another site: ${leadsTo ?? ''}. Enter that URL instead to save visitors a step.`,
  unclear: (what, found) =>
    `${what} couldn’t be checked. ${found}. Some sites refuse automated requests. Open it in a browser to be sure.`,
  failing: (what, found) =>
    `${what} failed its last check. ${found}. We’ll check it again soon; nothing to do yet.`,
  broken: (what, found, { failures }) =>
    `${what} is broken: ${failures} checks in a row failed. ${found}. Open it in a browser. If it is gone, enter another one.`,
};

interface DestinationNoticeProps {
  check: Check;
  /** The destination of the link. */
  url: string;
  /** False on the page of a link, where the notice is no part of a field. */
  isInForm?: boolean;
}

/**
 * A notice below the destination field with the result of the last check, if it found a problem.
 */
export function DestinationNotice({ check, url, isInForm = true }: DestinationNoticeProps) {
  const { state, status, checkedAt } = check;
  const what = check.url === url ? 'This destination' : `The destination ${check.url}`;
  const advice = ADVICE[state];
  if (advice === undefined) return null;
  const found = status === null ? 'Its server doesn’t answer' : `It answers with status ${status}`;
  return (
    <p
      className={`rounded-md px-3 py-2 wrap-anywhere ${isInForm ? '-mt-2' : ''} ${
        state === 'broken' ? 'bg-danger-soft text-danger' : 'bg-warning-soft text-warning'
      }`}
    >
      {advice(what, found, check)} Checked <Time at={checkedAt} />.
    </p>
  );
}
