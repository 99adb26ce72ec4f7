import type { Schemas } from '../../api/client.ts';
import { Time } from '../../ui/time.tsx';

type Check = NonNullable<Schemas['DestinationCheck']>;

/** What a state means for the people who open the link, and what to do; nothing where all is well. */
const ADVICE: Record<Check['state'], ((check: Check, found: string) => string) | undefined> = {
  ok: undefined,
  redirecting: ({ leadsTo }) =>
    `This destination leads to another site: ${leadsTo ?? ''}. If that is where visitors should go, enter it here, which saves them a step.`,
  unclear: (_, found) =>
    `This destination could not be checked. ${found}. Some sites refuse automated requests: open it in a browser to be sure.`,
  failing: (_, found) =>
    `The last check of this destination failed. ${found}. It is checked again soon; nothing is to be done yet.`,
  broken: ({ failures }, found) =>
    `This destination is broken: ${failures} checks in a row failed. ${found}. Open it in a browser: if it is gone, enter another one.`,
};

/** Below the destination of a link: what the last check found, where people should know. */
export function DestinationNotice({ check }: { check: Check }) {
  const { state, status, error, checkedAt } = check;
  const advice = ADVICE[state];
  if (advice === undefined) return null;
  const found =
    status === null
      ? `Its address ${error ?? 'must have a host that responds'}`
      : `It answers with status ${status}`;
  return (
    <p
      className={`-mt-2 rounded-md px-3 py-2 break-words ${
        state === 'broken' ? 'bg-danger-soft text-danger' : 'bg-warning-soft text-warning'
      }`}
    >
      {advice(check, found)} Checked <Time at={checkedAt} />.
    </p>
  );
}
