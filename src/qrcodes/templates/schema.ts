import { Joi, nameText } from '../../http/fields.ts';

/** Schema of the name of a template. */
export const templateName = nameText(64).example('Spring campaign');

/** Body of a change of a template. */
export interface TemplateChanges {
  name?: string | null;
}

export const templateChangesBody = Joi.object<TemplateChanges>({
  name: templateName.allow(null).description('Name; null: without a name.'),
}).meta({ name: 'TemplateUpdate' });
