import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useRef, useState } from 'react';
import { answer, type Schemas } from '../../api/client.ts';
import { describe } from '../../api/error.ts';
import { useWrite } from '../../api/queries.ts';
import { RestoredNote, useDraft } from '../../app/draft.tsx';
import { useWorkspace } from '../../app/workspace.tsx';
import {
  fieldErrors,
  fieldOf,
  useFieldErrors,
  useFocusOnRefusal,
} from '../../short-links/errors.ts';
import { Button, copy } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useIsShown } from '../../ui/use-is-shown.ts';
import { type Link, linkQuery, refreshLinks } from '../question.ts';
import { Aside } from './aside.tsx';
import { changesOf, draftOf, EMPTY } from './draft.ts';
import { LinkForm } from './form.tsx';

interface LinkDialogProps {
  /** The link to change; without one, a new link is made. */
  id?: string;
  onClose(): void;
}

/** Makes a link, or changes one. */
export function LinkDialog({ id, onClose }: LinkDialogProps) {
  const { api } = useWorkspace();
  const link = useQuery({ ...linkQuery(api, id ?? ''), enabled: id !== undefined });
  if (id === undefined) return <LinkEditor onClose={onClose} />;
  if (link.data !== undefined) {
    // Choosing the winner of a test changes the destination.
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
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const formId = useId();
  const [before] = useState(() => (link === undefined ? EMPTY : draftOf(link)));
  const kept = useDraft(`link ${link?.id ?? 'new'}`, before);
  const { draft, isChanged } = kept;
  const [isLeaving, setLeaving] = useState(false);
  const mayWrite = may('links.write');
  const isShown = useIsShown();
  const close = () => {
    kept.forget();
    onClose();
  };

  const save = useWrite<Partial<Schemas['NewLink']>, Link>({
    send: (body, key) =>
      link === undefined
        ? answer(
            api.POST('/links', {
              params: { header: { 'Idempotency-Key': key } },
              body: body as Schemas['NewLink'],
            }),
          )
        : answer(
            api.PATCH('/links/{linkId}', {
              params: { path: { linkId: link.id } },
              body: body as Schemas['LinkUpdate'],
            }),
          ),
    onDone(saved) {
      client.setQueryData(linkQuery(api, saved.id).queryKey, saved);
      void refreshLinks(client);
      // It may have been closed while there was no connection.
      if (isShown.current) close();
      if (link !== undefined) return toast('Link saved');
      // The browser may refuse: the click that allowed it is over.
      return copy(saved.shortLink).then(
        () => toast(`${saved.domain}/${saved.key} created and copied`),
        () => toast(`${saved.domain}/${saved.key} created`),
      );
    },
    onFailed(error) {
      kept.noteFailure(error);
      if (isShown.current) return;
      kept.keep();
      toast(`The link is not saved. ${describe(error)} Open the form again.`, 'danger');
    },
  });
  const isMarked = hasFields(save.error);
  const [errors, correct] = useFieldErrors(save.error);
  const form = useRef<HTMLFormElement>(null);
  useFocusOnRefusal(form, save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) save.write(changesOf(draft, before), kept.idempotencyKey());
    else onClose();
  };

  return (
    <Dialog
      title={link === undefined ? 'New link' : `${link.domain}/${link.key}`}
      size="large"
      onClose={close}
      mayClose={() => {
        if (!isChanged || save.isPending || !mayWrite) return true;
        setLeaving(true);
        return false;
      }}
      footer={
        <Footer
          formId={formId}
          isNew={link === undefined}
          mayWrite={mayWrite}
          isLeaving={isLeaving}
          isBusy={save.isPending}
          isPaused={save.isPaused}
          stay={() => setLeaving(false)}
          onClose={close}
        />
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
              {isMarked
                ? 'The link is not saved yet: see the marked fields.'
                : describe(save.error)}
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
        <Aside draft={draft} link={link} />
      </div>
    </Dialog>
  );
}

interface FooterProps {
  formId: string;
  isNew: boolean;
  mayWrite: boolean;
  /** The dialog is to be closed, and would lose changes. */
  isLeaving: boolean;
  isBusy: boolean;
  /** It waits for a connection. */
  isPaused: boolean;
  stay(): void;
  onClose(): void;
}

function Footer({
  formId,
  isNew,
  mayWrite,
  isLeaving,
  isBusy,
  isPaused,
  stay,
  onClose,
}: FooterProps) {
  if (!mayWrite) return <Button onClick={onClose}>Close</Button>;
  if (isLeaving) {
    return (
      <>
        <p role="alert" className="flex-1">
          Your changes are not saved.
        </p>
        <Button look="danger" onClick={onClose}>
          Discard
        </Button>
        <Button look="primary" autoFocus onClick={stay}>
          Keep editing
        </Button>
      </>
    );
  }
  return (
    <>
      <p role="status" className="flex-1 text-muted">
        {isPaused ? 'No connection. It will be saved when it is back.' : ''}
      </p>
      <Button onClick={onClose}>{isPaused ? 'Close' : 'Cancel'}</Button>
      <Button type="submit" form={formId} look="primary" busy={isBusy}>
        {isNew ? 'Create link' : 'Save'}
      </Button>
    </>
  );
}

/** A refusal names fields, and the form has each of them. */
function hasFields(error: unknown): boolean {
  const names = Object.keys(fieldErrors(error)).map(fieldOf);
  return names.length > 0 && names.every((name) => name in EMPTY || name.startsWith('utm_'));
}
