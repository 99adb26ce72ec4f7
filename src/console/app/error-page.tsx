import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Compass, Lock } from 'lucide-react';
import { useEffect } from 'react';
import { buttonLook } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { inSentence } from '../ui/sentence.ts';
import { Empty, Failure } from '../ui/states.tsx';
import { ROLE_NAMES } from './role-names.ts';
import { useIsInWorkspace, useWorkspace } from './workspace.tsx';

/** Shown in place of a view that failed. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const Frame = useIsInWorkspace() ? 'div' : 'main';
  return (
    <Frame>
      <h1 className="sr-only">This page can’t be shown</h1>
      <Failure
        error={error}
        retry={() => {
          reset();
          void router.invalidate();
        }}
      />
    </Frame>
  );
}

/** Shown for an unknown page outside of workspaces. */
export const NotFoundPage = () => (
  <NotFound title="Page not found">Check the URL, or go to your workspace.</NotFound>
);

/**
 * Shown for a workspace that doesn’t exist or that the person doesn’t belong to, without revealing
 * which of the two applies.
 */
export const NotAMemberPage = ({ slug }: { slug: string }) => (
  <NotFound title={`No access to “${slug}”`}>
    This workspace doesn’t exist, or you aren’t a member of it. Ask its owner for an invitation.
  </NotFound>
);

function NotFound({ title, children }: { title: string; children: string }) {
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  return (
    <main>
      <Empty
        isPage
        icon={Compass}
        title={title}
        action={
          <Link to="/" className={buttonLook('primary')}>
            Go to your workspace
          </Link>
        }
      >
        {children}
      </Empty>
    </main>
  );
}

/** Shown for an unknown view of a workspace. */
export function NoSuchView() {
  const { slug, name } = useWorkspace();
  return (
    <Page title="Page not found">
      <Empty
        icon={Compass}
        title={`${name} has no page at this URL`}
        action={
          <Link
            to="/$workspace/links"
            params={{ workspace: slug }}
            className={buttonLook('primary')}
          >
            Go to links
          </Link>
        }
      >
        Check the URL, or choose a page from the navigation.
      </Empty>
    </Page>
  );
}

/** Shown for a view that the person’s role doesn’t allow. */
export function NoAccess({ title }: { title: string }) {
  const { role, limits } = useWorkspace();
  return (
    <Page title={title}>
      <Empty icon={Lock} title={`You don’t have access to ${inSentence(title)}`}>
        {limits === null
          ? `Your role here is ${ROLE_NAMES[role]}. Ask an owner of the workspace for another one.`
          : 'Your access here is limited. Ask an owner of the workspace for more.'}
      </Empty>
    </Page>
  );
}
