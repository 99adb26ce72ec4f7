import { Joi, requiredText, requiredTime, role } from '../http/fields.ts';
import { limitsRecord, toLimits } from '../http/limits-field.ts';
import type { MemberRow } from './queries.ts';

/** Builds the public record of a member. */
export function toMember(row: MemberRow) {
  return {
    userId: row.user_id,
    email: row.email,
    name: row.name,
    role: row.role,
    limits: toLimits(row.limits),
    joinedAt: row.joined_at.toISOString(),
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  };
}

export type MemberRecord = ReturnType<typeof toMember>;

/** Schema of the record of a member, for the reference and for checking answers. */
export const memberRecord = Joi.object({
  userId: requiredText.description('Id of the person.').example('user_7Kx1vQ0aTq'),
  email: requiredText.description('Email address.').example('ada@example.com'),
  name: requiredText.allow('').description('Name.').example('Ada Lovelace'),
  role,
  limits: limitsRecord,
  joinedAt: requiredTime.description('Time at which they joined.'),
  lastSeenAt: requiredTime
    .allow(null)
    .description('Time of their last sign-in or request, to the minute.'),
}).meta({ name: 'Member' });
