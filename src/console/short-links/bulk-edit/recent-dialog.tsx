import { useQueryClient } from '@tanstack/react-query';
import { Download, Undo2, X } from 'lucide-react';
import type { Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWrite } from '../../api/queries.ts';
import { nameOfField } from '../../app/field-words.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { sentenceCase } from '../../ui/sentence.ts';
import { Time } from '../../ui/time.tsx';
import { toastError } from '../../ui/toast-error.ts';
import { useAction } from '../../ui/use-action.ts';
import type { ListKind } from '../list-kind.ts';
import { command, follow, isBusy, outcomeOf, saveErrors } from './changes.ts';
import { BulkProgress } from './preview.tsx';

type BulkChange = Schemas['BulkChange'];
type Kind = Pick<ListKind, 'list' | 'inWords'>;

interface RecentDialogProps {
  kind: Kind;
  changes: readonly BulkChange[];
  onClose(): void;
}

/** The recent bulk changes of a list, newest first: progress, outcome, Cancel and Undo. */
export function RecentDialog({ kind, changes, onClose }: RecentDialogProps) {
  return (
    <Dialog title="Bulk changes" onClose={onClose}>
      <ul className="-my-3 flex flex-col divide-y divide-line">
        {changes.map((change) => (
          <Entry key={change.id} kind={kind} change={change} />
        ))}
      </ul>
    </Dialog>
  );
}

function Entry({ kind, change }: { kind: Kind; change: BulkChange }) {
  const { api, slug, may } = useWorkspace();
  const client = useQueryClient();
  const [isSaving, run] = useAction();
  const { id, replace, counts, undo, state } = change;
  const context = { api, client, slug };
  const { write, isPending } = useWrite({
    send: (verb: 'cancel' | 'undo', key) => command(api, kind.list, verb, id, key),
    onDone(_, verb) {
      if (verb === 'undo') void follow(context, kind, id);
      else void client.invalidateQueries({ queryKey: keys.bulkChanges.list(kind.list) });
    },
    onFailed: toastError,
  });
  const mayWrite = may(`${kind.list}.write`);
  const isUndoable = change.expiresAt !== null && counts.changed > 0;
  const left = undo === null ? counts.refused : undo.total - undo.undone;
  return (
    <li className="flex flex-col gap-2 py-3">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium wrap-anywhere">{titleOf(kind, change)}</span>
        <span className="text-muted">
          <Time at={change.createdAt} />
        </span>
      </p>
      {replace !== null && (
        <p className="font-mono text-xs wrap-anywhere text-muted">
          {replace.find} → {replace.with}
        </p>
      )}
      {isBusy(change) ? (
        <BulkProgress record={change} label={LABELS[state] ?? 'Changing'} />
      ) : (
        <p className="text-muted">{outcomeOf(kind, change)}</p>
      )}
      <div className="flex flex-wrap gap-2 empty:hidden">
        {mayWrite && isBusy(change) && state !== 'undoing' && (
          <Button icon={X} busy={isPending} onClick={() => write('cancel')}>
            Cancel
          </Button>
        )}
        {mayWrite && isUndoable && (
          <Button icon={Undo2} busy={isPending} onClick={() => write('undo')}>
            Undo
          </Button>
        )}
        {!isBusy(change) && left > 0 && (
          <Button
            icon={Download}
            busy={isSaving}
            onClick={() => run(() => saveErrors(context, kind.list, id))}
          >
            {undo === null ? 'Download refused rows' : 'Download the others'}
          </Button>
        )}
      </div>
    </li>
  );
}

const LABELS: Partial<Record<BulkChange['state'], string>> = {
  queued: 'Waiting',
  running: 'Changing',
  undoing: 'Undoing',
};

/** Names the changed fields: "UTM source, expiration". */
function titleOf({ list }: Kind, { data, replace }: BulkChange): string {
  const names = Object.keys(data).map((field) => nameOfField(`/${list}`, field));
  const [first, ...others] = replace === null ? names : ['Find and replace', ...names];
  return [sentenceCase(first ?? ''), ...others].join(', ');
}
