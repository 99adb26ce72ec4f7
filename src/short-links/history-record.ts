import { VISIT_KINDS } from '../events/kinds.ts';
import { Joi, nullable, requiredText, requiredTime } from '../http/fields.ts';
import type { Field } from './field.ts';
import { fields } from './fields.ts';
import { CHANGE_ACTIONS, type StoredChanges } from './history.ts';

/** A row of the history with the person's name. */
export interface ChangeRow {
  id: string;
  at: Date;
  action: (typeof CHANGE_ACTIONS)[number];
  user_id: string | null;
  user_name: string | null;
  api_key_id: string | null;
  reverted_id: string | null;
  changes: StoredChanges;
}

/** A field before and after a change; a password shows neither. */
interface ShownChange {
  from?: unknown;
  to?: unknown;
}

export type ShownChanges = Record<string, ShownChange>;

/** Names of shared fields by column. */
const NAMES = new Map(
  Object.entries<Field>(fields).flatMap(([name, { column, out }]) =>
    column === undefined || out === undefined ? [] : [[column, name] as const],
  ),
);

/** Values that are stored under the names of fields: those of other tables, and counts. */
const SHOWN = new Set([
  ...Object.keys(fields),
  ...Object.values(VISIT_KINDS).map((kind) => `${kind}s`),
]);

/**
 * Converts stored changes to fields, with the values that bodies take.
 *
 * @param own names of the kind's own fields by column
 */
export function toShownChanges(
  changes: StoredChanges,
  own: Readonly<Record<string, string>>,
): ShownChanges {
  const shown: ShownChanges = {};
  for (const [column, [from, to]] of Object.entries(changes)) {
    if (column === 'password') {
      shown['password'] = {};
      if (from !== to) shown['hasPassword'] = { from, to };
      continue;
    }
    const name = own[column] ?? NAMES.get(column) ?? (SHOWN.has(column) ? column : undefined);
    // Columns that a revert sets together are stored even if they are equal.
    if (name !== undefined && JSON.stringify(from) !== JSON.stringify(to)) {
      shown[name] = { from, to };
    }
  }
  return shown;
}

/** Converts the columns of an author; null for the service itself. */
export const toAuthor = ({
  user_id,
  user_name,
  api_key_id,
}: Pick<ChangeRow, 'user_id' | 'user_name' | 'api_key_id'>) =>
  user_id === null ? null : { userId: user_id, name: user_name, apiKeyId: api_key_id ?? undefined };

/** Converts a row to its public record. */
export const toChange = (row: ChangeRow, changes: ShownChanges) => ({
  id: row.id,
  at: row.at.toISOString(),
  action: row.action,
  actor: toAuthor(row),
  revertedId: row.reverted_id ?? undefined,
  changes,
});

const changeId = () => Joi.string().description('Id of the entry.').example('chg_0Qa2wSx4Ed');

/** Schema of the person who wrote a record; null for the service itself. */
export const authorRecord = (description: string) =>
  Joi.object({
    userId: requiredText.description('Id of the person.').example('user_7Kx1vQ0aTq'),
    name: nullable.allow('').description('Name of the person; null for a deleted person.'),
    apiKeyId: Joi.string()
      .description('Id of the API key, if one was used.')
      .example('key_5Hx1vQ0aTq'),
  })
    .allow(null)
    .required()
    .description(description);

/** Makes the schema of changed fields by name, each with its value before and after. */
export const changedFields = () =>
  Joi.object()
    .pattern(
      Joi.string(),
      Joi.object({
        from: Joi.any().description('Value before.'),
        to: Joi.any().description('Value after.'),
      }),
    )
    .required();

/** Schema of the record, for the reference and for checking answers. */
export const changeRecord = Joi.object({
  id: changeId().required(),
  at: requiredTime.description('Time of the change.'),
  action: Joi.string()
    .valid(...CHANGE_ACTIONS)
    .required()
    .description(
      '`updated`: by a request; `reverted`: by a revert of an entry; `imported`: by an import; ' +
        '`previewed`: texts and image of the destination were filled in; `reset`: the counts were ' +
        'set to 0; `restored`: the deleted record was restored.',
    )
    .example('updated'),
  actor: authorRecord('Author of the change; null for the service itself.'),
  revertedId: Joi.string()
    .description('Id of the entry that was reverted; only with the action `reverted`.')
    .example('chg_0Qa2wSx4Ec'),
  changes: changedFields()
    .description(
      'Changed fields by name, each with its value before and after. `password` has neither.',
    )
    .example({ url: { from: 'https://example.com/spring', to: 'https://example.com/autumn' } }),
}).meta({ name: 'RecordChange' });

/** A request for a revert. */
export interface RevertBody {
  changeId: string;
}

export const revertBody = Joi.object<RevertBody>({
  changeId: Joi.string()
    .max(260)
    .required()
    .description('Id of the entry of the history.')
    .example('chg_0Qa2wSx4Ed'),
}).meta({ name: 'Revert' });
