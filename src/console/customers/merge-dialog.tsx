import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { useFields } from '../ui/use-fields.ts';
import { customerName } from './customer-name.ts';

/** Asks for the customer into whom another one is merged, and opens the page of that customer. */
export function MergeDialog({
  customer,
  onClose,
}: {
  customer: Schemas['Customer'];
  onClose(): void;
}) {
  const { api, slug } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const merge = useWrite({
    send: (externalId: string, key) => {
      const body = { customerIds: [customer.id], into: `ext_${externalId}` };
      return answer(api.POST('/customers/merge', { ...idempotent(key), body }));
    },
    onDone: (remaining: Schemas['Customer']) => {
      for (const family of [keys.customers, keys.events]) {
        void client.invalidateQueries({ queryKey: family.all });
      }
      toast('Customers merged');
      onClose();
      void navigate({
        to: '/$workspace/customers/$customerId',
        params: { workspace: slug, customerId: remaining.id },
      });
    },
  });
  const { values, text } = useFields({ into: '' }, merge.error);
  return (
    <FormDialog
      title={`Merge “${customerName(customer)}” into another customer`}
      action="Merge"
      onClose={onClose}
      busy={merge.isPending}
      error={merge.error}
      onSubmit={() => merge.write(values.into)}
    >
      <TextField
        label="External ID of the other customer"
        required
        maxLength={100}
        {...text('into')}
      />
      <p className="text-muted">
        The other customer gets all leads and sales of this one. You can’t undo this.
      </p>
    </FormDialog>
  );
}
