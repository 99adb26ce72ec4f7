import { Refusal } from '../errors.ts';
import { deletedCount, deletedRecord } from '../http/deleted.ts';
import { Joi } from '../http/fields.ts';
import { type ApiRequest, created, ok, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { runJob } from '../jobs/run-job.ts';
import { clearedCookie, sessionCookie, sessionTokenIn } from './cookie.ts';
import { checkPassword } from './current-password.ts';
import { ownWorkspaceJobs, type UserChanges, userJobs } from './jobs.ts';
import { refuseWeakPassword } from './password-rules.ts';
import { hashPassword } from './passwords.ts';
import { hasSession, listSessions, readCredentials, readMe } from './queries.ts';
import { membershipRecord, meRecord, sessionRecord } from './record.ts';
import {
  type MeChanges,
  meChangesBody,
  type NewWorkspaceBody,
  newWorkspaceBody,
  sessionParams,
} from './schema.ts';

const common = { extension: true, tag: 'Users', scope: 'user' } as const;

/** The sessions of the caller, except that of the request. */
const othersOf = ({ caller }: ApiRequest) => ({
  userId: caller.userId,
  keptId: caller.sessionId!,
  at: new Date().toISOString(),
});

export const userRoutes: Route[] = [
  route({
    ...common,
    method: 'get',
    path: '/me',
    operationId: 'retrieveMe',
    summary: 'Retrieve the signed-in person',
    description:
      'Returns the signed-in person with their workspaces. The browser keeps its session cookie for another 30 days.',
    answers: { 200: meRecord },
    async handle({ caller, client }) {
      const me = await readMe(caller.userId, caller.sessionId!);
      const token = sessionTokenIn(client.cookies)!;
      return { ...ok(me), headers: { 'Set-Cookie': sessionCookie(token) } };
    },
  }),
  route<{ body: MeChanges }>({
    ...common,
    method: 'patch',
    path: '/me',
    operationId: 'updateMe',
    summary: 'Update the signed-in person',
    description:
      'Changes the name, the language or the password of the signed-in person. A new password ends all their other sessions.',
    body: meChangesBody,
    answers: { 200: meRecord },
    async handle(request) {
      const { name, language } = request.body;
      const password = await changedPassword(request);
      const changes = { ...othersOf(request), name, language, password };
      await runJob(request, userJobs['user.update'], changes);
      return ok(await readMe(changes.userId, changes.keptId));
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/me/sessions',
    operationId: 'listSessions',
    summary: 'List sessions',
    description: 'Returns the sessions of the signed-in person, last used first, at most 100.',
    answers: { 200: Joi.array().items(sessionRecord) },
    handle: async ({ caller }) => ok(await listSessions(caller.userId, caller.sessionId!)),
  }),
  route({
    ...common,
    method: 'delete',
    path: '/me/sessions',
    operationId: 'bulkDeleteSessions',
    summary: 'End all other sessions',
    description: 'Ends all sessions of the signed-in person except the current one.',
    answers: { 200: deletedCount },
    handle: async (request) =>
      ok(await runJob(request, userJobs['session.endOthers'], othersOf(request))),
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'delete',
    path: '/me/sessions/{id}',
    operationId: 'deleteOwnSession',
    summary: 'End a session',
    description: 'Ends a session of the signed-in person, at once.',
    params: sessionParams,
    answers: { 200: deletedRecord },
    async handle(request) {
      const { id } = request.params;
      const { userId, sessionId } = request.caller;
      if (!(await hasSession(userId, id))) {
        throw new Refusal('not_found', `There is no session "${id}"`);
      }
      const answer = ok(await runJob(request, userJobs['session.endOwn'], { userId, id }));
      return id === sessionId ? { ...answer, headers: { 'Set-Cookie': clearedCookie() } } : answer;
    },
  }),
  route<{ body: NewWorkspaceBody }>({
    ...common,
    method: 'post',
    path: '/workspaces',
    operationId: 'createWorkspace',
    summary: 'Create a workspace',
    description:
      'Creates a workspace on the Free plan, owned by the signed-in person. A person owns at most 50.',
    body: newWorkspaceBody,
    answers: { 201: membershipRecord },
    async handle(request) {
      const { slug, name = slug } = request.body;
      const { caller } = request;
      const id = newId('workspace');
      const ownRequest = { ...request, caller: { ...caller, projectId: id } };
      const data = { id, slug, name, userId: caller.userId };
      return created(
        '/workspace',
        await runJob(ownRequest, ownWorkspaceJobs['workspace.create'], data),
      );
    },
  }),
];

/**
 * Hashes the new password that a person requests.
 *
 * @throws Refusal `unprocessable_entity` if it is weak, or if the current one is missing or wrong;
 *   `rate_limit_exceeded`
 */
async function changedPassword(
  request: ApiRequest<{ body: MeChanges }>,
): Promise<UserChanges['password']> {
  const { password, currentPassword } = request.body;
  if (password === undefined) return undefined;
  const { userId, sessionId } = request.caller;
  const user = await readCredentials(userId);
  refuseWeakPassword(password, user);
  const { needsCurrentPassword } = await readMe(userId, sessionId!);
  if (needsCurrentPassword) {
    await checkPassword(request, user, currentPassword);
  }
  const hash = await hashPassword(password, request.client.network);
  return { hash, version: user.passwordVersion };
}
