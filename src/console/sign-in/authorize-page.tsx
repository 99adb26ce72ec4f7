import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { keys } from '../api/keys.ts';
import { people } from '../api/people.ts';
import { personClient, useMe } from '../app/session.ts';
import { rightsOf } from '../app/workspace.tsx';
import { ScopeFields } from '../settings/keys/scope-fields.tsx';
import { RESOURCES, type Scope } from '../settings/keys/scopes.ts';
import { Button, buttonLook } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Card } from './card.tsx';

type Parameters = Schemas['AuthorizationParameters'];
type Request = Schemas['AuthorizationRequest'];

/** The page on which a person lets an app use one of their workspaces (OAuth 2.1). */
export function AuthorizePage() {
  const parameters = useSearch({ from: '/authorize' }) as Parameters;
  const request = useQuery(
    {
      queryKey: keys.authorization.one(JSON.stringify(parameters)),
      queryFn: () => people.authorization(parameters),
    },
    personClient,
  );
  const { error } = request;
  if (error instanceof ApiError && (error.status === 404 || error.status === 422)) {
    return (
      <Card title="This request is not valid">
        <p className="text-muted">
          Start again in the app that sent you here. If this repeats, the app has a fault:
        </p>
        <p>{error.message}</p>
        <Link to="/" className={buttonLook()}>
          Go to the console
        </Link>
      </Card>
    );
  }
  if (error) return <Failure error={error} retry={() => void request.refetch()} />;
  if (request.data === undefined) {
    return (
      <Card title="Allow access">
        <Skeleton className="h-40 w-full" />
      </Card>
    );
  }
  return <Question parameters={parameters} request={request.data} />;
}

/** Describes the place that gets the code, so that people can tell a stranger. */
function placeOf(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (protocol === 'https:') return host;
  if (protocol === 'http:') return `a program on this computer (${hostname})`;
  return `the program that opens ${protocol} links`;
}

interface QuestionProps {
  parameters: Parameters;
  request: Request;
}

function Question({ parameters, request }: QuestionProps) {
  const { client, error, redirectUri, refusalUrl } = request;
  const { workspaces } = useMe();
  const [last] = useState(() => localStorage.getItem('workspace'));
  const first = workspaces.find(({ slug }) => slug === last) ?? workspaces[0];
  const [slug, setSlug] = useState(first?.slug);
  const workspace = workspaces.find((one) => one.slug === slug);
  const place = placeOf(redirectUri);
  if (error !== null) {
    return (
      <Card title={`${client.name} can’t be allowed`}>
        <p className="text-muted">The app asks for access in a way that is not valid:</p>
        <p>{error}</p>
        <a href={refusalUrl} rel="noreferrer" className={buttonLook()}>
          Go back to {place}
        </a>
      </Card>
    );
  }
  return (
    <Card title={`Allow ${client.name}?`}>
      <p>
        This app asks to use a workspace as you. Your answer is sent to <strong>{place}</strong>.
      </p>
      <p className="rounded-md bg-accent-soft px-3 py-2">
        Anyone can give an app this name. Allow it only if you started this yourself.
      </p>
      {workspaces.length > 1 && (
        <SelectField
          label="Workspace"
          value={slug}
          onChange={(event) => setSlug(event.target.value)}
          options={workspaces.map((one) => [one.slug, one.name])}
        />
      )}
      {workspaces.length === 1 && (
        <p>
          Workspace: <strong>{workspace?.name}</strong>
        </p>
      )}
      {workspace === undefined ? (
        <Buttons refusalUrl={refusalUrl}>
          <p>
            You belong to no workspace yet.{' '}
            <Link to="/welcome" className="text-accent-text underline">
              Create one
            </Link>
            , then start again in the app.
          </p>
        </Buttons>
      ) : (
        <Answer
          key={workspace.slug}
          workspace={workspace}
          parameters={parameters}
          request={request}
        />
      )}
      <SignedIn />
    </Card>
  );
}

interface AnswerProps extends QuestionProps {
  workspace: Schemas['Membership'];
}

function Answer({ workspace, parameters, request }: AnswerProps) {
  const hasRight = rightsOf(workspace);
  const isAsked = (scope: Scope) =>
    request.scopes.includes(scope) ||
    request.scopes.includes(scope.replace(/\.read$/, '.write') as Scope);
  const may = (scope: Exclude<Scope, '*'>) => hasRight(scope) && isAsked(scope);
  const [scopes, setScopes] = useState<Scope[]>(() =>
    RESOURCES.flatMap(({ read, write }) => {
      const scope = [write, read].find((one) => one !== undefined && may(one));
      return scope === undefined ? [] : [scope];
    }),
  );
  const allow = useMutation(
    {
      mutationFn: people.authorize,
      onSuccess: ({ redirectUrl }) => location.assign(redirectUrl),
    },
    personClient,
  );
  const hasNone = scopes.length === 0;
  return (
    <>
      <Refused error={allow.error} />
      <ScopeFields scopes={scopes} onChange={setScopes} may={may} />
      {hasNone && (
        <p className="text-muted">
          {RESOURCES.some(({ read, write }) => [read, write].some((one) => one && may(one)))
            ? 'Choose the rights of the app.'
            : `Your role in ${workspace.name} has none of the rights that the app asks for.`}
        </p>
      )}
      <p className="text-xs text-muted">
        The app gets an API key with these rights. You can revoke it in the settings of the
        workspace.
      </p>
      <Buttons refusalUrl={request.refusalUrl}>
        <Button
          look="primary"
          // The browser leaves the page once the API has answered.
          busy={allow.isPending || allow.isSuccess}
          disabled={hasNone}
          onClick={() => allow.mutate({ parameters, workspace: workspace.slug, scopes })}
        >
          Allow
        </Button>
      </Buttons>
    </>
  );
}

function Buttons({ refusalUrl, children }: { refusalUrl: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-3">
      {children}
      <a href={refusalUrl} rel="noreferrer" className={buttonLook()}>
        Refuse
      </a>
    </div>
  );
}

/** Names the signed-in person, who may want to be somebody else. */
function SignedIn() {
  const { email } = useMe();
  const signOut = useMutation(
    { mutationFn: people.signOut, onSuccess: () => location.reload() },
    personClient,
  );
  return (
    <p className="text-xs text-muted">
      Signed in as {email}.{' '}
      <button
        type="button"
        className="text-accent-text underline"
        disabled={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        Sign out
      </button>
    </p>
  );
}
