import { bodyFlag, id, Joi, nameText, oneOf } from '../http/fields.ts';
import { imageSource } from '../images/source.ts';
import { normalizeNetwork } from '../infra/network.ts';
import { CLICK_ID_PARAMETERS } from '../lookup/entry.ts';
import type { WorkspaceChanges } from './jobs.ts';
import { utmRulesField } from './utm-rules.ts';

/**
 * The body of an update, with the fields to change. The logo is a URL or data URI of an image;
 * `null` removes it.
 */
export type WorkspaceBody = Omit<WorkspaceChanges, 'logo'> & { logo?: string | null };

/** Maximum length of the window in which a visitor counts once, in seconds: 31 days. */
const MAX_WINDOW_SECONDS = 31 * 86_400;

/** Maximum number of networks whose visits are not counted. */
const MAX_NETWORKS = 200;

/** An address or a network; the validated value is the network. */
const network = Joi.string().custom(
  (text: string, { error }) =>
    normalizeNetwork(text) ??
    error('rule', { rule: 'must be an IP address, or a network such as 203.0.113.0/24' }),
);

export const workspaceBody = Joi.object<WorkspaceBody>({
  name: nameText(100).description('Name, at most 100 characters.').example('Acme'),
  clickDedupeSeconds: Joi.number()
    .integer()
    .strict()
    .min(0)
    .max(MAX_WINDOW_SECONDS)
    .description(
      `Seconds in which a visitor counts once on a link, at most ${MAX_WINDOW_SECONDS}; 0: every visit counts.`,
    ),
  queryConflict: oneOf(['visitor', 'owner'])
    .description(
      'Whose parameter stays if the query of a visit and the destination have one of the same ' +
        'name, for links and QR codes without `queryConflict`.',
    )
    .example('owner')
    .meta({ extension: true }),
  clickIdParameter: oneOf(CLICK_ID_PARAMETERS).description(
    'Name of the parameter that destinations of links with `trackConversion` get, and of the cookie, with the id of ' +
      'the click. `dub_id` is for pages that were written for Dub: placeholders such as `{dub_id}` in destinations ' +
      'become the id too, and `dub_client_reference_id=1` becomes `client_reference_id=dub_id_…`.',
  ),
  keepFullIp: bodyFlag().description(
    'true stores IP addresses of visitors in full; false only their networks.',
  ),
  excludedIps: Joi.array()
    .items(network)
    .max(MAX_NETWORKS)
    .custom((networks: string[]) => [...new Set(networks)])
    .description(
      `IPv4 and IPv6 addresses and networks whose visits are answered as always, but not counted, at most ` +
        `${MAX_NETWORKS}. They are returned as networks: with the prefix /32 or /128 for an IP address, and with 0 for ` +
        'the bits after the prefix.',
    )
    .example(['203.0.113.0/24', '2001:db8::1']),
  countSuspects: bodyFlag().description(
    'true counts visits that may come from programs like visits of people: in counts of records, ' +
      'analytics without `traffic`, and webhooks. Past visits are counted too.',
  ),
  trackEvents: bodyFlag().description(
    'false: visits only add to the counts of records, as for links with `trackEvents` false. Events that are already ' +
      'stored stay.',
  ),
  requireSecondFactor: bodyFlag().description(
    'true: sessions of people who have not signed in with a second factor get 403. API keys keep working. Only a ' +
      'person who has signed in with one can change it.',
  ),
  logo: imageSource()
    .allow(null)
    .description(
      'Image for pages that visitors see: an http or https URL, or a data URI; it is fetched ' +
        'once and stored.',
    )
    .example('https://example.com/logo.svg'),
  brandColor: Joi.string()
    .pattern(/^#[0-9a-f]{6}$/i, { name: 'a color such as #0055ff' })
    .lowercase()
    .allow(null)
    .description('Color of buttons and links on pages that visitors see: `#rrggbb`.')
    .example('#0055ff'),
  brandName: nameText(80)
    .empty('')
    .allow(null)
    .description('Name on pages that visitors see, under the logo. Null: none.')
    .example('Northwind'),
  utmRules: utmRulesField.description(
    'Rules for the UTM parameters of the destinations of links and dynamic QR codes. A new record or a ' +
      'change that breaks one is refused (422). Parameters that records already have stay as they ' +
      'are until they are changed. Null: no rules.',
  ),
})
  .min(1)
  .meta({ name: 'WorkspaceUpdate' });

export const logoParams = Joi.object<{ projectId: string; id: string }>({
  projectId: id().required().description('Id of the workspace.'),
  id: id().required().description('Id of the image.'),
});
