import { CreditCard } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { RemoveDialog } from '../app/remove-dialog.tsx';
import { useRecords, useResource } from '../app/resource.ts';
import { CopyButton } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { deleteItem, editItem } from '../ui/menu-items.ts';
import { Page } from '../ui/page.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { useFields } from '../ui/use-fields.ts';
import { LastTime } from './last-time.tsx';

type Connection = Schemas['Integration'];
type Opened = { what: 'new' } | { what: 'edit' | 'delete'; connection: Connection };

const PROCESSORS = { stripe: 'Stripe', shopify: 'Shopify' } satisfies Record<
  Connection['type'],
  string
>;

/** The page for connections to payment processors. */
export function PaymentsPage() {
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const connections = useRecords('integrations');
  if (connections.error instanceof ApiError && connections.error.status === 403) {
    return (
      <Page title="Payments">
        <Empty icon={CreditCard} title="Payments are part of the Business plan">
          Count the sales that your links bring. Ask your administrator to change the plan.{' '}
          <DocsLink guide="workspaces">Compare plans</DocsLink>
        </Empty>
      </Page>
    );
  }
  return (
    <ListPage
      title="Payments"
      query={connections}
      create={{ label: 'Connect', onClick: () => setOpened({ what: 'new' }) }}
      icon={CreditCard}
      emptyTitle="No connections"
      purpose={
        <>
          Connect Stripe or Shopify to count sales and refunds without code.{' '}
          <DocsLink guide="payments">How payments are counted</DocsLink>
        </>
      }
      renderRows={(rows) => (
        <Table
          label="Connections"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Name',
              render: ({ name, type }) => (
                <div className="flex min-w-0 flex-col">
                  <span className="font-medium">{name}</span>
                  <span className="text-xs text-muted">{PROCESSORS[type]}</span>
                </div>
              ),
            },
            {
              name: 'Webhook URL',
              render: ({ name, url }) => (
                <div className="flex min-w-0 items-center gap-1">
                  <span className="truncate font-mono text-xs">{url}</span>
                  <CopyButton text={url} label={`Copy the URL of ${name}`} />
                </div>
              ),
            },
            {
              name: 'Last delivery',
              render: ({ lastDeliveryAt }) => <LastTime at={lastDeliveryAt} />,
            },
            {
              name: 'Last refusal',
              isMinor: true,
              render: ({ lastRefusal, lastRefusedAt }) => (
                <div className="flex min-w-0 flex-col">
                  <LastTime at={lastRefusedAt} />
                  <span className="text-xs text-muted">{lastRefusal}</span>
                </div>
              ),
            },
            {
              name: 'Actions',
              isBare: true,
              render: (connection) => (
                <RowMenu
                  label={`Actions for ${connection.name}`}
                  items={[
                    editItem(() => setOpened({ what: 'edit', connection })),
                    deleteItem(() => setOpened({ what: 'delete', connection })),
                  ]}
                />
              ),
            },
          ]}
        />
      )}
    >
      {opened?.what === 'new' && <NewDialog onClose={close} />}
      {opened?.what === 'edit' && <EditDialog connection={opened.connection} onClose={close} />}
      {opened?.what === 'delete' && (
        <RemoveDialog
          noun="integrations"
          record={opened.connection}
          title={`Delete the connection “${opened.connection.name}”?`}
          action="Delete connection"
          onClose={close}
        >
          {PROCESSORS[opened.connection.type]} can no longer report payments. Sales and refunds that
          are already counted remain.
        </RemoveDialog>
      )}
    </ListPage>
  );
}

const SECRET_HINT =
  'The signing secret of the webhook in Stripe or Shopify. It is stored encrypted.';

/** A dialog that creates a connection. */
function NewDialog({ onClose }: { onClose(): void }) {
  const { create } = useResource('integrations', { onCreated: onClose });
  const { values, text } = useFields({ type: 'stripe', name: '', secret: '' }, create.error);
  return (
    <FormDialog
      title="Connect a payment processor"
      action="Connect"
      onClose={onClose}
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.write({ ...values, type: values.type as Connection['type'] })}
    >
      <SelectField
        label="Payment processor"
        {...text('type')}
        options={Object.entries(PROCESSORS)}
      />
      <TextField label="Name" data-autofocus required maxLength={100} {...text('name')} />
      <TextField
        label="Secret"
        hint={SECRET_HINT}
        required
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        {...text('secret')}
      />
    </FormDialog>
  );
}

/** A dialog that changes the name or the secret of a connection. */
function EditDialog({ connection, onClose }: { connection: Connection; onClose(): void }) {
  const { update } = useResource('integrations', { onUpdated: onClose });
  const { values, text } = useFields({ name: connection.name, secret: '' }, update.error);
  const { name, secret } = values;
  return (
    <FormDialog
      title="Edit connection"
      action="Save"
      onClose={onClose}
      busy={update.isPending}
      error={update.error}
      onSubmit={() =>
        update.write({ seen: connection, body: { name, ...(secret !== '' && { secret }) } })
      }
    >
      <TextField label="Name" data-autofocus required maxLength={100} {...text('name')} />
      <TextField
        label="New secret"
        hint="Leave empty to keep the current one. A replaced secret is accepted for a day."
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        {...text('secret')}
      />
    </FormDialog>
  );
}
