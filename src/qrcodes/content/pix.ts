import { Joi } from '../../infra/fields.ts';
import { encodeMatrix, plainPath } from '../render/matrix.ts';
import type { ContentType } from './content-type.ts';
import { crc16, emvObject, readEmv, withCrc } from './emv.ts';
import { decimalAmount, line } from './fields.ts';

/** What a static Pix code says; see the "Manual de Padrões para Iniciação do Pix" of Brazil's central bank. */
export interface PixPayment {
  key: string;
  name: string;
  city: string;
  /** Reais with two decimal places. */
  amount?: string;
  txid?: string;
  description?: string;
}

/** A payment, or a complete BR Code ("Pix copia e cola"). */
export type Pix = PixPayment | string;

/** Names of the objects that are read back for the page. */
const ACCOUNT = '26';
const AMOUNT = '54';
const NAME = '59';
const CITY = '60';
const GUI = 'br.gov.bcb.pix';
/** A template of objects is itself at most 99 characters long. */
const MOST_OF_TEMPLATE = 99;

/** Folds accents: a BR Code is ASCII, so that lengths are the same in characters and bytes. */
const toAscii = (value: string): string => value.normalize('NFD').replaceAll(/\p{M}/gu, '');

const checkDigit = (digits: string, weights: number[]): number => {
  const sum = weights.reduce((total, weight, index) => total + weight * Number(digits[index]), 0);
  return sum % 11 < 2 ? 0 : 11 - (sum % 11);
};

const CNPJ_WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

function hasCheckDigits(digits: string, weights: number[]): boolean {
  if (/^(\d)\1*$/.test(digits)) return false;
  return [2, 1].every((left) => {
    const before = digits.slice(0, digits.length - left);
    return checkDigit(before, weights.slice(-before.length)) === Number(digits.at(-left));
  });
}

const CPF_WEIGHTS = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2];

/** CPF, CNPJ, phone number with +55, e-mail address in lower case, or a random key (a UUID). */
function isPixKey(key: string): boolean {
  if (/^\d{11}$/.test(key)) return hasCheckDigits(key, CPF_WEIGHTS);
  if (/^\d{14}$/.test(key)) return hasCheckDigits(key, CNPJ_WEIGHTS);
  return (
    /^\+55\d{10,11}$/.test(key) ||
    (/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9.-]+\.[a-z]+$/.test(key) && key.length <= 77) ||
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)
  );
}

/** What people write between the digits of a document number is taken out. */
const plainKey = (key: string): string => {
  const digits = key.replaceAll(/[.\-/() ]/g, '');
  return /^\+?\d+$/.test(digits) ? digits : key.toLowerCase();
};

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
      emvObject(ACCOUNT, account(pix)) +
      emvObject('52', '0000') +
      emvObject('53', '986') +
      (pix.amount === undefined ? '' : emvObject(AMOUNT, pix.amount)) +
      emvObject('58', 'BR') +
      emvObject(NAME, pix.name) +
      emvObject(CITY, pix.city) +
      emvObject('62', emvObject('05', pix.txid ?? '***')),
  );
}

/** Why a text is no complete BR Code of Pix; `undefined` when it is one. */
function codeFault(code: string): string | undefined {
  if (!/^[\x20-\x7e]{1,512}$/.test(code)) return 'must consist of at most 512 ASCII characters';
  const objects = readEmv(code);
  if (objects === undefined || objects[0]?.id !== '00' || objects.at(-1)?.id !== '63') {
    return 'must be a complete BR Code, from 000201 to its CRC';
  }
  if (objects.at(-1)?.value.toUpperCase() !== crc16(code.slice(0, -4))) {
    return `must end with the right CRC, which is ${crc16(code.slice(0, -4))}`;
  }
  const accounts = objects.filter(({ id }) => Number(id) >= 26 && Number(id) <= 51);
  const isPix = accounts.some(({ value }) => readEmv(value)?.[0]?.value.toLowerCase() === GUI);
  return isPix ? undefined : `must be a BR Code of Pix (${GUI})`;
}

const folded = (max: number) =>
  line(100)
    .required()
    .custom((value: string, { error }) => {
      const ascii = toAscii(value);
      if (!/^[\x20-\x7e]+$/.test(ascii)) {
        return error('rule', { rule: 'must consist of Latin letters, digits and punctuation' });
      }
      return ascii.length > max
        ? error('rule', { rule: `must not be longer than ${max} characters` })
        : ascii;
    });

const payment = Joi.object({
  key: line(77)
    .required()
    .custom((value: string, { error }) => {
      const key = plainKey(value);
      return isPixKey(key)
        ? key
        : error('rule', {
            rule: 'must be a Pix key: CPF, CNPJ, phone number with +55, e-mail address or random key',
          });
    }),
  name: folded(25),
  city: folded(15),
  amount: decimalAmount(2).custom((value: string, { error }) => {
    const [reais = '', cents = ''] = value.split('.');
    return reais.length > 10
      ? error('rule', { rule: 'must not have more than 10 digits before the point' })
      : `${reais}.${cents.padEnd(2, '0')}`;
  }),
  txid: Joi.string()
    .pattern(/^([A-Za-z0-9]{1,25}|\*\*\*)$/)
    .messages({ 'string.pattern.base': '{{#label}} must be 1 to 25 letters and digits, or ***' }),
  description: line(72).custom((value: string) => toAscii(value).replaceAll(/[^\x20-\x7e]/g, '?')),
}).custom((pix: PixPayment, { error }) =>
  account(pix).length > MOST_OF_TEMPLATE
    ? error('rule', {
        rule: 'must have a shorter description: with the key it is over 99 characters',
      })
    : pix,
);

function rowsOf(code: string, pix: Pix) {
  const objects = new Map(readEmv(code)?.map(({ id, value }) => [id, value]));
  const key = typeof pix === 'string' ? undefined : pix.key;
  const amount = objects.get(AMOUNT);
  return [
    { label: 'Pix copia e cola', value: code, copy: true as const },
    ...(amount === undefined ? [] : [{ label: 'Amount (BRL)', value: amount }]),
    ...(key === undefined ? [] : [{ label: 'Key', value: key, copy: true as const }]),
    { label: 'To', value: objects.get(NAME) ?? '' },
    { label: 'City', value: objects.get(CITY) ?? '' },
  ];
}

/** A payment by Pix (BR Code of Brazil's central bank, on EMVCo's merchant-presented codes). */
export const pix: ContentType<Pix> = {
  name: 'pix',
  description:
    'A payment by Pix: `{key, name, city, amount?, txid?, description?}`, or a text with a complete BR Code.',
  schema: Joi.alternatives().conditional(Joi.string(), {
    then: Joi.string().custom((value: string, { error }) => {
      const rule = codeFault(value.trim());
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
