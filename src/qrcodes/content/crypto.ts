import { createHash } from 'node:crypto';
import { Joi } from '../../infra/fields.ts';
import { encodeMatrix, plainPath } from '../render/matrix.ts';
import type { ContentType } from './content-type.ts';
import { decimalAmount, lines } from './fields.ts';

/** A payment in a cryptocurrency. */
export interface CryptoPayment {
  currency: keyof typeof CURRENCIES;
  address: string;
  /** In whole coins, as a decimal text. */
  amount?: string;
  message?: string;
}

interface Currency {
  label: string;
  /** Decimal places of a coin. */
  places: number;
  isAddress(address: string): boolean;
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Whether a text is Base58Check: its last four bytes are the start of a double SHA-256 of the others. */
export function isBase58Check(text: string): boolean {
  let number = 0n;
  for (const character of text) {
    const digit = BASE58.indexOf(character);
    if (digit < 0) return false;
    number = number * 58n + BigInt(digit);
  }
  const zeros = /^1*/.exec(text)![0].length;
  const hex = number === 0n ? '' : number.toString(16);
  const bytes = Buffer.concat([
    Buffer.alloc(zeros),
    Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex'),
  ]);
  if (bytes.length !== 25) return false;
  const sha = (data: Buffer) => createHash('sha256').update(data).digest();
  return sha(sha(bytes.subarray(0, 21)))
    .subarray(0, 4)
    .equals(bytes.subarray(21));
}

const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
/** Residues of Bech32 (BIP 173) and of Bech32m (BIP 350). */
const RESIDUES = [1, 0x2bc830a3];

/** Whether a text is a segwit address with this prefix and a right checksum. */
export function isBech32(text: string, prefix: string): boolean {
  // Either case is allowed, a mix is not.
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return false;
  const lower = text.toLowerCase();
  if (!lower.startsWith(`${prefix}1`) || lower.length > 90) return false;
  const data = Array.from(lower.slice(prefix.length + 1), (character) => BECH32.indexOf(character));
  if (data.length < 8 || data.includes(-1)) return false;
  const codes = Array.from(prefix, (character) => character.charCodeAt(0));
  const values = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...data];
  let residue = 1;
  for (const value of values) {
    const top = residue >>> 25;
    residue = ((residue & 0x1ffffff) << 5) ^ value;
    for (const [bit, term] of GENERATOR.entries()) if ((top >>> bit) & 1) residue ^= term;
  }
  return RESIDUES.includes(residue >>> 0);
}

const CURRENCIES = {
  bitcoin: {
    label: 'Bitcoin',
    places: 8,
    isAddress: (address) => isBase58Check(address) || isBech32(address, 'bc'),
  },
  ethereum: {
    label: 'Ethereum',
    places: 18,
    // EIP-55's mixed case is a checksum by Keccak, which is left to the wallet.
    isAddress: (address) =>
      /^0x[0-9a-fA-F]{40}$/.test(address) || /^[\w-]+(\.[\w-]+)*\.eth$/.test(address),
  },
  litecoin: {
    label: 'Litecoin',
    places: 8,
    isAddress: (address) => isBase58Check(address) || isBech32(address, 'ltc'),
  },
  bitcoincash: {
    label: 'Bitcoin Cash',
    places: 8,
    isAddress: (address) =>
      isBase58Check(address) || /^(bitcoincash:)?[qp][0-9a-z]{41}$/.test(address),
  },
  dogecoin: { label: 'Dogecoin', places: 8, isAddress: isBase58Check },
  dash: { label: 'Dash', places: 8, isAddress: isBase58Check },
  monero: {
    label: 'Monero',
    places: 12,
    isAddress: (address) =>
      /^[48][1-9A-HJ-NP-Za-km-z]{94}([1-9A-HJ-NP-Za-km-z]{11})?$/.test(address),
  },
} satisfies Record<string, Currency>;

/** An amount in the smallest unit: moved by text, since no float holds eighteen places. */
function inSmallestUnit(amount: string, places: number): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(places, '0')).toString();
}

/**
 * A payment URI: BIP 21 and its successor BIP 321 for bitcoin, the same by custom for its kin, ERC-681 for
 * ethereum, whose value is in wei, Monero's own `tx_amount`.
 */
function paymentUri({ currency, address, amount, message }: CryptoPayment): string {
  if (currency === 'ethereum') {
    const value = amount === undefined ? '' : `?value=${inSmallestUnit(amount, 18)}`;
    return `ethereum:${address}${value}`;
  }
  const names =
    currency === 'monero'
      ? { amount: 'tx_amount', message: 'tx_description' }
      : { amount: 'amount', message: 'message' };
  const query = [
    ...(amount === undefined ? [] : [`${names.amount}=${amount}`]),
    ...(message === undefined ? [] : [`${names.message}=${encodeURIComponent(message)}`]),
  ].join('&');
  return `${currency}:${address.replace(/^bitcoincash:/, '')}${query === '' ? '' : `?${query}`}`;
}

/** A payment in a cryptocurrency (BIP 21, BIP 321, ERC-681). */
export const crypto: ContentType<CryptoPayment> = {
  name: 'crypto',
  description: `A payment: \`{currency, address, amount?, message?}\`; the currency is one of ${Object.keys(CURRENCIES).join(', ')}, the amount in whole coins.`,
  schema: Joi.object({
    currency: Joi.string()
      .valid(...Object.keys(CURRENCIES))
      .required(),
    address: Joi.string().max(120).required(),
    amount: decimalAmount(18),
    message: lines(300),
  }).custom((payment: CryptoPayment, { error }) => {
    const { label, places, isAddress } = CURRENCIES[payment.currency];
    if (!isAddress(payment.address)) {
      return error('rule', {
        rule: `must have an address of ${label}: "${payment.address}" is none`,
      });
    }
    const decimals = payment.amount?.split('.')[1]?.length ?? 0;
    return decimals <= places
      ? payment
      : error('rule', {
          rule: `must have an amount with at most ${places} decimal places (${label})`,
        });
  }),
  encode: paymentUri,
  onVisit: (payment) => {
    const { label } = CURRENCIES[payment.currency];
    const uri = paymentUri(payment);
    const code = encodeMatrix(uri, 'M');
    return {
      page: {
        type: 'crypto',
        title: `Pay with ${label}`,
        actions: [{ label: 'Open wallet', href: uri }],
        rows: [
          { label: 'Address', value: payment.address, copy: true },
          ...(payment.amount === undefined
            ? []
            : [{ label: `Amount (${label})`, value: payment.amount, copy: true as const }]),
          ...(payment.message === undefined ? [] : [{ label: 'Message', value: payment.message }]),
        ],
        code: { label: 'Scan with your wallet', size: code.size, path: plainPath(code) },
      },
    };
  },
};
