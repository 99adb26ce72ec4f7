import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Pause, Play, RefreshCw, Send } from 'lucide-react';
import { useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { RemoveDialog } from '../app/remove-dialog.tsx';
import { recordQuery, useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { deleteItem, editItem } from '../ui/menu-items.ts';
import { Page } from '../ui/page.tsx';
import { SecretDialog } from '../ui/secret-dialog.tsx';
import { Time } from '../ui/time.tsx';
import { toastError } from '../ui/toast-error.ts';
import { Deliveries } from './deliveries.tsx';
import { filterInWords } from './filter-fields.tsx';
import { REFRESH_MS } from './queries.ts';
import { scopeInWords } from './scope-fields.tsx';
import { WebhookState } from './state.tsx';
import { TestDialog } from './test-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

/** Reason of the API for a webhook that a person disabled. */
const BY_OWNER = /* value */ 'Disabled by its owner';

type Opened = 'edit' | 'rotate' | 'delete' | 'test';

/** The page of a webhook with its deliveries. */
export function WebhookPage() {
  const { webhookId } = useParams({ from: '/$workspace/webhooks/$webhookId' });
  const { api, may } = useWorkspace();
  const [opened, setOpened] = useState<Opened>();
  const [secret, setSecret] = useState<string>();
  const close = () => setOpened(undefined);
  // Each delivery can change whether the webhook fails.
  const query = useQuery({
    ...recordQuery(api, 'webhooks', webhookId),
    refetchInterval: REFRESH_MS,
  });
  const { update } = useResource('webhooks', { onFailed: toastError });
  const enable = (enabled: boolean) => update.write({ seen: query.data!, body: { enabled } });
  const rotate = useWrite({
    send: (_: undefined, key) =>
      answer(api.POST('/webhooks/{id}/rotate-secret', idempotent(key, { id: webhookId }))),
    onDone: (made) => {
      close();
      setSecret(made.secret);
    },
  });
  const webhook = query.data;
  return (
    <Page
      title={webhook?.name ?? 'Webhook'}
      actions={
        webhook !== undefined &&
        may('webhooks.write') && (
          <>
            <Button icon={Send} onClick={() => setOpened('test')}>
              Send test event
            </Button>
            <RowMenu
              label="Actions for the webhook"
              items={[
                editItem(() => setOpened('edit')),
                webhook.enabled
                  ? { label: 'Disable', icon: Pause, onSelect: () => enable(false) }
                  : { label: 'Enable', icon: Play, onSelect: () => enable(true) },
                { label: 'Rotate secret', icon: RefreshCw, onSelect: () => setOpened('rotate') },
                deleteItem(() => setOpened('delete')),
              ]}
            />
          </>
        )
      }
    >
      <Loaded query={query} skeleton="mx-6 h-24">
        {(loaded) => (
          <>
            <Facts webhook={loaded} />
            <Deliveries webhookId={loaded.id} />
          </>
        )}
      </Loaded>
      {webhook && opened === 'edit' && <WebhookDialog webhook={webhook} onClose={close} />}
      {webhook && opened === 'test' && <TestDialog webhook={webhook} onClose={close} />}
      {opened === 'rotate' && (
        <FormDialog
          title="Rotate the secret?"
          action="Rotate secret"
          onClose={close}
          busy={rotate.isPending}
          error={rotate.error}
          onSubmit={() => rotate.write(undefined)}
        >
          <p>
            You get a new secret. For 24 hours, requests are signed with both secrets, so that no
            request is rejected while you switch.
          </p>
        </FormDialog>
      )}
      {webhook && opened === 'delete' && (
        <RemoveDialog
          noun="webhooks"
          record={webhook}
          title={`Delete the webhook “${webhook.name}”?`}
          action="Delete webhook"
          onClose={close}
          list="/$workspace/webhooks"
        >
          We’ll stop sending events and delete the delivery log. You can’t undo this.
        </RemoveDialog>
      )}
      {secret !== undefined && (
        <SecretDialog
          title="Secret rotated"
          label="Secret"
          secret={secret}
          onClose={() => setSecret(undefined)}
        >
          Set it on your server within 24 hours.
        </SecretDialog>
      )}
    </Page>
  );
}

function Facts({ webhook }: { webhook: Schemas['Webhook'] }) {
  return (
    <div className="flex flex-col gap-2 px-4 pb-4 md:px-6">
      <p className="flex flex-wrap items-center gap-2">
        <WebhookState webhook={webhook} />
        <code className="text-xs break-all">{webhook.url}</code>
      </p>
      <p className="text-muted">{webhook.kinds.join(', ')}</p>
      <p className="text-muted">
        {[scopeInWords(webhook), filterInWords(webhook.filter)].filter(Boolean).join('; ')}
      </p>
      {!webhook.enabled && webhook.disabledReason !== null && (
        <p className="text-warning">
          {webhook.disabledReason === BY_OWNER ? (
            <>
              Nothing is sent while the webhook is disabled. Once it is enabled, resend the held
              deliveries.
            </>
          ) : (
            <>Disabled: {webhook.disabledReason}. Fix your server, then enable the webhook again.</>
          )}
        </p>
      )}
      {webhook.enabled && webhook.failingSince !== null && (
        <p className="text-warning">
          Deliveries started to fail <Time at={webhook.failingSince} />. Open one to see the reason.
        </p>
      )}
    </div>
  );
}
