import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { buttonLook } from '../ui/button.tsx';
import { Empty, Failure } from '../ui/states.tsx';

/** In place of a view that failed. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <main>
      <h1 className="sr-only">This view can’t be shown</h1>
      <Failure
        error={error}
        retry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </main>
  );
}

/** In place of a view that doesn't exist, or a workspace that the person is no member of. */
export function NotFoundPage() {
  return (
    <main>
      <Empty
        isPage
        icon={Compass}
        title="There is nothing here"
        action={
          <Link to="/" className={buttonLook('primary')}>
            Go to your workspace
          </Link>
        }
      >
        The address is wrong, or you aren’t a member of this workspace. Ask its owner for an
        invitation.
      </Empty>
    </main>
  );
}
