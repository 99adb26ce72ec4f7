import { Refusal } from '../errors.ts';
import type { Log } from '../infra/log.ts';
import type { RelyingParty } from '../users/relying-party.ts';
import { CHALLENGE_SECONDS } from './challenges.ts';
import type { StoredPasskey } from './queries.ts';
import type { NewCredential, SignedChallenge } from './schema.ts';

/*
 * Web Authentication (https://www.w3.org/TR/webauthn-3/): options for browsers, and the checks of
 * 7.1 and 7.2. The package takes long to load, so it is loaded with the first passkey.
 */

async function load() {
  // The package imports it too, but a bundle runs CommonJS after what needs it.
  await import('reflect-metadata');
  return import('@simplewebauthn/server');
}

/** COSE algorithms in the order of preference: EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];

/** A key (ES256) to which nobody has the private key, for passkeys that do not exist. */
const NO_KEY = Buffer.from(
  'pQECAyYgASFYIChZxigbQfqWDqBMybz1YmUp+rFwYmkyyVj+c1nz0MFpIlggvJxyuWy1QY' +
    'mvQ77luvlNmqIWRbRIk19ZQgvrQfYZJz0=',
  'base64',
);

/** CBOR of an attestation object up to the length of `authData`: `fmt` is none, `attStmt` is {}. */
const NO_ATTESTATION = Buffer.from(
  'a363666d74646e6f6e656761747453746d74a068617574684461746159',
  'hex',
);

const bytesOf = (base64url: string) => new Uint8Array(Buffer.from(base64url, 'base64url'));

/** The person for whom a passkey is added. */
export interface PasskeyOwner {
  id: string;
  email: string;
  name: string;
}

interface CreationInput {
  challenge: string;
  /** Authenticators that have a passkey of the person already. */
  existing: { id: string; transports: string[] }[];
}

/** Makes the options with which a browser adds a passkey that can sign in alone. */
export async function creationOptions(
  party: RelyingParty,
  owner: PasskeyOwner,
  { challenge, existing }: CreationInput,
) {
  const { generateRegistrationOptions } = await load();
  return generateRegistrationOptions({
    rpName: party.id,
    rpID: party.id,
    userID: new Uint8Array(Buffer.from(owner.id)),
    userName: owner.email,
    userDisplayName: owner.name,
    challenge: bytesOf(challenge),
    timeout: CHALLENGE_SECONDS * 1000,
    attestationType: 'none',
    excludeCredentials: existing,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Makes the options with which a browser signs in with any passkey of this service. */
export async function requestOptions(party: RelyingParty, challenge: string) {
  const { generateAuthenticationOptions } = await load();
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: bytesOf(challenge),
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: 'required',
  });
}

/** A challenge that the service expects to be signed. */
export interface Expected {
  party: RelyingParty;
  /** In base64url. */
  challenge: string;
  log: Log;
}

/** Key and properties of a new passkey, with which its signatures are verified. */
export interface VerifiedCredential {
  credentialId: string;
  /** COSE key, in base64. */
  publicKey: string;
  signCount: number;
  transports: string[];
  isSynced: boolean;
}

/**
 * Removes the attestation, which the service does not request. Verifying it could request the URLs
 * of certificates that it contains.
 *
 * @param attestationObject in base64url
 * @throws Error if it is not valid CBOR
 */
async function withoutAttestation(attestationObject: string): Promise<string> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const authData = decodeAttestationObject(bytesOf(attestationObject)).get('authData');
  const size = Buffer.alloc(2);
  size.writeUInt16BE(authData.length);
  return Buffer.concat([NO_ATTESTATION, size, authData]).toString('base64url');
}

/**
 * Verifies a new passkey.
 *
 * @throws Refusal `unprocessable_entity` if it was not made for this challenge and host, or without
 *   verifying the person
 */
export async function verifyCreation(
  { id, rawId, type, response }: NewCredential,
  { party, challenge, log }: Expected,
): Promise<VerifiedCredential> {
  const { verifyRegistrationResponse } = await load();
  const { clientDataJSON, transports = [] } = response;
  try {
    const attestationObject = await withoutAttestation(response.attestationObject);
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (registrationInfo?.credential.id === id) {
      const { credential, credentialBackedUp } = registrationInfo;
      return {
        credentialId: id,
        publicKey: Buffer.from(credential.publicKey).toString('base64'),
        signCount: credential.counter,
        transports,
        isSynced: credentialBackedUp,
      };
    }
  } catch (error) {
    // Every fault of hostile bytes is thrown too.
    log.info({ reason: messageOf(error) }, 'a new passkey was refused');
  }
  throw new Refusal(
    'unprocessable_entity',
    'credential must be a passkey that this browser has made for this setup, with user verification',
  );
}

/** Properties of a passkey at the time of a signature. */
export interface VerifiedSignature {
  /** Number of its signatures; 0 if it does not count. */
  signCount: number;
  isSynced: boolean;
}

/**
 * Verifies a signature. For an unknown passkey, it computes as much.
 *
 * @returns `undefined` if the signature is not that of the passkey for this challenge and host, or
 *   was made without verifying the person
 */
export async function verifySignature(
  passkey: StoredPasskey | undefined,
  { id, rawId, type, response }: SignedChallenge,
  { party, challenge, log }: Expected,
): Promise<VerifiedSignature | undefined> {
  const { verifyAuthenticationResponse } = await load();
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId,
        type,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id,
        publicKey: new Uint8Array(passkey?.publicKey ?? NO_KEY),
        // The job compares the counter, since sign-ins may be concurrent.
        counter: 0,
      },
    });
    const isOwner = userHandle === Buffer.from(passkey?.userId ?? '').toString('base64url');
    if (!verified || !isOwner) return undefined;
    const { newCounter, credentialBackedUp } = authenticationInfo;
    return { signCount: newCounter, isSynced: credentialBackedUp };
  } catch (error) {
    // Every fault of hostile bytes is thrown too.
    log.info({ reason: messageOf(error) }, 'a sign-in with a passkey was refused');
    return undefined;
  }
}

/** Maximum length of a logged message, which may quote what was sent. */
const MAX_MESSAGE_LENGTH = 200;

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message.slice(0, MAX_MESSAGE_LENGTH) : 'unknown';
