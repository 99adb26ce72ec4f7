import { Joi } from '../infra/fields.ts';

/** Longest texts that are answered, in UTF-16 units; longer ones are cut. */
export const MAX_TEXT = { title: 300, description: 1_000, siteName: 100 };
/** Longest address that is answered; a longer one counts as absent. */
export const MAX_URL = 2_048;

/** What a page says about itself, `null` where it says nothing; addresses are absolute and http(s). */
export interface Metatags {
  /** Where the page was read: after redirects, without a fragment. */
  url: string;
  title: string | null;
  description: string | null;
  image: string | null;
  siteName: string | null;
  icon: string | null;
  video: string | null;
  canonical: string | null;
}

/** The parts that a record's preview has. */
export type Preview = Pick<Metatags, 'title' | 'description' | 'image'>;

const text = (max: number) => Joi.string().max(max).allow(null).required();
const address = () => Joi.string().uri().max(MAX_URL).allow(null).required();

/** What a page says about itself, for the reference and for checking answers. */
export const metatagsRecord = Joi.object<Metatags>({
  url: Joi.string().uri().required().description('Where the page was read, after redirects.'),
  title: text(MAX_TEXT.title),
  description: text(MAX_TEXT.description),
  image: address(),
  siteName: text(MAX_TEXT.siteName).description('Addition.'),
  icon: address().description('Addition: only what the page names.'),
  video: address().description('Addition.'),
  canonical: address().description('Addition: the address that the page calls its own.'),
});
