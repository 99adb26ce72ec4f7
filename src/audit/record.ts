import { Joi, requiredText, requiredTime } from '../http/fields.ts';
import { type AuditRow, OPERATOR } from './queries.ts';

/**
 * Converts a row to its public record.
 *
 * @param names of targets by id
 */
export function toAuditEntry(row: AuditRow, names: ReadonlyMap<string, string>) {
  const { target_kind: kind, target_id: id } = row;
  return {
    id: row.id,
    at: row.at.toISOString(),
    action: row.action,
    target: { kind, id, name: id === null ? undefined : names.get(id) },
    count: row.target_count ?? undefined,
    actor: {
      userId: row.user_id,
      name: row.user_id === null ? OPERATOR : row.user_name,
      apiKeyId: row.api_key_id ?? undefined,
    },
    fields: row.fields ?? undefined,
  };
}

/** Schema of the record, for the reference and for checking answers. */
export const auditEntry = Joi.object({
  id: requiredText.description('Id of the entry.').example('log_0Qa2wSx4Ed'),
  at: requiredTime.description('Time of the write.'),
  action: requiredText.description('Kind of the write.').example('link.update'),
  target: Joi.object({
    kind: requiredText.description('Kind of the record.').example('link'),
    id: Joi.string()
      .allow(null)
      .required()
      .description('Id of the record; null for a write of several records.')
      .example('link_4Jx2vQ0aTq'),
    name: Joi.string()
      .description(
        'Name that the record has now, of a link its domain and slug; absent if the record was erased, ' +
          'has no name, or cannot be read by the caller.',
      )
      .example('go.acme.com/offer'),
  })
    .required()
    .description('Record that was written.'),
  count: Joi.number()
    .integer()
    .description('Number of records; only for a write of several records.'),
  actor: Joi.object({
    userId: Joi.string()
      .allow(null)
      .required()
      .description('Id of the person; null for the operator of the service.')
      .example('user_7Kx1vQ0aTq'),
    name: Joi.string()
      .allow(null, '')
      .required()
      .description('Name of the person; `operator` for the operator; null for a deleted person.')
      .example('Ada'),
    apiKeyId: Joi.string()
      .description('Id of the API key, if one was used.')
      .example('key_5Hx1vQ0aTq'),
  })
    .required()
    .description('Author of the write.'),
  fields: Joi.array()
    .items(Joi.string())
    .description('Names of the fields that an update set; their values are not stored.')
    .example(['url', 'title']),
}).meta({ name: 'AuditEntry' });
