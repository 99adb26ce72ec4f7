import { randomBytes, scrypt } from 'node:crypto';
import { decrypt, encrypt } from './seal.ts';

/*
 * Encrypts texts that move from one installation to another with a passphrase that a person keeps:
 * AES-256-GCM with a key derived by scrypt. The parameters are fixed, so that no file can choose
 * the cost of deriving its key.
 */

/** OWASP's recommendation for scrypt with 32 MiB. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const CHECKED = 'passphrase';

/** Public properties of a key, for checking a passphrase. */
export interface KeyProperties {
  /** Salt in base64url. */
  salt: string;
  /** A known text, encrypted. */
  check: string;
}

/** Encrypts and decrypts texts with a passphrase. */
export class PassphraseKey {
  readonly #key: Buffer;
  readonly #salt: Buffer;

  private constructor(key: Buffer, salt: Buffer) {
    this.#key = key;
    this.#salt = salt;
  }

  /** Derives a new key from a passphrase. */
  static async make(passphrase: string): Promise<PassphraseKey> {
    const salt = randomBytes(16);
    return new PassphraseKey(await derived(passphrase, salt), salt);
  }

  /** Derives the key with these properties; `undefined` if the passphrase is wrong. */
  static async find(
    passphrase: string,
    { salt, check }: KeyProperties,
  ): Promise<PassphraseKey | undefined> {
    const bytes = Buffer.from(salt, 'base64url');
    const key = new PassphraseKey(await derived(passphrase, bytes), bytes);
    return key.decrypt(check) === CHECKED ? key : undefined;
  }

  get properties(): KeyProperties {
    return { salt: this.#salt.toString('base64url'), check: this.encrypt(CHECKED) };
  }

  encrypt(text: string): string {
    return encrypt(this.#key, text);
  }

  /** Decrypts a text; `undefined` if it was not encrypted with this key or was changed. */
  decrypt(encrypted: string): string | undefined {
    try {
      return decrypt(this.#key, encrypted);
    } catch {
      return undefined;
    }
  }
}

function derived(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, 32, SCRYPT, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
