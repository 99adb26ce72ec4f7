import { UTM_FIELDS } from '../../events/utm.ts';
import { Joi, nullable, requiredText, requiredTime } from '../../http/fields.ts';
import { fields } from '../../short-links/fields.ts';
import type { UtmTemplate } from './model.ts';

/** A UTM template: values for the UTM parameters of links, under a name. */
export type UtmTemplateRecord = ReturnType<typeof toUtmTemplate>;

export const utmTemplateRecord = Joi.object({
  id: requiredText.description('Id of the template.').example('utm_5Rt9pXc1Ze'),
  name: requiredText.description('Name of the template.').example('Newsletter'),
  ...Object.fromEntries(
    UTM_FIELDS.map((name) => [
      name,
      nullable.description(`The parameter \`${name}\`.`).example(fields[name].example),
    ]),
  ),
  createdAt: requiredTime.description('Time of creation.'),
}).meta({ name: 'UtmTemplate' });

export function toUtmTemplate(row: UtmTemplate) {
  const { id, name, utm_source, utm_medium, utm_campaign, utm_term, utm_content } = row;
  const utm = { utm_source, utm_medium, utm_campaign, utm_term, utm_content };
  return { id, name, ...utm, createdAt: row.created_at.toISOString() };
}
