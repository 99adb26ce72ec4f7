import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { newIdempotencyKey } from '../../api/client.ts';
import { useWrite } from '../../api/queries.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { messagesOf, Refused } from '../../ui/form-dialog.tsx';
import { Failure } from '../../ui/states.tsx';
import { toastError } from '../../ui/toast-error.ts';
import { useIsShown } from '../../ui/use-is-shown.ts';
import {
  bulkChangeQuery,
  check,
  command,
  type EditedKind,
  follow,
  isBusy,
  storeAnswer,
} from './changes.ts';
import { BULK_FIELDS } from './fields.tsx';
import { type BulkEditName, bodyOf, EMPTY_FORM } from './form.ts';
import { BulkProgress, Preview } from './preview.tsx';

const TITLES: Readonly<Record<BulkEditName, string>> = {
  utm: 'Edit UTM parameters',
  expiration: 'Edit expiration',
  domain: 'Move to another domain',
  replace: 'Find and replace in destinations',
};

interface BulkEditDialogProps {
  kind: EditedKind;
  name: BulkEditName;
  /** Ids of the records to change. */
  ids: readonly string[];
  onClose(): void;
}

/** A change of many records: a form, a preview of what would change, and the progress. */
export function BulkEditDialog({ kind, name, ids, onClose }: BulkEditDialogProps) {
  const { api, slug } = useWorkspace();
  const client = useQueryClient();
  const [form, setForm] = useState(EMPTY_FORM);
  const [isStarted, setStarted] = useState(false);
  const formId = useId();
  const isShown = useIsShown();
  const cancelCheck = (one: string) => {
    command(api, kind.list, 'cancel', one, newIdempotencyKey()).catch(() => undefined);
  };
  const checked = useWrite({
    send: (body: NonNullable<ReturnType<typeof bodyOf>>, key) =>
      check(api, kind.list, { ...body, ids: [...ids] }, key),
    // An answer that arrives after the dialog was closed ends the check.
    onDone: (record) => (isShown.current ? storeAnswer(client, record) : cancelCheck(record.id)),
  });
  const id = checked.data?.id;
  const query = useQuery({
    ...bulkChangeQuery(api, kind.list, id ?? ''),
    enabled: id !== undefined,
  });
  const start = useWrite({
    send: (one: string, key) => command(api, kind.list, 'start', one, key),
    onDone(record) {
      storeAnswer(client, record);
      setStarted(true);
      void follow({ api, client, slug }, kind, record.id);
    },
  });
  const cancel = useWrite({
    send: (one: string, key) => command(api, kind.list, 'cancel', one, key),
    onDone: (canceled) => storeAnswer(client, canceled),
    onFailed: toastError,
  });
  const record = id === undefined ? undefined : query.data;
  const isEnded = isStarted && record !== undefined && !isBusy(record);
  useEffect(() => {
    if (isEnded) onClose();
  }, [isEnded, onClose]);

  /** Ends the check, so that it does not count among the unfinished changes. */
  const discard = () => {
    if (id !== undefined && !isStarted) cancelCheck(id);
    checked.reset();
    start.reset();
  };
  const close = () => {
    discard();
    onClose();
  };
  const body = bodyOf(name, form);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (body !== undefined) checked.write(body);
  };
  const isPreview = record !== undefined && record.state === 'checked';
  const Fields = BULK_FIELDS[name];
  return (
    <Dialog
      title={`${TITLES[name]} (${kind.inWords(ids.length)})`}
      onClose={close}
      mayClose={() => !start.isPending}
      footer={
        id === undefined ? (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button
              type="submit"
              form={formId}
              look="primary"
              busy={checked.isPending}
              disabled={body === undefined}
            >
              Preview
            </Button>
          </>
        ) : isStarted ? (
          <>
            <Button busy={cancel.isPending} onClick={() => cancel.write(id)}>
              Cancel
            </Button>
            <Button onClick={close}>Continue in the background</Button>
          </>
        ) : (
          <>
            <Button onClick={discard} disabled={start.isPending}>
              Back
            </Button>
            <Button
              type="submit"
              form={formId}
              look="primary"
              busy={start.isPending}
              disabled={!isPreview || record.counts.changed === 0}
            >
              {isPreview ? `Apply to ${kind.inWords(record.counts.changed)}` : 'Apply'}
            </Button>
          </>
        )
      }
    >
      {id === undefined ? (
        <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
          <Refused error={checked.error} />
          <Fields
            form={form}
            errors={messagesOf(checked.error)}
            onChange={(changes) => setForm((now) => ({ ...now, ...changes }))}
          />
        </form>
      ) : (
        <form
          id={formId}
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (isPreview) start.write(id);
          }}
        >
          <Refused error={start.error} />
          {query.error !== null && record === undefined ? (
            <Failure error={query.error} retry={() => void query.refetch()} />
          ) : isPreview && !isStarted ? (
            <Preview kind={kind} record={record} />
          ) : (
            <BulkProgress record={record} label={isStarted ? 'Changing' : 'Checking'} />
          )}
        </form>
      )}
    </Dialog>
  );
}
