import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { SelectField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { ALL_KINDS, type WebhookKind } from './kinds.ts';

/** A dialog that sends a sample event. */
export function TestDialog({ webhook, onClose }: { webhook: Schemas['Webhook']; onClose(): void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [kind, setKind] = useState<WebhookKind>(webhook.kinds[0] ?? 'link.created');
  const test = useWrite({
    send: (body: { kind: WebhookKind }, key) =>
      answer(api.POST('/webhooks/{id}/test', { ...idempotent(key, { id: webhook.id }), body })),
    onDone: () => {
      void client.invalidateQueries({ queryKey: keys.deliveries.one(webhook.id) });
      toast('Test event sent');
      onClose();
    },
  });
  return (
    <FormDialog
      title="Send a test event"
      action="Send"
      onClose={onClose}
      busy={test.isPending}
      error={test.error}
      onSubmit={() => test.write({ kind })}
    >
      <SelectField
        label="Event"
        hint="We send an example event. Its data has “test”: true."
        value={kind}
        onChange={(event) => setKind(event.target.value as WebhookKind)}
        options={ALL_KINDS.map((one) => [one, one])}
      />
    </FormDialog>
  );
}
