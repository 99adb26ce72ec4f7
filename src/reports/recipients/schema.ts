import { id, Joi, oneOf, paging, text } from '../../http/fields.ts';
import { MAX_EMAIL_LENGTH } from '../../users/schema.ts';
import { LANGUAGES, type Language } from '../../web/language.ts';
import type { Paging } from '../../workspaces/lists.ts';

/** Maximum number of recipients of a report. */
export const MAX_RECIPIENTS = 50;

export interface NewRecipient {
  email: string;
  language: Language;
}

export const newRecipientBody = Joi.object<NewRecipient>({
  email: text(MAX_EMAIL_LENGTH)
    .trim()
    .email({ tlds: false })
    .required()
    .description('Email address of the person.')
    .example('client@example.com'),
  language: oneOf(LANGUAGES)
    .default('en')
    .description('Language of the emails to this person.')
    .example('en'),
}).meta({ name: 'NewReportRecipient' });

export const recipientListQuery = Joi.object<Paging>(paging(MAX_RECIPIENTS));

export interface RecipientParams {
  id: string;
  recipientId: string;
}

const reportId = id().required().description('Id of the report.');

export const recipientsParams = Joi.object<{ id: string }>({ id: reportId });

export const recipientParams = Joi.object<RecipientParams>({
  id: reportId,
  recipientId: id().required().description('Id of the recipient.'),
});
