import { Joi, nullable, requiredText, requiredTime } from '../../http/fields.ts';
import { DESIGN_FIELDS } from '../design.ts';
import type { Template } from './model.ts';

/** The public record of a template. */
export type TemplateRecord = ReturnType<typeof toTemplate>;

/** Builds the public template record: its id and name, and the design fields of its code. */
export function toTemplate({ id, name, is_default, design, created_at }: Template) {
  const look = Object.fromEntries(
    DESIGN_FIELDS.flatMap((name) => (name in design ? [[name, design[name]]] : [])),
  );
  return { id, name, isDefault: is_default, createdAt: created_at.toISOString(), ...look };
}

/** Schema of the template record, for the reference and for checking answers. */
export const templateRecord = Joi.object({
  id: requiredText.description('Id of the template.').example('tmpl_3Nb7vCx9Za'),
  name: nullable.description('Name; null: it has none.').example('Spring campaign'),
  isDefault: Joi.boolean()
    .required()
    .description('New QR codes in the console begin with this template.'),
  createdAt: requiredTime.description('Time of creation.'),
})
  .unknown()
  .description('Template, with the same fields for the appearance as a QR code.')
  .meta({ name: 'Template' });
