import { id, Joi, nameText, paging, role, text } from '../http/fields.ts';
import { limitsField } from '../http/limits-field.ts';
import { newPassword } from '../users/password-rules.ts';
import type { StoredLimits } from '../workspaces/limits.ts';
import type { Paging } from '../workspaces/lists.ts';
import type { Role } from '../workspaces/roles.ts';

export interface NewInvitation {
  email: string;
  role: Role;
  limits?: StoredLimits | null;
}

export const newInvitationBody = Joi.object<NewInvitation>({
  email: text(254)
    .trim()
    .email({ tlds: false })
    .required()
    .description('Email address of the person.')
    .example('ada@example.com'),
  role,
  limits: limitsField(),
}).meta({ name: 'NewInvitation' });

export const invitationListQuery = Joi.object<Paging>(paging(100));
export const invitationParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the invitation.'),
});

const token = text(100)
  .description('The part of the invitation link after `#`.')
  .example('q7Jt0xYkq1oP2sV5nB8mC3dF6gH9jK0lZ4xW7eR1tYu');

export const lookupBody = Joi.object<{ token: string }>({ token: token.required() }).meta({
  name: 'InvitationLookup',
});

export interface Acceptance {
  /** Token of the invitation; either this, or the id of an invitation that `GET /me` shows. */
  token?: string;
  id?: string;
  /** Name of a person who has no account yet. */
  name?: string;
  password?: string;
}

export const acceptBody = Joi.object<Acceptance>({
  token,
  id: id().description('Id of an invitation of the signed-in person, instead of a token.'),
  name: nameText(190)
    .description('Name of a person who has no account yet, at most 190 characters.')
    .example('Ada Lovelace'),
  password: newPassword(),
})
  .xor('token', 'id')
  .messages({
    'object.missing': 'token, or the id of an invitation, is required',
    'object.xor': 'token and id must not be given together',
  })
  .meta({ name: 'InvitationAcceptance' });
