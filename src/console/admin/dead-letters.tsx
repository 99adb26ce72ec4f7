import { MailCheck, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { answer } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { countOf } from '../ui/count-of.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { RowButton } from '../ui/row-button.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toastError } from '../ui/toast-error.ts';
import { AdminSection, api, useAdminQuery, useAdminWrite } from './section.tsx';

/** The section for jobs that failed permanently and visits that the database rejected. */
export function DeadLetters() {
  const [openedId, setOpenedId] = useState<string>();
  const query = useAdminQuery(['dead-letters'], (signal) =>
    answer(api.GET('/admin/dead-letters', { signal })),
  );
  return (
    <AdminSection title="Dead letters">
      <Loaded
        query={query}
        skeleton="mx-6 h-24"
        empty={
          <Empty icon={MailCheck} title="No dead letters">
            Jobs that failed for good appear here with their error. You can retry or discard them.
          </Empty>
        }
      >
        {(letters) => (
          <Table
            label="Dead letters"
            rows={letters}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Job',
                render: ({ id, job, source }) => (
                  <div className="flex flex-col items-start">
                    <RowButton onClick={() => setOpenedId(id)}>{job}</RowButton>
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
      </Loaded>
      {openedId !== undefined && (
        <DeadLetterDialog id={openedId} onClose={() => setOpenedId(undefined)} />
      )}
    </AdminSection>
  );
}

function DeadLetterDialog({ id, onClose }: { id: string; onClose(): void }) {
  const params = { path: { id } };
  const query = useAdminQuery(['dead-letters', id], (signal) =>
    answer(api.GET('/admin/dead-letters/{id}', { params, signal })),
  );
  const retry = useAdminWrite('Job queued again', onClose, {
    send: (_: undefined) => answer(api.POST('/admin/dead-letters/{id}/retry', { params })),
    onFailed: toastError,
  });
  const discard = useAdminWrite('Job discarded', onClose, {
    send: (_: undefined) => api.DELETE('/admin/dead-letters/{id}', { params }),
    onFailed: toastError,
  });
  return (
    <Dialog
      title={query.data?.job ?? 'Dead letter'}
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
      <Loaded query={query} skeleton="h-40 w-full">
        {(letter) => (
          <div className="flex flex-col gap-4">
            <p className="text-danger">{letter.error}</p>
            <p className="text-muted">
              {countOf(letter.attempts, 'attempt')}, the last <Time at={letter.failedAt} />.
            </p>
            <Text label="Job input">{JSON.stringify(letter.data, undefined, 2)}</Text>
            <Text label="Stack trace">{letter.stack}</Text>
          </div>
        )}
      </Loaded>
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
