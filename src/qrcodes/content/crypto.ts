import { Joi, oneOf } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import {
  isBase58,
  isCashAddress,
  isEthereumAccount,
  isMoneroAddress,
  isSegwit,
  isSolanaAccount,
} from './crypto-address.ts';
import { type CryptoPayment, paymentUri } from './crypto-uri.ts';
import { decimalAmount, line, lines } from './fields.ts';
import { lightningRequest } from './lightning.ts';
import { amountRow, codeOf, rowsOf } from './rows.ts';

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
  solana: { label: 'Solana', places: 9, isAddress: isSolanaAccount },
  tron: { label: 'Tron', places: 6, isAddress: (address) => isBase58(address, [0x41]) },
} satisfies Record<string, Currency>;

type CurrencyName = keyof typeof CURRENCIES;

/** Optional fields by the currencies that have them. */
const FIELDS: Partial<Record<keyof CryptoPayment, readonly CurrencyName[]>> = {
  label: ['bitcoin', 'litecoin', 'bitcoincash', 'dogecoin', 'dash', 'monero', 'solana'],
  message: ['bitcoin', 'litecoin', 'bitcoincash', 'dogecoin', 'dash', 'monero', 'solana'],
  lightning: ['bitcoin'],
  chainId: ['ethereum'],
  token: ['ethereum', 'solana'],
  tokenDecimals: ['ethereum'],
};

/** Reason why Ethereum has no texts, which its users expect most. */
const NO_TEXT = 'payments in Ethereum carry none (ERC-681)';

/** The rule that a payment breaks, as the end of the sentence "crypto …". */
function faultOf(payment: CryptoPayment): string | undefined {
  const { address, amount, token, tokenDecimals } = payment;
  const currency = payment.currency as CurrencyName;
  const { label, places, isAddress } = CURRENCIES[currency];
  if (!isAddress(address)) return `must have a wallet address of ${label}, not "${address}"`;
  for (const [name, currencies] of Object.entries(FIELDS)) {
    if (payment[name as keyof CryptoPayment] === undefined || currencies.includes(currency))
      continue;
    const why = currency === 'ethereum' ? NO_TEXT : `${label} has none`;
    return `must not have a ${name}: ${why}`;
  }
  const isToken = currency === 'solana' ? isSolanaAccount : isEthereumAccount;
  if (token !== undefined && !isToken(token)) {
    return `must have a token of ${label}, not "${token}"`;
  }
  if (currency === 'ethereum' && (token === undefined || amount === undefined)) {
    if (tokenDecimals !== undefined) {
      return 'must not have tokenDecimals without token and amount';
    }
  } else if (currency === 'ethereum' && tokenDecimals === undefined) {
    return 'must have tokenDecimals: without it, the amount of the token is unknown';
  }
  const most = token === undefined ? places : (tokenDecimals ?? places);
  return (amount?.split('.')[1]?.length ?? 0) <= most
    ? undefined
    : `must have an amount with at most ${most} decimal places (${token === undefined ? label : 'token'})`;
}

const addition = (schema: ReturnType<typeof line>, description: string) =>
  schema.empty('').description(description).meta({ extension: true });

/** Prefixes of Bech32 addresses (BIP 173) by currency. */
const BECH32: Partial<Record<CurrencyName, string>> = {
  bitcoin: 'bc',
  litecoin: 'ltc',
};

/**
 * The payment URI in a code. Bech32 addresses stand in capital letters, as BIP 173 recommends for
 * QR codes: they take 5.5 bits each instead of 8, and wallets read both.
 */
function codeUri(payment: CryptoPayment): string {
  const prefix = BECH32[payment.currency as CurrencyName];
  return prefix !== undefined && isSegwit(payment.address, prefix)
    ? paymentUri({ ...payment, address: payment.address.toUpperCase() })
    : paymentUri(payment);
}

/** A payment in a cryptocurrency (BIP 21, BIP 321, ERC-681, Solana Pay). */
export const crypto: ContentType<CryptoPayment> = {
  name: 'crypto',
  description: `A payment: \`{currency, address, amount?, label?, message?, lightning?, chainId?, token?, tokenDecimals?}\`; the currency is one of ${Object.keys(CURRENCIES).join(', ')}, the amount in whole coins or tokens.`,
  schema: Joi.object({
    currency: oneOf(Object.keys(CURRENCIES)).required().description('Currency.'),
    address: Joi.string()
      .trim()
      .max(120)
      .required()
      .description('Wallet address of the receiver.')
      .example('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'),
    amount: decimalAmount(18).empty('').description('Amount in whole coins or tokens.'),
    label: addition(line(100), 'Name of the receiver; not for ethereum and tron.'),
    message: lines(300)
      .empty('')
      .description('Message, at most 300 characters; not for ethereum and tron.'),
    lightning: addition(
      lightningRequest(),
      'Lightning invoice or LNURL for the same payment in bitcoin.',
    ),
    chainId: Joi.number()
      .strict()
      .integer()
      .min(1)
      .description('Chain of ethereum (EIP-155), such as 8453. Default: the wallet’s.')
      .meta({ extension: true }),
    token: addition(line(60).trim(), 'Contract of a token in ethereum, mint of one in solana.'),
    tokenDecimals: Joi.number()
      .strict()
      .integer()
      .min(0)
      .max(18)
      .description('Decimal places of the token in ethereum; required with an amount.')
      .meta({ extension: true }),
  })
    .meta({ name: 'CryptoContent' })
    .custom((payment: CryptoPayment, { error }) => {
      const rule = faultOf(payment);
      return rule === undefined ? payment : error('rule', { rule });
    }),
  encode: codeUri,
  onVisit: (payment) => {
    const { label } = CURRENCIES[payment.currency as CurrencyName];
    const { address, amount, token, chainId, lightning } = payment;
    const uri = paymentUri(payment);
    return {
      page: {
        type: 'crypto',
        title: `Pay with ${label}`,
        actions: [{ label: 'Open wallet', href: uri }],
        rows: [
          ...amountRow(`Amount (${token === undefined ? label : 'token'})`, amount),
          ...rowsOf(
            ['Address', address, 'copy'],
            ['Token', token, 'copy'],
            ['Chain', chainId?.toString()],
            ['Recipient', payment.label],
            ['Message', payment.message],
            ['Lightning', lightning, 'copy'],
          ),
        ],
        code: codeOf('Scan with your wallet', codeUri(payment)),
      },
    };
  },
};
