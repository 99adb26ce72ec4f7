import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { ApiError } from '../api/error.ts';
import { people } from '../api/people.ts';
import { meQuery, personClient } from '../app/session.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { AccountName, NewPasswordField } from '../ui/password-fields.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { useFields } from '../ui/use-fields.ts';
import { Card } from './card.tsx';
import { useToken } from './fragment.ts';

/** The page that the link in a mail opens, where a person chooses a new password. */
export function ResetPage() {
  const lookUp = useMutation({ mutationFn: people.lookUpPasswordReset }, personClient);
  useToken((token) => lookUp.mutate(token));
  if (lookUp.isIdle || isGone(lookUp.error)) return <Gone />;
  const token = lookUp.variables;
  if (lookUp.error) return <Failure error={lookUp.error} retry={() => lookUp.mutate(token)} />;
  if (lookUp.data === undefined) {
    return (
      <Card title="Choose a new password">
        <Skeleton className="h-24 w-full" />
      </Card>
    );
  }
  return <ResetForm key={token} token={token} email={lookUp.data.email} />;
}

function Gone() {
  return (
    <Card title="This link is no longer valid">
      <p className="text-muted">
        It was used, expired after an hour, or your password has changed since. If you reloaded this
        page, open the link in the email again.
      </p>
      <Link to="/sign-in/forgot" className={buttonLook('primary')}>
        Get another link
      </Link>
    </Card>
  );
}

function ResetForm({ token, email }: { token: string; email: string }) {
  const reset = useMutation(
    {
      mutationFn: people.resetPassword,
      // The session of this browser, if any, has ended too.
      onSuccess: () => personClient.removeQueries(meQuery),
    },
    personClient,
  );
  const { values, messages, text } = useFields({ password: '' }, reset.error);
  if (isGone(reset.error)) return <Gone />;
  if (reset.isSuccess) {
    return (
      <Card title="Password saved">
        <p>You’re signed out on all devices. Sign in with your new password.</p>
        <Link to="/sign-in" className={buttonLook('primary')}>
          Sign in
        </Link>
      </Card>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    reset.mutate({ token, ...values });
  };
  return (
    <Card title="Choose a new password">
      <p className="text-muted">The new password of {email} signs out all your devices.</p>
      {messages['password'] === undefined && <Refused error={reset.error} />}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <AccountName email={email} />
        <NewPasswordField autoFocus {...text('password')} />
        <Button type="submit" look="primary" busy={reset.isPending}>
          Save password
        </Button>
      </form>
    </Card>
  );
}

const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
