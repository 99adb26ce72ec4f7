import { Joi, oneOf } from '../../http/fields.ts';
import { encodeMatrix, plainPath } from '../render/matrix.ts';
import type { ContentType } from './content-type.ts';
import {
  isBase58,
  isCashAddress,
  isEthereumAccount,
  isMoneroAddress,
  isSegwit,
} from './crypto-address.ts';
import { decimalAmount, lines } from './fields.ts';

/** A payment in a cryptocurrency. */
export interface CryptoPayment {
  currency: keyof typeof CURRENCIES;
  address: string;
  /** Amount in whole coins, as a decimal text. */
  amount?: string;
  message?: string;
}

interface Currency {
  label: string;
  /** Number of decimal places. */
  places: number;
  /** True for an address of the coin's main network with a correct checksum. */
  isAddress(address: string): boolean;
}

const CURRENCIES = {
  bitcoin: {
    label: 'Bitcoin',
    places: 8,
    isAddress: (address) => isBase58(address, [0x00, 0x05]) || isSegwit(address, 'bc'),
  },
  ethereum: {
    label: 'Ethereum',
    places: 18,
    isAddress: (address) => isEthereumAccount(address) || /^[\w-]+(\.[\w-]+)*\.eth$/.test(address),
  },
  litecoin: {
    label: 'Litecoin',
    places: 8,
    isAddress: (address) => isBase58(address, [0x30, 0x32, 0x05]) || isSegwit(address, 'ltc'),
  },
  bitcoincash: {
    label: 'Bitcoin Cash',
    places: 8,
    isAddress: (address) => isBase58(address, [0x00, 0x05]) || isCashAddress(address),
  },
  dogecoin: {
    label: 'Dogecoin',
    places: 8,
    isAddress: (address) => isBase58(address, [0x1e, 0x16]),
  },
  dash: { label: 'Dash', places: 8, isAddress: (address) => isBase58(address, [0x4c, 0x10]) },
  monero: { label: 'Monero', places: 12, isAddress: isMoneroAddress },
} satisfies Record<string, Currency>;

/**
 * Converts an amount to the smallest unit, as text, since no float holds eighteen decimal places.
 */
function inSmallestUnit(amount: string, places: number): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(places, '0')).toString();
}

/**
 * Builds a payment URI: BIP 21 and its successor BIP 321 for bitcoin, by convention for related
 * coins too; ERC-681 for ethereum, with the value in wei; Monero's own `tx_amount`.
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
  return `${currency}:${address.replace(/^bitcoincash:/i, '')}${query === '' ? '' : `?${query}`}`;
}

/** A payment in a cryptocurrency (BIP 21, BIP 321, ERC-681). */
export const crypto: ContentType<CryptoPayment> = {
  name: 'crypto',
  description: `A payment: \`{currency, address, amount?, message?}\`; the currency is one of ${Object.keys(CURRENCIES).join(', ')}, the amount in whole coins.`,
  schema: Joi.object({
    currency: oneOf(Object.keys(CURRENCIES)).required().description('Currency.'),
    address: Joi.string()
      .trim()
      .max(120)
      .required()
      .description('Wallet address of the receiver.')
      .example('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'),
    amount: decimalAmount(18).empty('').description('Amount in whole coins.'),
    message: lines(300).empty('').description('Message, at most 300 characters; not for ethereum.'),
  })
    .meta({ name: 'CryptoContent' })
    .custom((payment: CryptoPayment, { error }) => {
      const { label, places, isAddress } = CURRENCIES[payment.currency];
      if (!isAddress(payment.address)) {
        return error('rule', {
          rule: `must have a wallet address of ${label}, not "${payment.address}"`,
        });
      }
      if (payment.currency === 'ethereum' && payment.message !== undefined) {
        return error('rule', {
          rule: 'must not have a message: payments in Ethereum carry none (ERC-681)',
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
