import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { keys } from '../api/keys.ts';
import { people } from '../api/people.ts';
import { ROLE_NAMES } from '../app/role-names.ts';
import { meQuery, personClient } from '../app/session.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { AccountName, NewPasswordField } from '../ui/password-fields.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { useFields } from '../ui/use-fields.ts';
import { Card } from './card.tsx';
import { useToken } from './fragment.ts';

/** Session storage key for the token, which must survive a sign-in and a reload. */
const KEPT = 'invitation';

/** Shows an invitation and accepts it, for the signed-in person or with a new account. */
export function InvitationPage() {
  const [token, setToken] = useState(() => sessionStorage.getItem(KEPT) ?? '');
  useToken((taken) => {
    sessionStorage.setItem(KEPT, taken);
    setToken(taken);
  });
  const invitation = useQuery(
    {
      queryKey: keys.openInvitation.one(token),
      queryFn: () => people.lookUpInvitation(token),
      enabled: token !== '',
    },
    personClient,
  );
  const me = useQuery(meQuery, personClient);
  if (token === '' || isGone(invitation.error)) return <Gone />;
  if (invitation.error) {
    return <Failure error={invitation.error} retry={() => void invitation.refetch()} />;
  }
  if (invitation.data === undefined || me.isPending) {
    return (
      <Card title="Invitation">
        <Skeleton className="h-24 w-full" />
      </Card>
    );
  }
  return <Offer key={token} token={token} invitation={invitation.data} me={me.data} />;
}

function Gone() {
  return (
    <Card title="This invitation is no longer valid">
      <p className="text-muted">
        It was used or cancelled, or expired after seven days. If you got several emails, use the
        link in the newest one. Otherwise, ask for a new invitation.
      </p>
      <Link to="/" className={buttonLook()}>
        Go to the console
      </Link>
    </Card>
  );
}

interface OfferProps {
  token: string;
  invitation: Schemas['InvitationOffer'];
  /** The signed-in person; `undefined` when nobody is signed in. */
  me: Schemas['Me'] | undefined;
}

function Offer({ token, invitation, me }: OfferProps) {
  const { workspace, email, role } = invitation;
  const navigate = useNavigate();
  const accept = useMutation(
    {
      mutationFn: people.acceptInvitation,
      onSuccess: (joined) => {
        sessionStorage.removeItem(KEPT);
        personClient.setQueryData(meQuery.queryKey, joined);
        void navigate({ to: '/$workspace/links', params: { workspace: workspace.slug } });
      },
    },
    personClient,
  );
  const { values, messages, text } = useFields({ name: '', password: '' }, accept.error);
  const signOut = useMutation(
    { mutationFn: people.signOut, onSuccess: () => personClient.resetQueries(meQuery) },
    personClient,
  );
  const frame = (children: ReactNode) => (
    <Card title={`Join ${workspace.name}`}>
      <p className="text-muted">
        This invitation is for {email}, with the role “{ROLE_NAMES[role]}”.
      </p>
      {children}
    </Card>
  );
  if (me !== undefined && me.email.toLowerCase() !== email.toLowerCase()) {
    return frame(
      <>
        <Refused error={signOut.error} />
        <p>
          You are signed in as {me.email}. Sign out to join as {email}.
        </p>
        <Button look="primary" busy={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign out
        </Button>
      </>,
    );
  }
  // The lookup does not reveal whether the email address has an account, so the form learns it from
  // the 422 response.
  const isRefused = accept.error instanceof ApiError && accept.error.status === 422;
  const needsAccount = me === undefined || isRefused;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate(needsAccount ? { token, ...values } : { token });
  };
  return frame(
    <>
      {Object.keys(messages).length === 0 && <Refused error={accept.error} />}
      <form onSubmit={submit} className="flex flex-col gap-3">
        {needsAccount && (
          <>
            <TextField label="Your name" autoComplete="name" required {...text('name')} />
            <AccountName email={email} />
            <NewPasswordField {...text('password')} />
          </>
        )}
        <Button type="submit" look="primary" busy={accept.isPending}>
          Join
        </Button>
      </form>
      {me === undefined && (
        <Link to="/sign-in" search={{ to: '/invitation' }} className={buttonLook()}>
          I already have an account
        </Link>
      )}
    </>,
  );
}

const isGone = (error: unknown): boolean =>
  error instanceof ApiError && [401, 404, 410].includes(error.status);
