import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { LogIn } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { ApiError, describe } from '../api/error.ts';
import { people } from '../api/people.ts';
import { hasKeptDraft } from '../app/draft.tsx';
import { forgetPerson, meQuery, methodsQuery, personClient } from '../app/session.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { useFields } from '../ui/use-fields.ts';
import { Card } from './card.tsx';
import { useToken } from './fragment.ts';
import { BrowserLanguage } from './language-choice.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { leaveFor, viewOf } from './return.ts';

/** Messages for the `error` parameter after a failed sign-in through the identity provider. */
const REASONS: Record<string, string> = {
  unknown_user:
    'There is no account for you here. Ask an owner of the workspace for an invitation.',
  disabled: 'Your account is disabled. Ask your administrator.',
  expired: 'That sign-in expired. Try again.',
  denied: 'The provider refused the sign-in, or you cancelled it.',
  too_many: 'Too many attempts to sign in. Wait a minute, then try again.',
};

/** Value of the `error` parameter after the API has ended the session. */
const ENDED = 'ended';

/** The sign-in page, for passwords, identity providers, and one-time links with a confirmation. */
export function SignInPage() {
  const { to, error: reason } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  // A refusal does not say which of the two is wrong, so the fields show no errors.
  const { values, text } = useFields({ email: '', password: '' }, null);
  const methods = useQuery(methodsQuery, personClient);
  const search = to === undefined ? {} : { to };
  const enter = (entered: Schemas['Me'] | Schemas['PendingSignIn']) => {
    if ('expiresAt' in entered) {
      void navigate({ to: '/sign-in/code', search });
      return;
    }
    personClient.setQueryData(meQuery.queryKey, entered);
    void navigate({ to: viewOf(to) as '/' });
  };
  const byPassword = useMutation({ mutationFn: people.signIn, onSuccess: enter }, personClient);
  const byLink = useMutation(
    {
      mutationFn: people.signInByLink,
      onSuccess(entered) {
        if ('expiresAt' in entered) {
          enter(entered);
          return;
        }
        personClient.setQueryData(meQuery.queryKey, entered);
        // The link works only once, so without a password the next sign-in would need another link.
        void navigate({ to: '/sign-in/password', search });
      },
    },
    personClient,
  );
  const lookUp = useMutation({ mutationFn: people.lookUpLink }, personClient);
  useEffect(forgetPerson, []);
  useToken((token) => {
    byLink.reset();
    lookUp.mutate(token);
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    byPassword.mutate(values);
  };
  const [hasDraft] = useState(hasKeptDraft);
  const isEnded = reason === ENDED || hasDraft;
  const failure = messageOf(
    byPassword.error,
    byLink.error ?? lookUp.error,
    reason === ENDED ? undefined : reason,
  );
  if (lookUp.isSuccess && byLink.error === null) {
    const person = lookUp.data.email;
    return (
      <Card title="Sign in">
        <p className="text-muted">
          This link signs you in once, in this browser. Anybody signed in here is signed out.
        </p>
        <Button
          look="primary"
          autoFocus
          className="h-auto! min-h-9 py-2 whitespace-normal! max-md:min-h-11"
          busy={byLink.isPending}
          onClick={() => byLink.mutate(lookUp.variables)}
        >
          Sign in as {person}
        </Button>
        <Button onClick={() => lookUp.reset()}>Cancel</Button>
      </Card>
    );
  }
  return (
    <Card title="Sign in">
      {failure !== undefined && (
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          {failure}
        </p>
      )}
      {failure === undefined && isEnded && (
        <p role="status" className="rounded-md bg-accent-soft px-3 py-2">
          You were signed out.{' '}
          {hasDraft ? 'Sign in and your draft is still there.' : 'Sign in again.'}
        </p>
      )}
      {lookUp.isPending && <p role="status">Checking the link …</p>}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Email"
          type="email"
          autoComplete="username webauthn"
          autoFocus
          required
          {...text('email')}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          {...text('password')}
        />
        <Button type="submit" look="primary" busy={byPassword.isPending}>
          Sign in
        </Button>
      </form>
      <Link
        to="/sign-in/forgot"
        className="self-start text-accent-text underline max-md:inline-flex max-md:min-h-11 max-md:items-center"
      >
        Forgot your password?
      </Link>
      <PasskeyButton to={to} isSuggested />
      {methods.data?.oidc && (
        <a href="/auth/oidc" onClick={() => leaveFor(to)} className={buttonLook()}>
          <LogIn size={15} aria-hidden />
          Continue with {methods.data.oidc.name}
        </a>
      )}
      <BrowserLanguage />
    </Card>
  );
}

function messageOf(byPassword: unknown, byLink: unknown, reason: string | undefined) {
  if (byPassword instanceof ApiError && byPassword.status === 401) {
    return 'Email or password is wrong.';
  }
  if (byPassword) return describe(byPassword);
  if (byLink instanceof ApiError && byLink.status === 401) {
    return 'This sign-in link was used already, or has expired. Ask for a new one, or sign in below.';
  }
  if (byLink) return describe(byLink);
  if (reason === undefined) return undefined;
  return REASONS[reason] ?? 'The sign-in with the provider failed. Try again.';
}
