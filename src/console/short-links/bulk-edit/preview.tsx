import { refusalInWords } from '../../api/error-words.ts';
import { changesInWords } from '../change-words.ts';
import { ChangedFields } from '../changed-fields.tsx';
import { useNames } from '../use-names.ts';
import type { BulkChange, EditedKind } from './changes.ts';

/** Number of examples and of errors that are listed. */
const LISTED = 5;

interface PreviewProps {
  kind: EditedKind;
  record: BulkChange;
}

/** The outcome to expect of a bulk change: the counts, the first examples and the refused records. */
export function Preview({ kind, record }: PreviewProps) {
  const { counts, examples, errors } = record;
  const { many } = kind.noun;
  const names = useNames(kind, { pageId: null });
  return (
    <div className="flex flex-col gap-4">
      <div role="status" className="flex flex-col gap-1">
        <p>
          <strong>{kind.inWords(counts.changed)}</strong> will change.
        </p>
        {counts.unchanged > 0 && (
          <p className="text-muted">{kind.inWords(counts.unchanged)} will stay the same.</p>
        )}
        {counts.refused > 0 && (
          <p className="text-danger">{kind.inWords(counts.refused)} can’t be changed.</p>
        )}
      </div>
      {examples.length > 0 && (
        <section aria-label="Examples" className="flex flex-col gap-3">
          {examples.slice(0, LISTED).map(({ id, shortLink, changes }) => (
            <div key={id} className="flex flex-col gap-1 rounded-md border border-line px-3 py-2">
              <h3 className="font-medium wrap-anywhere">{shortLink}</h3>
              <ChangedFields fields={changesInWords(changes, names)} />
            </div>
          ))}
          {counts.changed > LISTED && (
            <p className="text-muted">These are the first of {kind.inWords(counts.changed)}.</p>
          )}
        </section>
      )}
      {errors.length > 0 && (
        <section aria-label={`Refused ${many}`} className="flex flex-col gap-1">
          <h3 className="font-medium">These stay as they are</h3>
          <ul className="flex flex-col gap-1">
            {errors.slice(0, LISTED).map(({ id, shortLink, message }) => (
              <li key={id} className="wrap-anywhere">
                <span className="font-mono text-xs">{shortLink ?? id}</span>
                <span className="block text-danger">{refusalInWords(422, message)}</span>
              </li>
            ))}
          </ul>
          {counts.refused > LISTED && (
            <p className="text-muted">A file with all of them follows the change.</p>
          )}
        </section>
      )}
    </div>
  );
}

interface BulkProgressProps {
  record: Pick<BulkChange, 'progress'> | undefined;
  label: string;
}

/** The progress of a check or a change. */
export function BulkProgress({ record, label }: BulkProgressProps) {
  const { done, total } = record?.progress ?? { done: 0, total: 0 };
  return (
    <div className="flex flex-col gap-2">
      <p role="status">
        {total === 0 ? label : `${label}: ${done.toLocaleString()} of ${total.toLocaleString()}`}
      </p>
      <progress
        aria-label={label}
        value={total === 0 ? undefined : done}
        max={Math.max(1, total)}
        className="h-2 w-full overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-hover [&::-webkit-progress-value]:bg-accent"
      />
    </div>
  );
}
