import { bodyFlag, Joi, nameText } from '../../http/fields.ts';

/** Schema of the name of a template. */
export const templateName = nameText(64).example('Spring campaign');

/** Body of a change of a template. */
export interface TemplateChanges {
  name?: string | null;
  isDefault?: boolean;
}

export const templateChangesBody = Joi.object<TemplateChanges>({
  name: templateName.allow(null).description('Name; null: without a name.'),
  isDefault: bodyFlag().description(
    'true: new QR codes in the console begin with this template, and no longer with another one. ' +
      'QR codes that the API creates do not.',
  ),
}).meta({ name: 'TemplateUpdate' });
