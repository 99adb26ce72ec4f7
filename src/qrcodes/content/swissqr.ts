import { Joi } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import { cents, line } from './fields.ts';
import { compact, inGroups, isCreditorReference, isSwissIban } from './iban.ts';
import { amountRow, codeOf, rowsOf } from './rows.ts';

/** A person or company with a structured address. */
interface Party {
  name: string;
  street?: string;
  houseNumber?: string;
  postalCode: string;
  city: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
}

/** A Swiss QR bill. */
export interface SwissBill {
  iban: string;
  creditor: Party;
  /** Amount with two decimal places. */
  amount?: string;
  currency: 'CHF' | 'EUR';
  debtor?: Party;
  reference?: string;
  message?: string;
  /** Structured information for the receiver, such as `//S1/10/…`. */
  billInformation?: string;
  alternativeProcedures?: string[];
}

/** Maximum length of the text, in characters. */
const MAX_LENGTH = 997;
/** Maximum length of message and bill information together, in characters. */
const MAX_INFORMATION = 140;

/**
 * Characters of the Implementation Guidelines, version 2.3: printable Latin of Unicode up to
 * Latin Extended-A, four letters of Romanian, and the euro sign.
 */
const CHARACTERS = /^[\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u20ac]*$/;

/** Row of the check of a QR reference by the carry (modulo 10, recursive). */
const CARRIES = [0, 9, 4, 6, 8, 2, 7, 1, 3, 5];

/** True for a QR reference: 27 digits, the last of which is the check digit. */
function isQrReference(reference: string): boolean {
  if (!/^\d{27}$/.test(reference) || /^0+$/.test(reference)) return false;
  const carry = Array.from(reference.slice(0, -1)).reduce(
    (before, digit) => CARRIES[(before + Number(digit)) % 10]!,
    0,
  );
  return (10 - carry) % 10 === Number(reference.at(-1));
}

/** True for a QR-IBAN, whose bank number is from 30000 to 31999. */
const isQrIban = (iban: string): boolean => /^3[01]/.test(iban.slice(4));

/** Type of the reference: none, QR reference or creditor reference. */
function referenceType({ reference }: SwissBill): 'NON' | 'QRR' | 'SCOR' {
  if (reference === undefined) return 'NON';
  return reference.startsWith('RF') ? 'SCOR' : 'QRR';
}

/** Lines of an address of the type S; empty ones for an absent party. */
function partyLines(party: Party | undefined): string[] {
  if (party === undefined) return Array.from({ length: 7 }, () => '');
  const { name, street = '', houseNumber = '', postalCode, city, country } = party;
  return ['S', name, street, houseNumber, postalCode, city, country];
}

/** Encodes the lines of version 2. All lines up to the trailer are written, even empty ones. */
function encode(bill: SwissBill): string {
  const { iban, creditor, amount = '', currency, debtor, reference = '', message = '' } = bill;
  const { billInformation, alternativeProcedures = [] } = bill;
  const ultimateCreditor = partyLines(undefined);
  const hasMore = billInformation !== undefined || alternativeProcedures.length > 0;
  return [
    ['SPC', '0200', '1', iban],
    partyLines(creditor),
    ultimateCreditor,
    [amount, currency],
    partyLines(debtor),
    [referenceType(bill), reference, message, 'EPD'],
    hasMore ? [billInformation ?? '', ...alternativeProcedures] : [],
  ]
    .flat()
    .join('\n');
}

/** The rule that a bill breaks, as the end of the sentence "swissqr …". */
function faultOf(bill: SwissBill): string | undefined {
  const { iban, message = '', billInformation = '' } = bill;
  const type = referenceType(bill);
  if (isQrIban(iban) && type !== 'QRR') {
    return 'must have a reference of 27 digits: its iban is a QR-IBAN';
  }
  if (!isQrIban(iban) && type === 'QRR') {
    return 'must not have a reference of 27 digits: its iban is not a QR-IBAN';
  }
  if (message.length + billInformation.length > MAX_INFORMATION) {
    return `must have at most ${MAX_INFORMATION} characters in message and billInformation together`;
  }
  const { length } = encode(bill);
  return length <= MAX_LENGTH
    ? undefined
    : `must not be longer than ${MAX_LENGTH} characters, and has ${length}`;
}

