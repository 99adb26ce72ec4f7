import { config } from '../config.ts';
import { Joi } from '../infra/fields.ts';
import {
  type BulkItem,
  bulkAnswerOf,
  nullable,
  type RecordContext,
  routedRecordFields,
  shortLinkOf,
  toRoutedRecord,
} from '../records/record.ts';
import type { LinkRow } from './model.ts';

/** The link record of the contract; its password is still sealed. */
export function toSealedLink(row: LinkRow, context: RecordContext) {
  const shortLink = shortLinkOf(context.domain, row.key);
  return {
    ...toRoutedRecord(row, context),
    url: row.url,
    video: row.video,
    clicks: context.counters?.visits ?? 0,
    shortLink,
    qrCode: `${config().BASE_URL}/qr?url=${encodeURIComponent(shortLink)}`,
  };
}

/** A link record as jobs and their results carry it. */
export type SealedLink = ReturnType<typeof toSealedLink>;

/** One place of a bulk answer: the record, or why there is none and what was sent. */
export type BulkLinkItem = BulkItem<SealedLink>;

/** The link record, for the reference and for checking answers. */
export const linkRecord = Joi.object({
  ...routedRecordFields,
  url: Joi.string().required(),
  video: nullable,
  clicks: Joi.number().required(),
  shortLink: Joi.string().uri(),
  qrCode: Joi.string().uri(),
});

/** An array of records and errors, in the order of the request. */
export const bulkAnswer = bulkAnswerOf(linkRecord, 'link');
