import type { Schemas } from '../api/client.ts';
import { classes } from '../ui/classes.ts';
import { countOf } from '../ui/count-of.ts';
import { ImportState, isBusy, isEmpty } from './state.tsx';

/** Labels of the outcomes of rows, after the import and before it. */
const OUTCOMES = [
  ['created', 'Created', 'Will be created'],
  ['updated', 'Updated', 'Will be updated'],
  ['skipped', 'Skipped', 'Will be skipped'],
  ['refused', 'Refused', 'Will be refused'],
] as const;

/** The progress of an import, with the numbers of rows by outcome. */
export function Progress({ one }: { one: Schemas['ImportDetails'] }) {
  const { state, progress, counts, undo } = one;
  const isChecked = state === 'checked' || state === 'checking' || state === 'fetching';
  const share = progress.total === 0 ? 0 : Math.floor((progress.done / progress.total) * 100);
  return (
    <section aria-label="Progress" className="flex flex-col gap-4 px-4 md:px-6">
      <p role="status" className="flex flex-wrap items-center gap-2">
        <ImportState state={state} counts={counts} />
        <span className="text-muted">
          {isBusy(state)
            ? `${progress.done.toLocaleString()} of ${progress.total.toLocaleString()}`
            : countOf(progress.total, undo === null ? 'row' : 'link')}
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
        {OUTCOMES.map(([outcome, label, plan]) => (
          <div key={outcome} className="rounded-md border border-line bg-panel px-3 py-2">
            <dt className="text-xs text-muted">{isChecked ? plan : label}</dt>
            <dd
              className={classes(
                'text-base font-semibold tabular-nums',
                outcome === 'refused' && counts.refused > 0 && 'text-danger',
              )}
            >
              {counts[outcome].toLocaleString()}
            </dd>
          </div>
        ))}
      </dl>
      {isEmpty(one) && (
        <p className="max-w-3xl text-warning">
          {progress.total === 0
            ? 'We found no links to import. A CSV file needs a header row and one link in each row below it.'
            : 'There is nothing to import: every row would be skipped or refused.'}
        </p>
      )}
      {one.renamed > 0 && (
        <p className="text-warning">
          {isChecked ? (
            <>
              {countOf(one.renamed, 'short link')} will move to another domain, because this
              workspace doesn’t have theirs.
            </>
          ) : (
            <>
              {countOf(one.renamed, 'short link')} moved to another domain, because this workspace
              doesn’t have theirs.
            </>
          )}
        </p>
      )}
      {undo !== null && (
        <p>
          {undo.deleted.toLocaleString()} of {undo.total.toLocaleString()} links deleted.
          {undo.changed > 0 &&
            ` ${undo.changed.toLocaleString()} kept because they were edited after the import.`}
          {undo.gone > 0 && ` ${undo.gone.toLocaleString()} were already deleted.`}
        </p>
      )}
    </section>
  );
}
