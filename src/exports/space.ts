import { Refusal } from '../errors.ts';
import { MEBIBYTE } from '../http/input.ts';
import { type Db, rows } from '../infra/db.ts';
import { EXPORT_BYTES } from '../workspaces/plans.ts';
import { planOf } from '../workspaces/queries.ts';

/** Space for exports of a workspace. */
interface Space {
  /** Bytes that are left; 0 or less if there is no space. */
  bytes: number;
  /** Sentence for people about an export that does not fit. */
  message: string;
}

/**
 * Computes the space that a workspace has left for exports. Exports that are written at the same
 * time can exceed the limit by their parts that are not stored yet.
 */
export async function exportSpace(trx: Db, projectId: string): Promise<Space> {
  const [stored] = await rows<{ bytes: number }>(
    trx,
    `SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM exports
      WHERE project_id = ? AND expires_at > now()`,
    [projectId],
  );
  const plan = await planOf(projectId, trx);
  const most = EXPORT_BYTES[plan];
  return {
    bytes: most - stored!.bytes,
    message:
      `The exports of the workspace must not exceed ${most / MEBIBYTE} MiB, the limit of the ` +
      `plan ${plan}: export less, or wait, since each is deleted a day after it was written`,
  };
}

/** Returns the space that is left. @throws Refusal `forbidden` if there is none */
export async function refuseWithoutSpace(trx: Db, projectId: string): Promise<Space> {
  const space = await exportSpace(trx, projectId);
  if (space.bytes <= 0) throw new Refusal('forbidden', space.message);
  return space;
}
