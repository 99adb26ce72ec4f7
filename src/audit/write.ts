import { newId } from '../ids.ts';
import { type Db, preparedRows } from '../infra/db.ts';
import type { Actor, JobContext } from '../queues/definition.ts';

/** A row of the audit log, without its actor. */
export interface AuditedWrite {
  action: string;
  target: { kind: string; id: string | null };
  /** Number of records; set only for a write of several. */
  count?: number | undefined;
  /** Names of the fields that an update changes. */
  fields?: string[] | undefined;
}

/**
 * Adds the row of a job that is about to commit. A job without a rule adds none, nor does one that
 * wrote no record. Only jobs that end in `.update` or `.schedule` name the fields.
 */
export async function recordJob(
  trx: Db,
  { projectId, task, actor }: Pick<JobContext, 'projectId' | 'task' | 'actor'>,
  result: unknown,
): Promise<void> {
  const rule = task?.audit;
  const count = countOf(result);
  // A count of 0: every requested record was refused or does not exist.
  if (task === undefined || rule === undefined || count === 0) return;
  const { name: action, data } = task;
  const target = { kind: rule.kind, id: idOf(rule.by === 'data' ? data : result) };
  const namesFields = action.endsWith('.update') || action.endsWith('.schedule');
  const fields = namesFields ? fieldsOf(data) : undefined;
  await insert(trx, projectId, { action, target, count, fields }, actor);
}

/** Adds the row of a write that the operator made on the command line. */
export async function recordByOperator(
  trx: Db,
  projectId: string,
  write: AuditedWrite,
): Promise<void> {
  await insert(trx, projectId, write, undefined);
}

/** Adds the row of a write that a person caused by changing their account. */
export async function recordByPerson(
  trx: Db,
  projectId: string,
  userId: string,
  write: AuditedWrite,
): Promise<void> {
  await insert(trx, projectId, write, { userId });
}

async function insert(
  trx: Db,
  projectId: string,
  { action, target, count, fields }: AuditedWrite,
  actor: Actor | undefined,
): Promise<void> {
  await preparedRows(
    trx,
    'insert audit_log',
    `INSERT INTO audit_log (project_id, id, action, target_kind, target_id, target_count, user_id, api_key_id, fields)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      projectId,
      newId('auditEntry'),
      action,
      target.kind,
      target.id,
      count ?? null,
      actor?.userId ?? null,
      actor?.apiKeyId ?? null,
      fields ?? null,
    ],
  );
}

/** Maximum number of fields that a row names. */
const MAX_FIELDS = 100;

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
