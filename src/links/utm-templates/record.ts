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
  ref: nullable
    .description('The parameter `ref`, which clients of Dub add to links.')
    .example('partner'),
  userId: nullable
    .description('Id of the user who created it; null if unknown.')
    .example('user_0VKAM3TWq8Zr5XnYb2VdLcHs'),
  projectId: requiredText
    .description('Id of the workspace.')
    .example('proj_0VKAM3TWq8Zr5XnYb2VdLcHs'),
  createdAt: requiredTime.description('Time of creation.'),
}).meta({ name: 'UtmTemplate' });

export function toUtmTemplate(row: UtmTemplate) {
  const { id, name, utm_source, utm_medium, utm_campaign, utm_term, utm_content, ref } = row;
  const utm = { utm_source, utm_medium, utm_campaign, utm_term, utm_content };
  const created = { userId: row.user_id, createdAt: row.created_at.toISOString() };
  return { id, name, ...utm, ref, projectId: row.project_id, ...created };
}
