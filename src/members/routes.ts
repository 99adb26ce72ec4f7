import { deletedRecord } from '../http/deleted.ts';
import { id, Joi, paging, role } from '../http/fields.ts';
import { limitsField } from '../http/limits-field.ts';
import { found, ok, pageOf, type Route, route } from '../http/route.ts';
import { db } from '../infra/db.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import type { Paging } from '../workspaces/lists.ts';
import { refuseRoleBeyond } from '../workspaces/roles.ts';
import { type MemberChanges, memberJobs } from './jobs.ts';
import { findMember, listMembers } from './queries.ts';
import { memberRecord, toMember } from './record.ts';

const read = { extension: true, tag: 'Members', scope: 'members.read' } as const;
const write = { extension: true, tag: 'Members', scope: 'members.write', writes: true } as const;

type Params = { userId: string };

const params = Joi.object<Params>({
  userId: id().required().description('Id of the person.'),
});

/** Endpoints of members, an extension of the contract. */
export const memberRoutes: Route[] = [
  route<{ query: Paging }>({
    ...read,
    method: 'get',
    path: '/members',
    operationId: 'listMembers',
    summary: 'List the people of the workspace, by name',
    description: 'Returns the people of the workspace with their roles, by name.',
    query: Joi.object<Paging>(paging(1_000)),
    answers: { 200: Joi.array().items(memberRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await listMembers(caller.projectId, query), toMember),
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/members/{userId}',
    operationId: 'retrieveMember',
    summary: 'Retrieve a person of the workspace',
    description: 'Returns a person of the workspace with their role.',
    record: true,
    params,
    answers: { 200: memberRecord },
    async handle({ caller, params: { userId } }) {
      const member = await findMember(caller.projectId, userId, db());
      return ok(toMember(found(member, `member "${userId}"`)));
    },
  }),
  route<{ params: Params; body: MemberChanges }>({
    ...write,
    method: 'patch',
    path: '/members/{userId}',
    operationId: 'updateMember',
    summary: 'Change the role or the limits of a person',
    description:
      'Changes the role of a person, to one with no more scopes than the caller’s, or limits them ' +
      'and their API keys to some links and QR codes. Revokes their API keys with more scopes than ' +
      'the role. An owner has no limits, and the last owner stays an owner. Changing the limits of a ' +
      'limited person needs all scopes of their role.',
    record: true,
    params,
    body: Joi.object<MemberChanges>({
      role: role.optional().example('viewer'),
      limits: limitsField(),
    })
      .or('role', 'limits')
      .meta({ name: 'MemberUpdate' }),
    answers: { 200: memberRecord },
    handle(request) {
      const { caller, params: who, body } = request;
      if (body.role !== undefined) refuseRoleBeyond(caller.scopes, body.role);
      const data = { userId: who.userId, changes: body, callerScopes: caller.scopes };
      return answerWrite(request, memberJobs['member.update'], data, ok);
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'delete',
    path: '/members/{userId}',
    operationId: 'deleteMember',
    summary: 'Remove a person from the workspace',
    description:
      'Removes a person from the workspace and revokes their API keys there. People can remove ' +
      'themselves; the last owner stays.',
    isOwn: ({ apiKeyId, userId }, { userId: whom }) => apiKeyId === '' && userId === whom,
    record: true,
    params,
    answers: { 200: deletedRecord },
    handle: (request) => answerWrite(request, memberJobs['member.remove'], request.params, ok),
  }),
];
