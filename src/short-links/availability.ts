import { Refusal } from '../errors.ts';
import { domainField } from '../http/domain-name.ts';
import { flag, Joi, nullable, oneOf, requiredText } from '../http/fields.ts';
import { type IdKind, kindOfId } from '../ids.ts';
import { type Db, db, rows } from '../infra/db.ts';
import { qrCodeOf, shortLinkOf } from '../lookup/short-link.ts';
import { claimsNamed, isFreeFor, spellingsOf } from './claims.ts';
import { listInside } from './inside.ts';
import { keyField, refuseSharedWildcard } from './key.ts';
import { loadReferences } from './references.ts';

/** A slug to check; without `domain`, on the domain that new records get. */
export interface AvailabilityQuery {
  domain?: string;
  key: string;
}

export const availabilityQuery = Joi.object<AvailabilityQuery>({
  domain: domainField().description(
    'Domain of the short link. Default: the domain of new links, which is the workspace’s ' +
      'primary domain, or else the default short domain.',
  ),
  key: keyField().required().description('Slug of the short link.').example('spring'),
});

/** Reasons why a slug is not free. */
const REASONS = ['taken', 'kept', 'blocked'] as const;

/** The answer of a check: whether the slug is free, and if not, what has it. */
export interface Availability {
  domain: string;
  key: string;
  shortLink: string;
  qrCode: string;
  available: boolean;
  reason: (typeof REASONS)[number] | null;
  holder: { kind: IdKind; id: string; url: string | null } | null;
}

export const availabilityAnswer = Joi.object<Availability>({
  domain: requiredText.description('Domain of the short link.').example('acme.link'),
  key: requiredText.description('Slug of the short link.').example('spring'),
  shortLink: requiredText
    .description('URL that a link with the slug has.')
    .example('https://acme.link/spring'),
  qrCode: requiredText
    .description('URL of an image of the QR code that a link with the slug has.')
    .example('https://api.example.com/qr?url=https%3A%2F%2Facme.link%2Fspring%3Fqr%3D1'),
  available: flag()
    .required()
    .description('A new link or QR code can have the slug.')
    .example(false),
  reason: oneOf(REASONS)
    .allow(null)
    .required()
    .description(
      '`taken`: a link or QR code has the slug; `kept`: one had it within the last day; ' +
        '`blocked`: one had it that the operator blocks. Null if the slug is free.',
    )
    .example('taken'),
  holder: Joi.object({
    kind: Joi.string().valid('link', 'qrcode').required().description('Kind of the record.'),
    id: requiredText.description('Id of the record.').example('link_4Jx2vQ0aTq'),
    url: nullable
      .description('Destination URL of a link; null for a QR code.')
      .example('https://example.com/spring'),
  })
    .allow(null)
    .required()
    .description(
      'The record that has the slug, if it belongs to the workspace and the limits of the caller. On the default ' +
        'short domain, it can be another workspace’s.',
    ),
}).meta({ name: 'SlugAvailability' });

/**
 * Checks whether a new link or QR code of a workspace can have a slug.
 *
 * @throws Refusal `forbidden` for a domain of another workspace; `unprocessable_entity` for a slug
 *   that no record can have on the domain
 */
export async function findAvailability(
  projectId: string,
  { domain: slug, key }: AvailabilityQuery,
  connection: Db = db(),
): Promise<Availability> {
  const references = await loadReferences(connection, projectId, []);
  const domain = slug === undefined ? references.mainDomain : references.domain(slug);
  if (domain === undefined) {
    throw new Refusal('forbidden', `The domain "${slug}" is not one of this workspace's domains`);
  }
  refuseSharedWildcard(key, domain.slug);
  const [claim] = await rows<{
    project_id: string;
    record_id: string;
    url: string | null;
    is_left: boolean;
    is_free: boolean;
    is_blocked: boolean;
  }>(
    connection,
    `SELECT c.project_id, c.record_id, l.url, c.free_at IS NOT NULL AS is_left, ${isFreeFor(':projectId')} AS is_free,
            EXISTS (SELECT 1 FROM blocked_links b WHERE b.record_id = c.record_id) AS is_blocked
       FROM domains d
       CROSS JOIN LATERAL ${claimsNamed(':')} AS c
       LEFT JOIN links l ON l.project_id = c.project_id AND l.id = c.record_id
      WHERE d.id = :domainId
      ORDER BY c.free_at IS NULL DESC, is_free, c.key = :key DESC LIMIT 1`,
    { projectId, domainId: domain.id, key, ...spellingsOf(key) },
  );
  const shortLink = shortLinkOf(domain.slug, key);
  const qrCode = qrCodeOf(shortLink);
  const answer = { domain: domain.slug, key, shortLink, qrCode, reason: null, holder: null };
  if (claim === undefined || claim.is_free) return { ...answer, available: true };
  if (claim.is_left) {
    return { ...answer, available: false, reason: claim.is_blocked ? 'blocked' : 'kept' };
  }
  const { record_id: id, project_id, url } = claim;
  const isShown = project_id === projectId && (await listInside(projectId, id))?.length !== 0;
  const holder = isShown ? { kind: kindOfId(id)!, id, url } : null;
  return { ...answer, available: false, reason: 'taken', holder };
}
