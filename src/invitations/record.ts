import { Joi, requiredText, requiredTime, role } from '../http/fields.ts';
import { limitsRecord, toLimits } from '../http/limits-field.ts';
import { openSealed, type Sealed } from '../jobs/sealed.ts';
import type { Invitation } from './model.ts';

/** Converts a row to its public record, without the address. */
export function toInvitation(row: Invitation) {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    limits: toLimits(row.limits),
    invitedBy: row.invited_by,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}

export type InvitationRecord = ReturnType<typeof toInvitation>;

/**
 * An invitation with its sealed address, as in a job's result; `null` if it was only sent by email.
 */
export type InvitationWithUrl = InvitationRecord & { url: Sealed | null; isMailed: boolean };

/** Decrypts the address for the inviter. */
export const openUrl = (projectId: string, record: InvitationWithUrl): object => ({
  ...record,
  url: record.url === null ? null : openSealed(projectId, 'invitation', record.url),
});

/** Schema of an invitation, for the reference and for checking answers. */
export const invitationRecord = Joi.object({
  id: requiredText.description('Id of the invitation.').example('inv_4Jx2vQ0aTq'),
  email: requiredText.description('Email address of the person.').example('ada@example.com'),
  role,
  limits: limitsRecord,
  invitedBy: Joi.string()
    .allow(null)
    .required()
    .description('Id of the person who created it.')
    .example('user_7Kx1vQ0aTq'),
  createdAt: requiredTime.description('Time of creation.'),
  expiresAt: requiredTime.description('Time at which it expires.'),
}).meta({ name: 'Invitation' });

/** Schema of the answer that shows the address of an invitation. */
export const invitationWithUrl = invitationRecord
  .keys({
    url: requiredText
      .allow(null)
      .description(
        'Link to accept the invitation; send it to the person. No other response has it. `null` ' +
          'if the installation has a mail server: only the person gets it, by email.',
      )
      .example(
        'https://api.example.com/console/invitation#q7Jt0xYkq1oP2sV5nB8mC3dF6gH9jK0lZ4xW7eR1tYu',
      ),
    isMailed: Joi.boolean().required().description('The person gets the link by email.'),
  })
  .meta({ name: 'InvitationWithUrl' });

/** Schema of what a person sees before accepting. */
export const offerRecord = Joi.object({
  workspace: Joi.object({
    name: requiredText.description('Name.').example('Acme'),
    slug: requiredText.description('Short name, unique in the service.').example('acme'),
  })
    .required()
    .description('Workspace that the person joins.'),
  email: requiredText.description('Email address of the person.').example('ada@example.com'),
  role,
}).meta({ name: 'InvitationOffer' });
