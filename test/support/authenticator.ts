import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { expect } from 'chai';
import type { ApiClient } from './client.ts';
import { stack } from './stack.ts';

/*
 * An authenticator in software (Web Authentication, 6): it makes passkeys and signs challenges like
 * that of a phone, or wrongly in the ways that a test names.
 */

/** A value that CBOR (RFC 8949) can contain here. */
type Cbor = number | string | Buffer | Map<number | string, Cbor>;

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  if (size < 256) return Buffer.from([(major << 5) | 24, size]);
  return Buffer.from([(major << 5) | 25, size >> 8, size & 0xff]);
}

/** Encodes a value as CBOR. */
export function toCbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const parts = [...value].flatMap(([key, member]) => [toCbor(key), toCbor(member)]);
  return Buffer.concat([head(5, value.size), ...parts]);
}

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

const makeKeys = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
} as const;

/** Encodes a public key as a COSE key (RFC 9053). */
function coseKey(algorithm: Algorithm, key: KeyObject): Buffer {
  const jwk = key.export({ format: 'jwk' });
  const part = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name]!, 'base64url');
  const members: Record<Algorithm, () => [number, Cbor][]> = {
    ES256: () => [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, part('x')],
      [-3, part('y')],
    ],
    EdDSA: () => [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, part('x')],
    ],
    RS256: () => [
      [1, 3],
      [3, -257],
      [-1, part('n')],
      [-2, part('e')],
    ],
  };
  return toCbor(new Map(members[algorithm]()));
}

const FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, synced: 0x10, added: 0x40 };

/** Ways in which an authenticator or a browser can be wrong. */
export interface Wrong {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  isVerified?: boolean;
  /** Attestation statement instead of none. */
  attestation?: { fmt: string; attStmt: Map<string, Cbor> };
}

interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

/** A response as `toJSON()` of a browser returns it. */
export interface CredentialJson {
  id: string;
  rawId: string;
  type: string;
  authenticatorAttachment: string;
  clientExtensionResults: object;
  response: Record<string, unknown>;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

/** The origin at which browsers open the service. */
export const serviceOrigin = (): string => `http://localhost:${new URL(stack().apiUrl).port}`;

/** An authenticator with one passkey. */
export class Authenticator {
  readonly id = randomBytes(32);
  /** Number of signatures; stays 0 if it does not count. */
  signCount = 0;
  /** Id of the person, which it stores with the passkey. */
  userHandle = randomBytes(24).toString('base64url');
  readonly #algorithm: Algorithm;
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };
  readonly #isSynced: boolean;
  readonly #counts: boolean;

  constructor({
    algorithm = 'ES256',
    isSynced = true,
    counts = false,
  }: { algorithm?: Algorithm; isSynced?: boolean; counts?: boolean } = {}) {
    this.#algorithm = algorithm;
    this.#keys = makeKeys[algorithm]();
    this.#isSynced = isSynced;
    this.#counts = counts;
  }

  #clientData(type: string, challenge: string, wrong: Wrong): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: wrong.type ?? type,
        challenge: wrong.challenge ?? challenge,
        origin: wrong.origin ?? serviceOrigin(),
        crossOrigin: false,
      }),
    );
  }

  #data(rpId: string, { isVerified = true, ...wrong }: Wrong, added?: Buffer): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.signCount);
    const flags =
      FLAGS.present |
      (isVerified ? FLAGS.verified : 0) |
      (this.#isSynced ? FLAGS.eligible | FLAGS.synced : 0) |
      (added === undefined ? 0 : FLAGS.added);
    const parts = [sha256(wrong.rpId ?? rpId), Buffer.from([flags]), count];
    return Buffer.concat(added === undefined ? parts : [...parts, added]);
  }

  #answer(response: Record<string, unknown>): CredentialJson {
    const id = this.id.toString('base64url');
    return {
      id,
      rawId: id,
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: { credProps: { rk: true } },
      response,
    };
  }

  /** Makes the passkey: `navigator.credentials.create()`. */
  create(options: CreationOptions, wrong: Wrong = {}): CredentialJson {
    this.userHandle = options.user.id;
    const size = Buffer.alloc(2);
    size.writeUInt16BE(this.id.length);
    const key = coseKey(this.#algorithm, this.#keys.publicKey);
    const added = Buffer.concat([Buffer.alloc(16), size, this.id, key]);
    const authData = this.#data(options.rp.id, wrong, added);
    const { fmt, attStmt } = wrong.attestation ?? { fmt: 'none', attStmt: new Map() };
    const attestation = new Map<string, Cbor>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', authData],
    ]);
    const clientData = this.#clientData('webauthn.create', options.challenge, wrong);
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      attestationObject: toCbor(attestation).toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      transports: ['internal', 'hybrid'],
    });
  }

  /** Signs a challenge: `navigator.credentials.get()`. */
  sign(options: { challenge: string; rpId: string }, wrong: Wrong = {}): CredentialJson {
    if (this.#counts) this.signCount += 1;
    const data = this.#data(options.rpId, wrong);
    const clientData = this.#clientData('webauthn.get', options.challenge, wrong);
    const digest = this.#algorithm === 'EdDSA' ? null : 'sha256';
    const signature = sign(
      digest,
      Buffer.concat([data, sha256(clientData)]),
      this.#keys.privateKey,
    );
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: this.userHandle,
    });
  }
}

/** Adds a passkey to a person like the console. */
export async function aPasskey(
  { api }: { api: ApiClient },
  {
    authenticator = new Authenticator(),
    confirmation = {},
    name = 'Phone',
  }: { authenticator?: Authenticator; confirmation?: object; name?: string } = {},
): Promise<Authenticator & { recordId: string }> {
  const begun = await api.post('/me/passkeys/setup', confirmation);
  expect(begun.status, JSON.stringify(begun.body)).to.equal(200);
  const { options, setup } = begun.body as { options: CreationOptions; setup: string };
  const credential = authenticator.create(options);
  const added = await api.post('/me/passkeys', { setup, name, credential });
  expect(added.status, JSON.stringify(added.body)).to.equal(201);
  return Object.assign(authenticator, { recordId: (added.body as { id: string }).id });
}
