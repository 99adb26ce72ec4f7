import { UTM_FIELDS } from '../../events/utm.ts';
import { Joi } from '../../http/fields.ts';
import type { Utm } from '../../short-links/destination.ts';
import { fields } from '../../short-links/fields.ts';
import type { UtmTemplate } from './model.ts';

/** A UTM template: values for the UTM parameters of links, under a name. */
export interface UtmTemplateRecord extends Utm {
  id: string;
  name: string;
  createdAt: string;
}

export const utmTemplateRecord = Joi.object({
  id: Joi.string().required().description('Id of the template.').example('utm_5Rt9pXc1Ze'),
  name: Joi.string().required().description('Name of the template.').example('Newsletter'),
  ...Object.fromEntries(
    UTM_FIELDS.map((name) => [
      name,
      Joi.string()
        .allow(null)
        .required()
        .description(`The parameter \`${name}\`.`)
        .example(fields[name].example),
    ]),
  ),
  createdAt: Joi.string().isoDate().required().description('Time of creation.'),
}).meta({ name: 'UtmTemplate' });

export function toUtmTemplate(row: UtmTemplate): UtmTemplateRecord {
  const { id, name, utm_source, utm_medium, utm_campaign, utm_term, utm_content } = row;
  const utm = { utm_source, utm_medium, utm_campaign, utm_term, utm_content };
  return { id, name, ...utm, createdAt: row.created_at.toISOString() };
}
