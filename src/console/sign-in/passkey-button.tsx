import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { people } from '../api/people.ts';
import { meQuery, methodsQuery, personClient } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import {
  askForPasskey,
  canSuggestPasskeys,
  describePasskey,
  hasPasskeys,
  signInByPasskey,
} from './passkeys.ts';
import { viewOf } from './return.ts';

/** Time after which suggested passkeys get a new challenge, which is valid for ten minutes. */
const RENEWED_MS = 540_000;

interface PasskeyButtonProps {
  /** View to open after the sign-in. */
  to: string | undefined;
  look?: 'primary' | 'plain';
  /** True on a page whose field the browser may fill in with a passkey. */
  isSuggested?: boolean;
}

/** A button that signs in with a passkey; nothing where there are none. */
export function PasskeyButton(props: PasskeyButtonProps) {
  const methods = useQuery(methodsQuery, personClient);
  return methods.data?.passkey === true && hasPasskeys() ? <OfferedButton {...props} /> : null;
}

function OfferedButton({ to, look = 'plain', isSuggested = false }: PasskeyButtonProps) {
  const navigate = useNavigate();
  const enter = useMutation(
    {
      mutationFn: (signIn: () => ReturnType<typeof signInByPasskey>) => signIn(),
      onSuccess: (me) => {
        personClient.setQueryData(meQuery.queryKey, me);
        void navigate({ to: viewOf(to) as '/' });
      },
    },
    personClient,
  );
  // After a failure only the button tries again: a removed passkey would be suggested for ever.
  useSuggestions(isSuggested && enter.isIdle, (signed) =>
    enter.mutate(() => people.signInByPasskey(signed)),
  );
  return (
    <>
      {enter.error !== null && (
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          {describePasskey(enter.error)}
        </p>
      )}
      <Button
        look={look}
        icon={KeyRound}
        busy={enter.isPending}
        onClick={() => enter.mutate(signInByPasskey)}
      >
        Continue with a passkey
      </Button>
    </>
  );
}

type Signed = NonNullable<Awaited<ReturnType<typeof askForPasskey>>>;

/**
 * Lets the browser suggest passkeys in the field with `autocomplete="… webauthn"`. A browser has one
 * request at a time, so it ends with an attempt by the button.
 */
function useSuggestions(isOn: boolean, take: (signed: Signed) => void): void {
  const [round, renew] = useState(0);
  const onSigned = useEffectEvent(take);
  useEffect(() => {
    if (!isOn) return undefined;
    const request = new AbortController();
    void suggest(request.signal).then((signed) => {
      if (signed !== undefined && !request.signal.aborted) onSigned(signed);
    });
    const renewal = setTimeout(() => renew(round + 1), RENEWED_MS);
    return () => {
      clearTimeout(renewal);
      request.abort();
    };
  }, [isOn, round]);
}

/** Resolves with what a chosen passkey has signed, or with `undefined` if none can be suggested. */
async function suggest(signal: AbortSignal): Promise<Signed | undefined> {
  try {
    if (!(await canSuggestPasskeys())) return undefined;
    const attempt = await people.startPasskeySignIn();
    if (signal.aborted) return undefined;
    return (await askForPasskey(attempt, { mediation: 'conditional', signal })) ?? undefined;
  } catch {
    // The person has used another way, or the browser cannot suggest passkeys here.
    return undefined;
  }
}
