import { Joi, text } from '../../http/fields.ts';
import { receiverUrl } from '../kind.ts';

/** Settings of a web stream of Google Analytics 4. */
export interface Ga4Settings {
  measurementId: string;
  url: string;
}

export const ga4Settings = Joi.object<Ga4Settings>({
  measurementId: text(30)
    .pattern(/^G-[A-Z0-9]{4,}$/)
    .required()
    .description('Measurement ID of the web stream: `G-` and letters and digits.')
    .example('G-ABCD123456'),
  url: receiverUrl()
    .default('https://www.google-analytics.com/')
    .description(
      'URL of the collection, `https://region1.google-analytics.com/` in the EU, or of a server ' +
        'container of Google Tag Manager.',
    ),
}).meta({ name: 'Ga4Settings' });
