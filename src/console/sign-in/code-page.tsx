import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/error.ts';
import { people } from '../api/people.ts';
import { meQuery, personClient } from '../app/session.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { useFields } from '../ui/use-fields.ts';
import { Card } from './card.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { viewOf } from './return.ts';

/** The page after the first step of a sign-in, where a person enters the code of their app. */
export function CodePage() {
  const { to } = useSearch({ from: '/sign-in/code' });
  const navigate = useNavigate();
  const [isRecovery, setRecovery] = useState(false);
  const enter = useMutation(
    {
      mutationFn: people.signInBySecondFactor,
      onSuccess: (me) => {
        personClient.setQueryData(meQuery.queryKey, me);
        void navigate({ to: viewOf(to) as '/' });
      },
    },
    personClient,
  );
  const { values, messages, text, set } = useFields({ code: '' }, enter.error);
  if (enter.error instanceof ApiError && enter.error.status === 401) {
    return (
      <Card title="That took too long">
        <p className="text-muted">Sign in again, and enter the code within five minutes.</p>
        <Link
          to="/sign-in"
          search={to === undefined ? {} : { to }}
          className={buttonLook('primary')}
        >
          Sign in
        </Link>
      </Card>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    enter.mutate(values.code);
  };
  return (
    <Card title="Two-factor authentication">
      <p className="text-muted">
        {isRecovery
          ? 'Enter one of the recovery codes that you saved. Each works once.'
          : 'Enter the six digits that your authenticator app shows.'}
      </p>
      {messages['code'] === undefined && <Refused error={enter.error} />}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          key={String(isRecovery)}
          label={isRecovery ? 'Recovery code' : 'Code'}
          autoComplete="one-time-code"
          inputMode={isRecovery ? 'text' : 'numeric'}
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          required
          maxLength={40}
          {...text('code')}
        />
        <Button type="submit" look="primary" busy={enter.isPending}>
          Sign in
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            enter.reset();
            set({ code: '' });
            setRecovery(!isRecovery);
          }}
        >
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </Button>
      </form>
      <PasskeyButton to={to} />
      <p className="text-xs text-muted">
        Lost your phone and your recovery codes? Ask your administrator.
      </p>
    </Card>
  );
}
