import { refuseChanged } from '../http/etag.ts';
import type { Db } from '../infra/db.ts';
import { refuseOverfull } from '../infra/overfull.ts';
import { runIdempotent } from '../jobs/run-idempotent.ts';
import { handlers } from '../queues/job.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { nameKey, refuseTakenName } from '../workspaces/taken-name.ts';
import { viewJobs } from './jobs.ts';
import { View } from './model.ts';
import { toView } from './record.ts';

/** Maximum number of shared views of a workspace, and of a person's own views there. */
const MAX_VIEWS = 100;

const refuseMore = (trx: Db, projectId: string, user_id: string | null): Promise<void> =>
  refuseOverfull(trx, `views ${projectId} ${user_id ?? ''}`, {
    count: () => View.of(projectId, trx).where({ user_id }).resultSize(),
    max: MAX_VIEWS,
    message:
      user_id === null
        ? `A workspace has at most ${MAX_VIEWS} shared views`
        : `A person has at most ${MAX_VIEWS} views of their own in a workspace`,
  });

export const viewHandlers = handlers(viewJobs, {
  /**
   * Creates a view. @throws Refusal `conflict` if the name is taken, `unprocessable_entity` if
   * there are too many
   */
  'view.create': ({ userId, shared, ...view }, job) =>
    runIdempotent(job, async (trx) => {
      const user_id = shared ? null : userId;
      await refuseMore(trx, job.projectId, user_id);
      const { list } = view;
      await refuseTakenName(trx, 'views', job.projectId, view, { list, user_id });
      const row = await View.add(
        job.projectId,
        { ...view, user_id, name_key: nameKey(view.name) },
        trx,
      );
      return toView(row);
    }),

  /**
   * Changes a view. @throws Refusal `not_found`, `conflict` if the name is taken,
   * `unprocessable_entity` if there are too many
   */
  'view.update': ({ id, userId, changes }, job) =>
    runIdempotent(job, async (trx) => {
      const { projectId } = job;
      const before = await View.lockVisible(userId, projectId, id, trx);
      refuseChanged(job.ifMatch, toView(before));
      const {
        name = before.name,
        query = before.query,
        shared = before.user_id === null,
      } = changes;
      const user_id = shared ? null : userId;
      if (user_id !== before.user_id) await refuseMore(trx, projectId, user_id);
      const { list } = before;
      await refuseTakenName(trx, 'views', projectId, { id, name }, { list, user_id });
      const columns = { name, name_key: nameKey(name), query, user_id };
      return toView(await changeRow(View.of(projectId, trx), id, columns));
    }),

  /** Deletes a view. @throws Refusal `not_found` */
  'view.delete': ({ id, userId }, job) =>
    runIdempotent(job, async (trx) => {
      const row = await View.lockVisible(userId, job.projectId, id, trx);
      refuseChanged(job.ifMatch, toView(row));
      await View.of(job.projectId, trx).where({ id }).delete();
      return { id };
    }),
});
