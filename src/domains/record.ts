import { config } from '../config.ts';
import { flag, Joi, nullable, requiredText, requiredTime } from '../http/fields.ts';
import type { Domain } from './model.ts';
import {
  type AppleAppSiteAssociation,
  type AssetLink,
  appleField,
  assetLinksField,
} from './site-files.ts';

/** The domain record of the contract, with the proof of ownership. */
export type DomainRecord = ReturnType<typeof toDomain>;

/** Returns the DNS record with which the owner of a domain allows a workspace to use it. */
export function verificationRecord(slug: string, token: string) {
  return { type: 'TXT' as const, name: `_shortlinks.${slug}`, value: `shortlinks-verify=${token}` };
}

export function toDomain(row: Domain) {
  return {
    id: row.id,
    slug: row.slug,
    verified: row.verified,
    primary: row.is_primary,
    archived: row.archived,
    caseSensitive: row.case_sensitive,
    target: row.target,
    type: row.type,
    placeholder: row.placeholder ?? `${config().DOCS_URL}/help/links`,
    expiredUrl: row.expired_url,
    notFoundUrl: row.not_found_url,
    shlinkPaths: row.shlink_paths,
    appleAppSiteAssociation: parsed<AppleAppSiteAssociation>(row.apple_app_site_association),
    assetLinks: parsed<AssetLink[]>(row.asset_links),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    verification: row.verified ? null : verificationRecord(row.slug, row.verification_token),
  };
}

const parsed = <Value>(text: string | null): Value | null =>
  text === null ? null : (JSON.parse(text) as Value);

/** Schema of the record, for the reference and for checking answers. */
export const domainRecord = Joi.object({
  id: requiredText.description('Id of the domain.').example('dom_7Yq2wErt4U'),
  slug: requiredText.description('Domain name, in lower case and ASCII.').example('go.example.com'),
  verified: flag()
    .required()
    .description('The domain is verified: it belongs to the workspace.')
    .example(true),
  primary: flag().required().description('New links are created on it unless they name a domain.'),
  archived: flag().required().description('Lists leave it out by default.'),
  caseSensitive: flag()
    .required()
    .description('Slugs that differ by case only are different. False: they are one slug.')
    .example(true)
    .meta({ extension: true }),
  target: nullable
    .description('Destination of the root of the domain.')
    .example('https://example.com'),
  type: Joi.string()
    .valid('redirect', 'rewrite')
    .required()
    .description('`rewrite` shows the target in a frame, with the domain in the address bar.'),
  placeholder: requiredText
    .description('Example of a destination URL.')
    .example('https://example.com/landing'),
  expiredUrl: nullable.description('Destination of expired links without `expiredUrl`.'),
  notFoundUrl: nullable
    .description('Destination of visits with an unknown key, possibly with placeholders.')
    .meta({ extension: true }),
  shlinkPaths: flag()
    .required()
    .description('`/{key}/qr-code` and `/{key}/track` are answered as by Shlink.')
    .meta({ extension: true }),
  appleAppSiteAssociation: appleField().required(),
  assetLinks: assetLinksField().required(),
  createdAt: requiredTime.description('Time of creation.'),
  updatedAt: requiredTime.description('Time of the last change.'),
  verification: Joi.object({
    type: Joi.string().valid('TXT').required().description('Type of the DNS record.'),
    name: requiredText.description('Name of the DNS record.'),
    value: requiredText.description('Value of the DNS record.'),
  })
    .allow(null)
    .required()
    .description('DNS record that proves the ownership; null once the domain is verified.')
    .meta({ extension: true }),
}).meta({ name: 'Domain' });
