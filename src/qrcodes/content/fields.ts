import { Joi } from '../../http/fields.ts';

/*
 * Kinds of fields that several types of content share.
 */

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f\u2028\u2029]/;

/** A text of one line: a line break would begin a new field in most formats. */
export const line = (max: number) =>
  Joi.string()
    .min(1)
    .max(max)
    .custom((value: string, { error }) =>
      CONTROL.test(value)
        ? error('rule', { rule: 'must not contain line breaks or control characters' })
        : value,
    );

/** A text that may have several lines; they are separated by a line feed afterwards. */
export const lines = (max: number) =>
  Joi.string()
    .min(1)
    .max(max)
    .custom((value: string) => value.replaceAll(/\r\n?/g, '\n'));

/** An email address, of any domain. */
export const emailAddress = () =>
  Joi.string()
    .max(254)
    .email({ tlds: { allow: false }, minDomainSegments: 1 });

/**
 * An amount of money as a decimal text, however it was sent; never a float on its way into a code.
 *
 * @param digits most digits before the point
 */
export const decimalAmount = (places: number, digits = 18) =>
  Joi.alternatives(Joi.number().strict(), Joi.string().max(60)).custom(
    (value: string | number, { error }) => {
      const sent = typeof value === 'number' ? plainNumber(value) : value.trim();
      const text = sent.replace(/^0+(?=\d)/, '');
      const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
      if (whole === undefined || fraction.length > places || !/[1-9]/.test(text)) {
        const rule = `must be an amount above zero with at most ${places} decimal places, such as "10.5"`;
        return error('rule', { rule });
      }
      return whole.length > digits
        ? error('rule', { rule: `must not have more than ${digits} digits before the point` })
        : text;
    },
  );

/** A number without an exponent: 1e-7 is 0.0000001. */
function plainNumber(value: number): string {
  if (!Number.isFinite(value)) return '';
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : text;
}
