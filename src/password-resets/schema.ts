import { Joi, requiredText, text } from '../http/fields.ts';
import { newPassword } from '../users/password-rules.ts';
import { MAX_EMAIL_LENGTH } from '../users/schema.ts';

const token = text(100)
  .required()
  .description('The part of the link in the mail after `#`.')
  .example('q7Jt0xYkq1oP2sV5nB8mC3dF6gH9jK0lZ4xW7eR1tYu');

export const newResetBody = Joi.object<{ email: string }>({
  email: text(MAX_EMAIL_LENGTH)
    .trim()
    .required()
    .description('Email address of the account, regardless of case.')
    .example('ada@example.com'),
}).meta({ name: 'NewPasswordReset' });

export const resetLookupBody = Joi.object<{ token: string }>({ token }).meta({
  name: 'PasswordResetLookup',
});

export interface CompletionBody {
  token: string;
  password: string;
}

export const completionBody = Joi.object<CompletionBody>({
  token,
  password: newPassword().required(),
}).meta({ name: 'PasswordResetCompletion' });

export const resetRecord = Joi.object({
  email: requiredText.description('Email address of the account.').example('ada@example.com'),
}).meta({ name: 'PasswordReset' });
