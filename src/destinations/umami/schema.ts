import { Joi, text } from '../../http/fields.ts';
import { receiverUrl } from '../kind.ts';

/** Settings of a website of Umami. */
export interface UmamiSettings {
  websiteId: string;
  url: string;
}

export const umamiSettings = Joi.object<UmamiSettings>({
  websiteId: text(36)
    .guid()
    .required()
    .description('Id of the website in Umami.')
    .example('4fb7fa4c-5b46-438d-94b3-3a8fb9bc2e8b'),
  url: receiverUrl().default('https://cloud.umami.is/').description('URL of Umami.'),
}).meta({ name: 'UmamiSettings' });
