import type { AuditRule } from '../queues/definition.ts';

/** The job changes records of this kind: its result has their id or their number. */
export const changes = (kind: string): AuditRule => ({ kind, by: 'result' });
/** The job concerns a record of this kind: its data has the id. */
export const concerns = (kind: string): AuditRule => ({ kind, by: 'data' });

/** A row of the audit log, without its actor. */
export interface AuditedWrite {
  action: string;
  target: { kind: string; id: string | null };
  /** Number of records; only for a write of several. */
  count?: number | undefined;
  /** Names of the fields that an update changes. */
  fields?: string[] | undefined;
}

/** Most fields that a row names. */
const MOST_FIELDS = 100;

/** The row for a job that has ended well; `undefined` where it adds none. */
export function auditedWrite(
  { name, data, audit: rule }: { name: string; data: unknown; audit?: AuditRule | undefined },
  result: unknown,
): AuditedWrite | undefined {
  if (rule === undefined) return undefined;
  const count = countOf(result);
  // Of many that were asked for, each may have been refused or gone.
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

/** The number of records that a result speaks of; `undefined` where it is one record. */
function countOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.filter((item) => !('error' in membersOf(item))).length;
  const { deletedCount, count = deletedCount } = membersOf(result);
  return typeof count === 'number' ? count : undefined;
}

/** The fields that the data of an update names: `{id, changes}`, or the id beside the fields. */
function fieldsOf(data: unknown): string[] {
  const { id: _, changes, ...rest } = membersOf(data);
  return Object.keys(changes === undefined ? rest : membersOf(changes)).slice(0, MOST_FIELDS);
}
