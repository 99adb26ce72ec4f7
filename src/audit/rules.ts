import type { AuditRule } from '../queues/definition.ts';

/** Audit rule of a job that changes records of this kind, whose id or number is in the result. */
export const changes = (kind: string): AuditRule => ({ kind, by: 'result' });
/** Audit rule of a job that concerns a record of this kind, whose id is in the data. */
export const concerns = (kind: string): AuditRule => ({ kind, by: 'data' });

/** A row of the audit log, without its actor. */
export interface AuditedWrite {
  action: string;
  target: { kind: string; id: string | null };
  /** Number of records; set only for a write of several. */
  count?: number | undefined;
  /** Names of the fields that an update changes. */
  fields?: string[] | undefined;
}

/** Maximum number of fields that a row names. */
const MAX_FIELDS = 100;

/** Builds the row for a job that has succeeded; `undefined` if it adds none. */
export function auditedWrite(
  { name, data, audit: rule }: { name: string; data: unknown; audit?: AuditRule | undefined },
  result: unknown,
): AuditedWrite | undefined {
  if (rule === undefined) return undefined;
  const count = countOf(result);
  // Each of several requested records may have been refused, or may not exist.
  if (count === 0) return undefined;
  return {
    action: name,
    target: { kind: rule.kind, id: idOf(rule.by === 'data' ? data : result) },
    count,
    fields: name.endsWith('.update') ? fieldsOf(data) : undefined,
  };
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function idOf(value: unknown): string | null {
  const { userId, id = userId } = membersOf(value);
  return typeof id === 'string' ? id : null;
}

/** Returns the number of records in a result; `undefined` for a single record. */
function countOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.filter((item) => !('error' in membersOf(item))).length;
  const { deletedCount, count = deletedCount } = membersOf(result);
  return typeof count === 'number' ? count : undefined;
}

/**
 * Returns the fields that an update names in its data: `{id, changes}`, or the id beside the
 * fields.
 */
function fieldsOf(data: unknown): string[] {
  const { id: _, changes, ...rest } = membersOf(data);
  return Object.keys(changes === undefined ? rest : membersOf(changes)).slice(0, MAX_FIELDS);
}
