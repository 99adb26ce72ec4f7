import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Code, KeyRound, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { answer, idempotent, type Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWrite } from '../../api/queries.ts';
import { RemoveDialog } from '../../app/remove-dialog.tsx';
import { useRecords } from '../../app/resource.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { RowMenu } from '../../ui/menu.tsx';
import { deleteItem, editItem } from '../../ui/menu-items.ts';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { Badge } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { isPast, Time } from '../../ui/time.tsx';
import { LastTime } from '../last-time.tsx';
import { membersQuery } from '../queries.ts';
import { EditKeyDialog, NewKeyDialog } from './key-dialog.tsx';
import { summaryOf } from './scopes.ts';
import { SnippetDialog } from './snippet-dialog.tsx';

type Key = Schemas['ApiKey'];
type Opened =
  | { what: 'new' }
  | { what: 'edit' | 'rotate' | 'revoke' | 'snippet'; key: Key }
  | { what: 'secret'; key: Schemas['ApiKeyWithSecret'] };

/** The page that lists the API keys of a workspace. */
export function KeysPage() {
  const { api, may } = useWorkspace();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const show = (key: Schemas['ApiKeyWithSecret']) =>
    setOpened({ what: key.type === 'publishable' ? 'snippet' : 'secret', key });
  const keys = useRecords('keys');
  const members = useQuery(membersQuery(api));
  const creatorOf = ({ userId }: Key): string => {
    const member = members.data?.find((one) => one.userId === userId);
    return member === undefined ? '–' : member.name || member.email;
  };
  const mayWrite = may('keys.write');
  return (
    <ListPage
      title="API keys"
      query={keys}
      create={mayWrite && { label: 'Create key', onClick: () => setOpened({ what: 'new' }) }}
      icon={KeyRound}
      emptyTitle="No API keys"
      purpose={
        <>
          An API key lets your software use the API for this workspace.{' '}
          <DocsLink guide="workspaces#api-keys">How keys work</DocsLink>
        </>
      }
      renderRows={(rows) => (
        <Table
          label="API keys"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Name',
              render: (key) => (
                <div className="flex min-w-0 flex-col">
                  <span className="font-medium">
                    {key.name} {key.clientId !== null && <Badge>App</Badge>}
                    {key.type === 'publishable' && <Badge>Publishable</Badge>}
                    {key.limits !== null && <Badge>Limited</Badge>}
                  </span>
                  <span className="font-mono text-xs text-muted">{key.hint}</span>
                </div>
              ),
            },
            { name: 'Permissions', isMinor: true, render: summaryOf },
            { name: 'Created by', isMinor: true, render: creatorOf },
            { name: 'Last used', render: ({ lastUsedAt }) => <LastTime at={lastUsedAt} /> },
            {
              name: 'Expires',
              isMinor: true,
              render: (key) => <Expiry at={key.renewableUntil ?? key.expiresAt} />,
            },
            {
              name: 'Actions',
              isBare: true,
              render: (key) =>
                mayWrite && (
                  <RowMenu
                    label={`Actions for ${key.name}`}
                    items={[
                      ...(key.type === 'publishable'
                        ? [
                            {
                              label: 'Show snippet',
                              icon: Code,
                              onSelect: () => setOpened({ what: 'snippet', key }),
                            },
                          ]
                        : []),
                      editItem(() => setOpened({ what: 'edit', key })),
                      ...(key.clientId === null
                        ? [
                            {
                              label: 'Rotate',
                              icon: RefreshCw,
                              onSelect: () => setOpened({ what: 'rotate', key }),
                            },
                          ]
                        : []),
                      deleteItem(() => setOpened({ what: 'revoke', key }), 'Revoke'),
                    ]}
                  />
                ),
            },
          ]}
        />
      )}
    >
      {keys.rows.length > 0 && (
        <p className="max-w-prose px-4 py-3 text-muted md:px-6">
          A key stops working when the person who created it leaves the workspace. If that person’s
          account is only disabled, the key keeps working until you revoke it.
        </p>
      )}
      {opened?.what === 'new' && <NewKeyDialog onClose={close} onCreated={show} />}
      {opened?.what === 'edit' && <EditKeyDialog apiKey={opened.key} onClose={close} />}
      {opened?.what === 'rotate' && (
        <RotateDialog apiKey={opened.key} onClose={close} onRotated={show} />
      )}
      {opened?.what === 'revoke' && (
        <RemoveDialog
          noun="keys"
          record={opened.key}
          title={`Revoke the key “${opened.key.name}”?`}
          action="Revoke key"
          onClose={close}
        >
          {opened.key.type === 'publishable' ? 'A page' : 'Software'} that uses{' '}
          <code className="text-xs">{opened.key.hint}</code> loses access at once.
          {opened.key.lastUsedAt !== null && (
            <>
              {' '}
              It was last used <Time at={opened.key.lastUsedAt} />.
            </>
          )}{' '}
          You can’t undo this.
        </RemoveDialog>
      )}
      {opened?.what === 'snippet' && <SnippetDialog apiKey={opened.key} onClose={close} />}
      {opened?.what === 'secret' && (
        <SecretDialog
          title={opened.key.name}
          label="API key"
          secret={opened.key.key}
          onClose={close}
        >
          Send the key in the header <code className="text-xs">Authorization: Bearer KEY</code>.
          Store it where only your software can read it.
          {opened.key.yourlsSignatures && (
            <>
              {' '}
              YOURLS clients that sign requests use the API URL{' '}
              <code className="text-xs">
                {`${location.origin}/compat/yourls/${opened.key.id}/yourls-api.php`}
              </code>
              .
            </>
          )}
        </SecretDialog>
      )}
    </ListPage>
  );
}

function Expiry({ at }: { at: string | null }) {
  const isExpired = at !== null && isPast(at);
  return isExpired ? <Badge tone="danger">Expired</Badge> : <LastTime at={at} />;
}

interface RotateDialogProps {
  apiKey: Key;
  onClose(): void;
  onRotated(key: Schemas['ApiKeyWithSecret']): void;
}

function RotateDialog({ apiKey, onClose, onRotated }: RotateDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const rotate = useWrite({
    send: (id: string, key) => answer(api.POST('/keys/{id}/rotate', idempotent(key, { id }))),
    onDone: (made) => {
      void client.invalidateQueries({ queryKey: keys.keys.all });
      onRotated(made);
    },
  });
  return (
    <FormDialog
      title={`Rotate “${apiKey.name}”?`}
      action="Rotate key"
      onClose={onClose}
      busy={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.write(apiKey.id)}
    >
      <p>
        You get a new key, and the current one (<code className="text-xs">{apiKey.hint}</code>)
        stops working at once. Update{' '}
        {apiKey.type === 'publishable' ? 'your pages' : 'your software'} with the new key.
      </p>
    </FormDialog>
  );
}
