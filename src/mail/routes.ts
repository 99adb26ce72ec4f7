import { ok, type Route, route } from '../http/route.ts';
import { isMailSetUp } from '../infra/mail-server.ts';
import { runJob } from '../jobs/run-job.ts';
import { notificationJobs } from './jobs.ts';
import { readNotifications } from './preferences.ts';
import {
  allNotifications,
  type NotificationChanges,
  notificationChangesBody,
  notificationParams,
  notificationsRecord,
} from './schema.ts';

const common = { extension: true, tag: 'Users', scope: 'user' } as const;

export const notificationRoutes: Route[] = [
  route({
    ...common,
    method: 'get',
    path: '/me/notifications',
    operationId: 'listNotifications',
    summary: 'List notification settings',
    description:
      'Returns which alerts and reports the signed-in person gets by email, for each of their workspaces.',
    answers: { 200: allNotifications },
    handle: async ({ caller: { userId } }) =>
      ok({ isMailSetUp: isMailSetUp(), workspaces: await readNotifications(userId) }),
  }),
  route<{ params: { projectId: string }; body: NotificationChanges }>({
    ...common,
    method: 'patch',
    path: '/me/notifications/{projectId}',
    operationId: 'updateNotifications',
    summary: 'Update notification settings',
    description:
      'Changes which alerts and reports the signed-in person gets by email from a workspace. Absent fields stay as they are.',
    params: notificationParams,
    body: notificationChangesBody,
    answers: { 200: notificationsRecord },
    async handle(request) {
      const { caller, params, body } = request;
      const { userId, hasSecondFactor } = caller;
      const data = { userId, hasSecondFactor, projectId: params.projectId, changes: body };
      return ok(await runJob(request, notificationJobs['notifications.update'], data));
    },
  }),
];
