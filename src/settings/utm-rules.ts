import { UTM_FIELDS } from '../events/utm.ts';
import { bodyFlag, flag, Joi, oneOf } from '../http/fields.ts';
import { UTM_SEPARATORS, type UtmRules } from '../workspaces/utm-rules.ts';

const SEPARATOR =
  'Only character that separates words: white space and the other of `-` and `_` are refused. ' +
  'Null: any.';
const REQUIRED = 'Parameters that each new http or https destination must have.';
const EXAMPLE = { lowercase: true, separator: '-', required: ['utm_source', 'utm_medium'] };

/** Schema of the rules in the body of an update; absent members have no rule. */
export const utmRulesField = Joi.object<UtmRules>({
  lowercase: bodyFlag()
    .default(false)
    .description('true refuses upper-case letters. Placeholders in braces may have them.')
    .example(true),
  separator: oneOf(UTM_SEPARATORS).allow(null).default(null).description(SEPARATOR).example('-'),
  required: Joi.array()
    .items(oneOf(UTM_FIELDS))
    .unique()
    .default([])
    .description(REQUIRED)
    .example(['utm_source', 'utm_medium']),
})
  .allow(null)
  .meta({ name: 'UtmRulesUpdate' })
  .example(EXAMPLE);

/** Schema of the rules in the record of a workspace. */
export const utmRulesRecord = Joi.object({
  lowercase: flag().required().description('Values have no upper-case letters.').example(true),
  separator: oneOf(UTM_SEPARATORS).allow(null).required().description(SEPARATOR).example('-'),
  required: Joi.array()
    .items(oneOf(UTM_FIELDS))
    .required()
    .description(REQUIRED)
    .example(['utm_source', 'utm_medium']),
})
  .meta({ name: 'UtmRules' })
  .example(EXAMPLE);
