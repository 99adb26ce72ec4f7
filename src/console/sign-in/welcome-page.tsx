import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { people } from '../api/people.ts';
import { ROLE_NAMES } from '../app/role-names.ts';
import { meQuery, personClient, useMe } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { messagesOf, Refused } from '../ui/form-dialog.tsx';
import { slugFrom } from '../ui/slug.ts';
import { Card } from './card.tsx';

/** The page on which a person accepts invitations or creates a workspace. */
export function WelcomePage() {
  const navigate = useNavigate();
  const { invitations } = useMe();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  const shownSlug = slug ?? slugFrom(name);
  const create = useMutation(
    {
      mutationFn: people.createWorkspace,
      onSuccess: async (made) => {
        await personClient.refetchQueries(meQuery);
        await navigate({ to: '/$workspace/links', params: { workspace: made.slug } });
      },
    },
    personClient,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ name, slug: shownSlug });
  };
  const messages = messagesOf(create.error);
  return (
    <Card title={invitations.length === 0 ? 'Create workspace' : 'Invitations'}>
      {invitations.length > 0 && (
        <>
          <OwnInvitations />
          <h2 className="border-t border-line pt-4 font-semibold">Create workspace</h2>
        </>
      )}
      <p className="text-muted">
        A workspace holds your links, QR codes and analytics. You can invite others later.
      </p>
      {Object.keys(messages).length === 0 && <Refused error={create.error} />}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          autoFocus={invitations.length === 0}
          required
          value={name}
          error={messages['name']}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Slug"
          required
          value={shownSlug}
          error={messages['slug']}
          hint={`Your URL: ${location.host}/console/${shownSlug === '' ? 'slug' : shownSlug}. Can’t be changed later.`}
          onChange={(event) => setSlug(event.target.value)}
        />
        <Button type="submit" look="primary" busy={create.isPending}>
          Create workspace
        </Button>
      </form>
    </Card>
  );
}

/** The person's invitations; each requires an explicit acceptance. */
function OwnInvitations() {
  const navigate = useNavigate();
  const { invitations } = useMe();
  const accept = useMutation(
    {
      mutationFn: ({ id }: { id: string; slug: string }) => people.acceptInvitation({ id }),
      onSuccess: (me, { slug }) => {
        personClient.setQueryData(meQuery.queryKey, me);
        void navigate({ to: '/$workspace/links', params: { workspace: slug } });
      },
    },
    personClient,
  );
  return (
    <>
      <Refused error={accept.error} />
      <ul className="flex flex-col gap-3">
        {invitations.map(({ id, workspace, role, invitedBy }) => (
          <li key={id} className="flex items-center gap-3">
            <span className="flex min-w-0 flex-1 flex-col">
              <span>
                {workspace.name}, as {ROLE_NAMES[role]}
              </span>
              {invitedBy !== null && <span className="text-sm text-muted">from {invitedBy}</span>}
            </span>
            <Button
              aria-label={`Join ${workspace.name}`}
              busy={accept.isPending}
              onClick={() => accept.mutate({ id, slug: workspace.slug })}
            >
              Join
            </Button>
          </li>
        ))}
      </ul>
      <p className="text-sm text-muted">
        Ignore invitations from people you don’t know. They expire.
      </p>
    </>
  );
}
