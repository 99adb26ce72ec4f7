import { Joi, nameText, requiredText, text } from '../http/fields.ts';
import { currentPassword } from '../users/schema.ts';

/** Maximum length of bytes in base64url. Authenticator ids have at most 1,023 bytes. */
const MAX_BYTES_LENGTH = 16_384;
const MAX_ID_LENGTH = 1_364;
const MAX_NAME_LENGTH = 100;
const MAX_TRANSPORTS = 10;

const bytes = (max = MAX_BYTES_LENGTH) =>
  text(max)
    .pattern(/^[\w-]+$/, 'base64url')
    .required();

const credentialId = () =>
  bytes(MAX_ID_LENGTH)
    .description('Id of the credential, in base64url.')
    .example('mL1vXz5yT2uO8pQ4nB7kCg');

const credentialFields = {
  id: credentialId(),
  rawId: credentialId(),
  type: Joi.string().valid('public-key').required().description('Type of the credential.'),
};

const clientDataJSON = bytes()
  .description('What the browser has told the authenticator, in base64url.')
  .example('eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0');

/** The response of an authenticator to which a passkey was added: `RegistrationResponseJSON`. */
export interface NewCredential {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] };
}

/** The response of an authenticator that signs in: `AuthenticationResponseJSON`. */
export interface SignedChallenge {
  id: string;
  rawId: string;
  type: 'public-key';
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | null;
  };
}

const newCredential = Joi.object<NewCredential>({
  ...credentialFields,
  response: Joi.object({
    clientDataJSON,
    attestationObject: bytes()
      .description('Public key and data of the authenticator, in base64url.')
      .example('o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg'),
    transports: Joi.array()
      .items(text(32))
      .max(MAX_TRANSPORTS)
      .description('Ways in which the browser reaches the authenticator.')
      .example(['internal', 'hybrid']),
  })
    .unknown()
    .required()
    .description('Response of the authenticator. Other members are ignored.'),
})
  .unknown()
  .required()
  .description(
    '`RegistrationResponseJSON` of Web Authentication: `toJSON()` of the result of ' +
      '`navigator.credentials.create()`. Other members are ignored.',
  );

const signedChallenge = Joi.object<SignedChallenge>({
  ...credentialFields,
  response: Joi.object({
    clientDataJSON,
    authenticatorData: bytes()
      .description('Data of the authenticator, in base64url.')
      .example('SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ'),
    signature: bytes()
      .description('Signature of both, in base64url.')
      .example('MEUCIQDx1sV5nB8mC3dF6gH9jK0lZ4xW7eR1tYu'),
    userHandle: text(MAX_ID_LENGTH)
      .allow(null)
      .description('Id of the person, in base64url, as the passkey has stored it.')
      .example('dXNlcl80Sngydk'),
  })
    .unknown()
    .required()
    .description('Response of the authenticator. Other members are ignored.'),
})
  .unknown()
  .required()
  .description(
    '`AuthenticationResponseJSON` of Web Authentication: `toJSON()` of the result of ' +
      '`navigator.credentials.get()`. Other members are ignored.',
  );

export interface PasskeySignInBody {
  attempt: string;
  credential: SignedChallenge;
}

export const signInBody = Joi.object<PasskeySignInBody>({
  attempt: text(1_000)
    .required()
    .description('`attempt` of the response to `POST /auth/passkeys/start`.')
    .example('sealed:v2:4x2k9Q==:q7Jt0xYkq1oP2sV5nB8m'),
  credential: signedChallenge,
}).meta({ name: 'PasskeySignIn' });

/** Proof of a person's identity before a change of their passkeys. */
export interface Confirmation {
  currentPassword?: string;
  code?: string;
}

const confirmation = {
  currentPassword: currentPassword().description(
    'Current password; required if the person has one.',
  ),
  code: text(40)
    .description(
      'Six digits of the authenticator app, or an unused recovery code; required if the person ' +
        'has an authenticator app.',
    )
    .example('492039'),
};

export const setupBody = Joi.object<Confirmation>(confirmation).meta({ name: 'PasskeySetup' });

export const removalBody = Joi.object<Confirmation>(confirmation).meta({ name: 'PasskeyRemoval' });

const name = nameText(MAX_NAME_LENGTH)
  .required()
  .description('Name that tells it from the others, at most 100 characters.')
  .example('MacBook');

export interface NewPasskeyBody {
  setup: string;
  name: string;
  credential: NewCredential;
}

export const newPasskeyBody = Joi.object<NewPasskeyBody>({
  setup: text(2_000)
    .required()
    .description('`setup` of the response to `POST /me/passkeys/setup`.')
    .example('sealed:v2:4x2k9Q==:q7Jt0xYkq1oP2sV5nB8m'),
  name,
  credential: newCredential,
}).meta({ name: 'NewPasskey' });

export const changesBody = Joi.object<{ name: string }>({ name }).meta({ name: 'PasskeyUpdate' });

export const passkeyParams = Joi.object<{ id: string }>({
  id: text(260).required().description('Id of the passkey.'),
});

const options = (type: string, method: string) =>
  Joi.object()
    .unknown()
    .required()
    .description(
      `\`${type}\` of Web Authentication, for \`PublicKeyCredential.${method}()\` in the browser.`,
    );

export const attemptRecord = Joi.object({
  options: options('PublicKeyCredentialRequestOptionsJSON', 'parseRequestOptionsFromJSON').example({
    challenge: 'q7Jt0xYkq1oP2sV5nB8mC3dF6gH9jK0lZ4xW7eR1tYu',
    rpId: 'links.example.com',
    userVerification: 'required',
  }),
  attempt: requiredText
    .description('Text to send with the signature, within ten minutes and from the same browser.')
    .example('sealed:v2:4x2k9Q==:q7Jt0xYkq1oP2sV5nB8m'),
}).meta({ name: 'PasskeyAttempt' });

export const setupRecord = Joi.object({
  options: options(
    'PublicKeyCredentialCreationOptionsJSON',
    'parseCreationOptionsFromJSON',
  ).example({
    challenge: 'q7Jt0xYkq1oP2sV5nB8mC3dF6gH9jK0lZ4xW7eR1tYu',
    rp: { id: 'links.example.com', name: 'links.example.com' },
    user: { id: 'dXNlcl80Sngydk', name: 'ada@example.com', displayName: 'Ada Lovelace' },
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  }),
  setup: requiredText
    .description('Text to send with the new passkey, within ten minutes and in the same session.')
    .example('sealed:v2:4x2k9Q==:q7Jt0xYkq1oP2sV5nB8m'),
}).meta({ name: 'PasskeyOptions' });
