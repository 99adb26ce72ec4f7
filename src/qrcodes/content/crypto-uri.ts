/** A payment in a cryptocurrency. */
export interface CryptoPayment {
  currency: string;
  address: string;
  /** Amount in whole coins or tokens, as a decimal text. */
  amount?: string;
  label?: string;
  message?: string;
  /** Lightning invoice or LNURL for the same payment in Bitcoin. */
  lightning?: string;
  /** Chain of Ethereum (EIP-155). */
  chainId?: number;
  /** Contract of a token in Ethereum, mint of one in Solana. */
  token?: string;
  /** Number of decimal places of a token in Ethereum. */
  tokenDecimals?: number;
}

/**
 * Converts an amount to the smallest unit, as text, since no float holds eighteen decimal places.
 */
function inSmallestUnit(amount: string, places: number): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(places, '0')).toString();
}

/** Builds a query from the parameters with a value. */
function queryOf(parameters: Record<string, string | undefined>): string {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value!)}`)
    .join('&');
  return query === '' ? '' : `?${query}`;
}

/** Builds a URI of ERC-681, with the value in the smallest unit. */
function ethereumUri({
  address,
  amount,
  chainId,
  token,
  tokenDecimals = 18,
}: CryptoPayment): string {
  const chain = chainId === undefined ? '' : `@${chainId}`;
  if (token === undefined) {
    const value = amount && inSmallestUnit(amount, 18);
    return `ethereum:${address}${chain}${queryOf({ value })}`;
  }
  const uint256 = amount && inSmallestUnit(amount, tokenDecimals);
  return `ethereum:${token}${chain}/transfer${queryOf({ address, uint256 })}`;
}

/**
 * Builds a payment URI: BIP 21 and its successor BIP 321 for bitcoin, by convention for related
 * coins and Tron too; ERC-681 for ethereum; Solana Pay for solana; Monero's own names.
 */
export function paymentUri(payment: CryptoPayment): string {
  const { currency, address, amount, label, message, lightning, token } = payment;
  if (currency === 'ethereum') return ethereumUri(payment);
  const query = {
    bitcoin: { amount, label, message, lightning },
    monero: { tx_amount: amount, recipient_name: label, tx_description: message },
    solana: { amount, 'spl-token': token, label, message },
  }[currency] ?? { amount, label, message };
  return `${currency}:${address.replace(/^bitcoincash:/i, '')}${queryOf(query)}`;
}
