import { newId } from '../ids.ts';
import { type Db, execute } from '../infra/db.ts';
import type { Actor, JobContext } from '../queues/definition.ts';
import { type AuditedWrite, auditedWrite } from './rules.ts';

/** Adds the row of a job that is about to commit, if it has one. */
export async function recordJob(
  trx: Db,
  { projectId, task, actor }: Pick<JobContext, 'projectId' | 'task' | 'actor'>,
  result: unknown,
): Promise<void> {
  const write = task === undefined ? undefined : auditedWrite(task, result);
  if (write !== undefined) await insert(trx, projectId, write, actor);
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
  await execute(
    trx,
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
