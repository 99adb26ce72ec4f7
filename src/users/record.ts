import { Joi, oneOf, requiredCount, requiredText, requiredTime, scope } from '../http/fields.ts';
import { limitsRecord, toLimits } from '../http/limits-field.ts';
import type { PlacesOwner } from '../visitors/places.ts';
import { limitedScopes, type StoredLimits } from '../workspaces/limits.ts';
import { PLANS, type Plan } from '../workspaces/plans.ts';
import { ROLES, type Role, SCOPES_OF } from '../workspaces/roles.ts';
import { LANGUAGES, type Language } from './languages.ts';

/** A workspace of a person. */
export interface Membership {
  id: string;
  slug: string;
  name: string;
  plan: Plan;
  role: Role;
  /** True if the workspace requires a second factor, and the session had none. */
  needsSecondFactor: boolean;
  scopes: readonly string[];
  limits: ReturnType<typeof toLimits>;
}

/** A membership as it is stored. */
export type MembershipRow = Omit<Membership, 'scopes' | 'limits'> & { limits: StoredLimits | null };

/** Builds the public record of a membership. */
export const membershipOf = ({ limits, ...row }: MembershipRow): Membership => ({
  ...row,
  scopes: limits === null ? SCOPES_OF[row.role] : limitedScopes(SCOPES_OF[row.role]),
  limits: toLimits(limits),
});

/** An invitation as its recipient sees it. */
export interface OwnInvitation {
  id: string;
  workspace: { name: string; slug: string };
  role: Role;
  /** Email address of the inviting person. */
  invitedBy: string | null;
}

/** The second factor of a person. */
export interface OwnFactor {
  createdAt: string;
  /** Number of unused recovery codes. */
  recoveryCodes: number;
}

/** A person as they see themselves. */
export interface Me {
  id: string;
  email: string;
  name: string;
  language: Language | null;
  hasPassword: boolean;
  needsCurrentPassword: boolean;
  isOperator: boolean;
  secondFactor: OwnFactor | null;
  /** Number of passkeys. */
  passkeys: number;
  workspaces: Membership[];
  invitations: OwnInvitation[];
  locationsBy: PlacesOwner;
}

export const membershipRecord = Joi.object({
  id: requiredText.description('Id of the workspace.').example('proj_4Jx2vQ0aTq'),
  slug: requiredText
    .description('Name of the workspace in the header `X-Workspace`.')
    .example('acme'),
  name: requiredText.description('Name of the workspace.').example('Acme'),
  plan: oneOf(PLANS).required().description('Plan of the workspace.'),
  role: oneOf(ROLES).required().description('Role of the person in the workspace.'),
  needsSecondFactor: Joi.boolean()
    .required()
    .description(
      'The workspace requires a second factor, and the person has not signed in with one: requests to it get 403.',
    ),
  scopes: Joi.array()
    .items(scope)
    .required()
    .description('Permissions of the role, as scopes of API keys; `*` is all.')
    .example(['*']),
  limits: limitsRecord,
}).meta({ name: 'Membership' });

const ownInvitationRecord = Joi.object({
  id: requiredText
    .description('Id of the invitation, for `POST /invitations/accept`.')
    .example('inv_4Jx2vQ0aTq'),
  workspace: Joi.object({
    name: requiredText.description('Name.').example('Acme'),
    slug: requiredText.description('Short name, unique in the service.').example('acme'),
  })
    .required()
    .description('Workspace that the person would join.'),
  role: oneOf(ROLES).required().description('Role that the person would have.'),
  invitedBy: Joi.string()
    .required()
    .allow(null)
    .description('Email address of the person who invites.')
    .example('grace@example.com'),
}).meta({ name: 'OwnInvitation' });

export const meRecord = Joi.object({
  id: requiredText.description('Id of the person.').example('user_4Jx2vQ0aTq'),
  email: requiredText.description('Email address.').example('ada@example.com'),
  name: requiredText.description('Name.').example('Ada Lovelace'),
  language: oneOf(LANGUAGES)
    .required()
    .allow(null)
    .description('Language of the console; null for the language of the browser.')
    .example('de'),
  hasPassword: Joi.boolean().required().description('The person can sign in with a password.'),
  needsCurrentPassword: Joi.boolean()
    .required()
    .description(
      'A new password requires the current one. False if there is none, and for an hour after a ' +
        'sign-in by a one-time link.',
    ),
  isOperator: Joi.boolean()
    .required()
    .description('The person operates this installation, and can use `/admin`.'),
  secondFactor: Joi.object({
    createdAt: requiredTime.description('Time at which it was set up.'),
    recoveryCodes: requiredCount.description('Number of unused recovery codes.').example(10),
  })
    .required()
    .allow(null)
    .description('Authenticator app of the person; null if there is none.'),
  passkeys: requiredCount.description('Number of passkeys of the person.').example(2),
  workspaces: Joi.array()
    .items(membershipRecord)
    .required()
    .description('The workspaces of the person, by name.'),
  invitations: Joi.array()
    .items(ownInvitationRecord)
    .required()
    .description(
      'Invitations of the email address, newest first, at most 20; none until it is verified.',
    ),
  locationsBy: Joi.string()
    .valid('DB-IP')
    .allow(null)
    .required()
    .description(
      'Owner of the database of locations, if its license requires a link next to them.',
    ),
}).meta({ name: 'Me' });

/** A session as its owner sees it. */
export interface SessionRecord {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  userAgent: string;
  network: string;
  isCurrent: boolean;
}

export const sessionRecord = Joi.object({
  id: requiredText.description('Id of the session.').example('sess_4Jx2vQ0aTq'),
  createdAt: Joi.string()
    .isoDate()
    .required()
    .description('Time of the sign-in.')
    .example('2026-01-31T12:00:00.000Z'),
  lastUsedAt: Joi.string()
    .isoDate()
    .required()
    .description('Time of the last use, to the minute.')
    .example('2026-01-31T12:00:00.000Z'),
  userAgent: requiredText
    .allow('')
    .description('Browser that signed in, as it names itself.')
    .example('Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'),
  network: requiredText
    .allow('')
    .description('IP address of the sign-in, or its IPv6 network of 64 bits.')
    .example('203.0.113.7'),
  isCurrent: Joi.boolean().required().description('This is the current session.'),
}).meta({ name: 'Session' });
