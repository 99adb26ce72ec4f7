import { Refusal } from '../errors.ts';
import { execute, rows } from '../infra/db.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { addWorkspace } from '../workspaces/commands.ts';
import { ownWorkspaceJobs } from './jobs.ts';
import { membershipOf } from './record.ts';

/** Maximum number of workspaces that a person owns. */
const MAX_OWNED = 50;

export const ownWorkspaceHandlers = handlers(ownWorkspaceJobs, {
  /**
   * Creates a workspace on the free plan, owned by the person. The job runs in the new workspace.
   *
   * @throws Refusal `conflict` if the slug is taken; `unprocessable_entity` if the person owns too
   *   many
   */
  'workspace.create': ({ id, slug, name, userId }, job) =>
    runIdempotent(job, async (trx) => {
      await execute(trx, 'SELECT FROM users WHERE id = ? FOR NO KEY UPDATE', [userId]);
      const owned = await rows<object>(
        trx,
        "SELECT project_id FROM workspace_users WHERE user_id = ? AND role = 'owner'",
        [userId],
      );
      if (owned.length >= MAX_OWNED) {
        throw new Refusal('unprocessable_entity', `A person owns at most ${MAX_OWNED} workspaces`);
      }
      await addWorkspace(trx, { id, slug, name, plan: 'free' }, userId);
      return membershipOf({
        id,
        slug,
        name,
        plan: 'free',
        role: 'owner',
        limits: null,
        needsSecondFactor: false,
      });
    }),
});
