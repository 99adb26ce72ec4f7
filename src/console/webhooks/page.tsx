import { Link, useNavigate } from '@tanstack/react-router';
import { Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { useRecords } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { SecretDialog } from '../ui/secret-dialog.tsx';
import { Table } from '../ui/table.tsx';
import { WebhookState } from './state.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

/** The page that lists the webhooks of a workspace. */
export function WebhooksPage() {
  const { slug, may } = useWorkspace();
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<{ id: string; secret: string }>();
  const webhooks = useRecords('webhooks');
  return (
    <ListPage
      title="Webhooks"
      query={webhooks}
      create={may('webhooks.write') && { label: 'Create webhook', onClick: () => setNew(true) }}
      icon={WebhookIcon}
      emptyTitle="No webhooks yet"
      purpose={
        <>
          Get a request on your server whenever a link is created, clicked or leads to a sale.{' '}
          <DocsLink guide="webhooks">How webhooks work</DocsLink>
        </>
      }
      renderRows={(rows) => (
        <Table
          label="Webhooks"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Name',
              render: ({ id, name, url }) => (
                <div className="flex flex-col">
                  <Link
                    to="/$workspace/webhooks/$webhookId"
                    params={{ workspace: slug, webhookId: id }}
                    className="font-medium hover:underline max-md:-my-2.5 max-md:py-3"
                  >
                    {name}
                  </Link>
                  <span className="text-xs break-all text-muted">{url}</span>
                </div>
              ),
            },
            {
              name: 'Events',
              isMinor: true,
              render: ({ kinds }) => (
                <span className="text-muted">
                  {kinds.slice(0, 2).join(', ')}
                  {kinds.length > 2 && ` and ${kinds.length - 2} more`}
                </span>
              ),
            },
            { name: 'Status', render: (webhook) => <WebhookState webhook={webhook} /> },
          ]}
        />
      )}
    >
      {isNew && (
        <WebhookDialog
          onClose={() => setNew(false)}
          onCreated={({ id, secret }) => {
            setNew(false);
            setMade({ id, secret });
          }}
        />
      )}
      {made && (
        <SecretDialog
          title="Webhook created"
          label="Secret"
          secret={made.secret}
          onClose={() =>
            void navigate({
              to: '/$workspace/webhooks/$webhookId',
              params: { workspace: slug, webhookId: made.id },
            })
          }
        >
          Use this secret to verify that requests come from us (Standard Webhooks).{' '}
          <DocsLink guide="webhooks">How to verify requests</DocsLink>
        </SecretDialog>
      )}
    </ListPage>
  );
}