/** Schema of a text in the characters of Swiss payments. */
const text = (max: number) =>
  line(max)
    .trim()
    .custom((value: string, { error }) =>
      CHARACTERS.test(value)
        ? value
        : error('rule', { rule: 'must consist of Latin letters, digits and punctuation' }),
    );

const party = Joi.object({
  name: text(70)
    .required()
    .description('Name, at most 70 characters.')
    .example('Robert Schneider AG'),
  street: text(70).empty('').description('Street.'),
  houseNumber: text(16).empty('').description('House number.'),
  postalCode: text(16).required().description('Postal code.').example('2501'),
  city: text(35).required().description('City.').example('Biel'),
  country: Joi.string()
    .uppercase()
    .pattern(/^[A-Z]{2}$/)
    .required()
    .messages({ 'string.pattern.base': '{{#label}} must be a country code of two letters' })
    .description('Country code (ISO 3166-1 alpha-2).')
    .example('CH'),
}).meta({ name: 'SwissParty' });

const placeOf = ({ name, street, houseNumber, postalCode, city, country }: Party): string =>
  [
    name,
    [street, houseNumber].filter(Boolean).join(' '),
    `${country === 'CH' ? '' : `${country} `}${postalCode} ${city}`,
  ]
    .filter((part) => part !== '')
    .join('\n');

/** The code of a Swiss QR bill (Swiss Implementation Guidelines QR-bill, versions 2.2 and 2.3). */
export const swissqr: ContentType<SwissBill> = {
  name: 'swissqr',
  level: 'M',
  description:
    'A Swiss QR bill: `{iban, creditor, amount?, currency?, debtor?, reference?, message?, billInformation?, ' +
    'alternativeProcedures?}`; creditor and debtor are `{name, street?, houseNumber?, postalCode, city, country}`.',
  schema: Joi.object({
    iban: line(50)
      .required()
      .description('IBAN or QR-IBAN of Switzerland or Liechtenstein.')
      .example('CH9300762011623852957')
      .custom((value: string, { error }) =>
        isSwissIban(compact(value))
          ? compact(value)
          : error('rule', { rule: 'must be an IBAN of CH or LI with the right check digits' }),
      ),
    creditor: party.required().description('Receiver.'),
    amount: cents(9).description('Amount, from 0.01 to 999999999.99.'),
    currency: Joi.string()
      .valid('CHF', 'EUR')
      .insensitive()
      .empty('')
      .default('CHF')
      .description('Currency. Default CHF.'),
    debtor: party.description('Payer.'),
    reference: line(50)
      .empty('')
      .description('QR reference of 27 digits with a QR-IBAN, or creditor reference (ISO 11649).')
      .custom((value: string, { error }) => {
        const reference = compact(value);
        return isQrReference(reference) || isCreditorReference(reference)
          ? reference
          : error('rule', {
              rule: 'must be a QR reference or a reference of ISO 11649 with the right check digits',
            });
      }),
    message: text(140).empty('').description('Text for the receiver, at most 140 characters.'),
    billInformation: text(140).empty('').description('Coded information for the receiver.'),
    alternativeProcedures: Joi.array()
      .items(text(100))
      .max(2)
      .description('Parameters of other procedures, such as eBill: at most 2 texts.'),
  })
    .meta({ name: 'SwissQrContent', extension: true })
    .custom((bill: SwissBill, { error }) => {
      const rule = faultOf(bill);
      return rule === undefined ? bill : error('rule', { rule });
    }),
  encode,
  onVisit: (bill) => ({
    page: {
      type: 'swissqr',
      title: 'Bank transfer',
      actions: [],
      rows: [
        ...amountRow(`Amount (${bill.currency})`, bill.amount),
        ...rowsOf(
          ['To', placeOf(bill.creditor)],
          ['IBAN', inGroups(bill.iban), 'copy'],
          ['Reference', bill.reference, 'copy'],
          ['Message', bill.message, 'copy'],
        ),
      ],
      code: codeOf('Scan with your bank’s app', encode(bill)),
    },
  }),
};
