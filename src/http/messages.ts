/**
 * Messages for the Joi rules that schemas use, in the form `<field> must <rule>`. Custom rules are
 * reported by `error('rule', { rule: 'must …' })`. `test/unit/messages.test.ts` reads the messages
 * of every schema.
 */
export const MESSAGES = {
  rule: '{{#label}} {{#rule}}',
  'alternatives.match': '{{#label}} must be of one of the documented types',
  'alternatives.types': '{{#label}} must be of type {{#types}}',
  'any.invalid': '{{#label}} must not be one of {{#invalids}}',
  'any.required': '{{#label}} is required',
  'any.unknown': '{{#label}} must not be set here',
  'array.max': '{{#label}} must contain at most {{#limit}} item{if(#limit == 1, "", "s")}',
  'array.min': '{{#label}} must contain at least {{#limit}} item{if(#limit == 1, "", "s")}',
  'array.sparse': '{{#label}} must not be empty',
  'array.unique': '{{#label}} must be unique',
  'number.infinity': '{{#label}} must be a finite number',
  'number.max': '{{#label}} must be at most {{#limit}}',
  'number.min': '{{#label}} must be at least {{#limit}}',
  'number.precision':
    '{{#label}} must have at most {{#limit}} decimal place{if(#limit == 1, "", "s")}',
  'number.unsafe': `{{#label}} must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
  'object.base': '{{#label}} must be an object',
  'object.max': '{{#label}} must have at most {{#limit}} field{if(#limit == 1, "", "s")}',
  'object.min': '{{#label}} must have at least {{#limit}} field{if(#limit == 1, "", "s")}',
  'object.unknown': '{{#label}} is not a known field',
  'string.email': '{{#label}} must be a valid email address',
  'string.empty': '{{#label}} must not be empty',
  'string.ip': '{{#label}} must be a valid IP address',
  'string.ipVersion': '{{#label}} must be a valid IP address',
  'string.isoDate': '{{#label}} must be an ISO 8601 date or time',
  'string.length': '{{#label}} must be exactly {{#limit}} character{if(#limit == 1, "", "s")} long',
  'string.max': '{{#label}} must be at most {{#limit}} character{if(#limit == 1, "", "s")} long',
  'string.min': '{{#label}} must be at least {{#limit}} character{if(#limit == 1, "", "s")} long',
  'string.pattern.name': '{{#label}} must be {{#name}}',
  'string.uri': '{{#label}} must be a valid URI',
};
