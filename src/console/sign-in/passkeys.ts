import type { Schemas } from '../api/client.ts';
import { ApiError, describe } from '../api/error.ts';
import { people } from '../api/people.ts';

/** True if the browser has passkeys on this page: over https or on the same machine. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** True if the browser can suggest passkeys in a field. */
export const canSuggestPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable());

/** Lets the browser sign a challenge with a passkey; `null` if it has none. */
export async function askForPasskey(
  { options, attempt }: Schemas['PasskeyAttempt'],
  how: Pick<CredentialRequestOptions, 'mediation' | 'signal'> = {},
): Promise<Schemas['PasskeySignIn'] | null> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ ...how, publicKey });
  return credential === null ? null : { attempt, credential: jsonOf(credential) };
}

/** Signs in with a passkey that the person chooses in a dialog of the browser. */
export async function signInByPasskey(): Promise<Schemas['Me']> {
  const signed = await askForPasskey(await people.startPasskeySignIn());
  if (signed === null) throw new DOMException('', 'NotAllowedError');
  return people.signInByPasskey(signed);
}

export interface PasskeyToAdd {
  name: string;
  confirmation: Schemas['PasskeySetup'];
}

/** Adds a passkey that the browser creates after a dialog. */
export async function addPasskey({
  name,
  confirmation,
}: PasskeyToAdd): Promise<Schemas['Passkey']> {
  const { options, setup } = await people.startPasskey(confirmation);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey });
  if (credential === null) throw new DOMException('', 'NotAllowedError');
  return people.createPasskey({ setup, name, credential: jsonOf(credential) });
}

/** Converts a credential to what the API takes, which names only some of its members. */
const jsonOf = <Json>(credential: Credential): Json =>
  (credential as PublicKeyCredential).toJSON() as Json;

/** Messages for errors of the browser, by their names (Web Authentication, 5.1.3 and 5.1.4). */
const REASONS: Readonly<Record<string, string>> = {
  InvalidStateError: 'This device already has a passkey for your account.',
  NotAllowedError: 'You cancelled, or it took too long. Try again.',
  NotSupportedError: 'This device can’t create a passkey that works here.',
  SecurityError: `Passkeys don’t work at ${location.host}. Open the console at its usual URL.`,
};

/** Describes why a passkey was not added or did not sign in. */
export function describePasskey(error: Error): string {
  if (error instanceof ApiError && error.status === 401) {
    return 'This passkey doesn’t work here anymore, or it took too long. Try again.';
  }
  return REASONS[error.name] ?? describe(error);
}
