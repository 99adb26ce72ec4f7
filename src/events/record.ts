import { Joi } from '../infra/fields.ts';
import { LINKS } from '../links/kind.ts';
import { linkRecord, type SealedLink, toSealedLink } from '../links/record.ts';
import type { StoredEvent } from './queries.ts';

/**
 * The click event of the contract.
 *
 * @param link absent when the link has been deleted, or the root of a domain was visited: then the event says
 *   what it knows of it
 */
export function toClick(event: StoredEvent, link: SealedLink | undefined) {
  const { id, url, continent, country, city, device, browser, os, referer, via, ip } = event;
  const shown = link ?? rememberedLink(event);
  return {
    event: 'click' as const,
    timestamp: event.occurred_at.toISOString(),
    click: {
      id,
      url,
      continent,
      country,
      region: event.region,
      city,
      device,
      browser,
      os,
      referer,
      refererUrl: event.referer_url,
      type: via,
      ip,
    },
    link: shown,
    click_id: id,
    link_id: shown.id,
    domain: event.domain,
    key: event.key,
    url,
    continent,
    country,
    city,
    device,
    browser,
    os,
    type: via,
    ip,
  };
}

function rememberedLink(event: StoredEvent): SealedLink {
  const ids = { project_id: event.project_id, id: event.link_id ?? '', user_id: '', domain_id: '' };
  const row = LINKS.blank({ ...ids, key: event.key }, event.occurred_at);
  row.url = event.url;
  return toSealedLink(row, { domain: event.domain, tags: [] });
}

const text = Joi.string().allow('').required();

/** The click event, for the reference and for checking answers. */
export const clickRecord = Joi.object({
  event: Joi.string().valid('click').required(),
  timestamp: Joi.string().isoDate().required(),
  click: Joi.object({
    id: text,
    url: text,
    continent: text,
    country: text,
    region: text.description('Addition: the region, ISO 3166-2 where it is known.'),
    city: text,
    device: text,
    browser: text,
    os: text,
    referer: text,
    refererUrl: text,
    type: text,
    ip: text,
  }).required(),
  link: linkRecord
    .keys({ id: text, userId: text })
    .required()
    .description('The link as it is now; of one that was deleted, what the event remembers.'),
  ...Object.fromEntries(
    [
      'click_id',
      'link_id',
      'domain',
      'key',
      'url',
      'continent',
      'country',
      'city',
      'device',
      'browser',
      'os',
      'type',
      'ip',
    ].map((name) => [name, text.description('Deprecated: use the fields of click and link.')]),
  ),
});
