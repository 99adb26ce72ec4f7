import anyAscii from 'any-ascii';
import { Joi } from '../../http/fields.ts';
import { encodeMatrix, plainPath } from '../render/matrix.ts';
import { BR, brCodeFault, GUI, MAX_CITY_LENGTH, MAX_NAME_LENGTH, REAL, TXID } from './br-code.ts';
import type { ContentType } from './content-type.ts';
import { emvObject, readEmv, withCrc } from './emv.ts';
import { decimalAmount, line } from './fields.ts';
import { internationalNumber } from './phone-number.ts';
import { amountRow } from './rows.ts';

/**
 * The content of a static Pix code, by the "Manual de Padrões para Iniciação do Pix" of Brazil's
 * central bank.
 */
export interface PixPayment {
  key: string;
  name: string;
  city: string;
  /** Amount in reais, with two decimal places. */
  amount?: string;
  txid?: string;
  description?: string;
}

/** A payment, or a complete BR Code ("Pix copia e cola"). */
export type Pix = PixPayment | string;

/** Maximum length of a template object, in characters. */
const MAX_TEMPLATE_LENGTH = 99;

/**
 * Converts a text to ASCII, the character set of BR Codes, so that characters and bytes are equal
 * in number: `D’Ouro` becomes `D'Ouro`, `ß` becomes `ss`.
 */
const toAscii = (value: string): string => anyAscii(value).replaceAll(/\s+/g, ' ').trim();

/** Value of a character: its ASCII code minus that of `0` (Receita Federal, alphanumeric CNPJ). */
const valueOf = (characters: string, index: number): number => characters.charCodeAt(index) - 48;

const checkDigit = (characters: string, weights: number[]): number => {
  const sum = weights.reduce(
    (total, weight, index) => total + weight * valueOf(characters, index),
    0,
  );
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
};

const CNPJ_WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

function hasCheckDigits(number: string, weights: number[]): boolean {
  if (/^(.)\1*$/.test(number)) return false;
  return [2, 1].every((left) => {
    const before = number.slice(0, number.length - left);
    return checkDigit(before, weights.slice(-before.length)) === Number(number.at(-left));
  });
}

/** A CNPJ: twelve letters or digits and two check digits. Letters are allowed since July 2026. */
const CNPJ = /^[0-9A-Z]{12}\d{2}$/;

const CPF_WEIGHTS = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];

/**
 * True for a CPF, a CNPJ, a phone number with +55, an email address in lower case, or a random key
 * (UUID).
 */
function isPixKey(key: string): boolean {
  if (/^\d{11}$/.test(key)) return hasCheckDigits(key, CPF_WEIGHTS);
  if (CNPJ.test(key)) return hasCheckDigits(key, CNPJ_WEIGHTS);
  return (
    /^\+55\d{10,11}$/.test(key) ||
    (/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9.-]+\.[a-z]+$/.test(key) && key.length <= 77) ||
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)
  );
}

const phoneKey = internationalNumber();

/** Removes the separators of a document or phone number. */
function plainKey(key: string): string {
  const number = key.replaceAll(/[.\-/() ]/g, '').toUpperCase();
  if (/^\d+$/.test(number) || CNPJ.test(number)) return number;
  if (!key.startsWith('+')) return key.toLowerCase();
  const { value, error } = phoneKey.validate(key);
  return error === undefined ? (value as string) : key;
}

function account({ key, description }: PixPayment): string {
  return (
    emvObject('00', GUI) +
    emvObject('01', key) +
    (description === undefined ? '' : emvObject('02', description))
  );
}

function encode(pix: Pix): string {
  if (typeof pix === 'string') return pix;
  return withCrc(
    emvObject('00', '01') +
      emvObject('26', account(pix)) +
      emvObject(BR.category, '0000') +
      emvObject(BR.currency, REAL) +
      (pix.amount === undefined ? '' : emvObject(BR.amount, pix.amount)) +
      emvObject(BR.country, 'BR') +
      emvObject(BR.name, pix.name) +
      emvObject(BR.city, pix.city) +
      emvObject(BR.additional, emvObject(BR.txid, pix.txid ?? '***')),
  );
}

