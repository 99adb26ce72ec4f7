import { id, Joi, nameText, oneOf, text } from '../http/fields.ts';
import { newSlugFault } from '../workspaces/slug.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { MAX_PASSWORD_LENGTH, newPassword } from './password-rules.ts';

/** Maximum length of an email address (RFC 5321, 4.5.3.1.3). */
export const MAX_EMAIL_LENGTH = 254;
const MAX_NAME_LENGTH = 190;

const password = () => text(MAX_PASSWORD_LENGTH).normalize('NFC');

/** Schema of the password that a person has. */
export const currentPassword = () => password().example('an older password');

export interface SignInBody {
  email: string;
  password: string;
}

export const signInBody = Joi.object<SignInBody>({
  email: text(MAX_EMAIL_LENGTH)
    .trim()
    .required()
    .description('Email address, regardless of case.')
    .example('ada@example.com'),
  password: password().required().description('Password.').example('correct horse battery staple'),
}).meta({ name: 'SignIn' });

export interface LinkBody {
  token: string;
}

export const linkBody = Joi.object<LinkBody>({
  token: text(100)
    .required()
    .description('The part of a one-time sign-in link after `#`.')
    .example('q7Jt0xYkq1oP2sV5nB8mC3dF6gH9jK0lZ4xW7eR1tYu'),
}).meta({ name: 'SignInLink' });

export interface MeChanges {
  name?: string;
  language?: Language | null;
  password?: string;
  currentPassword?: string;
}

export const meChangesBody = Joi.object<MeChanges>({
  name: nameText(MAX_NAME_LENGTH)
    .description('Name, at most 190 characters.')
    .example('Ada Lovelace'),
  language: oneOf(LANGUAGES)
    .allow(null)
    .description('Language of the console; null for the language of the browser.')
    .example('de'),
  password: newPassword(),
  currentPassword: currentPassword().description(
    'Current password, if `needsCurrentPassword` is true.',
  ),
})
  .or('name', 'language', 'password')
  .meta({ name: 'MeUpdate' });

export const sessionParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the session.'),
});

export interface NewWorkspaceBody {
  slug: string;
  name?: string;
}

export const newWorkspaceBody = Joi.object<NewWorkspaceBody>({
  slug: text(48)
    .custom((value: string, { error }) => {
      const rule = newSlugFault(value);
      return rule === undefined ? value : error('rule', { rule });
    })
    .required()
    .description(
      'Name of the workspace in URLs: 1 to 48 lower-case letters, digits and inner hyphens; not ' +
        '`admin`, `assets`, `authorize`, `invitation`, `sign-in` or `welcome`, which are paths of ' +
        'the console.',
    )
    .example('acme'),
  name: nameText(MAX_NAME_LENGTH).description('Name. Default: the slug.').example('Acme'),
}).meta({ name: 'NewWorkspace' });
