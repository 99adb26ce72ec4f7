import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useRef, useState } from 'react';
import { describe } from '../../api/error.ts';
import { keys } from '../../api/keys.ts';
import { useWrite } from '../../api/queries.ts';
import { useIsOnline } from '../../api/reachability.ts';
import { type KeptDraft, RestoredNote, useDraft } from '../../app/draft.tsx';
import { recordQuery, saveRecord } from '../../app/resource.ts';
import { useWorkspace, WorkspaceProvider } from '../../app/workspace.tsx';
import { hasEveryField, useFieldErrors, useFocusOnRefusal } from '../../short-links/errors.ts';
import { ScheduleDialog } from '../../short-links/schedule-dialog.tsx';
import { Button, copy } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { openDialog } from '../../ui/open-dialogs.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useIsPainted } from '../../ui/use-is-painted.ts';
import { useIsShown } from '../../ui/use-is-shown.ts';
import type { Link } from '../kind.ts';
import { Aside } from './aside.tsx';
import { changesOf, creationOf, type Draft, draftOf, EMPTY } from './draft.ts';
import { LinkForm } from './form.tsx';
import { QrDialog } from './qr-code.tsx';

interface LinkDialogProps {
  /** Id of the link to edit; absent for a new link. */
  id?: string;
  onClose(): void;
}

/** A dialog that creates or edits a link. */
export function LinkDialog({ id, onClose }: LinkDialogProps) {
  const { api } = useWorkspace();
  const link = useQuery({ ...recordQuery(api, 'links', id ?? ''), enabled: id !== undefined });
  if (id === undefined) return <LinkEditor onClose={onClose} />;
  if (link.data !== undefined) {
    // The key changes when a test gets a winner, because that changes the destination.
    return <LinkEditor key={link.data.testWinner} link={link.data} onClose={onClose} />;
  }
  return (
    <Dialog title="Link" size="large" onClose={onClose}>
      {link.error ? (
        <Failure error={link.error} retry={() => void link.refetch()} />
      ) : (
        <Skeleton className="h-96 w-full" />
      )}
    </Dialog>
  );
}

function LinkEditor({ link, onClose }: { link?: Link; onClose(): void }) {
  const { may } = useWorkspace();
  const formId = useId();
  // The version from when the form was opened, because the person has not seen later changes.
  const [seen] = useState(link);
  const [before] = useState(() => (seen === undefined ? EMPTY : draftOf(seen)));
  const kept = useDraft(`link ${link?.id ?? 'new'}`, before);
  const { draft, isChanged } = kept;
  const [isLeaving, setLeaving] = useState(false);
  const [isScheduling, setScheduling] = useState(false);
  const mayWrite = may('links.write');
  const isPainted = useIsPainted();
  const close = () => {
    kept.forget();
    onClose();
  };
  const save = useSave(seen, kept, close);
  const isOnline = useIsOnline();
  // The browser pauses a write without a network; without the service, it is repeated.
  const isWaiting = save.isPaused || (save.isPending && !isOnline);
  const isMarked = hasEveryField(save.error, EMPTY);
  const [errors, correct] = useFieldErrors(save.error);
  const form = useRef<HTMLFormElement>(null);
  useFocusOnRefusal(form, save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) save.write(draft, kept.idempotencyKey());
    else onClose();
  };

  return (
    <>
      <Dialog
        title={link === undefined ? 'Create link' : `${link.domain}/${link.key}`}
        size="large"
        onClose={close}
        mayClose={() => {
          if (!isChanged || save.isPending || !mayWrite) return true;
          setLeaving(true);
          return false;
        }}
        footer={
          mayWrite && isLeaving ? (
            <>
              <p role="alert" className="flex-1">
                Discard your changes?
              </p>
              <Button look="danger" onClick={close}>
                Discard
              </Button>
              <Button look="primary" autoFocus onClick={() => setLeaving(false)}>
                Keep editing
              </Button>
            </>
          ) : mayWrite ? (
            <>
              <p role="status" className="flex-1 text-muted">
                {isWaiting ? 'No connection. We’ll save when you’re back online.' : ''}
              </p>
              <Button onClick={close}>{isWaiting ? 'Close' : 'Cancel'}</Button>
              {seen !== undefined && (
                <Button disabled={!isChanged || save.isPending} onClick={() => setScheduling(true)}>
                  Schedule
                </Button>
              )}
              <Button type="submit" form={formId} look="primary" busy={save.isPending}>
                {link === undefined ? 'Create link' : 'Save'}
              </Button>
            </>
          ) : (
            <Button onClick={close}>Done</Button>
          )
        }
      >
        <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
          <form
            ref={form}
            id={formId}
            noValidate
            onSubmit={submit}
            className="flex min-w-0 flex-col gap-4"
          >
            <RestoredNote {...kept} />
            {save.error && (!isMarked || Object.keys(errors).length > 0) && (
              <p role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
                {isMarked ? 'Fix the highlighted fields to save.' : describe(save.error)}
              </p>
            )}
            <fieldset disabled={!mayWrite || save.isPending} className="contents">
              <LinkForm
                draft={draft}
                record={link}
                errors={isMarked ? errors : {}}
                change={(part) => {
                  correct(part);
                  kept.setDraft((now) => ({ ...now, ...part }));
                }}
              />
            </fieldset>
          </form>
          {isPainted ? <Aside draft={draft} link={link} /> : <Skeleton className="h-96" />}
        </div>
      </Dialog>
      {isScheduling && seen !== undefined && (
        <ScheduleDialog
          list="links"
          id={seen.id}
          changes={changesOf(draft, draftOf(seen))}
          onScheduled={close}
          onClose={() => setScheduling(false)}
        />
      )}
    </>
  );
}

