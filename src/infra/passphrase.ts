import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';

/*
 * Encrypts texts that move from one installation to another with a passphrase that a person keeps:
 * AES-256-GCM with a key derived by scrypt. The parameters are fixed, so that no file can choose
 * the cost of deriving its key.
 */

/** OWASP's recommendation for scrypt with 32 MiB. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
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
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
  }

  /** Decrypts a text; `undefined` if it was not encrypted with this key or was changed. */
  decrypt(encrypted: string): string | undefined {
    const bytes = Buffer.from(encrypted, 'base64url');
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    if (tag.length < TAG_BYTES) return undefined;
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(tag);
    try {
      const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([body, decipher.final()]).toString('utf8');
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
