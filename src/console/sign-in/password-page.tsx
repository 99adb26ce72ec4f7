import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useMe } from '../app/session.ts';
import { useChangeMe } from '../app/use-change-me.ts';
import { Button } from '../ui/button.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { AccountName, NewPasswordField } from '../ui/password-fields.tsx';
import { useFields } from '../ui/use-fields.ts';
import { Card } from './card.tsx';
import { viewOf } from './return.ts';

/** The page after a sign-in by one-time link, where the person sets a password or skips that. */
export function PasswordPage() {
  const { to } = useSearch({ from: '/sign-in/password' });
  const navigate = useNavigate();
  const { email, hasPassword, needsCurrentPassword } = useMe();
  const goOn = () => void navigate({ to: viewOf(to) as '/' });
  const change = useChangeMe('Password saved', goOn);
  const { values, messages, text } = useFields({ password: '' }, change.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(values);
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
        <AccountName email={email} />
        <NewPasswordField autoFocus {...text('password')} />
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
