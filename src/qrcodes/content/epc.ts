import { Joi } from '../../http/fields.ts';
import { byteLength } from '../../infra/byte-length.ts';
import type { ContentType } from './content-type.ts';
import { cents, line } from './fields.ts';
import { compact, inGroups, isCreditorReference, isEeaIban, isSepaIban } from './iban.ts';
import { amountRow, codeOf, rowsOf } from './rows.ts';

/** A credit transfer in euros. */
export interface CreditTransfer {
  name: string;
  iban: string;
  bic?: string;
  /** Amount in euros, with two decimal places. */
  amount?: string;
  /** Purpose code of ISO 20022, such as `CHAR`. */
  purpose?: string;
  /** Creditor reference of ISO 11649. */
  reference?: string;
  /** Unstructured remittance information. */
  text?: string;
  /** Hint for the payer. */
  information?: string;
}

/** Maximum length of the text, in bytes. */
const MAX_BYTES = 331;

/** Encodes the lines of version 002, without empty ones at the end. */
function encode(transfer: CreditTransfer): string {
  const { name, iban, bic = '', amount, purpose = '', reference = '', text = '' } = transfer;
  const { information = '' } = transfer;
  // The second 1 is UTF-8.
  const head = ['BCD', '002', '1', 'SCT', bic, name, iban];
  const euros = amount === undefined ? '' : `EUR${amount}`;
  const all = [...head, euros, purpose, reference, text, information];
  return all.slice(0, 1 + all.findLastIndex((value) => value !== '')).join('\n');
}

/** A credit transfer in SEPA (EPC069-12, "GiroCode"). */
export const epc: ContentType<CreditTransfer> = {
  name: 'epc',
  level: 'M',
  description:
    'A credit transfer in euros: `{name, iban, bic?, amount?, purpose?, reference? or text?, information?}`.',
  schema: Joi.object({
    name: line(70)
      .trim()
      .required()
      .description('Name of the receiver, at most 70 characters.')
      .example('Ada Lovelace'),
    iban: line(50)
      .required()
      .description('IBAN of a country in SEPA.')
      .example('DE33100205000001194700')
      .custom((value: string, { error }) =>
        isSepaIban(compact(value))
          ? compact(value)
          : error('rule', {
              rule: 'must be an IBAN of a country in SEPA with the right check digits',
            }),
      ),
    bic: line(20)
      .empty('')
      .description('BIC of the bank; required for an IBAN from outside of the EEA.')
      .custom((value: string, { error }) =>
        /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(compact(value))
          ? compact(value)
          : error('rule', { rule: 'must be a BIC of 8 or 11 characters' }),
      ),
    amount: cents(9).description('Amount in euros, from 0.01 to 999999999.99.'),
    purpose: Joi.string()
      .uppercase()
      .empty('')
      .pattern(/^[A-Z0-9]{1,4}$/)
      .messages({ 'string.pattern.base': '{{#label}} must be 1 to 4 letters and digits' })
      .description('Purpose code of ISO 20022, such as CHAR.'),
    reference: line(50)
      .empty('')
      .description('Creditor reference of ISO 11649, which begins with RF.')
      .custom((value: string, { error }) =>
        isCreditorReference(compact(value))
          ? compact(value)
          : error('rule', { rule: 'must be a reference of ISO 11649 with the right check digits' }),
      ),
    text: line(140).empty('').description('Text for the receiver, at most 140 characters.'),
    information: line(70).empty('').description('Hint for the payer, at most 70 characters.'),
  })
    .meta({ name: 'EpcContent', extension: true })
    .custom((transfer: CreditTransfer, { error }) => {
      const { iban, bic, reference, text } = transfer;
      if (bic === undefined && !isEeaIban(iban)) {
        return error('rule', { rule: 'must have a bic: the IBAN is from outside of the EEA' });
      }
      if (reference !== undefined && text !== undefined) {
        return error('rule', { rule: 'must not have reference and text: a transfer carries one' });
      }
      const bytes = byteLength(encode(transfer));
      return bytes <= MAX_BYTES
        ? transfer
        : error('rule', { rule: `must not be longer than ${MAX_BYTES} bytes, and has ${bytes}` });
    }),
  encode,
  onVisit: (transfer) => ({
    page: {
      type: 'epc',
      title: 'Bank transfer',
      actions: [],
      rows: [
        ...amountRow('Amount (EUR)', transfer.amount),
        ...rowsOf(
          ['IBAN', inGroups(transfer.iban), 'copy'],
          ['To', transfer.name, 'copy'],
          ['BIC', transfer.bic, 'copy'],
          ['Reference', transfer.reference, 'copy'],
          ['Message', transfer.text, 'copy'],
          ['Purpose', transfer.purpose],
          ['Note', transfer.information],
        ),
      ],
      code: codeOf('Scan with your bank’s app', encode(transfer)),
    },
  }),
};
