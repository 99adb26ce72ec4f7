import { Joi } from '../http/fields.ts';

/** Maximum lengths of texts, in UTF-16 units; longer ones are truncated. */
export const MAX_TEXT = { title: 300, description: 1_000, siteName: 100 };
/** Maximum length of a URL; a longer one counts as absent. */
export const MAX_URL = 2_048;

/** The metadata of a page; missing values are `null`, URLs are absolute and http or https. */
export interface Metatags {
  /** URL of the page, after redirects and without a fragment. */
  url: string;
  title: string | null;
  description: string | null;
  image: string | null;
  siteName: string | null;
  icon: string | null;
  video: string | null;
  canonical: string | null;
}

const text = (max: number) => Joi.string().max(max).allow(null).required();
const address = () => Joi.string().uri().max(MAX_URL).allow(null).required();

/** Schema of the metadata of a page, for the reference and for response validation. */
export const metatagsRecord = Joi.object<Metatags>({
  url: Joi.string()
    .uri()
    .required()
    .description('URL of the page, after redirects.')
    .example('https://example.com/'),
  title: text(MAX_TEXT.title).description('Title.').example('Example Domain'),
  description: text(MAX_TEXT.description).description('Description.'),
  image: address().description('URL of the image.').example('https://example.com/og.png'),
  siteName: text(MAX_TEXT.siteName).description('Name of the site.').meta({ extension: true }),
  icon: address().description('URL of the icon that the page names.').meta({ extension: true }),
  video: address().description('URL of the video.').meta({ extension: true }),
  canonical: address().description('Canonical URL that the page names.').meta({ extension: true }),
}).meta({ name: 'Metatags' });
