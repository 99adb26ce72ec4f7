import { Joi } from '../../http/fields.ts';
import type { DisplayLink } from '../../lookup/display-page.ts';
import { webAddress } from '../../short-links/url-field.ts';
import { line } from './fields.ts';
import { NETWORKS, type Network, type NetworkName } from './network-choices.ts';
import { networkOf } from './networks.ts';

/** A profile in a network: by its handle, or by its URL. */
export interface Profile {
  network: NetworkName;
  handle?: string;
  url?: string;
}

/** Handles of Mastodon name their server. */
const FEDERATED = /^([\w.-]+)@((?:[a-z\d-]+\.)+[a-z]{2,})$/i;

/** Returns the URL of a profile. */
export function profileUrl({ network, handle = '', url }: Profile): string {
  if (url !== undefined) return url;
  const { template = '' }: Network = NETWORKS[network];
  const [, user, server] = FEDERATED.exec(handle) ?? [];
  if (network === 'mastodon') return `https://${server}/@${user}`;
  return template.replace('{}', () => encodeURIComponent(handle));
}

/** Button of a profile. */
export function profileLink(profile: Profile): DisplayLink {
  const { network, handle } = profile;
  const note =
    handle === undefined ? undefined : network === 'whatsapp' ? `+${handle}` : `@${handle}`;
  return { label: NETWORKS[network].name, href: profileUrl(profile), icon: network, note };
}

/** The rule that a profile breaks, as the end of the sentence "profiles[0] …". */
function faultOf({ network, handle, url }: Profile): string | undefined {
  const { name, template }: Network = NETWORKS[network];
  if ((handle === undefined) === (url === undefined)) return 'must have either handle or url';
  if (handle !== undefined && template === undefined)
    return `must have url: ${network} has no handles`;
  if (network === 'mastodon' && handle !== undefined && !FEDERATED.test(handle)) {
    return 'must have a handle with its server, such as ada@mastodon.social';
  }
  if (network === 'whatsapp' && handle !== undefined && !/^\d{7,15}$/.test(handle)) {
    return 'must have a phone number with its country code as its handle';
  }
  if (url === undefined || template === undefined || network === 'mastodon') return undefined;
  return networkOf(url) === name ? undefined : `must have a url of ${name}`;
}

/** Schema of a list of profiles, at most 30. */
export const profilesField = () =>
  Joi.array()
    .items(
      Joi.object({
        network: Joi.string()
          .lowercase()
          .valid(...Object.keys(NETWORKS))
          .required()
          .description('Network; `website` for any other site.'),
        handle: line(100)
          .empty('')
          .description('Name in the network, or the number in WhatsApp.')
          .custom((value: string, { error }) => {
            const handle = value.trim().replace(/^[@+]/, '');
            return /^[\w.@-]+$/.test(handle)
              ? handle
              : error('rule', { rule: 'must consist of letters, digits, ., _ and -' });
          }),
        url: webAddress().empty('').description('URL of the profile, instead of the handle.'),
      })
        .custom((profile: Profile, { error }) => {
          const rule = faultOf(profile);
          return rule === undefined ? profile : error('rule', { rule });
        })
        .example({ network: 'instagram', handle: 'northwind' })
        .meta({ name: 'SocialProfile' }),
    )
    .max(30);
