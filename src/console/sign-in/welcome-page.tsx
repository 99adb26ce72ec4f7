import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError, describe } from '../api/error.ts';
import { people } from '../api/people.ts';
import { meQuery, personClient } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Card } from './card.tsx';

/** Makes a workspace: for who has none yet, and for another one. */
export function WelcomePage() {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  const shownSlug = slug ?? slugOf(name);
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
  const fields = create.error instanceof ApiError ? create.error.fields : {};
  return (
    <Card title="New workspace">
      <p className="text-muted">
        A workspace holds links, QR codes and their statistics. Invite others to it later.
      </p>
      {create.error && Object.keys(fields).length === 0 && (
        <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
          {describe(create.error)}
        </p>
      )}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          autoFocus
          required
          value={name}
          error={fields['name']}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Slug"
          required
          value={shownSlug}
          error={fields['slug']}
          hint={`Its address: /console/${shownSlug === '' ? 'slug' : shownSlug}`}
          onChange={(event) => setSlug(event.target.value)}
        />
        <Button type="submit" look="primary" busy={create.isPending}>
          Create workspace
        </Button>
      </form>
    </Card>
  );
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
