import { Lock, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { inputLook } from './field.tsx';
import { Refused } from './form-dialog.tsx';

interface Saved {
  id: string;
  name: string;
}

interface SavedListProps<One extends Saved> {
  texts: {
    none: string;
    /** Label of the field for the name of a new record. */
    name: string;
    /** Placeholder of that field. */
    save: string;
    deletionOf(name: string): string;
  };
  records: readonly One[] | undefined;
  mayWrite: boolean;
  busy: boolean;
  /** Error of the last write. */
  error: Error | null;
  /** Returns true for a record that only this person can see. */
  isOwn?(record: One): boolean;
  /** Reason why there is nothing to save, shown instead of the field for a name. */
  unsavable?: string | undefined;
  /** Additional controls below the name of a new record. */
  choice?: ReactNode;
  onOpen(record: One): void;
  onSave(name: string): void;
  onDelete(record: One): void;
}

/**
 * A popover of records saved under a name: it opens them, deletes them, and saves the current state
 * as a new one.
 */
export function SavedList<One extends Saved>(props: SavedListProps<One>) {
  const { texts, records, mayWrite, isOwn } = props;
  const [name, setName] = useState('');
  const save = () => {
    if (name.trim() !== '' && !props.busy) props.onSave(name.trim());
  };
  return (
    <div className="flex flex-col gap-1">
      {records?.length === 0 && !mayWrite && <p className="px-2 py-1 text-muted">{texts.none}</p>}
      {records?.map((record) => (
        <div key={record.id} className="flex items-center">
          <button
            type="button"
            className="h-8 min-w-0 flex-1 truncate rounded-md px-2 text-left hover:bg-hover max-md:h-11"
            onClick={() => props.onOpen(record)}
          >
            {record.name}
          </button>
          {isOwn?.(record) === true && (
            <span title="Only you can see it" className="px-1 text-muted">
              <Lock size={13} aria-hidden />
              <span className="sr-only">Only you can see it</span>
            </span>
          )}
          {mayWrite && (
            <IconButton
              icon={Trash2}
              label={texts.deletionOf(record.name)}
              onClick={() => props.onDelete(record)}
            />
          )}
        </div>
      ))}
      {mayWrite && props.unsavable !== undefined && (
        <p className="px-2 py-1 text-muted">{props.unsavable}</p>
      )}
      {mayWrite && props.unsavable === undefined && (
        <div className="flex flex-col gap-2 p-1">
          <div className="flex gap-1">
            <input
              aria-label={texts.name}
              placeholder={texts.save}
              maxLength={190}
              value={name}
              onChange={(event) => setName(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                save();
              }}
              className={inputLook}
            />
            <Button busy={props.busy} onClick={save}>
              Save
            </Button>
          </div>
          {props.choice}
        </div>
      )}
      <Refused error={props.error} />
    </div>
  );
}
