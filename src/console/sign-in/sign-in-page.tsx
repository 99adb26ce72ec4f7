import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { LogIn } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { ApiError, describe } from '../api/error.ts';
import { people } from '../api/people.ts';
import { forgetPerson, meQuery, personClient } from '../app/session.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Card } from './card.tsx';
import { useToken } from './fragment.ts';
import { leaveFor } from './return.ts';

/** Reasons for which the provider's sign-in ends here, by `error` of the address. */
const REASONS: Record<string, string> = {
  unknown_user:
    'There is no account for you here. Ask an owner of the workspace for an invitation.',
  disabled: 'Your account is disabled. Ask whoever runs this service.',
  expired: 'The sign-in took too long, or was begun in another window. Try it again.',
  denied: 'The provider refused the sign-in, or you cancelled it.',
  too_many: 'Too many attempts to sign in. Wait a minute, then try again.',
};

/** Sign in by password, by a one-time address, which asks first, or through a provider. */
export function SignInPage() {
  const { to, error: reason } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const methods = useQuery({ queryKey: ['methods'], queryFn: people.methods }, personClient);
  const enter = (me: Schemas['Me']) => {
    personClient.setQueryData(meQuery.queryKey, me);
    // Only an address of this application: `href` would follow any.
    void navigate(to?.startsWith('/') === true ? { to: to as '/' } : { to: '/' });
  };
  const byPassword = useMutation({ mutationFn: people.signIn, onSuccess: enter }, personClient);
  const byLink = useMutation({ mutationFn: people.signInByLink, onSuccess: enter }, personClient);
  const lookUp = useMutation({ mutationFn: people.lookUpLink }, personClient);
  useEffect(forgetPerson, []);
  useToken((token) => {
    byLink.reset();
    lookUp.mutate(token);
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    byPassword.mutate({ email, password });
  };
  const failure = messageOf(byPassword.error, byLink.error ?? lookUp.error, reason);
  if (lookUp.isSuccess && byLink.error === null) {
    const person = lookUp.data.email;
    return (
      <Card title="Sign in">
        <p className="text-muted">
          This address signs this browser in once. Another session in it ends.
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
      {lookUp.isPending && <p role="status">Looking up the address …</p>}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          autoFocus
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <Button type="submit" look="primary" busy={byPassword.isPending}>
          Sign in
        </Button>
      </form>
      {methods.data?.oidc && (
        <a href="/auth/oidc" onClick={() => leaveFor(to)} className={buttonLook()}>
          <LogIn size={15} aria-hidden />
          Continue with {methods.data.oidc.name}
        </a>
      )}
    </Card>
  );
}

function messageOf(byPassword: unknown, byLink: unknown, reason: string | undefined) {
  if (byPassword instanceof ApiError && byPassword.status === 401) {
    return 'E-mail or password is wrong.';
  }
  if (byPassword) return describe(byPassword);
  if (byLink instanceof ApiError && byLink.status === 401) {
    return 'This sign-in link was used already, or has expired. Ask for a new one, or sign in below.';
  }
  if (byLink) return describe(byLink);
  if (reason === undefined) return undefined;
  return REASONS[reason] ?? 'The sign-in with the provider failed. Try it again.';
}
