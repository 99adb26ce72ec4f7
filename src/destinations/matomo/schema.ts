import { Joi } from '../../http/fields.ts';
import { receiverUrl } from '../kind.ts';

/** Settings of a site of Matomo. */
export interface MatomoSettings {
  url: string;
  siteId: number;
}

export const matomoSettings = Joi.object<MatomoSettings>({
  url: receiverUrl()
    .required()
    .description('URL of Matomo: the part before `matomo.php`.')
    .example('https://matomo.example.com/'),
  siteId: Joi.number()
    .strict()
    .integer()
    .min(1)
    .max(2_147_483_647)
    .required()
    .description('Id of the site in Matomo.')
    .example(1),
}).meta({ name: 'MatomoSettings' });
