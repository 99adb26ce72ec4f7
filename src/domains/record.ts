import { config } from '../config.ts';
import { flag, Joi } from '../infra/fields.ts';
import type { Domain } from './model.ts';

/** The domain record of the contract, and how to prove that the domain is one's own. */
export interface DomainRecord {
  id: string;
  slug: string;
  verified: boolean;
  primary: boolean;
  archived: boolean;
  target: string | null;
  type: 'redirect' | 'rewrite';
  placeholder: string;
  expiredUrl: string | null;
  notFoundUrl: string | null;
  createdAt: string;
  updatedAt: string;
  verification: { type: 'TXT'; name: string; value: string } | null;
}

/** The DNS record by which the owner of a domain lets a workspace use it. */
export function verificationRecord(slug: string, token: string) {
  return { type: 'TXT' as const, name: `_shortlinks.${slug}`, value: `shortlinks-verify=${token}` };
}

export function toDomain(row: Domain): DomainRecord {
  return {
    id: row.id,
    slug: row.slug,
    verified: row.verified,
    primary: row.is_primary,
    archived: row.archived,
    target: row.target,
    type: row.type,
    placeholder: row.placeholder ?? `${config().DOCS_URL}/help/links`,
    expiredUrl: row.expired_url,
    notFoundUrl: row.not_found_url,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    verification: row.verified ? null : verificationRecord(row.slug, row.verification_token),
  };
}

/** The domain record, for the reference and for checking answers. */
export const domainRecord = Joi.object({
  id: Joi.string().required(),
  slug: Joi.string().required(),
  verified: flag().required(),
  primary: flag().required(),
  archived: flag().required(),
  target: Joi.string().allow(null).required(),
  type: Joi.string().valid('redirect', 'rewrite').required(),
  placeholder: Joi.string().required(),
  expiredUrl: Joi.string().allow(null).required(),
  notFoundUrl: Joi.string()
    .allow(null)
    .required()
    .description('Addition: where visitors are led who ask for a key that nothing has.'),
  createdAt: Joi.string().isoDate().required(),
  updatedAt: Joi.string().isoDate().required(),
  verification: Joi.object({
    type: Joi.string().valid('TXT').required(),
    name: Joi.string().required(),
    value: Joi.string().required(),
  })
    .allow(null)
    .required()
    .description('Addition: the DNS record that verifies the domain; null once it is verified.'),
});
