import { Joi } from '../../http/fields.ts';
import { parseUrl } from '../../infra/url.ts';

/* Fields that several content types share. */

// oxlint-disable-next-line no-control-regex -- the pattern must find control characters
const CONTROL = /[\u0000-\u001f\u007f\u2028\u2029]/;

/** Schema of a single-line text: a line break would begin a new field in most formats. */
export const line = (max: number) =>
  Joi.string()
    .min(1)
    .max(max)
    .custom((value: string, { error }) =>
      CONTROL.test(value)
        ? error('rule', { rule: 'must not contain line breaks or control characters' })
        : value,
    );

/** Schema of a text with several lines; line breaks are normalized to line feeds. */
export const lines = (max: number) =>
  Joi.string()
    .min(1)
    .max(max)
    .custom((value: string) => value.replaceAll(/\r\n?/g, '\n'));

/** Schema of a web address, which is kept as it was sent. */
export const webAddress = () =>
  line(2_000).custom((value: string, { error }) =>
    /^https?:\/\//i.test(value) && parseUrl(value) !== undefined
      ? value
      : error('rule', { rule: 'must be a URL that begins with http:// or https://' }),
  );

/** Schema of an email address on any domain. */
export const emailAddress = () =>
  Joi.string()
    .max(254)
    .email({ tlds: { allow: false }, minDomainSegments: 1 });

/**
 * Schema of an amount of money, from a number or a text to a decimal text, without floats.
 *
 * @param digits maximum number of digits before the point
 * @param isFixed adds zeros up to the number of decimal places
 */
export const decimalAmount = (places: number, digits = 18, isFixed = false) =>
  Joi.alternatives(Joi.number().strict(), Joi.string().max(60)).custom(
    (value: string | number, { error }) => {
      const sent = typeof value === 'number' ? plainNumber(value) : value.trim();
      const text = sent.replace(/^0+(?=\d)/, '');
      const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
      if (whole === undefined || fraction.length > places || !/[1-9]/.test(text)) {
        const rule = `must be an amount above zero with at most ${places} decimal places, such as "10.5"`;
        return error('rule', { rule });
      }
      if (whole.length > digits) {
        const rule = `must not have more than ${digits} digits before the point`;
        return error('rule', { rule });
      }
      return isFixed ? `${whole}.${fraction.padEnd(places, '0')}` : text;
    },
  );

/** Schema of an optional amount that is written with two decimal places. */
export const cents = (digits: number) => decimalAmount(2, digits, true).empty('');

/** Formats a number without an exponent: 1e-7 becomes 0.0000001. */
function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return '';
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}
