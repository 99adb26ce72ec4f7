import { deletedRecord } from '../http/deleted.ts';
import { Joi } from '../http/fields.ts';
import { created, found, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { seal } from '../infra/seal.ts';
import { hashToken, newToken } from '../infra/secrets.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { consoleUrl } from '../users/accounts.ts';
import { meRecord } from '../users/record.ts';
import { newestFirst, type Paging } from '../workspaces/lists.ts';
import { refuseRoleBeyond } from '../workspaces/roles.ts';
import { accept } from './accept.ts';
import { VALID_DAYS } from './commands.ts';
import { invitationJobs } from './jobs.ts';
import { Invitation } from './model.ts';
import { findOffer } from './queries.ts';
import {
  invitationRecord,
  invitationWithUrl,
  offerRecord,
  openUrl,
  toInvitation,
} from './record.ts';
import {
  type Acceptance,
  acceptBody,
  invitationListQuery,
  invitationParams,
  lookupBody,
  type NewInvitation,
  newInvitationBody,
} from './schema.ts';

const write = { extension: true, tag: 'Members', scope: 'members.write', writes: true } as const;
const common = { extension: true, tag: 'Members', scope: 'public' } as const;
const read = { extension: true, tag: 'Members', scope: 'members.read' } as const;

type Params = { id: string };

/** Selects the invitations of a workspace that can be accepted. */
const pending = (projectId: string) =>
  Invitation.of(projectId).where('expires_at', '>', new Date());

/** Makes the link of an invitation: the hash of its token, and its sealed address. */
function newLink(projectId: string): { hash: string; url: string } {
  const token = newToken();
  const address = `${consoleUrl()}/invitation#${token}`;
  return {
    hash: hashToken(token),
    url: seal({ purpose: 'invitation', owner: projectId }, address),
  };
}

/** Endpoints of invitations, an extension of the contract. */
export const invitationRoutes: Route[] = [
  route<{ body: NewInvitation }>({
    ...write,
    method: 'post',
    path: '/invitations',
    operationId: 'createInvitation',
    summary: 'Invite a person',
    description:
      'Invites a person to the workspace. They get the link to accept it by email; without a ' +
      `mail server, only this response has the link. It is valid once, for ${VALID_DAYS} days, and ` +
      'replaces an earlier invitation of the same email address. Emails are limited: in 24 ' +
      'hours, 20 per workspace, 50 per inviter, and 3 per recipient.',
    body: newInvitationBody,
    answers: { 201: invitationWithUrl },
    handle(request) {
      const { caller, body } = request;
      refuseRoleBeyond(caller.scopes, body.role);
      const { projectId } = caller;
      const origin = { id: newId('invitation'), invitedBy: caller.userId };
      const data = { ...body, ...origin, ...newLink(projectId) };
      return answerWrite(request, invitationJobs['invitation.create'], data, (record) =>
        created(`/invitations/${record.id}`, openUrl(projectId, record)),
      );
    },
  }),
  route<{ body: { token: string } }>({
    ...common,
    method: 'post',
    path: '/invitations/lookup',
    operationId: 'findInvitation',
    summary: 'Find an invitation by its token',
    description: 'Returns the workspace and role of an invitation, by its token.',
    body: lookupBody,
    answers: { 200: offerRecord },
    async handle({ body }) {
      // Does not tell whether the address has an account, because the inviter may be asking.
      const { workspace, email, role } = await findOffer(body.token);
      return ok({ workspace, email, role });
    },
  }),
  route<{ body: Acceptance }>({
    ...common,
    method: 'post',
    path: '/invitations/accept',
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation',
    description:
      'Adds the person to the workspace. A person with an account must be signed in with the ' +
      'invited email address. For a person without one, `name` and `password` create it, and ' +
      'the response sets the session cookie. They also reset an account whose email address is ' +
      'not verified, if the token was sent by email. With `id`, a signed-in person accepts an ' +
      'invitation from `GET /me`.',
    body: acceptBody,
    answers: { 200: meRecord },
    handle: accept,
  }),
  route<{ query: Paging }>({
    ...read,
    method: 'get',
    path: '/invitations',
    operationId: 'listInvitations',
    summary: 'List invitations, newest first',
    description: 'Returns the invitations that can be accepted, newest first, without their links.',
    query: invitationListQuery,
    answers: { 200: Joi.array().items(invitationRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await newestFirst(pending(caller.projectId), query), toInvitation),
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/invitations/{id}',
    operationId: 'retrieveInvitation',
    summary: 'Retrieve an invitation',
    description: 'Returns an invitation that can be accepted, without its link.',
    record: true,
    params: invitationParams,
    answers: { 200: invitationRecord },
    async handle({ caller, params: { id } }) {
      const row = await pending(caller.projectId).where({ id }).first();
      return ok(toInvitation(found(row, `invitation "${id}"`)));
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'post',
    path: '/invitations/{id}/resend',
    operationId: 'resendInvitation',
    summary: 'Resend an invitation',
    description:
      'Sends the person another link, which is valid for ' +
      `${VALID_DAYS} days; the link in the earlier email stops working. Without a mail server, only ` +
      'this response has the link. An invitation that has expired cannot be resent: create another ' +
      'one. It counts against the limits of emailed invitations.',
    params: invitationParams,
    answers: { 200: invitationWithUrl },
    handle(request) {
      const { caller, params } = request;
      const { projectId } = caller;
      const data = async () => {
        const row = await pending(projectId).where(params).first();
        refuseRoleBeyond(caller.scopes, found(row, `invitation "${params.id}"`).role);
        return { ...params, resentBy: caller.userId, ...newLink(projectId) };
      };
      return answerWrite(request, invitationJobs['invitation.resend'], data, (record) => {
        // Also for a repeated request, which may come from a caller with fewer scopes.
        refuseRoleBeyond(caller.scopes, record.role);
        return ok(openUrl(projectId, record));
      });
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'delete',
    path: '/invitations/{id}',
    operationId: 'deleteInvitation',
    summary: 'Withdraw an invitation',
    description: 'Withdraws an invitation at once.',
    record: true,
    params: invitationParams,
    answers: { 200: deletedRecord },
    handle: (request) =>
      answerWrite(request, invitationJobs['invitation.delete'], request.params, ok),
  }),
];
