import { Joi, requiredText, text } from '../../http/fields.ts';
import { currentPassword } from '../schema.ts';

const code = text(40)
  .required()
  .description(
    'Six digits of the authenticator app, or an unused recovery code, in any case and with or ' +
      'without spaces and hyphens.',
  )
  .example('492039');

const password = currentPassword().description('Current password; required if the person has one.');

export interface CodeBody {
  code: string;
}

export const secondStepBody = Joi.object<CodeBody>({ code }).meta({ name: 'SecondStep' });

export interface NewFactorBody {
  setup: string;
  code: string;
  currentPassword?: string;
}

export const newFactorBody = Joi.object<NewFactorBody>({
  setup: text(1_000)
    .required()
    .description('`setup` of the response to `POST /me/second-factor/setup`.')
    .example('sealed:v2:4x2k9Q==:q7Jt0xYkq1oP2sV5nB8m'),
  code: text(40)
    .required()
    .description('Six digits of the authenticator app, which prove that it has the secret.')
    .example('492039'),
  currentPassword: password,
}).meta({ name: 'NewSecondFactor' });

export interface ConfirmationBody {
  code: string;
  currentPassword?: string;
}

export const confirmationBody = Joi.object<ConfirmationBody>({
  code,
  currentPassword: password,
}).meta({ name: 'SecondFactorConfirmation' });

export const setupRecord = Joi.object({
  secret: requiredText
    .description('Secret in base32, to enter by hand.')
    .example('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'),
  uri: requiredText
    .description('`otpauth:` URI with the secret.')
    .example('otpauth://totp/links.example.com:ada%40example.com?secret=JBSWY3DPEHPK3PXP'),
  qrCode: requiredText
    .description('QR code of the URI, as a `data:` URI of an SVG image.')
    .example('data:image/svg+xml;base64,PHN2Zy8+'),
  setup: requiredText
    .description('Text to send with the code within ten minutes.')
    .example('sealed:v2:4x2k9Q==:q7Jt0xYkq1oP2sV5nB8m'),
}).meta({ name: 'SecondFactorSetup' });

export const recoveryCodesRecord = Joi.object({
  recoveryCodes: Joi.array()
    .items(Joi.string())
    .required()
    .description('Ten codes, shown once. Each replaces a code of the app once.')
    .example(['abcd-efgh-ijkl-mnop']),
}).meta({ name: 'RecoveryCodes' });
