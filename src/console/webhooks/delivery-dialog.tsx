import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { fieldsInWords, inWords } from '../api/error-words.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { ReadText } from '../ui/read-text.tsx';
import { sentence } from '../ui/sentence.ts';
import { Time } from '../ui/time.tsx';
import { toastError } from '../ui/toast-error.ts';
import { toast } from '../ui/toasts.tsx';
import { DeliveryState } from './state.tsx';

/** Refetch interval of the delivery, which can get new attempts at any time, in ms. */
const REFRESH_MS = 2_000;

interface DeliveryDialogProps {
  webhookId: string;
  deliveryId: string;
  onClose(): void;
}

/** A dialog with the request of a delivery and the response to each attempt. */
export function DeliveryDialog({ webhookId, deliveryId, onClose }: DeliveryDialogProps) {
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const path = { id: webhookId, deliveryId };
  const query = useQuery({
    queryKey: keys.deliveries.one(webhookId, deliveryId),
    queryFn: ({ signal }) =>
      answer(api.GET('/webhooks/{id}/deliveries/{deliveryId}', { params: { path }, signal })),
    refetchInterval: REFRESH_MS,
  });
  const resend = useWrite({
    send: (_: undefined, key) =>
      answer(api.POST('/webhooks/{id}/deliveries/{deliveryId}/resend', idempotent(key, path))),
    onDone: () => {
      void client.invalidateQueries({ queryKey: keys.deliveries.one(webhookId) });
      toast('Resending the delivery');
    },
    onFailed: toastError,
  });
  return (
    <Dialog
      title={query.data?.kind ?? 'Delivery'}
      size="medium"
      onClose={onClose}
      footer={
        may('webhooks.write') && (
          <Button icon={RotateCw} busy={resend.isPending} onClick={() => resend.write(undefined)}>
            Resend
          </Button>
        )
      }
    >
      <Loaded query={query} skeleton="h-40 w-full">
        {(delivery) => (
          <div className="flex flex-col gap-5">
            <p className="flex flex-wrap items-center gap-2">
              <DeliveryState {...delivery} />
              <code className="text-xs break-all text-muted">{delivery.id}</code>
            </p>
            {delivery.nextAttemptAt !== null && delivery.state === 'pending' && (
              <p className="text-muted">
                Next attempt: <Time at={delivery.nextAttemptAt} />
              </p>
            )}
            <section className="flex flex-col gap-2">
              <h3 className="font-semibold">Attempts</h3>
              {delivery.log.length === 0 && <p className="text-muted">No attempts yet.</p>}
              {delivery.log.map((attempt) => (
                <Attempt key={attempt.at} attempt={attempt} />
              ))}
            </section>
            <section className="flex flex-col gap-2">
              <h3 className="font-semibold">Request</h3>
              <ReadText label="Request body">{indented(delivery.request.body)}</ReadText>
              <details>
                <summary className="py-1.5 text-muted max-md:py-3">Headers</summary>
                <ReadText label="Request headers">{headersOf(delivery.request.headers)}</ReadText>
              </details>
            </section>
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

/** Translates the error of an attempt, such as "url must have a host …", into plain words. */
function failureOf(error: string): string {
  const [words] = Object.values(fieldsInWords(error));
  return words === undefined ? sentence(error) : inWords(words, 'URL');
}

function Attempt({ attempt }: { attempt: Schemas['DeliveryAttempt'] }) {
  const { at, status, error, durationMs, response } = attempt;
  return (
    <div className="flex flex-col gap-1 rounded-md border border-line p-3">
      <p className="flex flex-wrap justify-between gap-2">
        <span className={error === null ? 'text-success' : 'text-danger'}>
          {error === null ? status : failureOf(error)}
        </span>
        <span className="text-muted">
          <Time at={at} />, {durationMs} ms
        </span>
      </p>
      {response !== null && response.body !== '' && (
        <ReadText label="Response body">{response.body}</ReadText>
      )}
    </div>
  );
}

const headersOf = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
