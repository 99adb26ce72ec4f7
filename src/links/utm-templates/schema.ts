import { UTM_FIELDS } from '../../events/utm.ts';
import { Joi, nameText, nullableText } from '../../http/fields.ts';
import type { Utm } from '../../short-links/destination.ts';
import { fields } from '../../short-links/fields.ts';

/** The writable fields of a UTM template. An absent field is not changed, `null` clears it. */
export interface UtmTemplateChanges extends Partial<Utm> {
  name?: string;
  ref?: string | null;
}

export type NewUtmTemplate = UtmTemplateChanges & { name: string };

const name = nameText(190)
  .description('Name, at most 190 characters; unique in the workspace regardless of case.')
  .example('Newsletter');

const utm = Object.fromEntries(
  UTM_FIELDS.map((field) => [
    field,
    nullableText(500)
      .description(`The parameter \`${field}\`, at most 500 characters.`)
      .example(fields[field].example),
  ]),
);

const ref = nullableText(500).description(
  'The parameter `ref`, at most 500 characters: clients of Dub add it to links.',
);

export const newUtmTemplateBody = Joi.object<NewUtmTemplate>({
  name: name.required(),
  ...utm,
  ref,
}).meta({ name: 'NewUtmTemplate' });

export const utmTemplateChangesBody = Joi.object<UtmTemplateChanges>({ name, ...utm, ref }).meta({
  name: 'UtmTemplateUpdate',
});
