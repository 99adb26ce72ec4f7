import { Joi } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import { cents, line } from './fields.ts';
import { amountRow, codeOf, rowsOf } from './rows.ts';

/** A payment by UPI in India. */
export interface UpiPayment {
  /** Virtual payment address, such as `ada@okaxis`. */
  address: string;
  name: string;
  /** Amount in rupees, with two decimal places. */
  amount?: string;
  note?: string;
  reference?: string;
  /** Merchant category code. */
  category?: string;
}

/**
 * Builds a payment URI. The `@` of the address stays as it is, since some apps do not decode it
 * there.
 */
function paymentUri({ address, name, amount, note, reference, category }: UpiPayment): string {
  const query = [
    `pa=${address}`,
    `pn=${encodeURIComponent(name)}`,
    ...(category === undefined ? [] : [`mc=${category}`]),
    ...(reference === undefined ? [] : [`tr=${reference}`]),
    ...(note === undefined ? [] : [`tn=${encodeURIComponent(note)}`]),
    ...(amount === undefined ? [] : [`am=${amount}`]),
    'cu=INR',
  ];
  return `upi://pay?${query.join('&')}`;
}

/** A payment by UPI ("UPI Linking Specifications" of the National Payments Corporation of India). */
export const upi: ContentType<UpiPayment> = {
  name: 'upi',
  description: 'A payment by UPI: `{address, name, amount?, note?, reference?, category?}`.',
  schema: Joi.object({
    address: line(255)
      .trim()
      .required()
      .description('UPI id of the receiver.')
      .example('ada@okaxis')
      .pattern(/^[A-Za-z0-9._-]{2,190}@[A-Za-z][A-Za-z0-9]{1,63}$/)
      .messages({ 'string.pattern.base': '{{#label}} must be a UPI id such as ada@okaxis' }),
    name: line(99)
      .trim()
      .required()
      .description('Name of the receiver, at most 99 characters.')
      .example('Ada Lovelace'),
    amount: cents(9).description('Amount in rupees.'),
    note: line(80).empty('').description('Text for the payer, at most 80 characters.'),
    reference: Joi.string()
      .trim()
      .empty('')
      .pattern(/^[A-Za-z0-9]{1,35}$/)
      .messages({ 'string.pattern.base': '{{#label}} must be 1 to 35 letters and digits' })
      .description('Id of the transaction: 1 to 35 letters and digits.'),
    category: Joi.string()
      .trim()
      .empty('')
      .pattern(/^\d{4}$/)
      .messages({ 'string.pattern.base': '{{#label}} must be 4 digits' })
      .description('Merchant category code (ISO 18245).'),
  }).meta({ name: 'UpiContent', extension: true }),
  encode: paymentUri,
  onVisit: (payment) => ({
    page: {
      type: 'upi',
      title: 'Pay with UPI',
      actions: [{ label: 'Open payment app', href: paymentUri(payment) }],
      rows: [
        ...amountRow('Amount (INR)', payment.amount),
        ...rowsOf(
          ['To', payment.name],
          ['UPI ID', payment.address, 'copy'],
          ['Note', payment.note],
          ['Reference', payment.reference],
        ),
      ],
      code: codeOf('Scan with your payment app', paymentUri(payment)),
    },
  }),
};
