import { bech32 } from '@scure/base';
import { parseUrl } from '../../infra/url.ts';
import type { ContentType } from './content-type.ts';
import { line } from './fields.ts';
import { codeOf, rowsOf } from './rows.ts';

/** Maximum length of a request; a code of level L has room for 4,296 capital letters. */
const MAX_LENGTH = 3_000;

/** Words of the time and of the signature, which every invoice has (BOLT 11). */
const MIN_INVOICE_WORDS = 7 + 104;

/** Human-readable part of an invoice of the main network: an amount and its multiplier. */
const INVOICE_PREFIX = /^lnbc(?:[1-9]\d*[munp]?)?$/;

type Kind = 'invoice' | 'lnurl';

/**
 * Kind of a payment request in Bech32 with a correct checksum: an invoice (BOLT 11) of the main
 * network, or an LNURL (LUD-01), whose URL must be https, or http of an onion service.
 *
 * @returns `undefined` for any other text
 */
function kindOf(request: string): Kind | undefined {
  try {
    const { prefix, words } = bech32.decode(request as `${string}1${string}`, MAX_LENGTH);
    if (INVOICE_PREFIX.test(prefix)) {
      return words.length >= MIN_INVOICE_WORDS ? 'invoice' : undefined;
    }
    if (prefix !== 'lnurl') return undefined;
    const url = parseUrl(new TextDecoder('utf-8', { fatal: true }).decode(bech32.fromWords(words)));
    const isOnion = url?.protocol === 'http:' && url.hostname.endsWith('.onion');
    return url?.protocol === 'https:' || isOnion ? 'lnurl' : undefined;
  } catch {
    return undefined;
  }
}

/** Schema of an invoice or an LNURL, with `lightning:` before it or not; the result is in small letters. */
export const lightningRequest = () =>
  line(MAX_LENGTH).custom((value: string, { error }) => {
    const request = value.trim().replace(/^lightning:/i, '');
    return kindOf(request) === undefined
      ? error('rule', { rule: 'must be a Lightning invoice (lnbc…) or an LNURL' })
      : request.toLowerCase();
  });

/**
 * A payment by Lightning (BOLT 11, LUD-01). Capital letters make the code smaller, and both
 * specifications ask readers to accept them.
 */
export const lightning: ContentType<string> = {
  name: 'lightning',
  description: 'A payment by Lightning: an invoice of BOLT 11, or an LNURL.',
  schema: lightningRequest().meta({ extension: true }),
  encode: (request) => `LIGHTNING:${request.toUpperCase()}`,
  onVisit: (request) => ({
    page: {
      type: 'lightning',
      title: 'Pay with Lightning',
      actions: [{ label: 'Open wallet', href: `lightning:${request}` }],
      rows: rowsOf([kindOf(request) === 'lnurl' ? 'LNURL' : 'Invoice', request, 'copy']),
      code: codeOf('Scan with your wallet', `LIGHTNING:${request.toUpperCase()}`),
    },
  }),
};
