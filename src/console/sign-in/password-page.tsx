import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { people } from '../api/people.ts';
import { meQuery, personClient, useMe } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { messagesOf, Refused } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { Card } from './card.tsx';
import { viewOf } from './return.ts';

/** The page after a sign-in by one-time link, where the person sets a password or skips that. */
export function PasswordPage() {
  const { to } = useSearch({ from: '/sign-in/password' });
  const navigate = useNavigate();
  const { email, hasPassword, needsCurrentPassword } = useMe();
  const [password, setPassword] = useState('');
  const goOn = () => void navigate({ to: viewOf(to) as '/' });
  const change = useMutation(
    {
      mutationFn: people.changeMe,
      onSuccess: (me) => {
        personClient.setQueryData(meQuery.queryKey, me);
        toast('Password saved');
        goOn();
      },
    },
    personClient,
  );
  const messages = messagesOf(change.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ password });
  };
  if (needsCurrentPassword) {
    return (
      <Card title="You have a password">
        <p className="text-muted">Change it under “My profile” in the settings.</p>
        <Button look="primary" onClick={goOn}>
          Continue
        </Button>
      </Card>
    );
  }
  return (
    <Card title={hasPassword ? 'Choose a new password' : 'Choose a password'}>
      <p className="text-muted">
        {hasPassword
          ? 'If you forgot your password, choose a new one now. It replaces the old one and signs out your other browsers.'
          : 'Your sign-in link can’t be used again. Next time, sign in with your email and this password.'}
      </p>
      {messages['password'] === undefined && <Refused error={change.error} />}
      <form onSubmit={submit} className="flex flex-col gap-3">
        {/* Password managers look for the account name. */}
        <input type="text" autoComplete="username" readOnly hidden value={email} />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          autoFocus
          required
          hint="At least 10 characters."
          value={password}
          error={messages['password']}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button type="submit" look="primary" busy={change.isPending}>
          Save password
        </Button>
        <Button look="quiet" onClick={goOn}>
          {hasPassword ? 'Keep the old password' : 'Not now'}
        </Button>
      </form>
    </Card>
  );
}
