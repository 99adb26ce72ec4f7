import { useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { ReadText } from '../ui/read-text.tsx';
import { sentence } from '../ui/sentence.ts';
import { Badge } from '../ui/states.tsx';
import { KINDS } from './kinds.ts';

type Test = NonNullable<Schemas['Destination']['lastTest']>;

interface TestDialogProps {
  destination: Schemas['Destination'];
  onClose(): void;
}

/** A dialog that sends a test event and shows the response of the receiver. */
export function TestDialog({ destination, onClose }: TestDialogProps) {
  const { id, type, lastTest } = destination;
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [sentId, setSentId] = useState<string>();
  const send = useWrite({
    send: (_: undefined, key) =>
      answer(api.POST('/destinations/{id}/test', idempotent(key, { id }))),
    onDone: (record) => {
      client.setQueryData(keys.destinations.one(id), record);
      setSentId(record.lastTest?.id);
    },
  });
  const shown = lastTest?.id === sentId ? lastTest : null;
  const isBusy = send.isPending || shown?.state === 'pending';
  return (
    <Dialog
      title="Send a test event"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Done</Button>
          <Button
            look="primary"
            icon={Send}
            busy={isBusy}
            data-autofocus
            onClick={() => send.write(undefined)}
          >
            {shown === null ? 'Send' : 'Send again'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Refused error={send.error} />
        <p>
          We send one example click, marked as a test, with the stored settings.{' '}
          {KINDS[type].testHint}
        </p>
        <div role="status">{shown && <Result test={shown} />}</div>
      </div>
    </Dialog>
  );
}

function Result({ test: { state, status, durationMs, response, error } }: { test: Test }) {
  if (state === 'pending') return <p className="text-muted">Waiting for the response…</p>;
  const facts = [
    status === null ? undefined : `Status ${status}`,
    durationMs === null ? undefined : `${durationMs} ms`,
  ];
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line p-3">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={state === 'succeeded' ? 'success' : 'danger'}>
          {state === 'succeeded' ? 'Accepted' : 'Not accepted'}
        </Badge>
        <span className="text-muted">{facts.filter(Boolean).join(', ')}</span>
      </p>
      {error !== null && <p className="text-danger">{sentence(error)}</p>}
      {response !== null && response !== '' && <ReadText label="Response">{response}</ReadText>}
    </div>
  );
}
