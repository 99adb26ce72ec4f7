import { crc16, type EmvObject, readEmv } from './emv.ts';

/*
 * The rules of a complete BR Code of Pix, by the "Manual do BR Code" and the "Manual de Padrões para
 * Iniciação do Pix" of Brazil's central bank.
 */

/** Ids of the objects of a BR Code. */
export const BR = {
  category: '52',
  currency: '53',
  amount: '54',
  country: '58',
  name: '59',
  city: '60',
  additional: '62',
  txid: '05',
  crc: '63',
} as const;

/** Globally unique identifier of Pix, in any case. */
export const GUI = 'br.gov.bcb.pix';

/** ISO 4217 code of the real. */
export const REAL = '986';

/** Maximum length of the receiver's name and city, in characters. */
export const MAX_NAME_LENGTH = 25;
export const MAX_CITY_LENGTH = 15;

/** Id of a transaction; `***` stands for none. */
export const TXID = /^([A-Za-z0-9]{1,25}|\*\*\*)$/;

/** Maximum length of a code; a recurrence (id 80) makes it longer than a payment's. */
const MAX_LENGTH = 512;

/**
 * Required and optional objects with a fixed syntax. EMVCo allows an amount without decimal places.
 */
const SYNTAX: readonly [
  id: string,
  name: string,
  isRequired: boolean,
  isValid: (value: string) => boolean,
  rule: string,
][] = [
  [BR.category, 'a category', true, (value) => /^\d{4}$/.test(value), '4 digits'],
  [BR.currency, 'a currency', true, (value) => value === REAL, `${REAL} (BRL)`],
  [
    BR.amount,
    'an amount',
    false,
    (value) => /^\d{1,10}(\.\d{1,2})?$/.test(value),
    'digits such as 10.50',
  ],
  [BR.country, 'a country', true, (value) => value === 'BR', 'BR'],
  [
    BR.name,
    'a name',
    true,
    (value) => value !== '' && value.length <= MAX_NAME_LENGTH,
    `1 to ${MAX_NAME_LENGTH} characters`,
  ],
  [
    BR.city,
    'a city',
    true,
    (value) => value !== '' && value.length <= MAX_CITY_LENGTH,
    `1 to ${MAX_CITY_LENGTH} characters`,
  ],
];

/** The rule that a text breaks as a complete BR Code of Pix; `undefined` if it is one. */
export function brCodeFault(code: string): string | undefined {
  if (code.length > MAX_LENGTH || !/^[\x20-\x7e]+$/.test(code)) {
    return `must consist of at most ${MAX_LENGTH} ASCII characters`;
  }
  const objects = readEmv(code);
  const [first, last] = [objects?.[0], objects?.at(-1)];
  if (objects === undefined || first?.id !== '00' || first.value !== '01' || last?.id !== BR.crc) {
    return 'must be a complete BR Code, from 000201 to its CRC';
  }
  if (last.value.toUpperCase() !== crc16(code.slice(0, -4))) {
    return `must end with the right CRC, which is ${crc16(code.slice(0, -4))}`;
  }
  return (
    repeatFault(objects) ?? accountFault(objects) ?? syntaxFault(objects) ?? txidFault(objects)
  );
}

function repeatFault(objects: readonly EmvObject[]): string | undefined {
  const twice = objects.find(({ id }, at) => objects.findIndex((one) => one.id === id) < at);
  return twice === undefined ? undefined : `must not have the object ${twice.id} twice`;
}

/** A static code has a key (01), a dynamic one the URL of the bank (25). */
function accountFault(objects: readonly EmvObject[]): string | undefined {
  const account = objects
    .filter(({ id }) => Number(id) >= 26 && Number(id) <= 51)
    .map(({ value }) => readEmv(value))
    .find((parts) => parts?.[0]?.id === '00' && parts[0].value.toLowerCase() === GUI);
  if (account === undefined) return `must be a BR Code of Pix (${GUI})`;
  const [key, url] = ['01', '25'].map((id) => account.find((part) => part.id === id)?.value ?? '');
  return (key === '') === (url === '')
    ? 'must have a Pix key (26-01) or a URL (26-25), and not both'
    : undefined;
}

function syntaxFault(objects: readonly EmvObject[]): string | undefined {
  for (const [id, name, isRequired, isValid, rule] of SYNTAX) {
    const value = objects.find((one) => one.id === id)?.value;
    const isRight = value === undefined ? !isRequired : isValid(value);
    if (!isRight) return `must have ${name} (${id}) of ${rule}${sent(value)}`;
  }
  return undefined;
}

function txidFault(objects: readonly EmvObject[]): string | undefined {
  const additional = objects.find(({ id }) => id === BR.additional)?.value ?? '';
  const txid = readEmv(additional)?.find(({ id }) => id === BR.txid)?.value;
  return txid !== undefined && TXID.test(txid)
    ? undefined
    : `must have a txid (62-05) of 1 to 25 letters and digits, or ***${sent(txid)}`;
}

const sent = (value: string | undefined): string => (value === undefined ? '' : `, not "${value}"`);
