import { useQuery } from '@tanstack/react-query';
import { MailCheck, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { answer, apiOf } from '../api/client.ts';
import { describe } from '../api/error.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { personClient } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

const api = apiOf(undefined);

/** The section for jobs that failed permanently and visits that the database rejected. */
export function DeadLetters() {
  const [openedId, setOpenedId] = useState<string>();
  const query = useQuery(
    {
      queryKey: keys.admin.list('dead-letters'),
      queryFn: ({ signal }) => answer(api.GET('/admin/dead-letters', { signal })),
    },
    personClient,
  );
  return (
    <section aria-labelledby="dead-letters" className="pb-10">
      <h2 id="dead-letters" className="px-4 pb-1 font-semibold md:px-6">
        Dead letters
      </h2>
      {query.isPending && <Skeleton className="mx-6 h-24" />}
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data?.length === 0 && (
        <Empty icon={MailCheck} title="No dead letters">
          Jobs that failed for good appear here with their error. You can retry or discard them.
        </Empty>
      )}
      {query.data !== undefined && query.data.length > 0 && (
        <Table
          label="Dead letters"
          rows={query.data}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Job',
              render: ({ id, job, source }) => (
                <div className="flex flex-col items-start">
                  <button
                    type="button"
                    className="text-left font-medium hover:underline max-md:min-h-11"
                    onClick={() => setOpenedId(id)}
                  >
                    {job}
                  </button>
                  <span className="text-xs text-muted">{source}</span>
                </div>
              ),
            },
            {
              name: 'Error',
              render: ({ error }) => <span className="line-clamp-2 break-words">{error}</span>,
            },
            { name: 'Workspace', isMinor: true, render: ({ projectId }) => projectId },
            { name: 'Failed', render: ({ failedAt }) => <Time at={failedAt} /> },
          ]}
        />
      )}
      {openedId !== undefined && (
        <DeadLetterDialog id={openedId} onClose={() => setOpenedId(undefined)} />
      )}
    </section>
  );
}

function DeadLetterDialog({ id, onClose }: { id: string; onClose(): void }) {
  const path = { id };
  const query = useQuery(
    {
      queryKey: keys.admin.list('dead-letters', id),
      queryFn: ({ signal }) =>
        answer(api.GET('/admin/dead-letters/{id}', { params: { path }, signal })),
    },
    personClient,
  );
  const over = (text: string) => ({
    onDone: () => {
      void personClient.invalidateQueries({ queryKey: keys.admin.all });
      toast(text);
      onClose();
    },
    onFailed: (error: Error) => toast(describe(error), 'danger'),
  });
  const retry = useWrite({
    send: (_: undefined) =>
      answer(api.POST('/admin/dead-letters/{id}/retry', { params: { path } })),
    ...over('Job queued again'),
  });
  const discard = useWrite({
    send: (_: undefined) => api.DELETE('/admin/dead-letters/{id}', { params: { path } }),
    ...over('Job discarded'),
  });
  const letter = query.data;
  return (
    <Dialog
      title={letter?.job ?? 'Dead letter'}
      onClose={onClose}
      footer={
        <>
          <Button
            look="danger"
            icon={Trash2}
            busy={discard.isPending}
            onClick={() => discard.write(undefined)}
          >
            Discard
          </Button>
          <Button
            look="primary"
            icon={RotateCw}
            busy={retry.isPending}
            onClick={() => retry.write(undefined)}
          >
            Retry
          </Button>
        </>
      }
    >
      {query.isPending && <Skeleton className="h-40 w-full" />}
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {letter && (
        <div className="flex flex-col gap-4">
          <p className="text-danger">{letter.error}</p>
          <p className="text-muted">
            {letter.attempts} {letter.attempts === 1 ? 'attempt' : 'attempts'}, the last{' '}
            <Time at={letter.failedAt} />.
          </p>
          <Text label="Job input">{JSON.stringify(letter.data, undefined, 2)}</Text>
          <Text label="Stack trace">{letter.stack}</Text>
        </div>
      )}
    </Dialog>
  );
}

function Text({ label, children }: { label: string; children: string }) {
  if (children === '') return null;
  return (
    <textarea
      readOnly
      aria-label={label}
      rows={8}
      value={children}
      className="w-full rounded-md border border-line bg-ground p-3 font-mono text-xs"
    />
  );
}