/**
 * Saves the link of a form, and says what became of it even after the dialog is closed.
 *
 * @param close closes the dialog
 */
function useSave(
  seen: Link | undefined,
  { noteFailure, keep }: KeptDraft<Draft>,
  close: () => void,
) {
  const workspace = useWorkspace();
  const { slug, api } = workspace;
  const navigate = useNavigate();
  const client = useQueryClient();
  const isShown = useIsShown();
  /** Actions in the message about a new link. */
  const nextSteps = (link: Link) => [
    { label: 'Open', href: link.shortLink },
    {
      label: 'QR code',
      run: () =>
        // The dialog is rendered beside the views of the workspace.
        void openDialog((shut) => (
          <WorkspaceProvider of={workspace}>
            <QrDialog link={link} onClose={() => shut(undefined)} />
          </WorkspaceProvider>
        )),
    },
    {
      label: 'Customize',
      run: () =>
        void navigate({
          to: '/$workspace/links',
          params: { workspace: slug },
          search: { edit: link.id },
        }),
    },
  ];
  return useWrite<Draft, Link>({
    send: (draft, key) =>
      seen === undefined
        ? saveRecord(api, 'links', undefined, creationOf(draft), key)
        : saveRecord(api, 'links', seen, changesOf(draft, draftOf(seen))),
    onDone(saved) {
      client.setQueryData(keys.links.one(saved.id), saved);
      void client.invalidateQueries({ queryKey: keys.links.all });
      // The person may have closed the dialog while the write waited for a connection.
      if (isShown.current) close();
      if (seen !== undefined) return toast('Link saved');
      const name = `${saved.domain}/${saved.key}`;
      const say = (text: string) => toast(text, 'plain', nextSteps(saved));
      // The browser may refuse, because the permission of the click can expire before the response.
      return copy(saved.shortLink).then(
        () => say(`${name} created and copied`),
        () => say(`${name} created`),
      );
    },
    onFailed(error) {
      noteFailure(error);
      if (isShown.current) return;
      keep();
      toast(`The link isn’t saved. ${describe(error)} Open the form again.`, 'danger');
    },
  });
}
