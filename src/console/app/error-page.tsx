import { type ErrorComponentProps, Link, useLocation, useRouter } from '@tanstack/react-router';
import { Compass, Lock, WifiOff } from 'lucide-react';
import { useEffect } from 'react';
import { useIsOnline } from '../api/reachability.ts';
import { buttonLook } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { type Destination, destinationAt } from './views.ts';
import { useIsInWorkspace, useWorkspace } from './workspace.tsx';

/** In place of a view that failed. */
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

/** In place of a page outside of workspaces that doesn’t exist. */
export function NotFoundPage() {
  return (
    <main>
      <NotFound title="Page not found">Check the URL, or go to your workspace.</NotFound>
    </main>
  );
}

/** In place of a workspace that doesn’t exist, or that the person is no member of: nobody learns which. */
export function NotAMemberPage({ slug }: { slug: string }) {
  return (
    <main>
      <NotFound title={`No access to “${slug}”`}>
        This workspace doesn’t exist, or you aren’t a member of it. Ask its owner for an invitation.
      </NotFound>
    </main>
  );
}

function NotFound({ title, children }: { title: string; children: string }) {
  useEffect(() => {
    document.title = `${title} · Console`;
  }, [title]);
  return (
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
  );
}

/** In place of a view of a workspace that doesn’t exist. */
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

/** In place of a view that the person’s role doesn’t allow: what would be asked for would be refused. */
export function NoAccess({ title }: { title: string }) {
  const { role } = useWorkspace();
  return (
    <Page title={title}>
      <Empty icon={Lock} title={`You don’t have access to ${inSentence(title)}`}>
        Your role here is {role}. Ask an owner of the workspace for another one.
      </Empty>
    </Page>
  );
}

/** Leads from a record that is gone to the list of its kind. */
export function ListLink({ to, label }: Pick<Destination, 'to' | 'label'>) {
  const { slug } = useWorkspace();
  return (
    <Link to={to} params={{ workspace: slug }} className={buttonLook()}>
      Back to {inSentence(label)}
    </Link>
  );
}

/** In place of a view that takes long to load, most often for want of a connection. Before there is a frame: nothing. */
export function PendingView() {
  const title = useViewTitle();
  const isOnline = useIsOnline();
  if (!useIsInWorkspace()) return null;
  return isOnline ? (
    <div role="status" className="flex flex-col gap-4 p-4 md:p-6">
      <span className="sr-only">Loading {title}</span>
      <Skeleton className="h-6 w-40" />
      <Skeleton className="h-40 w-full" />
    </div>
  ) : (
    <Page title={title}>
      <Empty icon={WifiOff} title={`${title} can’t load yet`}>
        It opens as soon as the connection is back.
      </Empty>
    </Page>
  );
}

/** The view that is opened, as the navigation calls it. */
function useViewTitle(): string {
  const path = useLocation({ select: ({ pathname }) => pathname });
  return destinationAt(path)?.label ?? 'This view';
}

/** A title within a sentence: "API keys" and "QR codes" keep their capitals. */
const inSentence = (title: string): string =>
  /^[A-Z]{2}/.test(title) ? title : title.slice(0, 1).toLowerCase() + title.slice(1);
