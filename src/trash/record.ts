import type { ErrorBody } from '../errors.ts';
import { Joi, nullable, requiredText, requiredTime } from '../http/fields.ts';
import { shortLinkOf } from '../lookup/short-link.ts';
import { authorRecord, toAuthor } from '../short-links/history-record.ts';
import { TRASH_DAYS, type TrashRow } from '../short-links/trash.ts';

const DAY_MS = 86_400_000;

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Converts a row to its public record. */
export function toTrashed(row: TrashRow) {
  const { domain, record } = row;
  const key = String(record['key']);
  return {
    id: row.id,
    type: row.kind,
    domain,
    key,
    shortLink: domain === null ? null : shortLinkOf(domain, key),
    title: textOrNull(record['title']),
    url: textOrNull(record['url']),
    deletedAt: row.deleted_at.toISOString(),
    deletedBy: toAuthor(row),
    expiresAt: new Date(row.deleted_at.getTime() + TRASH_DAYS * DAY_MS).toISOString(),
  };
}

/** Schema of the record, for the reference and for checking answers. */
export const trashedRecord = Joi.object({
  id: requiredText.description('Id of the record.').example('link_4Jx2vQ0aTq'),
  type: Joi.string().valid('link', 'qrcode').required().description('Kind of the record.'),
  domain: nullable
    .description('Domain of its short link; null if the domain was deleted.')
    .example('acme.link'),
  key: requiredText.description('Slug of its short link.').example('spring'),
  shortLink: nullable
    .description('Its short link; null if the domain was deleted.')
    .example('https://acme.link/spring'),
  title: nullable.description('Title of its link preview.').example('Spring sale'),
  url: nullable
    .description('Destination URL; null for QR codes of another type than url.')
    .example('https://example.com/spring'),
  deletedAt: requiredTime.description('Time of the deletion.'),
  deletedBy: authorRecord('Author of the deletion; null for the service itself.'),
  expiresAt: requiredTime.description('Time at which the record is deleted for good.'),
}).meta({ name: 'TrashedRecord' });

/** The outcome of a restoration in a bulk request. */
export type Restored = { id: string } | (ErrorBody & { id: string });

/** Schema of the outcomes, in the order of the request. */
export const restoredAnswer = Joi.array().items(
  Joi.object({
    id: requiredText.description('Id of the record.').example('link_4Jx2vQ0aTq'),
    error: Joi.object({
      code: requiredText.description('Name of the error.'),
      message: requiredText.description('Explanation for a person.'),
      doc_url: Joi.string().description('URL of the explanation of the error.'),
    }).description('Error; absent for a restored record.'),
  }).meta({ name: 'RestoredRecord' }),
);
