import type { Schemas } from '../api/client.ts';
import { ImportState, isBusy } from './state.tsx';

const format = new Intl.NumberFormat();

/** The progress of an import, with the numbers of rows by outcome. */
export function Progress({ one }: { one: Schemas['ImportDetails'] }) {
  const { state, progress, counts, undo } = one;
  const isChecked = state === 'checked' || state === 'checking' || state === 'fetching';
  const share = progress.total === 0 ? 0 : Math.floor((progress.done / progress.total) * 100);
  return (
    <section aria-label="Progress" className="flex flex-col gap-4 px-4 md:px-6">
      <p role="status" className="flex flex-wrap items-center gap-2">
        <ImportState state={state} />
        <span className="text-muted">
          {isBusy(state)
            ? `${format.format(progress.done)} of ${format.format(progress.total)}`
            : `${format.format(one.progress.total)} ${undo === null ? 'rows' : 'links'}`}
        </span>
      </p>
      {one.failure !== null && (
        <p role="alert" className="max-w-3xl rounded-md bg-danger-soft px-3 py-2 text-danger">
          We couldn’t fetch the links: {one.failure}.
        </p>
      )}
      {isBusy(state) && (
        <progress
          aria-label="Progress of the import"
          value={share}
          max={100}
          className="h-2 w-full max-w-3xl overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-hover [&::-webkit-progress-value]:bg-accent"
        />
      )}
      <dl className="grid max-w-3xl grid-cols-2 gap-3 md:grid-cols-4">
        <Count name={isChecked ? 'Will be created' : 'Created'} value={counts.created} />
        <Count name={isChecked ? 'Will be updated' : 'Updated'} value={counts.updated} />
        <Count name={isChecked ? 'Will be skipped' : 'Skipped'} value={counts.skipped} />
        <Count
          name={isChecked ? 'Will be refused' : 'Refused'}
          value={counts.refused}
          isDanger={counts.refused > 0}
        />
      </dl>
      {one.renamed > 0 && (
        <p className="text-warning">
          {format.format(one.renamed)} {one.renamed === 1 ? 'short link' : 'short links'}{' '}
          {isChecked ? 'will move' : 'moved'} to another domain, because this workspace doesn’t have
          theirs.
        </p>
      )}
      {undo !== null && (
        <p>
          {format.format(undo.deleted)} of {format.format(undo.total)} links deleted.
          {undo.changed > 0 &&
            ` ${format.format(undo.changed)} kept because they were edited after the import.`}
          {undo.gone > 0 && ` ${format.format(undo.gone)} were already deleted.`}
        </p>
      )}
    </section>
  );
}

function Count({ name, value, isDanger }: { name: string; value: number; isDanger?: boolean }) {
  return (
    <div className="rounded-md border border-line bg-panel px-3 py-2">
      <dt className="text-xs text-muted">{name}</dt>
      <dd
        className={`text-base font-semibold tabular-nums ${isDanger === true ? 'text-danger' : ''}`}
      >
        {format.format(value)}
      </dd>
    </div>
  );
}
