import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58, base58xmr, bech32, bech32m, createBase58check } from '@scure/base';

/* Validates addresses: each must be of its coin's main network, with a correct checksum. */

const base58check = createBase58check(sha256);

/** Returns the decoded value, or `undefined` if the decoder throws. */
function decoded<Value>(decode: () => Value): Value | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

/** True when a text is Base58Check of 20 bytes after one of these version bytes. */
export function isBase58(address: string, versions: readonly number[]): boolean {
  const bytes = decoded(() => base58check.decode(address));
  return bytes?.length === 21 && versions.includes(bytes[0]!);
}

/** True when a text is a segwit address with this prefix (BIP 173; from version 1 on BIP 350). */
export function isSegwit(address: string, prefix: string): boolean {
  for (const codec of [bech32, bech32m]) {
    const words = decoded(() => codec.decode(address as `${string}1${string}`));
    if (words?.prefix !== prefix) continue;
    const [version = 17, ...rest] = words.words;
    const program = decoded(() => codec.fromWords(rest));
    if (program === undefined || version > 16) return false;
    const { length } = program;
    if (version === 0) return codec === bech32 && (length === 20 || length === 32);
    return codec === bech32m && (version === 1 ? length === 32 : length >= 2 && length <= 40);
  }
  return false;
}

/** True when a text is a public key of Solana: Base58 of 32 bytes, which has no checksum. */
export const isSolanaAccount = (address: string): boolean =>
  decoded(() => base58.decode(address))?.length === 32;

const CASH_CHARACTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CASH_PREFIX = 'bitcoincash';
const CASH_GENERATOR = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];
/** Length of the hash in bytes, by the lower three bits of the version byte. */
const CASH_HASH_BYTES = [20, 24, 28, 32, 40, 48, 56, 64];

/**
 * True when a text is a CashAddr of Bitcoin Cash, with its prefix or without (CashAddr
 * specification, 2017).
 */
export function isCashAddress(address: string): boolean {
  if (address !== address.toLowerCase() && address !== address.toUpperCase()) return false;
  const text = address.toLowerCase().replace(/^bitcoincash:/, '');
  const words = Array.from(text, (character) => CASH_CHARACTERS.indexOf(character));
  if (words.includes(-1) || words.length > 112) return false;
  const prefix = Array.from(CASH_PREFIX, (character) => character.charCodeAt(0) & 31);
  let residue = 1n;
  for (const word of [...prefix, 0, ...words]) {
    const top = residue >> 35n;
    residue = ((residue & 0x07ffffffffn) << 5n) ^ BigInt(word);
    for (const [bit, term] of CASH_GENERATOR.entries()) {
      if ((top >> BigInt(bit)) & 1n) residue ^= term;
    }
  }
  if (residue !== 1n) return false;
  // The last eight words are the checksum; padding bits must be zero.
  const bytes = decoded(() => bech32.fromWords(words.slice(0, -8)));
  if (bytes === undefined) return false;
  const version = bytes[0]!;
  // The highest bit is reserved; the types are 0 and 1, or 2 and 3 with tokens.
  return version >> 3 <= 3 && bytes.length - 1 === CASH_HASH_BYTES[version & 7];
}

/** True when a text is an Ethereum account. Letters of mixed case are its checksum (EIP-55). */
export function isEthereumAccount(address: string): boolean {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return false;
  const digits = address.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  const hash = keccak_256(new TextEncoder().encode(digits.toLowerCase()));
  return Array.from(digits).every((digit, index) => {
    const nibble = (hash[index >> 1]! >> (index % 2 === 0 ? 4 : 0)) & 15;
    return digit === (nibble >= 8 ? digit.toUpperCase() : digit.toLowerCase());
  });
}

/**
 * Network bytes of Monero, with the lengths of the decoded address: standard, with a payment id,
 * subaddress.
 */
const MONERO_BYTES = new Map([
  [18, 69],
  [19, 77],
  [42, 69],
]);

/** True when a text is an address of Monero's main network. */
export function isMoneroAddress(address: string): boolean {
  const bytes = decoded(() => base58xmr.decode(address));
  if (bytes === undefined || MONERO_BYTES.get(bytes[0]!) !== bytes.length) return false;
  const checksum = keccak_256(bytes.subarray(0, -4)).subarray(0, 4);
  return checksum.every((byte, index) => byte === bytes.at(index - 4));
}