const LATIN =
  'must consist of Latin letters, digits, punctuation and symbols that ASCII can express';
/** Other scripts could be transliterated too, but hardly be recognized afterwards. */
const READABLE = /^[\x20-\x7e\p{Script=Latin}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+$/u;

const transliterated = (max: number) =>
  line(100)
    .trim()
    .required()
    .custom((value: string, { error }) => {
      const ascii = toAscii(value);
      const symbols = value.match(/\p{S}/gu) ?? [];
      if (!READABLE.test(value) || ascii === '' || symbols.some((one) => toAscii(one) === '')) {
        return error('rule', { rule: LATIN });
      }
      return ascii.length > max
        ? error('rule', { rule: `must not be longer than ${max} characters` })
        : ascii;
    });

const payment = Joi.object({
  key: line(77)
    .trim()
    .required()
    .description('Pix key: CPF, CNPJ, phone number with +55, email address or random key.')
    .example('ada@example.com')
    .custom((value: string, { error }) => {
      const key = plainKey(value);
      return isPixKey(key)
        ? key
        : error('rule', {
            rule: 'must be a Pix key: CPF, CNPJ, phone number with +55, email address or random key',
          });
    }),
  name: transliterated(MAX_NAME_LENGTH)
    .description('Name of the receiver.')
    .example('Ada Lovelace'),
  city: transliterated(MAX_CITY_LENGTH).description('City of the receiver.').example('Sao Paulo'),
  amount: decimalAmount(2, 10).empty('').description('Amount in reais.'),
  txid: Joi.string()
    .trim()
    .empty('')
    .description('Id of the transaction: 1 to 25 letters and digits, or ***.')
    .pattern(TXID)
    .messages({ 'string.pattern.base': '{{#label}} must be 1 to 25 letters and digits, or ***' }),
  description: line(72)
    .empty('')
    .description('Text for the payer.')
    .custom((value: string, { error }) => toAscii(value) || error('rule', { rule: LATIN })),
})
  .meta({ name: 'PixPayment' })
  .custom((pix: PixPayment, { error }) => {
    if (account(pix).length > MAX_TEMPLATE_LENGTH) {
      const rule = 'must have a shorter description: with the key it is over 99 characters';
      return error('rule', { rule });
    }
    if (pix.amount === undefined) return pix;
    const [reais, cents = ''] = pix.amount.split('.');
    return { ...pix, amount: `${reais}.${cents.padEnd(2, '0')}` };
  });

function rowsOf(code: string, pix: Pix) {
  const objects = new Map(readEmv(code)?.map(({ id, value }) => [id, value]));
  const key = typeof pix === 'string' ? undefined : pix.key;
  const amount = objects.get(BR.amount);
  return [
    ...amountRow('Amount (BRL)', amount),
    { label: 'Pix copia e cola', value: code, copy: true as const },
    ...(key === undefined ? [] : [{ label: 'Key', value: key, copy: true as const }]),
    { label: 'To', value: objects.get(BR.name) ?? '' },
    { label: 'City', value: objects.get(BR.city) ?? '' },
  ];
}

/** A payment by Pix (BR Code of Brazil's central bank, on EMVCo's merchant-presented codes). */
export const pix: ContentType<Pix> = {
  name: 'pix',
  description:
    'A payment by Pix: `{key, name, city, amount?, txid?, description?}`, or a text with a complete BR Code.',
  schema: Joi.alternatives().conditional(Joi.string(), {
    then: Joi.string().custom((value: string, { error }) => {
      const rule = brCodeFault(value.trim());
      return rule === undefined ? value.trim() : error('rule', { rule });
    }),
    otherwise: payment,
  }),
  encode,
  onVisit: (content) => {
    const text = encode(content);
    const code = encodeMatrix(text, 'M');
    return {
      page: {
        type: 'pix',
        title: 'Pay with Pix',
        subtitle: 'Copy the code into your bank’s app, or scan it.',
        actions: [],
        rows: rowsOf(text, content),
        code: { label: 'Scan with your bank’s app', size: code.size, path: plainPath(code) },
      },
    };
  },
};
