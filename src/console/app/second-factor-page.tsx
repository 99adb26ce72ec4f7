import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { people } from '../api/people.ts';
import { Card } from '../sign-in/card.tsx';
import { PasskeyButton } from '../sign-in/passkey-button.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { toastError } from '../ui/toast-error.ts';
import { useMe } from './session.ts';

/** Shown instead of a workspace that requires a second factor, which the session had not. */
export default function NeedsSecondFactor({ name }: { name: string }) {
  const { secondFactor, passkeys, workspaces } = useMe();
  const to = useLocation({ select: ({ href }) => href });
  const navigate = useNavigate();
  const other = workspaces.find(({ needsSecondFactor }) => !needsSecondFactor);
  const signOut = () =>
    people
      .signOut()
      .then(() => navigate({ to: '/sign-in', search: { to } }))
      .catch(toastError);
  return (
    <Card title={`${name} requires two-factor authentication`}>
      {passkeys > 0 && (
        <>
          <p className="text-muted">Sign in again, with your passkey.</p>
          <PasskeyButton to={to} look="primary" />
        </>
      )}
      {secondFactor === null && passkeys === 0 && (
        <>
          <p className="text-muted">
            Set it up now: you need an authenticator app on your phone, or a passkey.
          </p>
          <Link to="/sign-in/second-factor" search={{ to }} className={buttonLook('primary')}>
            Set up
          </Link>
        </>
      )}
      {secondFactor !== null && (
        <p className="text-muted">Sign in again, with a code of your authenticator app.</p>
      )}
      {other !== undefined && (
        <Link
          to="/$workspace/links"
          params={{ workspace: other.slug }}
          className={`${buttonLook()} h-auto! min-h-9 py-2 whitespace-normal! max-md:min-h-11`}
        >
          Go to {other.name}
        </Link>
      )}
      <Button look="quiet" onClick={() => void signOut()}>
        Sign out
      </Button>
    </Card>
  );
}
