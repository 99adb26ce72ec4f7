import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Eraser, Pencil } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { recordQuery, useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { Page } from '../ui/page.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { CustomerEvents } from './customer-events.tsx';
import { customerName } from './customer-name.ts';

/** The page of a customer with their leads and sales. */
export function CustomerPage() {
  const { customerId } = useParams({ from: '/$workspace/customers/$customerId' });
  const { api, may } = useWorkspace();
  const [opened, setOpened] = useState<'edit' | 'erase'>();
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
              { label: 'Edit', icon: Pencil, onSelect: () => setOpened('edit') },
              {
                label: 'Erase',
                icon: Eraser,
                isDanger: true,
                onSelect: () => setOpened('erase'),
              },
            ]}
          />
        )
      }
    >
      {query.isPending && <Skeleton className="mx-6 h-32" />}
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {customer && (
        <>
          <dl className="grid gap-x-8 gap-y-2 px-4 pb-5 md:grid-cols-3 md:px-6">
            <Fact name="Email">{customer.email ?? '–'}</Fact>
            <Fact name="External ID">{customer.externalId}</Fact>
            <Fact name="Since">
              <Time at={customer.createdAt} />
            </Fact>
          </dl>
          <CustomerEvents customerId={customer.id} />
        </>
      )}
      {customer && opened === 'edit' && <EditDialog customer={customer} onClose={close} />}
      {customer && opened === 'erase' && <EraseDialog customer={customer} onClose={close} />}
    </Page>
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

interface CustomerDialogProps {
  customer: Schemas['Customer'];
  onClose(): void;
}

function EditDialog({ customer, onClose }: CustomerDialogProps) {
  const [name, setName] = useState(customer.name ?? '');
  const [email, setEmail] = useState(customer.email ?? '');
  const [seen] = useState(customer);
  const { update: save } = useResource('customers', { onUpdated: onClose });
  const messages = messagesOf(save.error);
  return (
    <FormDialog
      title="Edit customer"
      action="Save"
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={() =>
        save.write({
          seen,
          body: { name: name === '' ? null : name, email: email === '' ? null : email },
        })
      }
    >
      <TextField
        label="Name"
        maxLength={100}
        value={name}
        error={messages['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Email"
        type="email"
        maxLength={100}
        value={email}
        error={messages['email']}
        onChange={(event) => setEmail(event.target.value)}
      />
    </FormDialog>
  );
}

function EraseDialog({ customer, onClose }: CustomerDialogProps) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const { remove: erase } = useResource('customers', {
    onRemoved: () => navigate({ to: '/$workspace/customers', params: { workspace: slug } }),
  });
  return (
    <FormDialog
      title={`Erase the customer “${customerName(customer)}”?`}
      action="Erase permanently"
      isDanger
      onClose={onClose}
      busy={erase.isPending}
      error={erase.error}
      onSubmit={() => erase.write(customer)}
    >
      <p>
        This removes their name, email and all other personal data, also from their events. The
        events stay in analytics. You can’t undo this.
      </p>
    </FormDialog>
  );
}
