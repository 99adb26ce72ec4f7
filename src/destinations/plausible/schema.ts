import { domainField } from '../../http/domain-name.ts';
import { Joi } from '../../http/fields.ts';
import { receiverUrl } from '../kind.ts';

/** Settings of a site of Plausible. */
export interface PlausibleSettings {
  domain: string;
  url: string;
}

export const plausibleSettings = Joi.object<PlausibleSettings>({
  domain: domainField()
    .required()
    .description('Domain of the site in Plausible.')
    .example('go.example.com'),
  url: receiverUrl().default('https://plausible.io/').description('URL of Plausible.'),
}).meta({ name: 'PlausibleSettings' });
