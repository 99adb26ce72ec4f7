import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { people } from '../api/people.ts';
import { methodsQuery, personClient } from '../app/session.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { useFields } from '../ui/use-fields.ts';
import { Card } from './card.tsx';

/** The page on which a person requests a mail to reset a forgotten password. */
export function ForgotPage() {
  const methods = useQuery(methodsQuery, personClient);
  return (
    <Card title="Forgot your password?">
      {methods.isPending && <Skeleton className="h-24 w-full" />}
      {methods.error && <Failure error={methods.error} retry={() => void methods.refetch()} />}
      {methods.data?.passwordReset === true && <RequestForm />}
      {methods.data?.passwordReset === false && (
        <p>This installation sends no email. Ask your administrator for a sign-in link.</p>
      )}
      <Link to="/sign-in" className={buttonLook()}>
        Back to sign-in
      </Link>
    </Card>
  );
}

function RequestForm() {
  const request = useMutation({ mutationFn: people.requestPasswordReset }, personClient);
  const { values, messages, text } = useFields({ email: '' }, request.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    request.mutate(values.email);
  };
  if (request.isSuccess) {
    return (
      <div role="status" className="flex flex-col gap-2">
        <p>
          If there is an account for <strong>{request.variables}</strong>, we sent it an email with
          a link. The link works for one hour.
        </p>
        <p className="text-muted">
          No email? Look in your spam folder, and check the spelling of your email.
        </p>
      </div>
    );
  }
  return (
    <>
      <p className="text-muted">
        Enter your email, and we send you a link to choose a new password.
      </p>
      {messages['email'] === undefined && <Refused error={request.error} />}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
          required
          {...text('email')}
        />
        <Button type="submit" look="primary" busy={request.isPending}>
          Send link
        </Button>
      </form>
    </>
  );
}
