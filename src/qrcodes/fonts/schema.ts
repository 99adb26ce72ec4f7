import { Joi, nameText } from '../../http/fields.ts';
import { fileSource } from '../../images/file-source.ts';
import { FONT_FAMILIES } from '../render/text.ts';

/** Body of a new font. */
export interface NewFont {
  name?: string;
  source: string;
}

/** Maximum number of fonts in a workspace. */
export const MAX_FONTS = 20;

/** Maximum number with deleted fonts that codes use. */
export const MAX_STORED_FONTS = 100;

/** Maximum length of a `data:` URI: 1 MiB in base64. */
const MAX_DATA = 1_400_000;

/** Maximum length of the name of a font. */
export const MAX_FONT_NAME = 64;

const FAMILIES = new Set(FONT_FAMILIES.map((family) => family.toLowerCase()));

/** Returns the rule that a name of a font breaks; `undefined` for a valid name. */
export function fontNameFault(name: string): string | undefined {
  if (FAMILIES.has(name.toLowerCase())) return 'must not be the name of a font that exists already';
  return /^font_/i.test(name) ? 'must not begin with font_, as ids do' : undefined;
}

export const fontName = nameText(MAX_FONT_NAME).custom((name: string, { error }) => {
  const rule = fontNameFault(name);
  return rule === undefined ? name : error('rule', { rule });
});

export const newFontBody = Joi.object<NewFont>({
  name: fontName
    .description(
      `Name, at most ${MAX_FONT_NAME} characters; unique in the workspace regardless of case. Default: the name in the file.`,
    )
    .example('Acme Sans Bold'),
  source: fileSource(MAX_DATA)
    .required()
    .description('WOFF2, WOFF, TTF or OTF file of at most 1 MiB: its URL, or a data URI.')
    .example('https://example.com/acme-sans-bold.woff2'),
}).meta({ name: 'NewFont' });
