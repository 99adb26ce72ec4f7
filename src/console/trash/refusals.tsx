import { X } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';
import { countOf } from '../ui/count-of.ts';
import { nameOf, type Refusal, type Trashed } from './restore.ts';

interface RefusalsProps {
  refusals: readonly Refusal[];
  /** Opens the dialog that restores a link under another slug. */
  onRename(record: Trashed): void;
  onDismiss(): void;
}

/** The records that could not be restored, each with its reason and what to do. */
export function Refusals({ refusals, onRename, onDismiss }: RefusalsProps) {
  if (refusals.length === 0) return null;
  return (
    <section
      role="alert"
      aria-label="Not restored"
      className="mx-4 mb-3 rounded-lg bg-danger-soft p-3 text-danger md:mx-6 forced-colors:border"
    >
      <div className="flex items-start justify-between gap-2">
        <h2 className="font-semibold">Not restored: {countOf(refusals.length, 'record')}</h2>
        <IconButton icon={X} label="Dismiss" onClick={onDismiss} className="-mt-1.5 -mr-1.5" />
      </div>
      <ul className="flex flex-col gap-2">
        {refusals.map(({ record, reason, isTaken }) => (
          <li key={record.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="min-w-0 wrap-anywhere">
              <strong>{nameOf(record)}</strong>: {reason}
              {isTaken &&
                record.type === 'qrcode' &&
                ' The slug of a printed code can’t change: give the other record another slug or delete it, then restore this code.'}
            </span>
            {isTaken && record.type === 'link' && (
              <Button size="small" onClick={() => onRename(record)} className="text-ink">
                Restore under another slug
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
