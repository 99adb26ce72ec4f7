import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError, describe } from '../api/error.ts';
import { people } from '../api/people.ts';
import { meQuery, personClient } from '../app/session.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Card } from './card.tsx';
import { takeToken } from './fragment.ts';

const token = takeToken() ?? '';

/** Shows what one is invited to, and joins; who has no account makes one on the way. */
export function InvitationPage() {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const invitation = useQuery(
    {
      queryKey: ['invitation', token],
      queryFn: () => people.lookUpInvitation(token),
      enabled: token !== '',
    },
    personClient,
  );
  const accept = useMutation(
    {
      mutationFn: people.acceptInvitation,
      onSuccess: (me) => {
        personClient.setQueryData(meQuery.queryKey, me);
        const slug = invitation.data?.workspace.slug;
        if (slug !== undefined) void navigate({ to: '/$workspace', params: { workspace: slug } });
      },
    },
    personClient,
  );
  if (token === '' || isGone(invitation.error)) {
    return (
      <Card title="This invitation is no longer valid">
        <p className="text-muted">
          It was used, taken back, or has expired after seven days. Ask for a new one.
        </p>
        <Link to="/" className={buttonLook()}>
          Go to the console
        </Link>
      </Card>
    );
  }
  if (invitation.error) {
    return <Failure error={invitation.error} retry={() => void invitation.refetch()} />;
  }
  if (invitation.data === undefined) {
    return (
      <Card title="Invitation">
        <Skeleton className="h-24 w-full" />
      </Card>
    );
  }
  const { workspace, email, role, needsAccount } = invitation.data;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    accept.mutate(needsAccount ? { token, name, password } : { token });
  };
  const fields = accept.error instanceof ApiError ? accept.error.fields : {};
  return (
    <Card title={`Join ${workspace.name}`}>
      <p className="text-muted">
        {email} is invited as {role}.
      </p>
      {accept.error && Object.keys(fields).length === 0 && (
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          {describe(accept.error)}
        </p>
      )}
      <form onSubmit={submit} className="flex flex-col gap-3">
        {needsAccount && (
          <>
            <TextField
              label="Your name"
              autoComplete="name"
              value={name}
              required
              error={fields['name']}
              onChange={(event) => setName(event.target.value)}
            />
            <TextField
              label="New password"
              type="password"
              autoComplete="new-password"
              value={password}
              required
              error={fields['password']}
              onChange={(event) => setPassword(event.target.value)}
            />
          </>
        )}
        <Button type="submit" look="primary" busy={accept.isPending}>
          Join
        </Button>
      </form>
    </Card>
  );
}

const isGone = (error: unknown): boolean =>
  error instanceof ApiError && [401, 404, 410].includes(error.status);
