import { Joi, nullableTime, oneOf, requiredText, requiredTime } from '../../http/fields.ts';
import { LANGUAGES } from '../../web/language.ts';
import type { ReportRecipient } from './model.ts';

/** States of a recipient. */
const STATES = ['waiting', 'confirmed', 'unsubscribed'] as const;

function stateOf(row: ReportRecipient): (typeof STATES)[number] {
  if (row.confirmed_at !== null) return 'confirmed';
  return row.unsubscribed_at === null ? 'waiting' : 'unsubscribed';
}

/** Builds the public record of a recipient. */
export function toRecipient(row: ReportRecipient) {
  const state = stateOf(row);
  const isAsked = state !== 'confirmed';
  return {
    id: row.id,
    email: row.email,
    language: row.language,
    state,
    confirmableUntil: (isAsked && row.token_expires_at?.toISOString()) || null,
    createdAt: row.created_at.toISOString(),
  };
}

/** The public record of a recipient. */
export type RecipientRecord = ReturnType<typeof toRecipient>;

/** Schema of a recipient, for the reference and for checking answers. */
export const recipientRecord = Joi.object({
  id: requiredText.description('Id of the recipient.').example('rcp_5Rt9pXc1Ze'),
  email: requiredText.description('Email address.').example('client@example.com'),
  language: oneOf(LANGUAGES).required().description('Language of the emails.').example('en'),
  state: oneOf(STATES)
    .required()
    .description(
      'waiting: has not confirmed, and gets no report; confirmed: gets the report; unsubscribed: ' +
        'gets no report.',
    )
    .example('confirmed'),
  confirmableUntil: nullableTime.description(
    'Time until which the link in the confirmation email works; null if there is none to confirm.',
  ),
  createdAt: requiredTime.description('Time of creation.'),
}).meta({ name: 'ReportRecipient' });
