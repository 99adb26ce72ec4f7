import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Eraser, Merge } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { formatCents, formatCount, nameOfCountry, nameOfSource } from '../analytics/names.ts';
import type { Schemas } from '../api/client.ts';
import { RemoveDialog } from '../app/remove-dialog.tsx';
import { recordQuery, useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { deleteItem, editItem } from '../ui/menu-items.ts';
import { Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { useFields } from '../ui/use-fields.ts';
import { customerName } from './customer-name.ts';
import { MergeDialog } from './merge-dialog.tsx';
import { Timeline } from './timeline.tsx';

/** The page of a customer with their totals and their timeline. */
export function CustomerPage() {
  const { customerId } = useParams({ from: '/$workspace/customers/$customerId' });
  const { api, may } = useWorkspace();
  const [opened, setOpened] = useState<'edit' | 'merge' | 'erase'>();
  const close = () => setOpened(undefined);
  const query = useQuery(recordQuery(api, 'customers', customerId));
  const customer = query.data;
  return (
    <Page
      title={customer ? customerName(customer) : 'Customer'}
      actions={
        customer &&
        may('customers.write') && (
          <RowMenu
            label="Actions for the customer"
            items={[
              editItem(() => setOpened('edit')),
              { label: 'Merge…', icon: Merge, onSelect: () => setOpened('merge') },
              { ...deleteItem(() => setOpened('erase'), 'Erase'), icon: Eraser },
            ]}
          />
        )
      }
    >
      <Loaded query={query} skeleton="mx-6 h-32">
        {({ id, email, externalId, country, createdAt, firstClick, ...totals }) => (
          <>
            <dl className="grid grid-cols-2 gap-x-8 gap-y-3 px-4 pb-5 md:flex md:flex-wrap md:px-6">
              <Total name="Revenue">{formatCents(totals.saleAmount)}</Total>
              <Total name="Sales">{formatCount(totals.sales)}</Total>
              <Total name="Leads">{formatCount(totals.leads)}</Total>
              <Total name="Refunds">{formatCents(totals.refundAmount)}</Total>
            </dl>
            <dl className="grid gap-x-8 gap-y-2 px-4 pb-5 md:grid-cols-3 md:px-6">
              <Fact name="Email">{email ?? '–'}</Fact>
              <Fact name="External ID">{externalId}</Fact>
              {country !== null && <Fact name="Country">{nameOfCountry(country)}</Fact>}
              {firstClick !== null && (
                <Fact name="First click">
                  {firstClick.shortLink.replace(/^https?:\/\//, '')}
                  <span className="block text-xs text-muted">
                    {nameOfSource(firstClick.source)} · {nameOfCountry(firstClick.country ?? '')} ·{' '}
                    <Time at={firstClick.timestamp} />
                  </span>
                </Fact>
              )}
              {totals.lastSeenAt !== null && (
                <Fact name="Last seen">
                  <Time at={totals.lastSeenAt} />
                </Fact>
              )}
              <Fact name="Added">
                <Time at={createdAt} />
              </Fact>
            </dl>
            {may('events.read') && <Timeline customerId={id} />}
          </>
        )}
      </Loaded>
      {customer && opened === 'edit' && <EditDialog customer={customer} onClose={close} />}
      {customer && opened === 'merge' && <MergeDialog customer={customer} onClose={close} />}
      {customer && opened === 'erase' && (
        <RemoveDialog
          noun="customers"
          record={customer}
          title={`Erase the customer “${customerName(customer)}”?`}
          action="Erase permanently"
          onClose={close}
          list="/$workspace/customers"
        >
          This removes their name, email and all other personal data, also from their events. The
          events stay in analytics. You can’t undo this.
        </RemoveDialog>
      )}
    </Page>
  );
}

function Total({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="md:min-w-32">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="text-xl font-semibold tabular-nums">{children}</dd>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="break-words">{children}</dd>
    </div>
  );
}

function EditDialog({ customer, onClose }: { customer: Schemas['Customer']; onClose(): void }) {
  const [seen] = useState(customer);
  const { update: save } = useResource('customers', { onUpdated: onClose });
  const { values, text } = useFields(
    { name: customer.name ?? '', email: customer.email ?? '' },
    save.error,
  );
  return (
    <FormDialog
      title="Edit customer"
      action="Save"
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={() =>
        save.write({ seen, body: { name: values.name || null, email: values.email || null } })
      }
    >
      <TextField label="Name" maxLength={100} {...text('name')} />
      <TextField label="Email" type="email" maxLength={100} {...text('email')} />
    </FormDialog>
  );
}
