import { Joi, nullable, oneOf, requiredCount, requiredText, requiredTime } from '../http/fields.ts';
import { changedFields } from '../short-links/history-record.ts';
import { type BulkChange, STATES } from './model.ts';
import { REPLACED_PARTS } from './replace.ts';

/** Time for which a bulk change can be undone, and its errors be read, in days. */
export const KEPT_DAYS = 30;

/** The public record of a bulk change. */
export type BulkChangeRecord = ReturnType<typeof toBulkChange>;

/** Converts a row to the public record. */
export function toBulkChange(row: BulkChange) {
  const { undo, total, done } = row;
  return {
    id: row.id,
    state: row.state,
    data: row.data,
    replace: row.replacement,
    userId: row.user_id,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
    expiresAt: expiryOf(row),
    progress: undo === null ? { done, total } : { done: processed(undo), total: undo.total },
    counts: { changed: row.changed, unchanged: row.unchanged, refused: row.refused },
    undo,
  };
}

const processed = ({ undone, changed, gone, refused }: NonNullable<BulkChange['undo']>): number =>
  undone + changed + gone + refused;

/** Returns the time until which the bulk change can be undone; `null` if there is nothing to undo. */
function expiryOf({ state, started_at, ended_at }: BulkChange): string | null {
  const isUndoable = state === 'done' || (state === 'cancelled' && started_at !== null);
  if (!isUndoable || ended_at === null) return null;
  return new Date(ended_at.getTime() + KEPT_DAYS * 86_400_000).toISOString();
}

const count = (description: string, example = 0) =>
  requiredCount.description(description).example(example);
const time = (description: string) => requiredTime.description(description);

const fields = {
  id: requiredText.description('Id of the bulk change.').example('bulk_0VKAM3TWq8Zr5XnYb2VdLcHs'),
  state: oneOf(STATES)
    .required()
    .description(
      '`checking`: a dry run is in progress; `checked`: it is done, and the change can be ' +
        'started; `queued`, `running`, `done`; `cancelled`: records that were changed before stay ' +
        'so; `undoing`, `undone`.',
    )
    .example('done'),
  data: Joi.object()
    .unknown()
    .required()
    .description('The change, as it was sent.')
    .example({ utm_campaign: 'autumn' }),
  replace: Joi.object({
    find: requiredText.description('Text to find.').example('shop.example.com'),
    with: Joi.string()
      .allow('')
      .required()
      .description('Text in place of each occurrence.')
      .example('store.example.com'),
    in: oneOf(REPLACED_PARTS).required().description('Part that is searched.').example('host'),
    ignoreCase: Joi.boolean().required().description('Whether case is ignored.').example(false),
  })
    .allow(null)
    .required()
    .description('The text to replace in destinations.')
    .meta({ name: 'BulkReplacement' }),
  userId: requiredText
    .description('Id of the user who created it.')
    .example('user_0VKAM3TWq8Zr5XnYb2VdLcHs'),
  createdAt: time('Time of the request (ISO 8601, UTC).'),
  startedAt: time('Time at which the first records were changed.').allow(null),
  endedAt: time('Time at which it was checked, done, cancelled or undone.').allow(null),
  expiresAt: time('Time until which it can be undone; null if it cannot be undone.').allow(null),
  progress: Joi.object({
    done: count('Records that were processed.', 4_800),
    total: count('Selected records; for an undo, those that were changed.', 5_000),
  })
    .required()
    .description('Progress of the check, the change or the undo.')
    .meta({ name: 'BulkChangeProgress' }),
  counts: Joi.object({
    changed: count('Records that were changed.', 4_780),
    unchanged: count('Records that had the values already.', 18),
    refused: count('Records that cannot be changed so.', 2),
  })
    .required()
    .description('Outcomes; of a check, those to expect.')
    .meta({ name: 'BulkChangeCounts' }),
  undo: Joi.object({
    total: count('Records that were changed.', 4_780),
    undone: count('Records that have their former values again.', 4_779),
    changed: count('Records that stay, because they were changed again since.', 1),
    gone: count('Records that no longer exist.'),
    refused: count('Records that cannot have their former values, such as a slug that is taken.'),
  })
    .allow(null)
    .required()
    .description('Outcome of the undo, so far.')
    .meta({ name: 'BulkChangeUndo' }),
};

/** Schema of the record. */
export const bulkChangeRecord = Joi.object(fields).meta({ name: 'BulkChange' });

const recordId = requiredText.description('Id of the record.').example('link_4Jx2vQ0aTq');
const shortLink = nullable
  .description('Its short link at the time of the request; null if there was no such record.')
  .example('go.example.com/spring');

/** Schema of the record with its examples and first errors. */
export const bulkChangeDetails = Joi.object({
  ...fields,
  examples: Joi.array()
    .items(
      Joi.object({
        id: recordId,
        shortLink,
        changes: changedFields()
          .description('Changed fields by name, each with its value before and after.')
          .example({
            url: { from: 'https://shop.example.com/a', to: 'https://store.example.com/a' },
          }),
      }).meta({ name: 'BulkChangeExample' }),
    )
    .required()
    .description('The first 20 changed records; of a check, those that would be changed.'),
  errors: Joi.array()
    .items(
      Joi.object({
        id: recordId,
        shortLink,
        message: requiredText
          .description('Reason.')
          .example('The key "spring" is taken on its domain'),
      }).meta({ name: 'BulkChangeError' }),
    )
    .required()
    .description(
      'The first 100 records that were refused, or that an undo left as they are; the endpoint ' +
        '`errors` has all.',
    ),
}).meta({ name: 'BulkChangeDetails' });
